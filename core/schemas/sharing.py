"""Sharing out what was collected: agreements, distributions, remittances."""

from __future__ import annotations

from marshmallow import fields, validate

from core.schemas.fields import Dollars, Id, Key, Percent, Strict, day, some, words
from core.schemas.paging import Cursor, Paging, next_field

MOST_PERIODS = 200


class NewAgreement(Strict):
    """An agreement that fixes a payee's share for a term; both days are inside it."""

    number = words(most=100, required=True, metadata={"example": "2026-A"})
    payee = words(required=True)
    share = Percent(required=True)
    first_day = day(required=True)
    last_day = day(required=True)


class AgreementShown(NewAgreement):
    """An agreement as recorded, with the clause that asks for it."""

    id = Id(required=True)
    clause = fields.String(required=True)
    section = fields.String(required=True)
    recorded_on = day(required=True)
    withdrawn_on = day(required=True, allow_none=True)
    withdrawal_reason = fields.String(required=True, allow_none=True)


class AgreementMade(Strict):
    """The id of what was recorded."""

    id = Id(required=True)


class Agreements(Strict):
    """Every agreement, by term."""

    items = fields.List(fields.Nested(AgreementShown), required=True)


class Withdrawal(Strict):
    """Why something was recorded in error."""

    reason = words(most=1000, required=True, metadata={"example": "entered for the wrong year"})


class ToShareOut(Strict):
    """What is to be shared out: a tax, and the periods; without them every one that has ended."""

    tax = Key(required=True, metadata={"example": "room_tax"})
    periods = some(Key(), most=MOST_PERIODS, load_default=None, allow_none=True, metadata={"example": ["2026-Q1"]})


class ShareShown(Strict):
    """A payee's part of a period's tax: of all so far, and what that adds now (below zero: taken back)."""

    period = fields.String(required=True)
    payee = fields.String(required=True)
    held = fields.Boolean(required=True)
    base = Dollars(required=True)
    so_far = Dollars(required=True)
    now = Dollars(required=True)
    agreement = Id(required=True, allow_none=True)
    clause = fields.String(required=True)
    section = fields.String(required=True)
    computation = fields.String(required=True)


class RemittanceShown(Strict):
    """What a payee is to be paid: its share now, and what stood before (below zero: still to be made good)."""

    number = fields.Integer(required=True)
    payee = fields.String(required=True)
    share = Dollars(required=True)
    brought_forward = Dollars(required=True)
    payable = Dollars(required=True)
    paid_on = day(required=True, allow_none=True)
    method = fields.String(required=True, allow_none=True)
    reference = fields.String(required=True, allow_none=True)


class DistributionShown(Strict):
    """A distribution. A preview has no number, and neither has one that changes nothing."""

    number = fields.Integer(required=True, allow_none=True)
    tax = fields.String(required=True)
    distributed_on = day(required=True)
    warnings = fields.List(fields.String(), required=True)
    shares = fields.List(fields.Nested(ShareShown), required=True)
    remittances = fields.List(fields.Nested(RemittanceShown), required=True)


class DistributionMade(Strict):
    """The number of the distribution; null where nothing has changed since the last one."""

    number = fields.Integer(required=True, allow_none=True)


class ByNumber(Paging):
    """A list in the order of numbers."""

    cursor = Cursor("number")


class Distributions(Strict):
    """A page of distributions."""

    items = fields.List(fields.Nested(DistributionShown), required=True)
    next = next_field()


class RemittanceListed(RemittanceShown):
    """A remittance with the distribution that it comes from."""

    distribution = fields.Integer(required=True)
    tax = fields.String(required=True)
    advised_on = day(required=True)


class Remittances(Strict):
    """A page of remittances."""

    items = fields.List(fields.Nested(RemittanceListed), required=True)
    next = next_field()


class AdviceShown(RemittanceListed):
    """A remittance with the lines that make it up."""

    municipality = fields.String(required=True)
    shares = fields.List(fields.Nested(ShareShown), required=True)


class RemittancePayment(Strict):
    """That a remittance was paid."""

    paid_on = day(required=True)
    method = fields.String(required=True, validate=validate.OneOf(["check", "ach"]))
    reference = words(most=100, least=0, load_default="")


class RemittancePaid(Strict):
    """What was paid, and the entry in the books."""

    number = fields.Integer(required=True)
    paid = Dollars(required=True)
    entry = Id(required=True)
