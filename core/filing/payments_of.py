"""The payments of an account as they were recorded: number, way of paying, reference."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import bindparam, select

from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork
from core.filing.tables import payments

_OF_ACCOUNT = (
    select(payments)
    .where(of_tenant(payments), payments.c.account_id == bindparam("account"))
    .order_by(payments.c.event_seq)
)


class PaymentKept(NamedTuple):
    """How money came in. `moved_from` is the payment that this one was moved from, None for one that came in."""

    id: UUID
    number: int
    event_seq: int
    method: str
    reference: str
    received_on: date
    moved_from: UUID | None


def payments_of_account(uow: UnitOfWork, account: UUID) -> tuple[PaymentKept, ...]:
    """The payments of an account, in the order of recording."""
    return tuple(
        PaymentKept(row.id, row.number, row.event_seq, row.method, row.reference, row.received_on, row.moved_from)
        for row in uow.rows(_OF_ACCOUNT, account=account)
    )
