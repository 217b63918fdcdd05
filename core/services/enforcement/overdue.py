"""Lists what is overdue as of a day: returns not filed, amounts not paid, for how long, and what was done about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.db.unit_of_work import reading
from core.domain.errors import ResolutionMissing, ValueNotInForce
from core.domain.events import Estimate, Event, Extension, Finding, Notice, PaymentReturned, Waiver
from core.filing.assessments import accounts_written_to
from core.filing.filed_so_far import PlaceOfFiler, places_of_filers
from core.services.accounts.load import LoadedAccount, load_accounts
from core.services.filing.obligations import ReturnOwed, obligations
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

# What the list calls each act of an officer, and what a bank did.
_DONE: Mapping[type[Event], str] = {
    Estimate: "estimate",
    Extension: "extension",
    Notice: "notice",
    Finding: "finding",
    Waiver: "waiver",
    PaymentReturned: "payment returned",
}


class Done(NamedTuple):
    """What was done about an account, and for which day it counts."""

    what: str
    on: date


class Overdue(NamedTuple):
    """An account that is behind. Amounts are in cents, the days of delay are counted from the day after the last one.

    `days_unfiled` is 0 where a return is filed or may still be, `days_unpaid` where nothing is owed or may still be
    paid. `balance_cents` is None where a resolution is missing; then `waiting` says which. `account_id` is None while
    the account is not open, since nothing was ever recorded for it.
    """

    account_id: UUID | None
    filer_id: UUID
    filer_name: str
    place_id: UUID
    place_number: int
    place_name: str
    tax: str
    period: str
    due_on: date
    file_by: date
    pay_by: date
    filed_on: date | None
    days_unfiled: int
    days_unpaid: int
    balance_cents: int | None
    waiting: str | None
    done: tuple[Done, ...]


def overdue(
    engine: Engine, tenant: Tenant, as_of: date, *, filer: UUID | None = None, reach: frozenset[UUID] | None = None
) -> tuple[Overdue, ...]:
    """The accounts with a return that is not filed in time, or with a balance after the due date, as known on a day.

    The longest overdue come first. Of every filer, or of one; `reach` are the filers that may be looked at, None all.
    An extension moves the day to file and not the day to pay. A balance that cannot be worked out is listed too.
    """
    owed = obligations(engine, tenant, as_of, filer=filer, reach=reach)
    with reading(engine, tenant.id) as uow:
        municipality = open_tenant(uow, tenant.key, as_of)
        places = places_of_filers(uow, filer)
        ids = {one.account_id for one in owed if one.account_id is not None}
        accounts = load_accounts(uow, municipality, ids | accounts_written_to(uow), as_of)
    others = [
        account
        for account_id, account in accounts.items()
        if account_id not in ids
        and account.record.place_id in places
        and (reach is None or account.record.filer_id in reach)
    ]
    found = [*_behind(owed, accounts, as_of), *_owing_without_a_return(others, places, as_of)]
    return tuple(sorted(found, key=lambda one: (one.due_on, one.place_number, one.tax, one.period)))


def _owing_without_a_return(
    accounts: Iterable[LoadedAccount], places: Mapping[UUID, PlaceOfFiler], as_of: date
) -> Iterator[Overdue]:
    """Accounts for which no return is owed here and none is filed, and on which something is owed all the same."""
    for account in accounts:
        record, place = account.record, places[account.record.place_id]
        dates = account.municipality.deadlines(record.period)
        owed = ReturnOwed(
            record.filer_id,
            place.filer_name,
            place.id,
            place.number,
            place.name,
            record.tax,
            record.period,
            dates.nominal,
            dates.effective,
            as_of,
            None,
            False,
            record.id,
        )
        yield from _behind([owed], {record.id: account}, as_of)


def _behind(owed: Iterable[ReturnOwed], accounts: Mapping[UUID, LoadedAccount], as_of: date) -> Iterator[Overdue]:
    for one in owed:
        account = accounts[one.account_id] if one.account_id is not None else None
        balance, waiting = _balance(account, as_of)
        unfiled = (as_of - one.file_by).days if one.filed_on is None and as_of > one.file_by else 0
        owes = balance is None or balance > 0
        unpaid = (as_of - one.met_by).days if owes and as_of > one.met_by else 0
        if unfiled or unpaid:
            yield Overdue(
                one.account_id,
                one.filer_id,
                one.filer_name,
                one.place_id,
                one.place_number,
                one.place_name,
                one.tax,
                one.period.key,
                one.due_on,
                one.file_by,
                one.met_by,
                one.filed_on,
                unfiled,
                unpaid,
                balance,
                waiting,
                _done(account),
            )


def _balance(account: LoadedAccount | None, as_of: date) -> tuple[int | None, str | None]:
    """What is owed in cents, or what is missing to work it out; of an account that is not open, nothing yet."""
    if account is None:
        return 0, None
    try:
        return account.statement(as_of).balance, None
    except (ResolutionMissing, ValueNotInForce) as error:
        return None, str(error)


def _done(account: LoadedAccount | None) -> tuple[Done, ...]:
    events = account.events if account is not None else ()
    return tuple(Done(_DONE[type(event)], event.on) for event in events if type(event) in _DONE)
