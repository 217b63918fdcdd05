"""Opens a municipality for business on this instance, once its council has set what the law leaves to it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from sqlalchemy import Engine

from core.contract.law import Law
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.calendar import day_for_reading
from core.domain.errors import Fault, Refused
from core.services.accounts.errors import TenantClosed
from core.services.accounts.post import open_books
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.openings import opened_on, record_opening


class TenantNotReady(Refused):
    """What the law leaves to a council or board, and requires before the municipality opens, is not all recorded."""


def open_municipality_tenant(engine: Engine, tenant: Tenant, on: date, recorded: Recorded) -> date:
    """Open a municipality from a day on, and answer the day since which it is open. It opens once.

    Until then no act is recorded. Raises TenantNotReady with every resolution that is missing (fields
    "resolutions.key"), Refused where it is open since another day, TenantClosed.
    """
    return in_transaction(engine, tenant.id, lambda uow: open_in(uow, tenant, on, recorded))


def open_in(uow: UnitOfWork, tenant: Tenant, on: date, recorded: Recorded) -> date:
    """The same in a transaction that goes on. Raises what open_municipality_tenant raises."""
    municipality = open_tenant(uow, tenant.key)
    if tenant.closed_on is not None and on >= tenant.closed_on:
        raise TenantClosed(f"the municipality is closed here since {tenant.closed_on}: it does not open again")
    missing = list(_missing(municipality.law, on))
    if missing:
        raise TenantNotReady(missing)
    open_books(uow, municipality)
    record_opening(uow, on, recorded)
    since = opened_on(uow)
    assert since is not None
    if since != on:
        raise Refused([Fault("on", f"the municipality is open here since {since}: an opening is recorded once")])
    return since


def open_since(engine: Engine, tenant: Tenant) -> date | None:
    """The day since which a municipality is open, None where it is not."""
    with reading(engine, tenant.id) as uow:
        return opened_on(uow)


def _missing(law: Law, on: date) -> Iterator[Fault]:
    for slot in law.resolution_slots.values():
        if slot.required and not law.has_resolution(slot.key, on):
            yield Fault(
                f"resolutions.{slot.key}",
                f"{slot.title} is set by resolution of the {slot.set_by} ({slot.clause.section}), and none in force on "
                f"{day_for_reading(on)} is recorded: record it with its number, date and amount",
            )
