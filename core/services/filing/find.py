"""Finds the accounts that returns are for, and opens those that are owed and not open yet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple
from uuid import UUID

from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import Period
from core.domain.errors import Fault
from core.filing.accounts import open_accounts
from core.filing.find_for_filing import PlaceForFiling, places_for_filing
from core.filing.owed_periods import Obligation, facts_of_places
from core.filing.records import PlaceUnknown
from core.filing.why_not_owed import why_not_owed

NO_SUCH_PLACE = "no place of business here has this id"


class Sought(NamedTuple):
    """A place, and the tax and period of a return; both are None where the return does not name one that there is."""

    place_id: UUID
    tax: str | None
    period: Period | None
    path: str


class Found(NamedTuple):
    """The place, and the account of the return; None where it is not open."""

    place: PlaceForFiling
    account_id: UUID | None


def find_places(
    uow: UnitOfWork, sought: Sequence[Sought], reach: frozenset[UUID] | None
) -> list[tuple[Sought, PlaceForFiling]]:
    """The places in one statement. `reach` are the filers that whoever asks may act for, None all of them.

    Raises PlaceUnknown, for a place out of reach as for one that there is not.
    """
    found = places_for_filing(
        uow, [(one.place_id, one.tax or "", one.period.key if one.period else "") for one in sought]
    )
    pairs = []
    for one, place in zip(sought, found, strict=True):
        if place is None or (reach is not None and place.filer_id not in reach):
            raise PlaceUnknown(NO_SUCH_PLACE)
        pairs.append((one, place))
    return pairs


def with_accounts(
    uow: UnitOfWork, pairs: Sequence[tuple[Sought, PlaceForFiling]], today: date, faults: list[Fault]
) -> list[Found]:
    """The account of each return. One that is missing is opened where the place owes the period, else it is a fault.

    Where every account is open this asks the database nothing.
    """
    missing = [
        (one, one.tax, one.period, place)
        for one, place in pairs
        if one.tax is not None and one.period is not None and place.account_id is None
    ]
    opened: dict[tuple[UUID, str, str], UUID] = {}
    if missing:
        facts = facts_of_places(uow, {one.place_id for one, _, _, _ in missing})
        owed: dict[tuple[UUID, str, str], Obligation] = {}
        for one, tax, period, place in missing:
            why = why_not_owed(facts[one.place_id], place.since, period, today)
            if why is not None:
                fault = Fault(f"{one.path}period", why)
                faults.extend([fault] if fault not in faults else [])
            else:
                owed[one.place_id, tax, period.key] = Obligation(place.filer_id, one.place_id, tax, period)
        accounts = open_accounts(uow, owed.values())
        opened = {key: account.id for key, account in zip(owed, accounts, strict=True)}
    return [Found(place, place.account_id or _among(opened, one)) for one, place in pairs]


def _among(opened: dict[tuple[UUID, str, str], UUID], one: Sought) -> UUID | None:
    if one.tax is None or one.period is None:
        return None
    return opened.get((one.place_id, one.tax, one.period.key))
