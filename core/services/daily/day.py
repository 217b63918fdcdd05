"""One day of the daily run for one municipality, in one transaction: all of it lasts, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import NamedTuple
from uuid import UUID

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.filing.accounts import open_accounts
from core.services.accounts.look import Looked, look
from core.services.accounts.post import post_looked
from core.services.daily.plan import DayPlan, Key
from core.services.daily.watch import Overdue
from core.tenants.daily_runs import last_run, record_run, take_turn
from core.tenants.laws import Laws

ACCOUNTS_AT_A_TIME = 5_000


class DayDone(NamedTuple):
    """What was done on a day: accounts opened and posted, those that became overdue, and how many wait."""

    day: date
    opened: int
    posted: int
    overdue: tuple[tuple[UUID, Overdue], ...]
    waiting: int

    @property
    def report(self) -> dict[str, int]:
        """As counts, without names."""
        return {
            "opened": self.opened,
            "posted": self.posted,
            "overdue": len(self.overdue),
            "waiting": self.waiting,
        }


def do_day(
    uow: UnitOfWork, laws: Laws, day: date, plan: DayPlan, known: Mapping[Key, UUID], recorded: Recorded
) -> tuple[DayDone, dict[Key, UUID]] | None:
    """Do what is planned for a day, and answer with the ids of the accounts that were opened for it.

    `known` has the ids of the accounts that are open. None where another daily run has done the day meanwhile.
    Raises PeriodClosed.
    """
    take_turn(uow)
    done = last_run(uow)
    if done is not None and done >= day:
        return None
    opened = {(one.place_id, one.tax, one.period.key): one.id for one in open_accounts(uow, plan.opening)}
    ids = {**known, **opened}
    posted = 0
    for some in _in_order({ids[key] for key in plan.posting}):
        looked = _as_on(look(uow, some), some, laws, day)
        posted += sum(one.entry_id is not None for one in post_looked(uow, looked, day, recorded))
    overdue = tuple((ids[key], what) for key, what in plan.overdue)
    made = DayDone(day, len(opened), posted, overdue, plan.waiting)
    record_run(uow, day, made.report, recorded)
    return made, opened


def _as_on(looked: Looked, wanted: list[UUID], laws: Laws, day: date) -> Looked:
    """The wanted accounts under the law as it was known on the day.

    One that was written to, or posted, for a later day since the plan was made has had what the day brought.
    """
    municipality, seq = laws.on(day)
    if seq == laws.newest:  # and what was recorded since the plan was made counts as well
        municipality, seq = looked.municipality, looked.settings_seq
    accounts = {
        account_id: replace(looked.accounts[account_id], municipality=municipality)
        for account_id in wanted
        if looked.accounts[account_id].last_recorded <= day
        and (account_id not in looked.assessed or looked.assessed[account_id].as_of <= day)
    }
    return replace(
        looked,
        municipality=municipality,
        settings_seq=seq,
        wanted=frozenset(accounts),
        accounts=accounts,
    )


def _in_order(ids: set[UUID]) -> Iterator[list[UUID]]:
    """By id, some thousands at a time, so that what one statement gives stays within what a database can hold."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), ACCOUNTS_AT_A_TIME):
        yield ordered[start : start + ACCOUNTS_AT_A_TIME]
