"""Where the cents of a payment went: by kind of charge, with title, clauses and sections. One code for both, what a
payment would be applied to and what it was applied to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from core.domain.charge import TAX
from core.domain.errors import ResolutionMissing, ValueNotInForce
from core.domain.events import Event, Payment
from core.domain.fold import Statement
from core.domain.money import dollars
from core.services.accounts.act import Act, PaymentDetails
from core.services.accounts.look import Looked


def allocations(after: Looked, acts: Sequence[Act], events: Sequence[Event], as_of: date) -> list[dict[str, Any]]:
    """For each payment among the acts what became of it, as of the day of recording, amounts as texts in dollars.

    `after` has the accounts with these acts recorded. `left_over` is the part of the payment that is not owed: a
    credit, or where `held` money held until something is filed. Where a resolution is missing `waiting` says which.
    """
    seen: dict[UUID, Statement | str] = {}
    left: dict[UUID, dict[int, int]] = {}
    for account_id in {act.account_id for act in acts}:
        try:
            statement = after.accounts[account_id].statement(as_of)
        except (ResolutionMissing, ValueNotInForce) as error:
            seen[account_id], left[account_id] = str(error), {}
        else:
            seen[account_id], left[account_id] = statement, _left_over(statement)
    return [
        _told(after, act, event, seen[act.account_id], left[act.account_id].get(event.seq, 0))
        for act, event in zip(acts, events, strict=True)
        if isinstance(event, Payment)
    ]


def moved_by(statement: Statement, seq: int) -> dict[str, int]:
    """What an event moved to each kind of charge, in cents; below zero where it moved money away from one."""
    moved: dict[str, int] = {}
    for one in statement.applications:
        if one.cause == seq:
            moved[one.kind] = moved.get(one.kind, 0) + one.cents
    return {kind: cents for kind, cents in moved.items() if cents}


def held(statement: Statement) -> int:
    """What is held as tax of a period for which nothing is filed, in cents (READINGS 21)."""
    return max(0, statement.applied.get(TAX, 0)) if statement.basis == "none" else 0


def _left_over(statement: Statement) -> dict[int, int]:
    """How much of each payment's tax is not owed, in cents by seq: of the last payments first."""
    over = statement.applied.get(TAX, 0) - statement.charges[TAX]
    left: dict[int, int] = {}
    for payment in sorted(statement.account.payments, key=lambda paid: (paid.on, paid.seq), reverse=True):
        left[payment.seq] = max(0, min(over, moved_by(statement, payment.seq).get(TAX, 0)))
        over -= left[payment.seq]
    return left


def _told(after: Looked, act: Act, event: Payment, seen: Statement | str, left_over: int) -> dict[str, Any]:
    record = after.accounts[act.account_id].record
    details = act.payment or PaymentDetails()
    told: dict[str, Any] = {
        "account": str(record.id),
        "place": str(record.place_id),
        "tax": record.tax,
        "period": record.period.key,
        "amount": dollars(event.cents),
        "method": details.method,
        "reference": details.reference,
        "paid_on": event.on.isoformat(),
        "received_on": (act.received_on or event.recorded).isoformat(),
    }
    if isinstance(seen, str):
        return told | {"applied": None, "left_over": None, "held": None, "waiting": seen}
    titles = after.municipality.taxes[record.tax].titles
    applied = list(_lines(seen, event.seq, titles))
    return told | {
        "applied": applied,
        "left_over": dollars(left_over),
        "held": seen.basis == "none" and left_over > 0,
        "waiting": None,
    }


def _lines(statement: Statement, seq: int, titles: dict[str, str]) -> Iterator[dict[str, Any]]:
    for kind, cents in moved_by(statement, seq).items():
        clauses = dict.fromkeys(line.clause for line in statement.lines if line.kind == kind)
        yield {
            "kind": kind,
            "title": titles[kind],
            "amount": dollars(cents),
            "clauses": [{"id": clause.id, "section": clause.section} for clause in clauses],
        }
