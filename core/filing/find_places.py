"""Find places of business in pages, and the taxes that they owe."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from uuid import UUID

from sqlalchemy import ARRAY, Integer, Uuid, bindparam, func, or_, select

from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork
from core.filing.records import Place, PlaceDetails
from core.filing.tables import place_taxes, places

_PAGE = (
    select(places)
    .where(
        of_tenant(places),
        places.c.number > bindparam("after", type_=Integer),
        or_(bindparam("all", value=False), places.c.filer_id == func.any(bindparam("filers", type_=ARRAY(Uuid)))),
    )
    .order_by(places.c.number)
    .limit(bindparam("most"))
)
_TAXES = (
    select(place_taxes.c.place_id, place_taxes.c.tax, place_taxes.c.since)
    .where(of_tenant(place_taxes), place_taxes.c.place_id == func.any(bindparam("ids", type_=ARRAY(Uuid))))
    .order_by(place_taxes.c.place_id, place_taxes.c.tax)
)


def places_page(uow: UnitOfWork, after: int, most: int, filers: Iterable[UUID] | None) -> tuple[Place, ...]:
    """At most `most` places with a number above `after`, by number; those of these filers, None: of all."""
    rows = uow.rows(_PAGE, after=after, most=most, all=filers is None, filers=list(filers or ()))
    return tuple(
        Place(
            row.id,
            row.filer_id,
            row.number,
            row.version,
            PlaceDetails(row.name, row.address, row.furnished_by, row.private_benefit),
        )
        for row in rows
    )


def taxes_of_places(uow: UnitOfWork, wanted: Iterable[UUID]) -> dict[UUID, dict[str, date]]:
    """The taxes that each of these places owes, with the day from which it does."""
    ids = list(wanted)
    found: dict[UUID, dict[str, date]] = {place: {} for place in ids}
    for row in uow.rows(_TAXES, ids=ids):
        found[row.place_id][row.tax] = row.since
    return found
