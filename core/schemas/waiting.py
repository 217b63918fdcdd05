"""What is left to do: what waits for a resolution, what is overdue, who is in credit."""

from __future__ import annotations

from marshmallow import fields

from core.schemas.fields import Dollars, Id, Strict, day, left_out, some
from core.schemas.paging import Cursor, Paging, next_field
from core.schemas.returns import AccountNow

MOST_POSTED_AT_ONCE = 500


class ByPlace(Paging):
    """A list in the order of places and periods, as of today."""

    cursor = Cursor("number", "text", "text")


class CreditsSought(ByPlace):
    """Whose credits, as of which day; without it today."""

    filer = Id(load_default=left_out)
    as_of = day(load_default=left_out)


class OverdueSought(Paging):
    """Whose accounts, as of which day; without it today."""

    filer = Id(load_default=left_out)
    as_of = day(load_default=left_out)
    cursor = Cursor("day", "number", "text", "text")


class AccountOfPlace(Strict):
    """A period account: whose, of which place, for which tax and period."""

    account = Id(required=True)
    filer = Id(required=True)
    filer_name = fields.String(required=True)
    place = Id(required=True)
    place_number = fields.Integer(required=True)
    place_name = fields.String(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)


class WaitingShown(AccountOfPlace):
    """An account whose last act is not in the books yet, and the act that it waits for."""

    waits_for = fields.String(required=True)


class WaitingList(Strict):
    """A page of what waits."""

    items = fields.List(fields.Nested(WaitingShown), required=True)
    next = next_field()


class ToPost(Strict):
    """The accounts that are to be posted as of today."""

    accounts = some(Id(), most=MOST_POSTED_AT_ONCE, required=True)


class PostedAccounts(Strict):
    """What became of each account, those that look back to one of them among them."""

    accounts = fields.List(fields.Nested(AccountNow), required=True)


class CreditShown(AccountOfPlace):
    """What is paid and not owed on an account, and since which day a credit has stood there."""

    credit = Dollars(required=True)
    since = day(required=True)


class CreditsListed(Strict):
    """A page of credits. The total is of all of them."""

    items = fields.List(fields.Nested(CreditShown), required=True)
    total = Dollars(required=True)
    next = next_field()


class DoneShown(Strict):
    """What was done about an account, and the day it counts for."""

    what = fields.String(required=True)
    on = day(required=True)


class OverdueShown(AccountOfPlace):
    """An account that is behind: its return, its payment, or both, and for how many days.

    `account` is null while nothing was ever recorded for it. The balance is null where it waits for a resolution.
    """

    account = Id(required=True, allow_none=True)
    due_on = day(required=True)
    file_by = day(required=True)
    pay_by = day(required=True)
    filed_on = day(required=True, allow_none=True)
    days_unfiled = fields.Integer(required=True)
    days_unpaid = fields.Integer(required=True)
    balance = Dollars(required=True, allow_none=True)
    waiting = fields.String(required=True, allow_none=True)
    done = fields.List(fields.Nested(DoneShown), required=True)


class OverdueListed(Strict):
    """A page of what is overdue, the longest first."""

    items = fields.List(fields.Nested(OverdueShown), required=True)
    next = next_field()
