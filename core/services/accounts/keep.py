"""Writes acts with what they post: events, returns, payments, entries and assessments, in one statement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from core.contract.declarations import Municipality
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, constraint_name
from core.db.uuid7 import uuid7
from core.domain.events import Event, Payment, ReturnFiled
from core.filing.assessments import Assessment
from core.filing.event_codec import as_row
from core.filing.events import REFUSALS
from core.ledger.post import refusals_of_the_books, with_ids
from core.services.accounts.act import Act, PaymentDetails
from core.services.accounts.assess import Assessed

_RECORD = "SELECT returns_before, payments_before FROM fisc.record(%s, %s)"


class Numbered(NamedTuple):
    """The id and the number of a return or a payment, as they are shown outside."""

    id: UUID
    number: int


class Kept(NamedTuple):
    """What was written: the return or payment of each act that is one, and the entry of each account that moved."""

    numbered: tuple[Numbered | None, ...]
    entry_ids: dict[UUID, UUID]


def keep(
    uow: UnitOfWork,
    acts: Sequence[Act],
    events: Sequence[Event],
    assessed: Assessed,
    declared: Municipality,
    recorded: Recorded,
) -> Kept:
    """Write acts that were judged, each with its placed event, and what was assessed.

    Raises EventOutOfOrder, PaymentAlreadyVoid, AccountUnknown, PeriodClosed, NotAnEntry, LedgerAccountUnknown;
    nothing of the transaction is then left to commit.
    """
    returns: list[dict[str, Any]] = []
    payments: list[dict[str, Any]] = []
    places: list[tuple[list[dict[str, Any]], int] | None] = []
    for act, event in zip(acts, events, strict=True):
        rows = returns if isinstance(event, ReturnFiled) else payments if isinstance(event, Payment) else None
        if rows is None:
            places.append(None)
            continue
        make = _return if rows is returns else _payment
        rows.append({**make(act, event, declared, recorded), "place": len(rows) + 1})
        places.append((rows, len(rows) - 1))
    entry_ids, entries = with_ids(tuple(assessed.entries.values()))
    by_account = dict(zip(assessed.entries, entry_ids, strict=True))
    batch = (
        f'{{"events":{json.dumps([_event(a, e, recorded) for a, e in zip(acts, events, strict=True)])},'
        f'"returns":{json.dumps(returns)},"payments":{json.dumps(payments)},"entries":{entries},'
        f'"assessments":{json.dumps([_assessment(one, by_account) for one in assessed.assessments])}}}'
    )
    returns_before, payments_before = _write(uow, batch)
    numbered = tuple(
        Numbered(
            UUID(place[0][place[1]]["id"]),
            (returns_before if place[0] is returns else payments_before) + place[1] + 1,
        )
        if place is not None
        else None
        for place in places
    )
    return Kept(numbered, by_account)


def _write(uow: UnitOfWork, batch: str) -> tuple[int, int]:
    try:
        with refusals_of_the_books():
            row = uow.driver.execute(_RECORD, (uow.tenant, batch)).fetchone()
    except psycopg.Error as error:
        refusal = REFUSALS.get(constraint_name(error))
        if refusal is None:
            raise
        raise refusal[0](refusal[1]) from error
    assert row is not None
    return row[0] or 0, row[1] or 0


def _event(act: Act, event: Event, recorded: Recorded) -> dict[str, Any]:
    row = as_row(event)
    return {
        **row,
        "id": str(uuid7()),
        "account_id": str(act.account_id),
        "counts_on": row["counts_on"].isoformat(),
        "recorded_on": row["recorded_on"].isoformat(),
        "recorded_by": recorded.by,
    }


def _filed(act: Act, event: Event, recorded: Recorded) -> dict[str, Any]:
    return {
        "id": str(uuid7()),
        "account_id": str(act.account_id),
        "event_seq": event.seq,
        "received_on": (act.received_on or recorded.on).isoformat(),
        "recorded_by": recorded.by,
        "recorded_on": recorded.on.isoformat(),
    }


def _return(act: Act, event: Event, declared: Municipality, recorded: Recorded) -> dict[str, Any]:
    return {
        **_filed(act, event, recorded),
        "submission": json.dumps(act.form or {}, ensure_ascii=False),
        "channel": act.channel,
        "plugin": declared.key,
        "plugin_version": declared.version,
    }


def _payment(act: Act, event: Event, declared: Municipality, recorded: Recorded) -> dict[str, Any]:
    details = act.payment or PaymentDetails()
    moved_from = str(details.moved_from) if details.moved_from is not None else None
    return {
        **_filed(act, event, recorded),
        "method": details.method,
        "reference": details.reference,
        "moved_from": moved_from,
    }


def _assessment(one: Assessment, entry_ids: dict[UUID, UUID]) -> dict[str, Any]:
    entry_id = entry_ids.get(one.account_id)
    return {
        **one._asdict(),
        "id": str(one.id),
        "account_id": str(one.account_id),
        "as_of": one.as_of.isoformat(),
        "entry_id": str(entry_id) if entry_id is not None else None,
    }
