"""Finds a payment that still stands and locks its account, for what makes a payment void."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import day_for_reading
from core.domain.events import PaymentReturned, Voided
from core.filing.events import PaymentAlreadyVoid
from core.filing.payments import PaymentUnknown, RecordedPayment, find_payment
from core.services.accounts.look import Looked, look


def payment_in_reach(uow: UnitOfWork, payment_id: UUID, reach: frozenset[UUID] | None) -> RecordedPayment:
    """The payment with this id, if its filer is in reach (None: all are). Raises PaymentUnknown."""
    payment = find_payment(uow, payment_id)
    if reach is not None and payment.account.filer_id not in reach:
        raise PaymentUnknown("no payment here has this id")
    return payment


def locked_with(uow: UnitOfWork, payment: RecordedPayment, others: Iterable[UUID] = ()) -> Looked:
    """The payment's account and others, locked together and looked at. Raises PaymentAlreadyVoid, AccountUnknown."""
    looked = look(uow, {payment.account.id, *others})
    # What made it void may have been recorded while the lock was waited for, so the locked events are asked.
    for event in looked.accounts[payment.account.id].events:
        if isinstance(event, PaymentReturned | Voided) and event.payment_seq == payment.seq:
            how = "came back" if isinstance(event, PaymentReturned) else "was struck out"
            why = f" ({event.reason})" if event.reason else ""
            message = f"payment {payment.number} {how} on {day_for_reading(event.on)}{why}: it is void already"
            raise PaymentAlreadyVoid(message)
    return looked
