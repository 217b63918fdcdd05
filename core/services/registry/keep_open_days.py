"""Keeps the days on which a place is open: it opened again, it closed, it closes for a season; or that was an error."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.filing.opening_days import CLOSING, OPENING, SEASONAL_CLOSURE
from core.filing.record_place_fact import record_place_fact, withdraw_place_fact
from core.tenants.directory import Tenant

KINDS = (OPENING, CLOSING, SEASONAL_CLOSURE)


def record_fact(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    place: UUID,
    kind: str,
    first_day: date,
    last_day: date | None,
    recorded: Recorded,
) -> Answer:
    """Record a fact of one of KINDS: a closing names the last day open, a closed season its first and its last day.

    The same request records it once. The answer has `seq`, by which it can be withdrawn. Raises Refused,
    PlaceUnknown, RequestKeyReused.
    """

    def record(uow: UnitOfWork) -> Answer:
        return {"seq": record_place_fact(uow, place, kind, first_day, last_day, recorded).seq}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: record(uow)))


def withdraw_fact(
    engine: Engine, tenant: Tenant, request: Request, place: UUID, seq: int, reason: str, recorded: Recorded
) -> Answer:
    """Record that a fact was an error; it stays in the record and counts no more. The same request does it once.

    Raises Refused, PlaceUnknown, RequestKeyReused.
    """

    def withdraw(uow: UnitOfWork) -> Answer:
        withdraw_place_fact(uow, place, seq, recorded, reason=reason)
        return {"withdrawn": seq}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: withdraw(uow)))
