"""Record that a place opened again, closed, or closes for a season; or that such a record was an error."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import bindparam, select

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.domain.errors import Fault, Refused
from core.filing.opening_days import SEASONAL_CLOSURE, PlaceFact, contradictions, objections
from core.filing.records import PlaceUnknown
from core.filing.tables import place_facts, places

_LOCK = select(places.c.id).where(of_tenant(places), places.c.id == bindparam("place")).with_for_update(key_share=True)
_ALL = (
    select(place_facts)
    .where(of_tenant(place_facts), place_facts.c.place_id == bindparam("place"))
    .order_by(place_facts.c.seq)
)


def record_place_fact(
    uow: UnitOfWork, place: UUID, kind: str, first_day: date, last_day: date | None, recorded: Recorded
) -> PlaceFact:
    """Record an "opening", a "closing" (on the last day open) or a "seasonal_closure". Raises Refused, PlaceUnknown."""
    lock_place(uow, place)
    standing, newest = _facts(uow, place)
    fact = PlaceFact(newest + 1, kind, first_day, last_day)
    faults = objections(standing, fact)
    if kind != SEASONAL_CLOSURE and last_day is not None:
        faults.append(Fault("last_day", f"{last_day} is left out: only a closed season has a last day"))
    if faults:
        raise Refused(faults)
    uow.insert(place_facts, {"place_id": place, **fact._asdict(), "reason": "", **recorded.columns()})
    return fact


def withdraw_place_fact(uow: UnitOfWork, place: UUID, seq: int, recorded: Recorded, *, reason: str) -> None:
    """Record that the fact with this seq was an error. Raises Refused, PlaceUnknown."""
    lock_place(uow, place)
    standing, newest = _facts(uow, place)
    faults: list[Fault] = []
    if seq not in {fact.seq for fact in standing}:
        faults.append(Fault("seq", f"no fact {seq} stands for this place: take it from the list"))
    if not reason.strip():
        faults.append(Fault("reason", "say what was wrong with it"))
    faults += contradictions([fact for fact in standing if fact.seq != seq])
    if faults:
        raise Refused(faults)
    row = {"place_id": place, "seq": newest + 1, "kind": "withdrawal", "withdraws": seq, "reason": reason}
    uow.insert(place_facts, {**row, **recorded.columns()})


def place_facts_known(uow: UnitOfWork, place: UUID) -> tuple[PlaceFact, ...]:
    """The facts that stand for a place, in the order of recording."""
    return _facts(uow, place)[0]


def lock_place(uow: UnitOfWork, place: UUID) -> None:
    """Lock a place until the transaction ends, before its facts are read. Raises PlaceUnknown."""
    if uow.row(_LOCK, place=place) is None:
        raise PlaceUnknown("no place of business here has this id")


def _facts(uow: UnitOfWork, place: UUID) -> tuple[tuple[PlaceFact, ...], int]:
    """The facts that stand, and the seq of the last row recorded."""
    rows = uow.rows(_ALL, place=place)
    withdrawn = {row.withdraws for row in rows}
    standing = tuple(
        PlaceFact(row.seq, row.kind, row.first_day, row.last_day)
        for row in rows
        if row.withdraws is None and row.seq not in withdrawn
    )
    return standing, rows[-1].seq if rows else 0
