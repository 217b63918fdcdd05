"""What an officer does about an account: estimate, extend, notify, find, waive."""

from __future__ import annotations

from marshmallow import fields, validate

from core.schemas.fields import Amounts, Dollars, Id, Key, Strict, day, some, words
from core.schemas.payments import LONGEST_REASON, AccountMeant
from core.schemas.returns import MOST_PARTS, AccountNow

FINDINGS = ("negligence", "fraud")


class EstimatedPart(Strict):
    """Estimated receipts for nights of the period (both inside); without nights it follows the part before."""

    gross = Amounts(load_default=dict)
    first_night = day(load_default=None, allow_none=True)
    last_night = day(load_default=None, allow_none=True)


class NewEstimate(AccountMeant):
    """Estimated receipts of a period for which no return was filed, by line; in parts where the rate changes in it.

    `on` is the day it counts for; left out, today.
    """

    gross = Amounts(load_default=dict)
    parts = some(fields.Nested(EstimatedPart), least=0, most=MOST_PARTS, load_default=list, metadata={"example": []})
    on = day(load_default=None, allow_none=True, metadata={"example": None})


class NewExtension(AccountMeant):
    """Until when the return may be filed. `on` is the day on which it was granted; left out, today."""

    until = day(required=True)
    on = day(load_default=None, allow_none=True, metadata={"example": None})


class NewNotice(AccountMeant):
    """The day on which the notice to file or pay was mailed or delivered."""

    mailed_on = day(required=True)


class NewFinding(AccountMeant):
    """A finding of negligence or of intent, by an officer who is named and gives reasons."""

    finding = fields.String(required=True, validate=validate.OneOf(FINDINGS))
    officer = words(most=LONGEST_REASON, required=True, metadata={"example": "Treasurer"})
    reasons = words(most=LONGEST_REASON, required=True, metadata={"example": "no record of the rooms let"})
    on = day(load_default=None, allow_none=True, metadata={"example": None})


class NewWaiver(AccountMeant):
    """By how much a fee, penalty or interest is lowered, and why. What it does not use up lowers what arises later."""

    kind = Key(required=True, metadata={"example": "interest"})
    amount = Dollars(above_zero=True, required=True)
    reason = words(most=LONGEST_REASON, required=True, metadata={"example": "the office was closed"})
    on = day(load_default=None, allow_none=True, metadata={"example": None})


class ActShown(Strict):
    """An act that was recorded, and the account it is on."""

    account = Id(required=True)
    seq = fields.Integer(required=True)
    place = Id(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)


class ActMade(Strict):
    """What was recorded, and what became of the accounts."""

    act = fields.Nested(ActShown, required=True)
    accounts = fields.List(fields.Nested(AccountNow), required=True)
