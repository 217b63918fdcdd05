"""Which account an act is for: named by its id, or by place, tax and period. One that is owed is opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple
from uuid import UUID

from core.contract.declarations import Tax
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7
from core.domain.calendar import ANNUAL, Period
from core.domain.errors import Fault, Refused
from core.filing.accounts import find_accounts, open_accounts
from core.filing.find_for_filing import PlaceForFiling, places_for_filing
from core.filing.owed_periods import Obligation, facts_of_places
from core.filing.records import AccountUnknown, PeriodAccount, PlaceUnknown
from core.filing.why_not_owed import why_not_owed
from core.services.filing.find import NO_SUCH_PLACE
from core.services.filing.form import period_of, tax_of


class Named(NamedTuple):
    """An account by its id, or by place, tax and period key; `tax` may be left out where there is one."""

    account_id: UUID | None = None
    place_id: UUID | None = None
    period: str | None = None
    tax: str | None = None


class _Sought(NamedTuple):
    """An account that is named by place, tax and period: its place among those named, and what it is."""

    position: int
    path: str
    place_id: UUID
    tax: Tax
    key: str
    period: Period | None


def accounts_named(
    uow: UnitOfWork,
    taxes: Mapping[str, Tax],
    named: Sequence[tuple[str, Named]],
    today: date,
    reach: frozenset[UUID] | None,
    faults: list[Fault],
    *,
    opening: bool = True,
) -> list[PeriodAccount | None]:
    """The account that each names; None, and a fault at its path, where there is none.

    A missing one whose period is owed is opened, or without `opening` answered as it would be. `reach` are the filers
    that whoever asks may act for, None all: what lies outside is as unknown as what is not there. Raises
    AccountUnknown, PlaceUnknown.
    """
    found: list[PeriodAccount | None] = [None] * len(named)
    by_id: dict[int, UUID] = {}
    sought: list[_Sought] = []
    for position, (path, one) in enumerate(named):
        if (one.account_id is None) == (one.place_id is None or one.period is None):
            faults.append(Fault(f"{path}account", "name the account, or else its place and period"))
        elif one.account_id is not None:
            by_id[position] = one.account_id
        else:
            sought += _sought(position, path, one, taxes, faults)
    records = _by_id(uow, set(by_id.values()), reach)
    for position, account_id in by_id.items():
        found[position] = records[account_id]
    for wanted, account in zip(sought, _by_place(uow, sought, today, reach, faults, opening), strict=True):
        found[wanted.position] = account
    return found


def one_named(
    uow: UnitOfWork,
    taxes: Mapping[str, Tax],
    named: Named,
    today: date,
    reach: frozenset[UUID] | None,
    faults: Sequence[Fault] = (),
    *,
    opening: bool = True,
) -> PeriodAccount:
    """The one account that is named. Raises Refused with `faults` and what is wrong with the name, and as above."""
    listed = list(faults)
    (account,) = accounts_named(uow, taxes, [("", named)], today, reach, listed, opening=opening)
    if account is None or listed:
        raise Refused(listed)
    return account


def _sought(position: int, path: str, one: Named, taxes: Mapping[str, Tax], faults: list[Fault]) -> Iterable[_Sought]:
    assert one.place_id is not None
    assert one.period is not None
    tax = tax_of(taxes, one.tax, path, faults)
    if tax is None:
        return ()
    if one.period.endswith(ANNUAL):
        return (_Sought(position, path, one.place_id, tax, one.period, None),)
    period = period_of(tax, one.period, path, faults)
    return (_Sought(position, path, one.place_id, tax, period.key, period),) if period is not None else ()


def _by_id(uow: UnitOfWork, ids: set[UUID], reach: frozenset[UUID] | None) -> dict[UUID, PeriodAccount]:
    records = find_accounts(uow, ids) if ids else {}
    outside = [one.id for one in records.values() if reach is not None and one.filer_id not in reach]
    if outside:
        raise AccountUnknown(f"no period account here has the id {min(outside)}")
    return records


def _by_place(
    uow: UnitOfWork,
    sought: Sequence[_Sought],
    today: date,
    reach: frozenset[UUID] | None,
    faults: list[Fault],
    opening: bool,
) -> list[PeriodAccount | None]:
    if not sought:
        return []
    places = places_for_filing(uow, [(one.place_id, one.tax.key, one.key) for one in sought])
    known: list[PlaceForFiling] = []
    for place in places:
        if place is None or (reach is not None and place.filer_id not in reach):
            raise PlaceUnknown(NO_SUCH_PLACE)
        known.append(place)
    missing = [(one, place) for one, place in zip(sought, known, strict=True) if place.account_id is None]
    owed = _owed(uow, missing, today, faults)
    accounts = open_accounts(uow, owed.values()) if opening else _as_it_would_be(owed.values())
    opened = dict(zip(owed, accounts, strict=True))
    return [
        _open(one, place) or opened.get((one.place_id, one.tax.key, one.key))
        for one, place in zip(sought, known, strict=True)
    ]


def _open(one: _Sought, place: PlaceForFiling) -> PeriodAccount | None:
    if place.account_id is None or place.first_day is None or place.last_day is None:
        return None
    period = Period(one.key, place.first_day, place.last_day)
    return PeriodAccount(place.account_id, place.filer_id, one.place_id, one.tax.key, period)


def _owed(
    uow: UnitOfWork, missing: Sequence[tuple[_Sought, PlaceForFiling]], today: date, faults: list[Fault]
) -> dict[tuple[UUID, str, str], Obligation]:
    facts = facts_of_places(uow, {one.place_id for one, _ in missing}) if missing else {}
    owed: dict[tuple[UUID, str, str], Obligation] = {}
    for one, place in missing:
        if one.period is None:
            why: str | None = f"no annual return is open for {one.key}: it is once the year is over"
        elif one.period.last_day >= today:
            why = f"{one.key} is not over before {one.period.last_day}: nothing is owed for it yet"
        else:
            why = why_not_owed(facts[one.place_id], place.since, one.period, today)
        if why is not None:
            faults.append(Fault(f"{one.path}period", why))
        elif one.period is not None:
            owed[one.place_id, one.tax.key, one.key] = Obligation(place.filer_id, one.place_id, one.tax.key, one.period)
    return owed


def _as_it_would_be(owed: Iterable[Obligation]) -> tuple[PeriodAccount, ...]:
    return tuple(PeriodAccount(uuid7(), one.filer_id, one.place_id, one.tax, one.period) for one in owed)
