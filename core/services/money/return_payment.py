"""Records that a payment came back, as a check that is not covered does, and the fee that a resolution sets for it."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused
from core.domain.events import PaymentReturned
from core.services.accounts.act import Act
from core.services.accounts.record import record_looked, require_key
from core.services.accounts.refused import law_faults, reason_faults, refused_as
from core.services.money.standing import locked_with, payment_in_reach
from core.tenants.directory import Tenant

NAMES = {"on": "came_back_on", "payment_on": "payment"}


def return_payment(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    payment_id: UUID,
    came_back_on: date,
    reason: str,
    recorded: Recorded,
    *,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Record that a payment came back on a day, for the bank's reason. The same request does so once.

    The account is as if it had never been paid, and owes the fee that a resolution sets (READINGS 22). Where that
    resolution is missing the act is recorded and `waiting` says so. The answer has the payment and its account.

    Raises Refused (fields "came_back_on", "reason"), PaymentUnknown, PaymentAlreadyVoid, TenantNotOpen, TenantClosed,
    RequestKeyReused, PeriodClosed, TooBusy.
    """
    require_key(request)

    def come_back(uow: UnitOfWork) -> Answer:
        payment = payment_in_reach(uow, payment_id, reach)
        looked = locked_with(uow, payment)
        event = PaymentReturned(0, came_back_on, date.max, payment.seq, payment.paid_on, payment.cents, reason)
        acts = [Act(payment.account.id, event)]
        faults = reason_faults(reason)
        if came_back_on < payment.paid_on:
            message = f"{came_back_on} is before {payment.paid_on}, the day it was paid: correct the day"
            faults.append(Fault("came_back_on", message))
        if faults:
            looked.require_tenant_open(recorded.on)
            raise Refused([*faults, *law_faults(looked, acts, recorded.on, [""], NAMES)])
        with refused_as([""], NAMES):
            recording = record_looked(uow, looked, acts, recorded)
        told = {"id": str(payment.id), "number": payment.number}
        return {"payment": told, "accounts": recording.answer["accounts"]}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: come_back(uow)))
