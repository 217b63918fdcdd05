"""Events of the domain as rows, and back. A payload is plain JSON: cents as whole numbers, days as 2026-05-01."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from sqlalchemy import Row

from core.domain.events import (
    Estimate,
    Event,
    Extension,
    Finding,
    Notice,
    Payment,
    PaymentReturned,
    Refunded,
    ReturnFiled,
    Voided,
    Waiver,
)
from core.domain.receipts import Receipts

KINDS: dict[str, type[Event]] = {
    "return_filed": ReturnFiled,
    "estimate": Estimate,
    "payment": Payment,
    "payment_returned": PaymentReturned,
    "voided": Voided,
    "waiver": Waiver,
    "extension": Extension,
    "notice": Notice,
    "finding": Finding,
    "refund": Refunded,
}
_NAMES = {kind: name for name, kind in KINDS.items()}
# Fields that have a column of their own.
_COLUMNS = {"seq", "on", "recorded", "payment_seq"}


def kind_of(event: Event) -> str:
    """The event's kind as the column holds it."""
    return _NAMES[type(event)]


def as_row(event: Event) -> dict[str, Any]:
    """An event as columns, without the account, the id and who recorded it."""
    payload = {name: _plain(value) for name, value in event._asdict().items() if name not in _COLUMNS}
    return {
        "seq": event.seq,
        "kind": kind_of(event),
        "counts_on": event.on,
        "voids_seq": getattr(event, "payment_seq", None),
        "payload": payload,
        "recorded_on": event.recorded,
    }


def from_row(row: Row[Any]) -> Event:
    """The event that `as_row` wrote."""
    return _event(row.seq, row.kind, row.counts_on, row.voids_seq, row.payload, row.recorded_on)


def from_columns(
    seq: int, kind: str, counts_on: str, voids_seq: int | None, payload: Mapping[str, Any], recorded_on: str
) -> Event:
    """The same from the columns as JSON has them."""
    return _event(seq, kind, date.fromisoformat(counts_on), voids_seq, payload, date.fromisoformat(recorded_on))


def _event(seq: int, kind: str, on: date, voids_seq: int | None, payload: Mapping[str, Any], recorded: date) -> Event:
    fields = {name: _READ[name](value) if name in _READ else value for name, value in payload.items()}
    if voids_seq is not None:
        fields["payment_seq"] = voids_seq
    return KINDS[kind](seq=seq, on=on, recorded=recorded, **fields)


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Receipts):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value


def _receipts(parts: list[Mapping[str, Any]]) -> tuple[Receipts, ...]:
    return tuple(
        Receipts(
            date.fromisoformat(part["first_night"]),
            date.fromisoformat(part["last_night"]),
            tuple((line, cents) for line, cents in part["gross"]),
            tuple((line, cents) for line, cents in part["deductions"]),
            part["furnished_by"],
            part["private_benefit"],
        )
        for part in parts
    )


_READ: dict[str, Callable[[Any], Any]] = {
    "receipts": _receipts,
    "payment_on": date.fromisoformat,
    "until": date.fromisoformat,
}
