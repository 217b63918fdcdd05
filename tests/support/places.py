"""More filers and places in a town of the tests."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.filing.accounts import accounts_of
from core.filing.find_filers import find_filer
from core.filing.places import places_of, register_place
from core.filing.record_place_fact import record_place_fact
from core.filing.records import Filer, FilerDetails, PeriodAccount, Place, PlaceDetails
from core.filing.register_filer import register_filer
from tests.support.towns import Town

OPENED = date(2025, 1, 1)


def first_filer(town: Town) -> UUID:
    """The filer that `open_town` registered."""
    return next(iter(town.accounts.values())).filer_id


def first_place(town: Town) -> UUID:
    """The place that `open_town` registered."""
    return next(iter(town.accounts.values())).place_id


def a_filer(town: Town, name: str = "Harbor Inn LLC") -> UUID:
    """Another filer."""
    recorded = Recorded("treasurer", OPENED)
    return in_transaction(town.engine, town.tenant.id, lambda uow: register_filer(uow, FilerDetails(name), recorded).id)


def a_place(town: Town, filer: UUID, name: str = "Harbor Inn", opened_on: date = OPENED, **details: object) -> Place:
    """Another place, without any account open."""
    recorded = Recorded("treasurer", OPENED)

    def make(uow: UnitOfWork) -> Place:
        return register_place(uow, filer, PlaceDetails(name, **details), opened_on, ["room_tax"], recorded)

    return in_transaction(town.engine, town.tenant.id, make)


def a_fact(town: Town, place: UUID, kind: str, first_day: date, last_day: date | None = None) -> None:
    """A closing, a season closed, or an opening again."""
    recorded = Recorded("treasurer", first_day)
    in_transaction(
        town.engine, town.tenant.id, lambda uow: record_place_fact(uow, place, kind, first_day, last_day, recorded)
    )


def filer_now(town: Town, filer: UUID) -> Filer:
    """A filer as it stands."""
    with reading(town.engine, town.tenant.id) as uow:
        return find_filer(uow, filer)


def accounts_now(town: Town, filer: UUID) -> dict[tuple[str, str], PeriodAccount]:
    """A filer's accounts by the name of the place and the period key."""
    with reading(town.engine, town.tenant.id) as uow:
        names = {one.id: one.details.name for one in places_of(uow, filer)}
        return {(names[one.place_id], one.period.key): one for one in accounts_of(uow, filer)}
