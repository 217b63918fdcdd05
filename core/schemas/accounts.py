"""Period accounts: what is owed, paid and filed, why, and what happened."""

from __future__ import annotations

from marshmallow import fields, validate

from core.schemas.fields import Dollars, Id, Key, Strict, day, left_out
from core.schemas.ledger import EntryShown
from core.schemas.paging import Cursor, Paging, next_field

KINDS = (
    "return_filed",
    "estimate",
    "payment",
    "payment_returned",
    "voided",
    "waiver",
    "extension",
    "notice",
    "finding",
    "refund",
)


class AccountsSought(Paging):
    """Which accounts, as of which day; without it today."""

    filer = Id(load_default=left_out)
    place = Id(load_default=left_out)
    tax = Key(load_default=left_out)
    period = Key(most=20, load_default=left_out, metadata={"example": "2026-Q1"})
    state = fields.String(
        load_default=left_out, validate=validate.OneOf(["owing", "credit", "settled", "unfiled", "waiting"])
    )
    as_of = day(load_default=left_out)
    cursor = Cursor("day", "id")


class AsOf(Strict):
    """As of which day; without it today."""

    as_of = day(load_default=left_out)


class AsOfAsKnown(AsOf):
    """As of which day, and knowing what was recorded by which; without it by the same."""

    known_on = day(load_default=left_out)


class AccountShown(Strict):
    """An account as of a day. Balance and credit are null where they wait for a resolution: `waiting` says for which.

    `file_by` is `met_by`, or later where the return is extended; `filed_on` the earliest day a return counts for.
    """

    id = Id(required=True)
    filer = Id(required=True)
    filer_name = fields.String(required=True)
    place = Id(required=True)
    place_number = fields.Integer(required=True)
    place_name = fields.String(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)
    first_day = day(required=True)
    last_day = day(required=True)
    due_on = day(required=True)
    met_by = day(required=True)
    file_by = day(required=True)
    filed_on = day(required=True, allow_none=True)
    basis = fields.String(required=True)
    as_of = day(required=True)
    balance = Dollars(required=True, allow_none=True)
    credit = Dollars(required=True, allow_none=True)
    waiting = fields.String(required=True, allow_none=True)


class AccountsListed(Strict):
    """A page of accounts, by the last day of their periods. One of a state may be short and still have a `next`."""

    items = fields.List(fields.Nested(AccountShown), required=True)
    next = next_field()


class ChargeShown(Strict):
    """A line of a statement: what is owed and since when, the clause and section, the computation in figures.

    `values` are the values of the law that it rests on, `depends_on` what it takes from other accounts.
    """

    kind = fields.String(required=True)
    title = fields.String(required=True)
    amount = Dollars(required=True)
    arose_on = day(required=True)
    clause = fields.String(required=True)
    section = fields.String(required=True)
    computation = fields.String(required=True)
    values = fields.List(fields.String(), required=True)
    depends_on = fields.List(fields.String(), required=True)


class ApplicationShown(Strict):
    """Money applied to a kind of charge, below zero where it was moved away. `cause` is the event that did it, null
    where a charge arose by the passing of days.
    """

    on = day(required=True)
    kind = fields.String(required=True)
    title = fields.String(required=True)
    amount = Dollars(required=True)
    cause = fields.Integer(required=True, allow_none=True)


class NotPostedShown(Strict):
    """What has accrued and goes into the books with the next posting."""

    kind = fields.String(required=True)
    amount = Dollars(required=True)
    debit = fields.String(required=True)
    credit = fields.String(required=True)
    section = fields.String(required=True)


class StatementShown(Strict):
    """What is owed on an account as of a day and why, line by line, and where each payment went."""

    account = Id(required=True)
    filer = Id(required=True)
    place = Id(required=True)
    municipality = fields.String(required=True)
    tax = fields.String(required=True)
    title = fields.String(required=True)
    period = fields.String(required=True)
    as_of = day(required=True)
    known_on = day(required=True)
    due_on = day(required=True)
    met_by = day(required=True)
    file_by = day(required=True)
    basis = fields.String(required=True)
    lines = fields.List(fields.Nested(ChargeShown), required=True)
    applications = fields.List(fields.Nested(ApplicationShown), required=True)
    not_posted = fields.List(fields.Nested(NotPostedShown), required=True)
    charged = Dollars(required=True)
    applied = Dollars(required=True)
    balance = Dollars(required=True)
    credit = Dollars(required=True)


class PartShown(Strict):
    """Receipts and deductions by line, for nights of the period (both inside)."""

    first_night = day(required=True)
    last_night = day(required=True)
    gross = fields.Dict(keys=fields.String(), values=Dollars(), required=True)
    deductions = fields.Dict(keys=fields.String(), values=Dollars(), required=True)


class ReturnNumbered(Strict):
    """A return's id and number."""

    id = Id(required=True)
    number = fields.Integer(required=True)
    channel = fields.String(required=True)
    received_on = day(required=True)


class PaymentNumbered(Strict):
    """A payment's id and number, and how the money came."""

    id = Id(required=True)
    number = fields.Integer(required=True)
    method = fields.String(required=True)
    reference = fields.String(required=True)
    received_on = day(required=True)
    moved_from = Id(required=True, allow_none=True)


class EventShown(Strict):
    """Something that happened: the day it counts for, by whom and when it was recorded. What a kind does not have is
    null: `amount` of a payment, refund or waiver; `charge` of a waiver; `until` of an extension; `of` the payment
    that came back or was void; `parts` of a return or an estimate.
    """

    seq = fields.Integer(required=True)
    id = Id(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    on = day(required=True)
    recorded_on = day(required=True)
    recorded_by = fields.String(required=True)
    amount = Dollars(required=True, allow_none=True)
    interest = Dollars(required=True, allow_none=True)
    charge = fields.String(required=True, allow_none=True)
    until = day(required=True, allow_none=True)
    of = fields.Integer(required=True, allow_none=True)
    finding = fields.String(required=True, allow_none=True)
    officer = fields.String(required=True, allow_none=True)
    reason = fields.String(required=True, allow_none=True)
    parts = fields.List(fields.Nested(PartShown), required=True)
    filed = fields.Nested(ReturnNumbered, required=True, allow_none=True)
    payment = fields.Nested(PaymentNumbered, required=True, allow_none=True)


class HistoryShown(Strict):
    """All that was recorded on an account, in the order of recording."""

    account = Id(required=True)
    filer = Id(required=True)
    place = Id(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)
    events = fields.List(fields.Nested(EventShown), required=True)


class EntriesShown(Strict):
    """The entries posted for an account, in the order of recording."""

    items = fields.List(fields.Nested(EntryShown), required=True)
