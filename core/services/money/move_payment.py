"""Moves a payment to another account: of another period at the filer's request, or the right one after an error."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused
from core.domain.events import Payment, Voided
from core.filing.payments import RecordedPayment
from core.filing.records import PeriodAccount
from core.services.accounts.act import Act, PaymentDetails
from core.services.accounts.named import Named, one_named
from core.services.accounts.record import by_account, record_looked, require_key
from core.services.accounts.refused import reason_faults, refused_as
from core.services.money.allocation import allocations
from core.services.money.pay import with_numbers
from core.services.money.standing import locked_with, payment_in_reach
from core.tenants.directory import Tenant

PATHS = ("", "to.")
NAMES = {"payment_on": "payment"}


def move_payment(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    payment_id: UUID,
    to: Named,
    reason: str,
    recorded: Recorded,
    *,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Move a whole payment to another account of the municipality, in one transaction. The same request moves once.

    It is struck out where it was and recorded where it belongs, with its own day, method and reference (READINGS 22);
    both accounts are locked at once. The answer has the new payment, which names the one it came from, and balance
    and credit of both accounts.

    Raises Refused (fields "reason", "account", "period", "to.…"), PaymentUnknown, PaymentAlreadyVoid, AccountUnknown,
    PlaceUnknown, TenantNotOpen, TenantClosed, RequestKeyReused, PeriodClosed, TooBusy.
    """
    require_key(request)

    def work(uow: UnitOfWork) -> Answer:
        return remember(uow, request, lambda: _move(uow, tenant, payment_id, to, reason, recorded, reach))

    return in_transaction(engine, tenant.id, work)


def _move(
    uow: UnitOfWork,
    tenant: Tenant,
    payment_id: UUID,
    to: Named,
    reason: str,
    recorded: Recorded,
    reach: frozenset[UUID] | None,
) -> Answer:
    payment = payment_in_reach(uow, payment_id, reach)
    taxes = open_municipality(tenant.plugin).taxes
    target = one_named(uow, taxes, to, recorded.on, reach, reason_faults(reason))
    if target.id == payment.account.id:
        message = f"payment {payment.number} is for this place and {target.period.key} already: name another account"
        raise Refused([Fault("account", message)])
    looked = locked_with(uow, payment, [target.id])
    acts = _acts(payment, target, reason, recorded.on)
    with refused_as(PATHS, NAMES):
        recording = record_looked(uow, looked, acts, recorded)
    after = looked.with_events(by_account(recording.acts, recording.events))
    (moved,) = with_numbers(recording, allocations(after, recording.acts, recording.events, recorded.on))
    return {"payment": {**moved, "moved_from": str(payment.id)}, "accounts": recording.answer["accounts"]}


def _acts(payment: RecordedPayment, target: PeriodAccount, reason: str, on: date) -> list[Act]:
    source = payment.account
    place = "" if target.place_id == source.place_id else " of another place"
    why = f"moved to {target.period.key}{place}: {reason}"
    details = PaymentDetails(payment.method, payment.reference, payment.id)
    return [
        Act(source.id, Voided(0, on, date.max, payment.seq, why)),
        Act(
            target.id,
            Payment(0, payment.paid_on, date.max, payment.cents),
            received_on=payment.received_on,
            payment=details,
        ),
    ]
