"""Payments: made, previewed, come back, struck out, moved, paid back."""

from __future__ import annotations

from marshmallow import fields, validate

from core.schemas.fields import Dollars, Flag, Id, Key, Strict, day, some, words
from core.schemas.paging import Cursor, Paging, next_field
from core.schemas.returns import AccountNow

METHODS = ("check", "cash", "ach", "card", "marketplace")
MOST_PAYMENTS = 500
LONGEST_REASON = 500


class AccountMeant(Strict):
    """An account: named by its id, or else by place, period and tax, which may be left out where there is one."""

    account = Id(load_default=None, allow_none=True, metadata={"example": None})
    place = Id(load_default=None, allow_none=True)
    tax = Key(load_default=None, allow_none=True, metadata={"example": "room_tax"})
    period = Key(most=20, load_default=None, allow_none=True, metadata={"example": "2026-Q1"})


class NewPayment(AccountMeant):
    """A payment for a named account, which is where it goes.

    `paid_on` is the postmark or the day of paying, which counts; `received_on` the day it arrived. Left out, it was
    received today and paid on the day it was received.
    """

    amount = Dollars(above_zero=True, required=True)
    method = fields.String(load_default="check", validate=validate.OneOf(METHODS))
    reference = words(most=100, least=0, load_default="", metadata={"example": "check 1201"})
    paid_on = day(load_default=None, allow_none=True, metadata={"example": None})
    received_on = day(load_default=None, allow_none=True, metadata={"example": None})


class NewPayments(Strict):
    """Payments: all of them are recorded, or none."""

    payments = some(fields.Nested(NewPayment), most=MOST_PAYMENTS, required=True)


class ClauseShown(Strict):
    """A clause of the law."""

    id = fields.String(required=True)
    section = fields.String(required=True)


class AppliedShown(Strict):
    """The part of a payment that went to a kind of charge."""

    kind = fields.String(required=True)
    title = fields.String(required=True)
    amount = Dollars(required=True)
    clauses = fields.List(fields.Nested(ClauseShown), required=True)


class PaymentSeen(Strict):
    """What a payment goes to, cent by cent.

    `left_over` is what is not owed: a credit, or where `held` kept until something is filed. All three are null where
    an amount waits for the resolution that `waiting` names.
    """

    account = Id(required=True)
    place = Id(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)
    amount = Dollars(required=True)
    method = fields.String(required=True)
    reference = fields.String(required=True)
    paid_on = day(required=True)
    received_on = day(required=True)
    applied = fields.List(fields.Nested(AppliedShown), required=True, allow_none=True)
    left_over = Dollars(required=True, allow_none=True)
    held = fields.Boolean(required=True, allow_none=True)
    waiting = fields.String(required=True, allow_none=True)


class PaymentMade(PaymentSeen):
    """A payment that was recorded: its id, and the number of its receipt."""

    id = Id(required=True)
    number = fields.Integer(required=True)
    seq = fields.Integer(required=True)


class PaymentsMade(Strict):
    """What was recorded, and what became of the accounts."""

    payments = fields.List(fields.Nested(PaymentMade), required=True)
    accounts = fields.List(fields.Nested(AccountNow), required=True)


class AccountThen(Strict):
    """An account as it would be then."""

    account = Id(required=True)
    balance = Dollars(required=True, allow_none=True)
    credit = Dollars(required=True, allow_none=True)
    waiting = fields.String(required=True, allow_none=True)


class PaymentsPreviewed(Strict):
    """What would be recorded, and what would become of the accounts."""

    payments = fields.List(fields.Nested(PaymentSeen), required=True)
    accounts = fields.List(fields.Nested(AccountThen), required=True)


class CameBack(Strict):
    """That a payment came back, for the bank's reason."""

    came_back_on = day(required=True)
    reason = words(most=LONGEST_REASON, required=True, metadata={"example": "insufficient funds"})


class StruckOut(Strict):
    """Why a payment was entered in error."""

    reason = words(most=LONGEST_REASON, required=True, metadata={"example": "entered twice"})


