"""Waives or reduces a fee, penalty or interest, for a reason that is kept and shown (READINGS 18 and 22)."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request
from core.domain.events import Waiver
from core.services.accounts.named import Named
from core.services.accounts.refused import reason_faults
from core.services.enforcement.act_on import act_on
from core.tenants.directory import Tenant


def waive(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    named: Named,
    kind: str,
    cents: int,
    reason: str,
    recorded: Recorded,
    *,
    on: date | None = None,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Lower a kind of charge by an amount in cents; what it does not use up lowers what arises later.

    `kind` is one of the kinds that the municipality charges, the tax excepted. `on` None: the day recorded. Raises
    Refused (fields "kind", "amount", "reason", "on", "account"), AccountUnknown, PlaceUnknown, TenantNotOpen,
    TenantClosed, RequestKeyReused, PeriodClosed, TooBusy.
    """
    event = Waiver(0, on or recorded.on, date.max, kind, cents, reason)
    return act_on(
        engine,
        tenant,
        request,
        named,
        lambda uow, account, faults: event,
        recorded,
        faults=reason_faults(reason),
        reach=reach,
    )
