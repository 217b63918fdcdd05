"""Payments as they were recorded: number, method and reference, whether one is void and why, and where it was moved."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, Literal, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Row, Uuid, and_, bindparam, func, select

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import Period
from core.domain.errors import FiscError
from core.filing.records import PeriodAccount
from core.filing.tables import events, payments, period_accounts


class PaymentUnknown(FiscError):
    """No payment of this municipality has this id."""


class Void(NamedTuple):
    """Why a payment is void, and since when: it came back, was entered in error, or was moved to another account."""

    kind: Literal["returned", "error", "moved"]
    on: date
    reason: str
    recorded: Recorded


class RecordedPayment(NamedTuple):
    """A payment in cents. `paid_on` is the day it counts for, `received_on` the day it arrived.

    `moved_from` is the payment that this one took the place of, `moved_to` the one that took its own.
    """

    id: UUID
    number: int
    account: PeriodAccount
    seq: int
    cents: int
    paid_on: date
    received_on: date
    method: str
    reference: str
    moved_from: UUID | None
    moved_to: UUID | None
    recorded: Recorded
    void: Void | None


_VOIDS, _MOVED = events.alias("voids"), payments.alias("moved")
_ALL = (
    select(
        payments.c.id,
        payments.c.number,
        payments.c.account_id,
        payments.c.event_seq,
        payments.c.method,
        payments.c.reference,
        payments.c.received_on,
        payments.c.moved_from,
        payments.c.recorded_by,
        payments.c.recorded_on,
        events.c.counts_on,
        events.c.payload,
        period_accounts.c.filer_id,
        period_accounts.c.place_id,
        period_accounts.c.tax,
        period_accounts.c.period,
        period_accounts.c.first_day,
        period_accounts.c.last_day,
        _VOIDS.c.kind.label("void_kind"),
        _VOIDS.c.counts_on.label("void_on"),
        _VOIDS.c.payload.label("void_payload"),
        _VOIDS.c.recorded_by.label("void_by"),
        _VOIDS.c.recorded_on.label("void_recorded_on"),
        _MOVED.c.id.label("moved_to"),
    )
    .join_from(
        payments,
        events,
        and_(
            events.c.tenant_id == payments.c.tenant_id,
            events.c.account_id == payments.c.account_id,
            events.c.seq == payments.c.event_seq,
        ),
    )
    .join(
        period_accounts,
        and_(period_accounts.c.tenant_id == payments.c.tenant_id, period_accounts.c.id == payments.c.account_id),
    )
    .outerjoin(
        _VOIDS,
        and_(
            _VOIDS.c.tenant_id == payments.c.tenant_id,
            _VOIDS.c.account_id == payments.c.account_id,
            _VOIDS.c.voids_seq == payments.c.event_seq,
        ),
    )
    .outerjoin(_MOVED, and_(_MOVED.c.tenant_id == payments.c.tenant_id, _MOVED.c.moved_from == payments.c.id))
    .where(of_tenant(payments), of_tenant(events), of_tenant(period_accounts))
)
_IDS = func.any(bindparam("ids", type_=ARRAY(Uuid)))
_BY_ID = _ALL.where(payments.c.id == bindparam("id"))
_OF_ACCOUNTS = _ALL.where(payments.c.account_id == _IDS).order_by(payments.c.number)
_AFTER = _ALL.where(payments.c.number > bindparam("after")).order_by(payments.c.number).limit(bindparam("most"))
_OF_FILERS_AFTER = _AFTER.where(period_accounts.c.filer_id == _IDS)

_PAID = select(payments.c.account_id).where(of_tenant(payments)).distinct()
_PAID_BY = (
    select(payments.c.account_id)
    .join_from(
        payments,
        period_accounts,
        and_(period_accounts.c.tenant_id == payments.c.tenant_id, period_accounts.c.id == payments.c.account_id),
    )
    .where(of_tenant(payments), of_tenant(period_accounts), period_accounts.c.filer_id == _IDS)
    .distinct()
)


def accounts_paid(uow: UnitOfWork, filers: Iterable[UUID] | None = None) -> set[UUID]:
    """The accounts of these filers (None: of all) for which a payment was recorded, void or not."""
    rows = uow.rows(_PAID) if filers is None else uow.rows(_PAID_BY, ids=list(filers))
    return {row.account_id for row in rows}


def find_payment(uow: UnitOfWork, payment: UUID) -> RecordedPayment:
    """The payment with this id. Raises PaymentUnknown."""
    row = uow.row(_BY_ID, id=payment)
    if row is None:
        raise PaymentUnknown("no payment here has this id")
    return _payment(row)


def payments_of(uow: UnitOfWork, accounts: Iterable[UUID]) -> tuple[RecordedPayment, ...]:
    """The payments of these accounts by number, void ones too, in one statement."""
    return tuple(_payment(row) for row in uow.rows(_OF_ACCOUNTS, ids=list(accounts)))


def payments_after(
    uow: UnitOfWork, number: int, most: int, filers: Iterable[UUID] | None = None
) -> tuple[RecordedPayment, ...]:
    """At most `most` payments by number, those after `number`, of these filers (None: of all)."""
    if filers is None:
        rows = uow.rows(_AFTER, after=number, most=most)
    else:
        rows = uow.rows(_OF_FILERS_AFTER, after=number, most=most, ids=list(filers))
    return tuple(_payment(row) for row in rows)


def _payment(row: Row[Any]) -> RecordedPayment:
    first_day: date = row.first_day
    account = PeriodAccount(
        row.account_id, row.filer_id, row.place_id, row.tax, Period(row.period, first_day, row.last_day)
    )
    return RecordedPayment(
        row.id,
        row.number,
        account,
        row.event_seq,
        row.payload["cents"],
        row.counts_on,
        row.received_on,
        row.method,
        row.reference,
        row.moved_from,
        row.moved_to,
        Recorded(row.recorded_by, row.recorded_on),
        _void(row),
    )


def _void(row: Row[Any]) -> Void | None:
    if row.void_kind is None:
        return None
    kind: Literal["returned", "error", "moved"] = "error" if row.moved_to is None else "moved"
    if row.void_kind == "payment_returned":
        kind = "returned"
    recorded = Recorded(row.void_by, row.void_recorded_on)
    return Void(kind, row.void_on, row.void_payload.get("reason", ""), recorded)
