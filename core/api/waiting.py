"""What is left to do in a municipality: what waits for a resolution, what is overdue, who is in credit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from flask import g

from core.auth.permissions import WAITING_POST, WAITING_READ
from core.schemas.paging import page_of
from core.schemas.waiting import (
    ByPlace,
    CreditsListed,
    CreditsSought,
    OverdueListed,
    OverdueSought,
    PostedAccounts,
    ToPost,
    WaitingList,
)
from core.services.accounts.waiting import Waiting, post_again, waiting_accounts
from core.services.enforcement.overdue import Overdue, overdue
from core.services.money.credits import Credit, credits
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint("waiting", __name__, url_prefix="/api/v1", description="What is left to do.")
Item = TypeVar("Item")


@blueprint.route("/municipalities/<key>/waiting", permission=WAITING_READ)
@blueprint.arguments(ByPlace, location="query")
@blueprint.response(200, WaitingList)
def list_waiting(given: dict[str, Any], key: str) -> dict[str, Any]:
    """What waits for a resolution.

    An act is recorded although an amount that it leads to was never set; posting it waits, and the account says for
    which resolution. Filers see their own accounts.
    """
    visit = g.visit
    found = waiting_accounts(visit.engines.app, visit.here, visit.today, visit.reach)
    page = _page(found, given, _order)
    return {**page, "items": list(map(_waiting, page["items"]))}


@blueprint.route("/municipalities/<key>/waiting", methods=["POST"], permission=WAITING_POST)
@blueprint.arguments(ToPost)
@blueprint.response(200, PostedAccounts)
def post_waiting(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Post what waited.

    And what has accrued since, as of today. Doing it twice moves nothing.
    """
    visit = g.visit
    posted = post_again(visit.engines.app, visit.here, given["accounts"], visit.recorded)
    return {
        "accounts": [
            {
                "account": one.account_id,
                "balance": one.balance_cents,
                "credit": one.credit_cents,
                "entry": one.entry_id,
                "waiting": one.waiting,
            }
            for one in posted
        ]
    }


@blueprint.route("/municipalities/<key>/credits", permission=WAITING_READ)
@blueprint.arguments(CreditsSought, location="query")
@blueprint.response(200, CreditsListed)
def list_credits(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Who is in credit.

    By place and period, and since when. A filer sees its own, in the same figures as the office does.
    """
    visit = g.visit
    found = credits(
        visit.engines.app, visit.here, given["as_of"] or visit.today, filer=given["filer"], reach=visit.reach
    )
    page = _page(found, given, _order_of_credit)
    return {
        **page,
        "items": [{**_of_place(one), "credit": one.cents, "since": one.since} for one in page["items"]],
        "total": sum(one.cents for one in found),
    }


@blueprint.route("/municipalities/<key>/overdue", permission=WAITING_READ)
@blueprint.arguments(OverdueSought, location="query")
@blueprint.response(200, OverdueListed)
def list_overdue(given: dict[str, Any], key: str) -> dict[str, Any]:
    """What is overdue.

    Returns that are not filed in time and balances after the due date, the longest first, with what was done about
    each. An extension moves the day to file and not the day to pay.
    """
    visit = g.visit
    found = overdue(
        visit.engines.app, visit.here, given["as_of"] or visit.today, filer=given["filer"], reach=visit.reach
    )
    page = _page(found, given, _order_of_overdue)
    return {**page, "items": list(map(_overdue, page["items"]))}


def _page(found: Iterable[Item], given: dict[str, Any], order: Callable[[Item], tuple[Any, ...]]) -> dict[str, Any]:
    """The page of a list that the query asks for."""
    after = given["cursor"]
    return page_of([one for one in found if after is None or order(one) > after], given["limit"], order)


def _order(one: Waiting) -> tuple[int, str, str]:
    return one.place.number, one.account.tax, one.account.period.key


def _order_of_credit(one: Credit) -> tuple[int, str, str]:
    return one.place_number, one.tax, one.period


def _order_of_overdue(one: Overdue) -> tuple[Any, ...]:
    return one.due_on, one.place_number, one.tax, one.period


def _waiting(one: Waiting) -> dict[str, Any]:
    return {
        "account": one.account.id,
        "filer": one.place.filer_id,
        "filer_name": one.place.filer_name,
        "place": one.place.id,
        "place_number": one.place.number,
        "place_name": one.place.name,
        "tax": one.account.tax,
        "period": one.account.period.key,
        "waits_for": one.message,
    }


def _of_place(one: Credit | Overdue) -> dict[str, Any]:
    return {
        "account": one.account_id,
        "filer": one.filer_id,
        "filer_name": one.filer_name,
        "place": one.place_id,
        "place_number": one.place_number,
        "place_name": one.place_name,
        "tax": one.tax,
        "period": one.period,
    }


def _overdue(one: Overdue) -> dict[str, Any]:
    return {
        **_of_place(one),
        "due_on": one.due_on,
        "file_by": one.file_by,
        "pay_by": one.pay_by,
        "filed_on": one.filed_on,
        "days_unfiled": one.days_unfiled,
        "days_unpaid": one.days_unpaid,
        "balance": one.balance_cents,
        "waiting": one.waiting,
        "done": [done._asdict() for done in one.done],
    }
