"""The daily run over municipalities: every day since the last run, in order, and then a seal on the books."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import NamedTuple

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.calendar import ONE_DAY
from core.ledger.heads import HeadsFile
from core.ledger.seal import Sealed
from core.services.books.check import seal_books
from core.services.daily.day import DayDone, do_day
from core.services.daily.plan import DayPlan, Plan, make_plan
from core.tenants.daily_runs import last_run
from core.tenants.directory import Tenant
from core.tenants.laws import Laws
from core.tenants.openings import opened_on

__all__ = ["BY", "DayDone", "Failed", "NotOpen", "Sealed", "run_daily", "run_days"]

BY = "daily run"


class NotOpen(NamedTuple):
    """The municipality is not open yet, so there is nothing to do for it."""


class Failed(NamedTuple):
    """The municipality could not be processed; what was done for it before lasts, and the next run goes on there."""

    message: str


Outcome = DayDone | NotOpen | Failed | Sealed


def run_daily(
    engine: Engine,
    tenants: Iterable[Tenant],
    today: Callable[[Tenant], date],
    heads: HeadsFile | None,
    by: str = BY,
) -> Iterator[tuple[Tenant, Outcome]]:
    """Do every day that is due, municipality by municipality, and seal the books of each at its end.

    `today` is the municipality's own day. One that cannot be processed is told and does not stop the others; its
    books are sealed all the same. Run again, there is nothing left to do.
    """
    for tenant in tenants:
        is_open = True
        try:
            for outcome in run_days(engine, tenant, today(tenant), by):
                is_open = not isinstance(outcome, NotOpen)
                yield tenant, outcome
        except Exception as error:  # whatever breaks one municipality, a plugin's own fault too, must not stop the rest
            yield tenant, Failed(f"{type(error).__name__}: {error}")
        if heads is not None and is_open:
            yield from _sealed(engine, tenant, heads)


def run_days(engine: Engine, tenant: Tenant, today: date, by: str = BY) -> Iterator[DayDone | NotOpen]:
    """Do every day from the one after the last run through today, each in a transaction of its own, in order.

    The first run does today alone. What is done for a day counts for it, and is booked and recorded today. Raises
    ContractBroken, AccountCannotBeAssessed, PeriodClosed, TooBusy; the days before last then.
    """
    through = today if tenant.closed_on is None else min(today, tenant.closed_on - ONE_DAY)
    recorded = Recorded(by, today)
    while True:
        with reading(engine, tenant.id) as uow:
            since, done = opened_on(uow), last_run(uow)
            if since is None or since > through:
                yield NotOpen()
                return
            day = done + ONE_DAY if done is not None else through
            if day > through:
                return
            laws = Laws(uow, tenant)
            plan = make_plan(uow, laws, since, day, through)
        while (made := _done(engine, tenant, laws, day, plan, recorded)) is not None:
            yield made
            day += ONE_DAY
            if day > through:
                return
        # Another daily run has done this day meanwhile: look again at what is left.


def _done(engine: Engine, tenant: Tenant, laws: Laws, day: date, plan: Plan, recorded: Recorded) -> DayDone | None:
    planned = plan.days.pop(day, None) or DayPlan()

    def work(uow: UnitOfWork) -> DayDone | None:
        done = do_day(uow, laws, day, planned, plan.accounts, recorded)
        if done is None:
            return None
        made, opened = done
        plan.accounts.update(opened)
        return made

    return in_transaction(engine, tenant.id, work)


def _sealed(engine: Engine, tenant: Tenant, heads: HeadsFile) -> Iterator[tuple[Tenant, Outcome]]:
    try:
        yield from seal_books(engine, [tenant], heads)
    except Exception as error:
        yield tenant, Failed(f"the books could not be sealed: {type(error).__name__}: {error}")
