"""Extends the time to file a return, at most as long as the law allows (READINGS 4)."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request
from core.domain.events import Extension
from core.services.accounts.named import Named
from core.services.enforcement.act_on import act_on
from core.tenants.directory import Tenant


def extend(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    named: Named,
    until: date,
    recorded: Recorded,
    *,
    on: date | None = None,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Record that the return may be filed until a day; of several the latest holds. `on` None: the day recorded.

    Raises Refused (fields "until", "on", "account"), AccountUnknown, PlaceUnknown, TenantNotOpen, TenantClosed,
    RequestKeyReused, PeriodClosed, TooBusy.
    """
    event = Extension(0, on or recorded.on, date.max, until)
    return act_on(engine, tenant, request, named, lambda uow, account, faults: event, recorded, reach=reach)
