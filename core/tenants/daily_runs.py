"""Which days the daily run has done for a municipality, and what it did on each. A day is done once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from sqlalchemy import func, select

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.tenants.tables import daily_runs

# The first number names this lock among Fisc's advisory locks; the second is the tenant.
_LOCK = "SELECT pg_advisory_xact_lock(5467005, %s)"
_LAST = select(func.max(daily_runs.c.day)).where(of_tenant(daily_runs))


def take_turn(uow: UnitOfWork) -> None:
    """Wait until no other daily run is at work on this municipality; it is ours until the transaction ends."""
    uow.driver.execute(_LOCK, (uow.tenant,))


def last_run(uow: UnitOfWork) -> date | None:
    """The last day that is done, None before the first."""
    day: date | None = uow.execute(_LAST).scalar_one()
    return day


def record_run(uow: UnitOfWork, day: date, report: Mapping[str, int], recorded: Recorded) -> None:
    """Record that a day is done, with counts and no names."""
    uow.insert(daily_runs, {"day": day, "report": dict(report), **recorded.columns()})
