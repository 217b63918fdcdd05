"""What the rows of a sheet mean on their accounts: acts, each with the rows that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from core.contract.declarations import Tax
from core.domain.calendar import Period
from core.domain.errors import Fault
from core.domain.events import (
    Estimate,
    Event,
    Extension,
    Finding,
    Notice,
    Payment,
    PaymentReturned,
    ReturnFiled,
    Waiver,
)
from core.domain.receipts import Receipts
from core.filing.events import next_seq
from core.filing.find_for_filing import PlaceForFiling
from core.services.accounts.act import Act, PaymentDetails
from core.services.accounts.look import Looked
from core.services.enforcement.find import FINDINGS
from core.services.filing.form import Part, ReturnForm, receipts_of
from core.services.imports.sheet import Row, RowFault

UNRECORDED = date.max
# A fault's field by the column in which it is mended.
COLUMNS = {
    "deductions": "",
    "receipts": "",
    "parts": "first_night",
    "payment_on": "reference",
    "recorded": "on",
    "finding": "kind",
    "reasons": "reason",
}


@dataclass(slots=True)
class Placed:
    """A row whose place, tax, period and account are known."""

    row: Row
    tax: Tax
    period: Period
    place: PlaceForFiling
    account_id: UUID


@dataclass(slots=True)
class FromRows:
    """An act and the rows that it comes from; faults are told of the first."""

    act: Act
    rows: list[Row]


class Reader:
    """Reads placed rows in the order of the file. `references` are those of payments that are recorded already."""

    def __init__(self, looked: Looked, references: dict[tuple[UUID, int], str], today: date) -> None:
        self._looked = looked
        self._today = today
        self._seqs: dict[UUID, int] = {}
        # Payments that a returned one can name: (seq, reference, day, cents) by account.
        self._payments: dict[UUID, list[tuple[int, str, date, int]]] = {}
        self._references = references
        self.faults: list[RowFault] = []

    def read(self, placed: list[Placed]) -> Iterator[FromRows]:
        """The acts of these rows. What is wrong with a row is added to `faults`, and the row gives no act."""
        parts: dict[tuple[UUID, str], list[Placed]] = {}
        for one in placed:
            if "first_night" in one.row.days and one.row.kind == "return":
                parts.setdefault((one.account_id, one.row.texts.get("name", "")), []).append(one)
        done: set[int] = set()
        for one in placed:
            if id(one) in done:
                continue
            together = parts.get((one.account_id, one.row.texts.get("name", "")), [one])
            if one not in together:
                together = [one]
            done.update(id(each) for each in together)
            yield from self._acts(one, together)

    def _acts(self, one: Placed, together: list[Placed]) -> Iterator[FromRows]:
        row, kind = one.row, one.row.kind
        before = len(self.faults)
        if kind == "":
            self._fault(row, "act", "the row says nothing: fill in receipts, a payment, or the act")
            return
        made: list[FromRows] = []
        if kind == "return":
            made.append(self._return(one, together))
        elif kind != "payment":
            event = _MAKE[kind](self, one)
            if event is not None:
                made.append(FromRows(Act(one.account_id, event), [row]))
        if kind == "payment" or (kind == "return" and "paid" in row.cents):
            made.append(self._payment(one))
        elif kind == "return" and ("paid_on" in row.days or "method" in row.texts):
            self._fault(row, "paid", "is blank though the row tells of a payment: fill it in, or clear the rest")
        if len(self.faults) > before:
            return
        for each in made:
            self._number(each.act)
            yield each

    def _number(self, act: Act) -> None:
        seq = self._seqs.get(act.account_id) or next_seq(self._looked.accounts[act.account_id].events)
        self._seqs[act.account_id] = seq + 1
        if isinstance(act.event, Payment) and act.payment is not None:
            known = self._known(act.account_id)
            known.append((seq, act.payment.reference, act.event.on, act.event.cents))

    def _known(self, account_id: UUID) -> list[tuple[int, str, date, int]]:
        if account_id not in self._payments:
            self._payments[account_id] = [
                (event.seq, self._references.get((account_id, event.seq), ""), event.on, event.cents)
                for event in self._looked.accounts[account_id].events
                if isinstance(event, Payment)
            ]
        return self._payments[account_id]

    def _on(self, row: Row, column: str = "on") -> date:
        return row.days.get(column) or row.days.get("on") or row.days.get("received_on") or self._today

    def _return(self, one: Placed, together: list[Placed]) -> FromRows:
        row, tax = one.row, one.tax
        self.faults += unsigned(row)
        parts = [
            Part(
                {line.key: each.row.lines[line.key] for line in tax.receipts if line.key in each.row.lines},
                {line.key: each.row.lines[line.key] for line in tax.deductions if line.key in each.row.lines},
                each.row.days.get("first_night"),
                each.row.days.get("last_night"),
            )
            for each in together
        ]
        receipts = self._receipts(one, parts)
        rows = [each.row for each in together]
        kept: dict[str, Any] = {"rows": [each.cells for each in rows]}
        event = ReturnFiled(0, self._on(row), UNRECORDED, receipts)
        return FromRows(Act(one.account_id, event, kept, "import", row.days.get("received_on")), rows)

    def _receipts(self, one: Placed, parts: list[Part]) -> tuple[Receipts, ...]:
        faults: list[Fault] = []
        whole = len(parts) == 1 and parts[0].first_night is None
        form = ReturnForm(
            one.account_id,
            one.period.key,
            parts[0].gross if whole else {},
            parts[0].deductions if whole else {},
            () if whole else parts,
        )
        place = one.place
        receipts = receipts_of(form, one.tax, one.period, place.furnished_by, place.private_benefit, "", faults)
        for fault in faults:
            self._fault(one.row, fault.field.rpartition(".")[2], fault.message)
        return receipts

    def _payment(self, one: Placed) -> FromRows:
        row = one.row
        for column in ("paid", "method"):
            if column not in row.cells:
                self._fault(row, column, f"a payment has its {column}: fill it in")
        details = PaymentDetails(row.texts.get("method", "check"), row.texts.get("reference", ""))
        event = Payment(0, self._on(row, "paid_on"), UNRECORDED, row.cents.get("paid", 0))
        act = Act(one.account_id, event, received_on=row.days.get("received_on"), payment=details)
        return FromRows(act, [row])

    def returned(self, one: Placed) -> Event | None:
        """A payment that came back: the one with this reference, or the only one there is."""
        row, known = one.row, self._known(one.account_id)
        reference = row.texts.get("reference")
        named = [payment for payment in known if reference is None or payment[1] == reference]
        if len(named) != 1:
            what = f"{reference!r}" if reference is not None else "the account"
            problem = "no payment" if not named else f"{len(named)} payments"
            self._fault(row, "reference", f"{what} names {problem} of this period: give the reference of the one")
            return None
        seq, _, paid_on, cents = named[0]
        if self._on(row) < paid_on:
            self._fault(row, "on", f"{self._on(row)} is before {paid_on}, the day it was paid: correct the day")
            return None
        return PaymentReturned(0, self._on(row), UNRECORDED, seq, paid_on, cents, row.texts.get("reason", ""))

    def estimate(self, one: Placed) -> Event | None:
        """The officer's estimate of the receipts of the period."""
        if not one.row.lines:
            self._fault(one.row, one.tax.usual_line.key, "an estimate has receipts: fill them in")
            return None
        gross = {line.key: one.row.lines[line.key] for line in one.tax.receipts if line.key in one.row.lines}
        return Estimate(0, self._on(one.row), UNRECORDED, self._receipts(one, [Part(gross)]))

    def extension(self, one: Placed) -> Event | None:
        """The filing date is moved."""
        until = one.row.days.get("until")
        if until is None:
            self._fault(one.row, "until", "an extension names its day: fill it in")
            return None
        return Extension(0, self._on(one.row), UNRECORDED, until)

    def notice(self, one: Placed) -> Event | None:
        """A notice was mailed or delivered."""
        return Notice(0, self._on(one.row), UNRECORDED)

    def finding(self, one: Placed) -> Event | None:
        """An officer who is named finds negligence or intent, with reasons."""
        row = one.row
        for column in ("kind", "officer", "reason"):
            if column not in row.cells:
                self._fault(row, column, f"a finding has its {column}: fill it in")
        kind = row.texts.get("kind", "")
        if kind and kind not in FINDINGS:
            self._fault(row, "kind", f"is no finding: use {', '.join(FINDINGS)}")
        officer, reasons = row.texts.get("officer", ""), row.texts.get("reason", "")
        return Finding(0, self._on(row), UNRECORDED, kind, officer, reasons)

    def waiver(self, one: Placed) -> Event | None:
        """A charge is lowered, with a reason."""
        row = one.row
        for column in ("kind", "amount", "reason"):
            if column not in row.cells:
                self._fault(row, column, f"a waiver has its {column}: fill it in")
        texts, cents = row.texts, row.cents
        return Waiver(
            0,
            self._on(row),
            UNRECORDED,
            texts.get("kind", ""),
            cents.get("amount", 0),
            texts.get("reason", ""),
        )

    def _fault(self, row: Row, column: str, message: str) -> None:
        self.faults.append(RowFault(row.line, column, row.cells.get(column, ""), message))


_MAKE: dict[str, Callable[[Reader, Placed], Event | None]] = {
    "returned_payment": Reader.returned,
    "estimate": Reader.estimate,
    "extension": Reader.extension,
    "notice": Reader.notice,
    "finding": Reader.finding,
    "waiver": Reader.waiver,
}


def unsigned(row: Row) -> list[RowFault]:
    """What a return's row lacks of its signature."""
    return [
        RowFault(row.line, column, "", f"a return is signed: write the {column} of who signed it")
        for column in ("name", "capacity")
        if column not in row.cells
    ]


def column_of(field: str) -> str:
    """The column in which a fault of an act is mended; "" where it is the whole row."""
    return COLUMNS.get(field, field)
