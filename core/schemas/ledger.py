"""The books: trial balance, journal, what moved on an account, how far they are sealed."""

from __future__ import annotations

from marshmallow import fields

from core.schemas.fields import Dollars, Id, Strict, day, left_out
from core.schemas.paging import Cursor, Paging, next_field


class Through(Strict):
    """Effective through which day, and known by which; without them today."""

    through = day(load_default=left_out)
    known_on = day(load_default=left_out)


class BalanceShown(Strict):
    """An account of the chart: what was moved to it and from it, and the difference."""

    fund = fields.String(required=True)
    number = fields.String(required=True)
    title = fields.String(required=True)
    kind = fields.String(required=True)
    debit = Dollars(required=True)
    credit = Dollars(required=True)
    balance = Dollars(required=True)


class TrialBalance(Strict):
    """Every account of the chart, by fund and number. The debits of each fund equal its credits."""

    through = day(required=True)
    known_on = day(required=True)
    items = fields.List(fields.Nested(BalanceShown), required=True)


class TransferShown(Strict):
    """An amount moved from one account to another of the same fund, and what it rests on."""

    fund = fields.String(required=True)
    debit = fields.String(required=True)
    credit = fields.String(required=True)
    amount = Dollars(required=True)
    kind = fields.String(required=True)
    clause = fields.String(required=True)
    section = fields.String(required=True)
    rule_version = fields.String(required=True)
    values = fields.List(fields.String(), required=True)
    computation = fields.String(required=True)


class EntryShown(Strict):
    """An entry as posted: the day it counts for, the day of the books it lies in, the day it was recorded."""

    id = Id(required=True)
    kind = fields.String(required=True)
    effective_on = day(required=True)
    booked_on = day(required=True)
    recorded_on = day(required=True)
    narrative = fields.String(required=True)
    account = Id(required=True, allow_none=True)
    events = fields.List(fields.Integer(), required=True)
    transfers = fields.List(fields.Nested(TransferShown), required=True)


class JournalSought(Paging):
    """Booked from which day to which; without them all."""

    first = day(load_default=left_out)
    last = day(load_default=left_out)
    cursor = Cursor("id")


class Journal(Strict):
    """A page of the journal, in the order of recording."""

    items = fields.List(fields.Nested(EntryShown), required=True)
    next = next_field()


class MovementsSought(Paging):
    """Effective from which day to which, and known by which; without them all."""

    first = day(load_default=left_out)
    last = day(load_default=left_out)
    known_on = day(load_default=left_out)
    cursor = Cursor("day", "id", "number")


class MovementShown(Strict):
    """A line of an account's statement: above zero to the account, below from it; `other` is the other side."""

    effective_on = day(required=True)
    booked_on = day(required=True)
    entry = Id(required=True)
    narrative = fields.String(required=True)
    other = fields.String(required=True)
    amount = Dollars(required=True)
    clause = fields.String(required=True)
    section = fields.String(required=True)
    computation = fields.String(required=True)


class Movements(Strict):
    """A page of an account's statement, by the day that each line counts for."""

    fund = fields.String(required=True)
    number = fields.String(required=True)
    title = fields.String(required=True)
    kind = fields.String(required=True)
    items = fields.List(fields.Nested(MovementShown), required=True)
    next = next_field()


class Seals(Strict):
    """How many entries there are and how many are sealed; the head of the chain, to be kept outside."""

    entries = fields.Integer(required=True)
    sealed = fields.Integer(required=True)
    not_sealed = fields.Integer(required=True)
    head = fields.String(required=True, allow_none=True)
    sealed_at = fields.String(required=True, allow_none=True)
