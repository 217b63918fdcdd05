"""Period accounts: what is owed, paid and filed, why, and what happened. A filer sees its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from flask import g

from core.api.ledger import entry_shown
from core.auth.permissions import ACCOUNT_READ
from core.domain.events import Estimate, Finding, PaymentReturned, Refunded, ReturnFiled, Voided
from core.domain.receipts import Receipts
from core.schemas.accounts import (
    AccountShown,
    AccountsListed,
    AccountsSought,
    AsOf,
    AsOfAsKnown,
    EntriesShown,
    HistoryShown,
    StatementShown,
)
from core.schemas.paging import cursor_after
from core.services.accounts.history import Happened, entries_of, history_of
from core.services.accounts.list_accounts import AccountListed, Sought, list_accounts, look_up_account
from core.services.accounts.stated import Stated, state_account
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint("accounts", __name__, url_prefix="/api/v1", description="What is owed and why.")


@blueprint.route("/municipalities/<key>/accounts", permission=ACCOUNT_READ)
@blueprint.arguments(AccountsSought, location="query")
@blueprint.response(200, AccountsListed)
def list_period_accounts(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Period accounts by the last day of their periods.

    Each as of a day and as known at its end. `state` lists those that owe, are in credit, are settled, have no return,
    or wait for a resolution; a page of it may be short and still have a `next`.
    """
    visit = g.visit
    as_of = given["as_of"] or visit.today
    reach = visit.reach
    if given["filer"] is not None:
        reach = frozenset({given["filer"]} if reach is None or given["filer"] in reach else ())
    found = list_accounts(
        visit.engines.app,
        visit.here,
        Sought(reach, given["place"], given["tax"], given["period"]),
        as_of,
        state=given["state"],
        after=given["cursor"],
        most=given["limit"],
    )
    more = cursor_after(*found.ended_at) if found.ended_at is not None else None
    return {"items": [_account(one, as_of) for one in found.accounts], "next": more}


@blueprint.route("/municipalities/<key>/accounts/<uuid:account>", permission=ACCOUNT_READ)
@blueprint.arguments(AsOf, location="query")
@blueprint.response(200, AccountShown)
def show_account(given: dict[str, Any], key: str, account: UUID) -> dict[str, Any]:
    """A period account.

    As of a day and as known at its end.
    """
    visit = g.visit
    as_of = given["as_of"] or visit.today
    return _account(look_up_account(visit.engines.app, visit.here, account, as_of, visit.reach), as_of)


@blueprint.route("/municipalities/<key>/accounts/<uuid:account>/statement", permission=ACCOUNT_READ)
@blueprint.arguments(AsOfAsKnown, location="query")
@blueprint.response(200, StatementShown)
def state_period_account(given: dict[str, Any], key: str, account: UUID) -> dict[str, Any]:
    """What is owed on an account and why.

    As of a day, line by line, with clause, section and computation, and where each payment went. `known_on` looks
    back: what was recorded later is not in it.
    """
    visit = g.visit
    as_of = given["as_of"] or visit.today
    return _statement(state_account(visit.engines.app, visit.here, account, as_of, given["known_on"], visit.reach))


@blueprint.route("/municipalities/<key>/accounts/<uuid:account>/history", permission=ACCOUNT_READ)
@blueprint.response(200, HistoryShown)
def show_history(key: str, account: UUID) -> dict[str, Any]:
    """What happened on an account.

    Every event in the order of recording, with who recorded it and when; returns and payments with their numbers.
    """
    visit = g.visit
    found = history_of(visit.engines.app, visit.here, account, visit.reach)
    record = found.record
    return {
        "account": record.id,
        "filer": record.filer_id,
        "place": record.place_id,
        "tax": record.tax,
        "period": record.period.key,
        "events": [_event(one) for one in found.events],
    }


@blueprint.route("/municipalities/<key>/accounts/<uuid:account>/entries", permission=ACCOUNT_READ)
@blueprint.response(200, EntriesShown)
def list_account_entries(key: str, account: UUID) -> dict[str, Any]:
    """The entries posted for an account.

    In the order of recording, each transfer with clause, section and computation.
    """
    visit = g.visit
    found = entries_of(visit.engines.app, visit.here, account, visit.reach)
    return {"items": [entry_shown(one) for one in found]}


