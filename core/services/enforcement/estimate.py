"""Estimates the receipts of a period for which no return was filed (READINGS 12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request
from core.db.unit_of_work import UnitOfWork
from core.domain.errors import Fault
from core.domain.events import Estimate
from core.filing.find_for_filing import places_for_filing
from core.filing.records import PeriodAccount
from core.services.accounts.named import Named
from core.services.enforcement.act_on import NAMES, act_on
from core.services.filing.form import Part, ReturnForm, receipts_of
from core.tenants.directory import Tenant

__all__ = ["EstimateForm", "Named", "Part", "estimate"]


@dataclass(frozen=True, slots=True)
class EstimateForm:
    """Estimated receipts in cents by the key of their line, for the period or in parts; `on` None: the day recorded."""

    gross: Mapping[str, int] = field(default_factory=dict)
    parts: Sequence[Part] = ()
    on: date | None = None


def estimate(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    named: Named,
    form: EstimateForm,
    recorded: Recorded,
    *,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Record the officer's estimate; a later one replaces it, and so does a return.

    Raises Refused (fields "gross.rooms", "parts[0].gross.rooms", "on", "account"), AccountUnknown, PlaceUnknown,
    TenantNotOpen, TenantClosed, RequestKeyReused, PeriodClosed, TooBusy.
    """

    def make(uow: UnitOfWork, account: PeriodAccount, faults: list[Fault]) -> Estimate | None:
        (place,) = places_for_filing(uow, [(account.place_id, account.tax, account.period.key)])
        assert place is not None
        tax = open_municipality(tenant.plugin).taxes[account.tax]
        if not form.gross and not any(part.gross for part in form.parts):
            # A return of nothing is a return; an estimate of nothing would only wipe out the one before.
            lines = ", ".join(line.key for line in tax.receipts)
            faults.append(Fault("gross", f"an estimate has receipts: give them by line ({lines})"))
            return None
        filled_in = ReturnForm(account.place_id, account.period.key, form.gross, parts=form.parts)
        before = len(faults)
        receipts = receipts_of(filled_in, tax, account.period, place.furnished_by, place.private_benefit, "", faults)
        if len(faults) > before:
            return None
        return Estimate(0, form.on or recorded.on, date.max, receipts)

    names = {**NAMES, "receipts": "gross"}
    return act_on(engine, tenant, request, named, make, recorded, names=names, reach=reach)
