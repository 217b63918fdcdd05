"""The books: read by the treasurer and the auditor, the trial balance also by the council."""

from __future__ import annotations

from datetime import date
from typing import Any

from flask import g

from core.auth.permissions import BALANCE_READ, JOURNAL_READ
from core.schemas.ledger import Journal, JournalSought, Movements, MovementsSought, Seals, Through, TrialBalance
from core.schemas.paging import page_of
from core.services.books.read_books import (
    JournalEntry,
    account_statement,
    balances_known,
    journal_booked,
    seals_so_far,
)
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint("ledger", __name__, url_prefix="/api/v1", description="The books.")


@blueprint.route("/municipalities/<key>/ledger/trial-balance", permission=BALANCE_READ)
@blueprint.arguments(Through, location="query")
@blueprint.response(200, TrialBalance)
def show_trial_balance(given: dict[str, Any], key: str) -> dict[str, Any]:
    """The trial balance.

    Every account of the chart with what was moved to it and from it through a day, as known on a day.
    """
    visit = g.visit
    through, known_on = given["through"] or visit.today, given["known_on"] or visit.today
    found = balances_known(visit.engines.app, visit.here, through, known_on)
    return {
        "through": through,
        "known_on": known_on,
        "items": [
            {
                "fund": one.fund,
                "number": one.number,
                "title": one.title,
                "kind": one.kind,
                "debit": one.debit_cents,
                "credit": one.credit_cents,
                "balance": one.cents,
            }
            for one in found
        ],
    }


@blueprint.route("/municipalities/<key>/ledger/journal", permission=JOURNAL_READ)
@blueprint.arguments(JournalSought, location="query")
@blueprint.response(200, Journal)
def list_journal(given: dict[str, Any], key: str) -> dict[str, Any]:
    """The journal.

    The entries booked from a day to a day, in the order of recording.
    """
    visit, limit = g.visit, given["limit"]
    first, last = given["first"] or date.min, given["last"] or date.max
    after = given["cursor"][0] if given["cursor"] else None
    found = journal_booked(visit.engines.app, visit.here, first, last, after, limit + 1)
    page = page_of(found, limit, lambda one: (one.posted.id,))
    return {**page, "items": [entry_shown(one) for one in page["items"]]}


@blueprint.route("/municipalities/<key>/ledger/accounts/<fund>/<number>/movements", permission=JOURNAL_READ)
@blueprint.arguments(MovementsSought, location="query")
@blueprint.response(200, Movements)
def list_movements(given: dict[str, Any], key: str, fund: str, number: str) -> dict[str, Any]:
    """What moved on an account of the chart.

    From a day to a day, by the day that each line counts for, as known on a day.
    """
    visit, limit = g.visit, given["limit"]
    account, found = account_statement(
        visit.engines.app,
        visit.here,
        fund,
        number,
        given["first"] or date.min,
        given["last"] or date.max,
        given["known_on"] or date.max,
        given["cursor"],
        limit + 1,
    )
    page = page_of(found, limit, lambda one: (one.effective_on, one.entry_id, one.line))
    lines = [
        {
            **one._asdict(),
            "entry": one.entry_id,
            "amount": one.cents,
            "clause": one.clause_id,
        }
        for one in page["items"]
    ]
    return {**account._asdict(), "items": lines, "next": page["next"]}


@blueprint.route("/municipalities/<key>/ledger/seals", permission=JOURNAL_READ)
@blueprint.response(200, Seals)
def show_seals(key: str) -> dict[str, Any]:
    """How far the books are sealed.

    The head of the chain is what a copy outside proves them by; `fisc ledger verify` reads every seal.
    """
    found = seals_so_far(g.visit.engines.app, g.visit.here)
    return {**found._asdict(), "not_sealed": found.entries - found.sealed}


def entry_shown(posted: JournalEntry) -> dict[str, Any]:
    """An entry as it is shown."""
    entry = posted.entry
    return {
        "id": posted.posted.id,
        "kind": entry.kind,
        "effective_on": entry.effective_on,
        "booked_on": entry.booked_on,
        "recorded_on": entry.recorded_on,
        "narrative": entry.narrative,
        "account": entry.period_account_id,
        "events": list(entry.event_seqs),
        "transfers": [
            {
                "fund": one.fund,
                "debit": one.debit,
                "credit": one.credit,
                "amount": one.cents,
                "kind": one.charge_kind,
                "clause": one.clause_id,
                "section": one.section,
                "rule_version": one.rule_version,
                "values": list(one.value_ids),
                "computation": one.computation,
            }
            for one in entry.transfers
        ],
    }
