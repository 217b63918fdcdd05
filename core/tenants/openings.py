"""That a municipality is open on this instance, and since when. It opens once."""

from __future__ import annotations

from datetime import date

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.tenants.tables import openings

_OPEN = insert(openings).on_conflict_do_nothing(index_elements=[openings.c.tenant_id, openings.c.seq])
_OPENED = select(openings.c.opened_on).where(of_tenant(openings))


def record_opening(uow: UnitOfWork, opened_on: date, recorded: Recorded) -> None:
    """Record that the municipality is open from a day on. One that is open stays open since the day it was."""
    uow.insert(_OPEN, {"seq": 1, "opened_on": opened_on, **recorded.columns()})


def opened_on(uow: UnitOfWork) -> date | None:
    """The day since which the municipality is open, None while it is not."""
    row = uow.row(_OPENED)
    return row[0] if row is not None else None
