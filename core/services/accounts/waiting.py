"""Accounts whose last act is not in the books: which they are, for which act they wait, and posting them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.errors import ResolutionMissing, ValueNotInForce
from core.filing.accounts import accounts_of
from core.filing.assessments import accounts_not_assessed, accounts_written_to
from core.filing.filed_so_far import PlaceOfFiler, places_of_filers
from core.filing.records import PeriodAccount
from core.services.accounts.load import load_accounts
from core.services.accounts.post import Posted, post_accounts
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant


class Waiting(NamedTuple):
    """An account whose last act is not in the books, its place, and a message that names the act it waits for."""

    account: PeriodAccount
    place: PlaceOfFiler
    message: str


def waiting(engine: Engine, tenant: Tenant, on: date) -> dict[UUID, str]:
    """The accounts that could not be posted as of a day, each with a message that names the act it waits for."""
    return {one.account.id: one.message for one in waiting_accounts(engine, tenant, on)}


def waiting_accounts(
    engine: Engine, tenant: Tenant, on: date, reach: frozenset[UUID] | None = None
) -> tuple[Waiting, ...]:
    """The same with the accounts, by place and period. `reach` are the filers whose accounts are listed, None all.

    Among them are those whose charge arose by the passing of days. An account whose last act is not posted though
    nothing is missing any more, since the resolution has been recorded, says so.
    """
    with reading(engine, tenant.id) as uow:
        behind, written_to, places = accounts_not_assessed(uow), accounts_written_to(uow), places_of_filers(uow)
        if reach is not None:
            written_to &= {account.id for filer in reach for account in accounts_of(uow, filer)}
        found = []
        for account_id, account in load_accounts(uow, open_tenant(uow, tenant.key), written_to).items():
            place = places[account.record.place_id]
            try:
                account.statement(max(on, account.last_recorded))
                if account_id in behind:
                    found.append(Waiting(account.record, place, "nothing is missing any more: post it"))
            except (ResolutionMissing, ValueNotInForce) as error:
                found.append(Waiting(account.record, place, str(error)))
        return tuple(sorted(found, key=lambda one: (one.place.number, one.account.tax, one.account.period.key)))


def post_again(engine: Engine, tenant: Tenant, ids: Iterable[UUID], recorded: Recorded) -> tuple[Posted, ...]:
    """Post what these accounts, and those that look back to them, owe as of the day of recording.

    For accounts that waited, and for what has accrued since. Doing it twice moves nothing. Raises AccountUnknown,
    PeriodClosed.
    """
    wanted = set(ids)

    def work(uow: UnitOfWork) -> tuple[Posted, ...]:
        return post_accounts(uow, wanted, recorded.on, recorded)

    return in_transaction(engine, tenant.id, work)
