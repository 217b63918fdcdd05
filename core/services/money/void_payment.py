"""Strikes out a payment that was entered in error: a wrong amount, a wrong account, or twice."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Refused
from core.domain.events import Voided
from core.services.accounts.act import Act
from core.services.accounts.record import record_looked, require_key
from core.services.accounts.refused import reason_faults, refused_as
from core.services.money.standing import locked_with, payment_in_reach
from core.tenants.directory import Tenant

NAMES = {"payment_on": "payment"}


def void_payment(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    payment_id: UUID,
    reason: str,
    recorded: Recorded,
    *,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Strike out a payment as of the day of recording. The same request does so once.

    The account is as if it had never been paid, and owes no fee for it (READINGS 22). Raises Refused (field
    "reason"), PaymentUnknown, PaymentAlreadyVoid, TenantNotOpen, TenantClosed, RequestKeyReused, PeriodClosed, TooBusy.
    """
    require_key(request)
    faults = reason_faults(reason)
    if faults:
        raise Refused(faults)

    def strike_out(uow: UnitOfWork) -> Answer:
        payment = payment_in_reach(uow, payment_id, reach)
        looked = locked_with(uow, payment)
        act = Act(payment.account.id, Voided(0, recorded.on, date.max, payment.seq, reason))
        with refused_as([""], NAMES):
            recording = record_looked(uow, looked, [act], recorded)
        told = {"id": str(payment.id), "number": payment.number}
        return {"payment": told, "accounts": recording.answer["accounts"]}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: strike_out(uow)))
