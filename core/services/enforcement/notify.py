"""Records that the notice to file or pay was mailed or delivered, from which the days run (READINGS 13)."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request
from core.domain.events import Notice
from core.services.accounts.named import Named
from core.services.enforcement.act_on import NAMES, act_on
from core.tenants.directory import Tenant


def notify(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    named: Named,
    mailed_on: date,
    recorded: Recorded,
    *,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Record the day on which the notice was mailed or delivered; the first notice governs.

    Raises Refused (fields "mailed_on", "account"), AccountUnknown, PlaceUnknown, TenantNotOpen, TenantClosed,
    RequestKeyReused, PeriodClosed, TooBusy.
    """
    event = Notice(0, mailed_on, date.max)
    names = {**NAMES, "on": "mailed_on"}
    return act_on(
        engine, tenant, request, named, lambda uow, account, faults: event, recorded, names=names, reach=reach
    )
