"""What is left to do in a municipality: what waits for a resolution, what is overdue, who is in credit."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import g

from core.auth.permissions import WAITING_POST, WAITING_READ
from core.schemas.paging import page_of
from core.schemas.waiting import ById, PostedAccounts, ToPost, WaitingList
from core.services.accounts.waiting import post_again, waiting_accounts
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint("waiting", __name__, url_prefix="/api/v1", description="What is left to do.")
_FIRST = UUID(int=0)


@blueprint.route("/municipalities/<key>/waiting", permission=WAITING_READ)
@blueprint.arguments(ById, location="query")
@blueprint.response(200, WaitingList)
def list_waiting(given: dict[str, Any], key: str) -> dict[str, Any]:
    """What waits for a resolution.

    An act is recorded although an amount that it leads to was never set; posting it waits, and the account says for
    which resolution. Filers see their own accounts.
    """
    visit = g.visit
    after = (given["cursor"] or (_FIRST,))[0]
    found = waiting_accounts(visit.engines.app, visit.here, visit.today, visit.reach)
    later = [one for one in found if one.account.id > after]
    page = page_of(later, given["limit"], lambda one: (one.account.id,))
    return {**page, "items": [{**account_named(one.account), "waits_for": one.message} for one in page["items"]]}


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


def account_named(account: Any) -> dict[str, Any]:
    """A period account by its ids and keys."""
    return {
        "account": account.id,
        "filer": account.filer_id,
        "place": account.place_id,
        "tax": account.tax,
        "period": account.period.key,
    }