class ToMove(Strict):
    """Where a payment belongs, and why it is moved."""

    to = fields.Nested(AccountMeant, required=True)
    reason = words(most=LONGEST_REASON, required=True, metadata={"example": "meant for the period before"})


class PaymentNumber(Strict):
    """A payment."""

    id = Id(required=True)
    number = fields.Integer(required=True)


class PaymentVoided(Strict):
    """The payment that is void now, and what became of its account."""

    payment = fields.Nested(PaymentNumber, required=True)
    accounts = fields.List(fields.Nested(AccountNow), required=True)


class PaymentInPlace(PaymentMade):
    """A payment that took the place of another."""

    moved_from = Id(required=True)


class PaymentMoved(Strict):
    """The payment where it belongs, and what became of both accounts."""

    payment = fields.Nested(PaymentInPlace, required=True)
    accounts = fields.List(fields.Nested(AccountNow), required=True)


class VoidShown(Strict):
    """Why a payment is void: it was returned, an error, or moved."""

    kind = fields.String(required=True, validate=validate.OneOf(["returned", "error", "moved"]))
    on = day(required=True)
    reason = fields.String(required=True)
    recorded_by = fields.String(required=True)
    recorded_on = day(required=True)


class PaymentShown(Strict):
    """A payment as it was recorded, and whether it is void and why."""

    id = Id(required=True)
    number = fields.Integer(required=True)
    account = Id(required=True)
    filer = Id(required=True)
    place = Id(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)
    seq = fields.Integer(required=True)
    amount = Dollars(required=True)
    paid_on = day(required=True)
    received_on = day(required=True)
    method = fields.String(required=True)
    reference = fields.String(required=True)
    moved_from = Id(required=True, allow_none=True)
    moved_to = Id(required=True, allow_none=True)
    recorded_by = fields.String(required=True)
    recorded_on = day(required=True)
    void = fields.Nested(VoidShown, required=True, allow_none=True)


class PaymentsSought(Paging):
    """The payments in the order of their numbers."""

    cursor = Cursor("number")


class PaymentsListed(Strict):
    """A page of payments."""

    items = fields.List(fields.Nested(PaymentShown), required=True)
    next = next_field()


class PaymentsOfAccount(Strict):
    """The payments of an account."""

    items = fields.List(fields.Nested(PaymentShown), required=True)


class NewRefund(AccountMeant):
    """A credit, or a part of it, that is paid back; without an amount the whole credit.

    The two judgements are the officer's, and decide where the law pays interest.
    """

    amount = Dollars(above_zero=True, load_default=None, allow_none=True, metadata={"example": None})
    paid_back_on = day(load_default=None, allow_none=True, metadata={"example": None})
    intentional_or_careless = Flag(load_default=False)
    complete_return = Flag(load_default=True)


class RefundPart(Strict):
    """A part of a refund: the payment that it comes out of, and the interest on it or why there is none."""

    amount = Dollars(required=True)
    paid_on = day(required=True)
    interest = Dollars(required=True)
    reason = fields.String(required=True)


class RefundSeen(Strict):
    """A refund with its interest, or the reason why there is none."""

    account = Id(required=True)
    place = Id(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)
    paid_back_on = day(required=True)
    amount = Dollars(required=True)
    interest = Dollars(required=True)
    total = Dollars(required=True)
    clause = fields.String(required=True)
    section = fields.String(required=True)
    reason = fields.String(required=True)
    parts = fields.List(fields.Nested(RefundPart), required=True)


class RefundPreviewed(Strict):
    """The refund that would be recorded."""

    refund = fields.Nested(RefundSeen, required=True)


class RefundRecorded(RefundSeen):
    """A refund that was recorded."""

    seq = fields.Integer(required=True)


class RefundMade(Strict):
    """What was paid back, and what became of the account."""

    refund = fields.Nested(RefundRecorded, required=True)
    accounts = fields.List(fields.Nested(AccountNow), required=True)
