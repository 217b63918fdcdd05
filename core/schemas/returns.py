"""Returns: what is filed, what is owed, and a return as it was filed."""

from __future__ import annotations

from marshmallow import fields, validate

from core.schemas.accounts import PartShown
from core.schemas.fields import Amounts, Dollars, Flag, Id, Key, Strict, day, left_out, some, whole, words
from core.schemas.paging import Cursor, Paging, next_field

MOST_RETURNS = 500
MOST_PARTS = 31
MOST_CORRECTIONS = 24
FIRST_YEAR, LAST_YEAR = 1990, 2190


class Part(Strict):
    """Receipts for nights of the period (both inside); without nights it follows the part before."""

    gross = Amounts(load_default=dict)
    deductions = Amounts(load_default=dict, metadata={"example": {"long_stay": "120.00"}})
    first_night = day(load_default=None, allow_none=True)
    last_night = day(load_default=None, allow_none=True)


class Report(Strict):
    """What a period is reported with. A line that is left out is zero; a return of nothing is a return.

    Receipts are given for the whole period, or in `parts`, as where the rate changes in it.
    """

    period = Key(most=20, required=True, metadata={"example": "2026-Q1"})
    gross = Amounts(load_default=dict)
    deductions = Amounts(load_default=dict, metadata={"example": {"long_stay": "120.00"}})
    parts = some(fields.Nested(Part), least=0, most=MOST_PARTS, load_default=list, metadata={"example": []})


class NewReturn(Report):
    """One return. `tax` may be left out where there is one tax; the two days are of a return on paper."""

    place = Id(required=True)
    tax = Key(load_default=None, allow_none=True, metadata={"example": "room_tax"})
    postmarked_on = day(load_default=None, allow_none=True, metadata={"example": None})
    received_on = day(load_default=None, allow_none=True, metadata={"example": None})


class Signed(Strict):
    """Who signs, and in which capacity. There is no oath."""

    name = words(required=True, metadata={"example": "A. Owner"})
    capacity = words(required=True, metadata={"example": "owner"})


class Filed(Strict):
    """How a submission comes: signed; by this API, or entered by the office from paper.

    `year_end_month` is the month in which the filer's year ends, elected with its first return.
    """

    signature = fields.Nested(Signed, required=True)
    channel = fields.String(load_default="api", validate=validate.OneOf(["api", "paper"]))
    year_end_month = whole(1, 12, load_default=None, allow_none=True, metadata={"example": None})


class Submission(Filed):
    """Returns for places and periods of one municipality: all of them are filed, or none."""

    returns = some(fields.Nested(NewReturn), most=MOST_RETURNS, required=True)


class AnnualReturn(Filed):
    """The annual return of a place: the totals of the filer's year that ends in `year`, and what it corrects.

    A correction amends the return of its period, or is filed where there was none.
    """

    place = Id(required=True)
    year = whole(FIRST_YEAR, LAST_YEAR, required=True, metadata={"example": 2026})
    tax = Key(load_default=None, allow_none=True, metadata={"example": "room_tax"})
    gross = Amounts(load_default=dict)
    deductions = Amounts(load_default=dict, metadata={"example": {"long_stay": "120.00"}})
    corrections = some(
        fields.Nested(Report), least=0, most=MOST_CORRECTIONS, load_default=list, metadata={"example": []}
    )
    postmarked_on = day(load_default=None, allow_none=True, metadata={"example": None})
    received_on = day(load_default=None, allow_none=True, metadata={"example": None})


class ReturnMade(Strict):
    """A return that was filed: its id and number, its account, and whether it amends an earlier one."""

    id = Id(required=True)
    number = fields.Integer(required=True)
    account = Id(required=True)
    seq = fields.Integer(required=True)
    place = Id(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)
    amends = fields.Boolean(required=True)


class AccountNow(Strict):
    """An account after it: what is owed and what is in credit, null where it waits for the act in `waiting`."""

    account = Id(required=True)
    balance = Dollars(required=True, allow_none=True)
    credit = Dollars(required=True, allow_none=True)
    entry = Id(required=True, allow_none=True)
    waiting = fields.String(required=True, allow_none=True)


class SubmissionMade(Strict):
    """What was filed, and what became of the accounts."""

    returns = fields.List(fields.Nested(ReturnMade), required=True)
    accounts = fields.List(fields.Nested(AccountNow), required=True)


class ReturnShown(Strict):
    """A return as it was filed: `form` is what was sent, letter for letter, with the signature."""

    id = Id(required=True)
    number = fields.Integer(required=True)
    account = Id(required=True)
    filer = Id(required=True)
    place = Id(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)
    seq = fields.Integer(required=True)
    on = day(required=True)
    channel = fields.String(required=True)
    received_on = day(required=True)
    recorded_on = day(required=True)
    recorded_by = fields.String(required=True)
    plugin = fields.String(required=True)
    plugin_version = fields.String(required=True)
    parts = fields.List(fields.Nested(PartShown), required=True)
    form = fields.Dict(required=True)


class DraftSought(Strict):
    """Whose annual return, and of which year."""

    place = Id(required=True)
    year = whole(FIRST_YEAR, LAST_YEAR, required=True)
    tax = Key(load_default=left_out)


class Totals(Strict):
    """Receipts and deductions by line."""

    gross = fields.Dict(keys=fields.String(), values=Dollars(), required=True)
    deductions = fields.Dict(keys=fields.String(), values=Dollars(), required=True)


class DraftPeriodShown(Totals):
    """A period of the year as it was filed; `tax` is as determined now, null while nothing determines it."""

    period = fields.String(required=True)
    filed_on = day(required=True, allow_none=True)
    tax = Dollars(required=True, allow_none=True)


class AnnualDraftShown(Totals):
    """What the annual return would say, from what was filed; `missing` are periods that have no return yet."""

    place = Id(required=True)
    tax_key = fields.String(required=True)
    period = fields.String(required=True)
    first_day = day(required=True)
    last_day = day(required=True)
    due_on = day(required=True)
    met_by = day(required=True)
    filed_on = day(required=True, allow_none=True)
    tax = Dollars(required=True)
    missing = fields.List(fields.String(), required=True)
    periods = fields.List(fields.Nested(DraftPeriodShown), required=True)


class ObligationsSought(Paging):
    """Which returns are owed as of a day; without it today. `open_only` leaves out what is filed."""

    filer = Id(load_default=left_out)
    as_of = day(load_default=left_out)
    open_only = Flag(load_default=False)
    cursor = Cursor("day", "number", "text", "text")


class ObligationShown(Strict):
    """A return that a place owes: until when, and whether it is filed. `account` is null while it is not open."""

    filer = Id(required=True)
    filer_name = fields.String(required=True)
    place = Id(required=True)
    place_number = fields.Integer(required=True)
    place_name = fields.String(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)
    due_on = day(required=True)
    met_by = day(required=True)
    file_by = day(required=True)
    filed_on = day(required=True, allow_none=True)
    is_late = fields.Boolean(required=True)
    account = Id(required=True, allow_none=True)


class ObligationsListed(Strict):
    """A page of what is owed, by due date and place."""

    items = fields.List(fields.Nested(ObligationShown), required=True)
    next = next_field()