def parts_shown(receipts: Iterable[Receipts]) -> list[dict[str, Any]]:
    """The parts of a return as they are shown."""
    return [
        {
            "first_night": part.first_night,
            "last_night": part.last_night,
            "gross": dict(part.gross),
            "deductions": dict(part.deductions),
        }
        for part in receipts
    ]


def _account(one: AccountListed, as_of: Any) -> dict[str, Any]:
    record, period = one.account.record, one.account.record.period
    return {
        "id": record.id,
        "filer": record.filer_id,
        "filer_name": one.account.filer_name,
        "place": record.place_id,
        "place_number": one.account.place_number,
        "place_name": one.account.place_name,
        "tax": record.tax,
        "period": period.key,
        "first_day": period.first_day,
        "last_day": period.last_day,
        "due_on": one.due_on,
        "met_by": one.met_by,
        "file_by": one.file_by,
        "filed_on": one.filed_on,
        "basis": one.basis,
        "as_of": as_of,
        "balance": one.balance_cents,
        "credit": one.credit_cents,
        "waiting": one.waiting,
    }


def _statement(found: Stated) -> dict[str, Any]:
    record, statement = found.record, found.statement
    tax = found.municipality.taxes[record.tax]
    dates = statement.account.deadlines
    return {
        "account": record.id,
        "filer": record.filer_id,
        "place": record.place_id,
        "municipality": g.visit.here.name,
        "tax": tax.key,
        "title": tax.title,
        "period": record.period.key,
        "as_of": statement.as_of,
        "known_on": found.known_on,
        "due_on": dates.nominal,
        "met_by": dates.effective,
        "file_by": statement.account.filing_date,
        "basis": statement.basis,
        "lines": [
            {
                "kind": line.kind,
                "title": tax.titles.get(line.kind, line.kind),
                "amount": line.cents,
                "arose_on": line.arose_on,
                "clause": line.clause.id,
                "section": line.clause.section,
                "computation": str(line.words),
                "values": [value.id for value in line.values],
                "depends_on": list(line.depends_on),
            }
            for line in statement.lines
        ],
        "applications": [
            {
                "on": one.on,
                "kind": one.kind,
                "title": tax.titles.get(one.kind, one.kind),
                "amount": one.cents,
                "cause": one.cause,
            }
            for one in statement.applications
        ],
        "not_posted": [
            {
                "kind": one.kind,
                "amount": one.cents,
                "debit": one.debit,
                "credit": one.credit,
                "section": one.section,
            }
            for one in found.not_posted
        ],
        "charged": sum(statement.charges.values()),
        "applied": sum(statement.applied.values()),
        "balance": statement.balance,
        "credit": found.credit_cents,
    }


def _event(one: Happened) -> dict[str, Any]:
    event: Any = one.recorded.event
    filed, payment = one.filed, one.payment
    reason = event.reasons if isinstance(event, Finding) else getattr(event, "reason", None)
    return {
        "seq": event.seq,
        "id": one.recorded.id,
        "kind": one.kind,
        "on": event.on,
        "recorded_on": event.recorded,
        "recorded_by": one.recorded.recorded_by,
        "amount": getattr(event, "cents", None),
        "interest": event.interest_cents if isinstance(event, Refunded) else None,
        "charge": getattr(event, "kind", None),
        "until": getattr(event, "until", None),
        "of": event.payment_seq if isinstance(event, PaymentReturned | Voided) else None,
        "finding": getattr(event, "finding", None),
        "officer": getattr(event, "officer", None) or None,
        "reason": reason or None,
        "parts": parts_shown(event.receipts) if isinstance(event, ReturnFiled | Estimate) else [],
        "filed": filed
        and {
            "id": filed.id,
            "number": filed.number,
            "channel": filed.submission.channel,
            "received_on": filed.submission.received_on,
        },
        "payment": payment
        and {
            "id": payment.id,
            "number": payment.number,
            "method": payment.method,
            "reference": payment.reference,
            "received_on": payment.received_on,
            "moved_from": payment.moved_from,
        },
    }
