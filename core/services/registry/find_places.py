"""Finds places of business with the taxes that they owe and the days on which they are open."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.db.unit_of_work import UnitOfWork, reading
from core.filing.find_places import places_page, taxes_of_places
from core.filing.opening_days import PlaceFact, is_open_in
from core.filing.owed_periods import facts_of_places
from core.filing.places import find_place
from core.filing.records import Place, PlaceUnknown
from core.tenants.directory import Tenant

Reach = frozenset[UUID] | None


class PlaceFound(NamedTuple):
    """A place; its taxes with the day from which each is owed; the facts that stand; whether it is open on the day."""

    place: Place
    taxes: dict[str, date]
    facts: tuple[PlaceFact, ...]
    is_open: bool


def find_places(
    engine: Engine, tenant: Tenant, filer: UUID | None, after: int, most: int, on: date, reach: Reach
) -> tuple[PlaceFound, ...]:
    """At most `most` places in reach with a number above `after`, by number; a filer's, or all."""
    wanted = reach if filer is None else frozenset({filer} if reach is None or filer in reach else ())
    with reading(engine, tenant.id) as uow:
        return _found(uow, places_page(uow, after, most, wanted), on)


def look_up_place(engine: Engine, tenant: Tenant, place: UUID, on: date, reach: Reach) -> PlaceFound:
    """The place with this id, as it stands. Raises PlaceUnknown, also for one out of reach."""
    with reading(engine, tenant.id) as uow:
        return found_place(uow, place, on, reach)


def found_place(uow: UnitOfWork, place: UUID, on: date, reach: Reach = None) -> PlaceFound:
    """The same in a transaction that is open."""
    found = find_place(uow, place)
    if reach is not None and found.filer_id not in reach:
        raise PlaceUnknown("no place of business here has this id")
    return _found(uow, [found], on)[0]


def _found(uow: UnitOfWork, places: Sequence[Place], on: date) -> tuple[PlaceFound, ...]:
    ids = [place.id for place in places]
    taxes, facts = taxes_of_places(uow, ids), facts_of_places(uow, ids)
    return tuple(
        PlaceFound(place, taxes[place.id], tuple(facts[place.id]), is_open_in(facts[place.id], on, on))
        for place in places
    )
