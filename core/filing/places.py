"""Places of business: enter one, change what it is called, find them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Row, bindparam, select

from core.db.base import of_tenant
from core.db.next_number import next_number
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7
from core.domain.errors import Fault, Refused
from core.filing.find_filers import find_filer
from core.filing.records import ChangedMeanwhile, Place, PlaceDetails, PlaceUnknown
from core.filing.tables import place_facts, place_taxes, places, revisions

_CHANGE = (
    places.update()
    .where(of_tenant(places), places.c.id == bindparam("id_"), places.c.version == bindparam("version_"))
    .values(version=places.c.version + 1, **{name: bindparam(f"{name}_") for name in PlaceDetails._fields})
)
_BY_ID = select(places).where(of_tenant(places), places.c.id == bindparam("id_"))
_OF_FILER = select(places).where(of_tenant(places), places.c.filer_id == bindparam("filer")).order_by(places.c.number)


def register_place(
    uow: UnitOfWork, filer: UUID, details: PlaceDetails, opened_on: date, taxes: Iterable[str], recorded: Recorded
) -> Place:
    """A new place of business of a filer, open from a day on and owing these taxes from then.

    Which taxes there are, the municipality declares. Raises Refused, FilerUnknown.
    """
    _require_sound(details)
    find_filer(uow, filer)
    place = Place(uuid7(), filer, next_number(uow, "places"), 1, details)
    row = {"id": place.id, "filer_id": filer, "number": place.number, "version": 1}
    uow.insert(places, {**row, **details._asdict(), **recorded.columns()})
    _keep(uow, place.id, 1, details, recorded)
    opening = {"place_id": place.id, "seq": 1, "kind": "opening", "first_day": opened_on, "reason": ""}
    uow.insert(place_facts, {**opening, **recorded.columns()})
    owed = [{"place_id": place.id, "tax": tax, "since": opened_on, **recorded.columns()} for tax in sorted(set(taxes))]
    uow.insert(place_taxes, *owed)
    return place


def add_place_tax(uow: UnitOfWork, place: UUID, tax: str, since: date, recorded: Recorded) -> None:
    """The place owes one more tax from a day on, as when a new tax is enacted. Raises PlaceUnknown."""
    find_place(uow, place)
    uow.insert(place_taxes, {"place_id": place, "tax": tax, "since": since, **recorded.columns()})


def change_place(uow: UnitOfWork, place: UUID, version: int, details: PlaceDetails, recorded: Recorded) -> int:
    """New details in place of version `version`; gives the new version.

    Raises Refused, PlaceUnknown, ChangedMeanwhile.
    """
    _require_sound(details)
    values = {f"{name}_": value for name, value in details._asdict().items()}
    if uow.execute(_CHANGE, {**values, "id_": place, "version_": version}).rowcount != 1:
        find_place(uow, place)
        raise ChangedMeanwhile("the place was changed after you opened it: look at it again and repeat your change")
    _keep(uow, place, version + 1, details, recorded)
    return version + 1


def find_place(uow: UnitOfWork, place: UUID) -> Place:
    """The place with this id. Raises PlaceUnknown."""
    row = uow.row(_BY_ID, id_=place)
    if row is None:
        raise PlaceUnknown("no place of business here has this id")
    return _place(row)


def places_of(uow: UnitOfWork, filer: UUID) -> tuple[Place, ...]:
    """A filer's places, by number; closed ones too."""
    return tuple(_place(row) for row in uow.rows(_OF_FILER, filer=filer))


def _keep(uow: UnitOfWork, place: UUID, version: int, details: PlaceDetails, recorded: Recorded) -> None:
    row = {"record": "place", "record_id": place, "version": version, "content": details._asdict()}
    uow.insert(revisions, {**row, **recorded.columns()})


def _require_sound(details: PlaceDetails) -> None:
    if not details.name.strip():
        raise Refused([Fault("name", "the name is empty: write what stands over the door")])


def _place(row: Row[Any]) -> Place:
    details = PlaceDetails(row.name, row.address, row.furnished_by, row.private_benefit)
    return Place(row.id, row.filer_id, row.number, row.version, details)
