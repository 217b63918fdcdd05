"""Records a finding of negligence or intent, by an officer who is named and gives reasons (READINGS 14 and 15)."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request
from core.domain.errors import Fault, shown
from core.domain.events import FRAUD, NEGLIGENCE, Finding
from core.services.accounts.named import Named
from core.services.accounts.refused import reason_faults
from core.services.enforcement.act_on import act_on
from core.tenants.directory import Tenant

FINDINGS = (NEGLIGENCE, FRAUD)


def find(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    named: Named,
    finding: str,
    officer: str,
    reasons: str,
    recorded: Recorded,
    *,
    on: date | None = None,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Record a finding, a word of FINDINGS; `officer` is the title or name of who made it. `on` None: the day recorded.

    Raises Refused (fields "finding", "officer", "reasons", "on", "account"), AccountUnknown, PlaceUnknown,
    TenantNotOpen, TenantClosed, RequestKeyReused, PeriodClosed, TooBusy.
    """
    faults = [
        *reason_faults(officer, "officer", "the title or name of the officer"),
        *reason_faults(reasons, "reasons", "the reasons"),
    ]
    if finding not in FINDINGS:
        faults.append(Fault("finding", f"{shown(finding)} is no finding: use {', '.join(FINDINGS)}"))
    event = Finding(0, on or recorded.on, date.max, finding, officer, reasons)
    return act_on(
        engine, tenant, request, named, lambda uow, account, wrong: event, recorded, faults=faults, reach=reach
    )
