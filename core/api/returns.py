"""Returns: filed, drafted for the year, read as they were filed; and which are owed."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from flask import Response, g

from core.api.accounts import parts_shown
from core.auth.permissions import ACCOUNT_READ, RETURN_FILE, RETURN_PAPER, RETURN_READ
from core.schemas.paging import page_of
from core.schemas.returns import (
    AnnualDraftShown,
    AnnualReturn,
    DraftSought,
    ObligationsListed,
    ObligationsSought,
    ReturnShown,
    Submission,
    SubmissionMade,
)
from core.services.accounts.history import FiledReturn, filed_return
from core.services.filing.annual import AnnualDraft, AnnualForm, annual_draft
from core.services.filing.file_annual import file_annual
from core.services.filing.form import Part, ReturnForm, Signature
from core.services.filing.obligations import ReturnOwed, obligations
from core.services.filing.submit import submit
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint("returns", __name__, url_prefix="/api/v1", description="Returns.")


@blueprint.route("/municipalities/<key>/returns", methods=["POST"], permission=RETURN_FILE, once=True)
@blueprint.arguments(Submission)
@blueprint.response(201, SubmissionMade)
def file_returns(given: dict[str, Any], key: str) -> Response:
    """File returns.

    For several places and periods at once, all or none; a later return for a place, tax and period amends the
    earlier one. What is owed then is posted and told for each account. A return on paper is entered by the office,
    with its postmark.
    """
    visit = g.visit
    _require_channel(given["channel"])
    forms = [_form(one, one["place"], sent) for one, sent in zip(given["returns"], g.sent["returns"], strict=True)]
    answer = submit(
        visit.engines.app,
        visit.here,
        visit.request(),
        forms,
        Signature(**given["signature"]),
        channel=given["channel"],
        recorded=visit.recorded,
        reach=visit.reach,
        year_end_month=given["year_end_month"],
    )
    # The answer is plain already; it goes out as it is kept.
    return Response(json.dumps(answer), 201, mimetype="application/json")


@blueprint.route("/municipalities/<key>/annual-returns", methods=["POST"], permission=RETURN_FILE, once=True)
@blueprint.arguments(AnnualReturn)
@blueprint.response(201, SubmissionMade)
def file_annual_return(given: dict[str, Any], key: str) -> Response:
    """File an annual return.

    It sums up the returns of its periods, line by line. What it corrects amends those returns, and interest on what
    that adds runs from each period's own due date.
    """
    visit = g.visit
    _require_channel(given["channel"])
    place, sent = given["place"], g.sent.get("corrections") or []
    annual = AnnualForm(
        place,
        given["year"],
        given["gross"],
        given["deductions"],
        [_form(one, place, as_sent) for one, as_sent in zip(given["corrections"], sent, strict=True)],
        given["tax"],
        given["postmarked_on"],
        given["received_on"],
        {name: value for name, value in g.sent.items() if name != "signature"},
    )
    answer = file_annual(
        visit.engines.app,
        visit.here,
        visit.request(),
        annual,
        Signature(**given["signature"]),
        channel=given["channel"],
        recorded=visit.recorded,
        reach=visit.reach,
        year_end_month=given["year_end_month"],
    )
    return Response(json.dumps(answer), 201, mimetype="application/json")


@blueprint.route("/municipalities/<key>/annual-returns/draft", permission=RETURN_READ)
@blueprint.arguments(DraftSought, location="query")
@blueprint.response(200, AnnualDraftShown)
def draft_annual_return(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Draft an annual return.

    From what was filed for the periods of the filer's year, as known today; nothing is filed by it.
    """
    visit = g.visit
    found = annual_draft(
        visit.engines.app,
        visit.here,
        given["place"],
        given["year"],
        visit.today,
        tax=given["tax"],
        reach=visit.reach,
    )
    return _draft(found)


@blueprint.route("/municipalities/<key>/returns/<uuid:filed>", permission=RETURN_READ)
@blueprint.response(200, ReturnShown)
def show_return(key: str, filed: UUID) -> dict[str, Any]:
    """A return as it was filed.

    `form` is what was sent, letter for letter; nothing of it changes when it is amended.
    """
    visit = g.visit
    return _return(filed_return(visit.engines.app, visit.here, filed, visit.reach))


@blueprint.route("/municipalities/<key>/obligations", permission=ACCOUNT_READ)
@blueprint.arguments(ObligationsSought, location="query")
@blueprint.response(200, ObligationsListed)
def list_obligations(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Which returns are owed.

    For what was over before a day: until when each is due, and whether it is filed; annual returns among them.
    """
    visit = g.visit
    as_of, after = given["as_of"] or visit.today, given["cursor"]
    found = obligations(
        visit.engines.app,
        visit.here,
        as_of,
        filer=given["filer"],
        reach=visit.reach,
        open_only=given["open_only"],
    )
    page = page_of([one for one in found if after is None or _order(one) > after], given["limit"], _order)
    return {**page, "items": [_owed(one) for one in page["items"]]}


def _require_channel(channel: str) -> None:
    """Who enters returns from paper is asked apart. Raises Forbidden."""
    if channel == "paper":
        g.visit.who.reach(RETURN_PAPER)


def _form(given: dict[str, Any], place: UUID, sent: dict[str, Any]) -> ReturnForm:
    return ReturnForm(
        place,
        given["period"],
        given["gross"],
        given["deductions"],
        [Part(**part) for part in given["parts"]],
        given.get("tax"),
        given.get("postmarked_on"),
        given.get("received_on"),
        sent,
    )


def _return(filed: FiledReturn) -> dict[str, Any]:
    account, submission, event = filed.account, filed.submission, filed.event
    return {
        "id": filed.id,
        "number": filed.number,
        "account": account.id,
        "filer": account.filer_id,
        "place": account.place_id,
        "tax": account.tax,
        "period": account.period.key,
        "seq": event.seq,
        "on": event.on,
        "channel": submission.channel,
        "received_on": submission.received_on,
        "recorded_on": filed.recorded.on,
        "recorded_by": filed.recorded.by,
        "plugin": submission.plugin,
        "plugin_version": submission.plugin_version,
        "parts": parts_shown(getattr(event, "receipts", ())),
        "form": submission.form,
    }


def _draft(found: AnnualDraft) -> dict[str, Any]:
    return {
        "place": found.place_id,
        "tax_key": found.tax,
        "period": found.period.key,
        "first_day": found.period.first_day,
        "last_day": found.period.last_day,
        "due_on": found.deadlines.nominal,
        "met_by": found.deadlines.effective,
        "filed_on": found.filed_on,
        **found.totals._asdict(),
        "tax": found.tax_cents,
        "missing": list(found.missing),
        "periods": [
            {
                "period": one.period.key,
                "filed_on": one.filed_on,
                **one.totals._asdict(),
                "tax": one.tax_cents,
            }
            for one in found.periods
        ],
    }


def _order(one: ReturnOwed) -> tuple[Any, ...]:
    return one.due_on, one.place_number, one.tax, one.period.key


def _owed(one: ReturnOwed) -> dict[str, Any]:
    return {
        "filer": one.filer_id,
        "filer_name": one.filer_name,
        "place": one.place_id,
        "place_number": one.place_number,
        "place_name": one.place_name,
        "tax": one.tax,
        "period": one.period.key,
        "due_on": one.due_on,
        "met_by": one.met_by,
        "file_by": one.file_by,
        "filed_on": one.filed_on,
        "is_late": one.is_late,
        "account": one.account_id,
    }
