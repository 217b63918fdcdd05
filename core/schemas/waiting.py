"""What is left to do: what waits for a resolution, what is overdue, who is in credit."""

from __future__ import annotations

from marshmallow import fields

from core.schemas.fields import Dollars, Id, Strict, some
from core.schemas.paging import Cursor, Paging, next_field

MOST_POSTED_AT_ONCE = 500


class ById(Paging):
    """A list in the order of ids."""

    cursor = Cursor("id")


class AccountNamed(Strict):
    """A period account: whose, of which place, for which tax and period."""

    account = Id(required=True)
    filer = Id(required=True)
    place = Id(required=True)
    tax = fields.String(required=True)
    period = fields.String(required=True)


class WaitingShown(AccountNamed):
    """An account whose last act is not in the books yet, and the act that it waits for."""

    waits_for = fields.String(required=True)


class WaitingList(Strict):
    """A page of what waits."""

    items = fields.List(fields.Nested(WaitingShown), required=True)
    next = next_field()


class ToPost(Strict):
    """The accounts that are to be posted as of today."""

    accounts = some(Id(), most=MOST_POSTED_AT_ONCE, required=True)


class PostedShown(Strict):
    """What became of an account: its balance and credit and the entry, or what it waits for."""

    account = Id(required=True)
    balance = Dollars(required=True, allow_none=True)
    credit = Dollars(required=True, allow_none=True)
    entry = Id(required=True, allow_none=True)
    waiting = fields.String(required=True, allow_none=True)


class PostedAccounts(Strict):
    """What became of each account, those that look back to one of them among them."""

    accounts = fields.List(fields.Nested(PostedShown), required=True)
