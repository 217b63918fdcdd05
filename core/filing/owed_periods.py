"""Which periods the places of a municipality owe, in one statement for all of them or one filer's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Row, Uuid, and_, bindparam, func, select

from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import Frequency, Period
from core.filing.opening_days import PlaceFact, periods_owed
from core.filing.tables import place_facts, place_taxes, places


class Obligation(NamedTuple):
    """A period that a place owes a return for."""

    filer_id: UUID
    place_id: UUID
    tax: str
    period: Period


_FACTS = (
    select(
        places.c.filer_id,
        place_taxes.c.place_id,
        place_taxes.c.tax,
        place_taxes.c.since,
        place_facts.c.seq,
        place_facts.c.kind,
        place_facts.c.first_day,
        place_facts.c.last_day,
        place_facts.c.withdraws,
    )
    .join_from(
        place_taxes,
        places,
        and_(places.c.tenant_id == place_taxes.c.tenant_id, places.c.id == place_taxes.c.place_id),
    )
    .join(
        place_facts,
        and_(place_facts.c.tenant_id == place_taxes.c.tenant_id, place_facts.c.place_id == place_taxes.c.place_id),
    )
    .where(of_tenant(places), of_tenant(place_taxes), of_tenant(place_facts))
    .order_by(places.c.number, place_taxes.c.tax, place_facts.c.seq)
)
_OF_FILER = _FACTS.where(places.c.filer_id == bindparam("filer"))
_OF_PLACES = (
    select(place_facts)
    .where(of_tenant(place_facts), place_facts.c.place_id == func.any(bindparam("ids", type_=ARRAY(Uuid))))
    .order_by(place_facts.c.place_id, place_facts.c.seq)
)


def owed_periods(
    uow: UnitOfWork, frequencies: Mapping[str, Frequency], through: date, *, filer: UUID | None = None
) -> tuple[Obligation, ...]:
    """Every period that ended by `through` and is owed, by place, tax and period.

    `frequencies` says how often each declared tax is filed; a tax that it lacks is left out.
    """
    rows = uow.rows(_FACTS) if filer is None else uow.rows(_OF_FILER, filer=filer)
    by_place: dict[tuple[UUID, UUID, str, date], list[Row[Any]]] = {}
    for row in rows:
        if row.tax in frequencies:
            by_place.setdefault((row.filer_id, row.place_id, row.tax, row.since), []).append(row)
    return tuple(
        Obligation(filer_id, place_id, tax, period)
        for (filer_id, place_id, tax, since), listed in by_place.items()
        for period in periods_owed(_standing(listed), since, frequencies[tax], through)
    )


def facts_of_places(uow: UnitOfWork, wanted: Iterable[UUID]) -> dict[UUID, list[PlaceFact]]:
    """The facts that stand for these places, in the order of recording, in one statement."""
    ids = list(wanted)
    by_place: dict[UUID, list[Row[Any]]] = {place: [] for place in ids}
    for row in uow.rows(_OF_PLACES, ids=ids):
        by_place[row.place_id].append(row)
    return {place: _standing(rows) for place, rows in by_place.items()}


def _standing(rows: list[Row[Any]]) -> list[PlaceFact]:
    withdrawn = {row.withdraws for row in rows}
    return [
        PlaceFact(row.seq, row.kind, row.first_day, row.last_day)
        for row in rows
        if row.withdraws is None and row.seq not in withdrawn
    ]
