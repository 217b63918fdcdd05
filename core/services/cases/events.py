"""Reads the events of a case: every field checked, every fault named, an event kept wherever it can be placed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from core.contract.declarations import Tax
from core.domain.calendar import Period
from core.domain.errors import Fault
from core.domain.events import (
    FRAUD,
    NEGLIGENCE,
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
from core.domain.money import NotMoney, parse_dollars
from core.domain.receipts import Receipts

FIELDS: Mapping[str, tuple[set[str], set[str]]] = {
    # type: (required, optional); "receipts" stands for the receipts and deductions of a return
    "return_filed": ({"receipts"}, set()),
    "estimate": ({"gross_receipts"}, set()),
    "payment": ({"amount"}, {"recorded"}),
    "payment_returned": ({"payment_on", "amount"}, set()),
    "waiver": ({"kind", "amount"}, set()),
    "extension": ({"until"}, set()),
    "notice": (set(), set()),
    "finding": ({"finding"}, set()),
}
FINDINGS = (NEGLIGENCE, FRAUD)


class Fields:
    """One object of a case, read field by field; what is wrong goes to `faults` with its path."""

    def __init__(self, raw: Mapping[str, Any], path: str, faults: list[Fault]) -> None:
        self.raw = raw
        self.path = path
        self.faults = faults

    def fault(self, name: str, message: str) -> None:
        """Notes what is wrong with a field."""
        self.faults.append(Fault(f"{self.path}{name}", message))

    def keys(self, required: set[str], optional: set[str]) -> None:
        """Notes unknown and missing keys."""
        allowed = ", ".join(sorted(required | optional))
        for name in self.raw:
            if name not in required | optional:
                self.fault(name, f"{name!r} is not a known key: use {allowed}")
        for name in sorted(required - set(self.raw)):
            self.fault(name, f"{name} is missing: give it")

    def day(self, name: str) -> date | None:
        """A date, or None with a fault when the field is there and is none."""
        text = self.raw.get(name)
        try:
            if not isinstance(text, str) or len(text) != 10:
                raise ValueError
            return date.fromisoformat(text)
        except ValueError:
            if name in self.raw:
                self.fault(name, f'{text!r} is not a date: write year-month-day, such as "2026-04-30"')
            return None

    def cents(self, name: str, least: int = 0) -> int | None:
        """An amount in cents of at least `least`, or None with a fault."""
        if name not in self.raw:
            return None
        try:
            cents = parse_dollars(self.raw[name])
        except NotMoney as error:
            self.fault(name, str(error))
            return None
        if cents < 0:
            self.fault(name, f"{self.raw[name]!r} is below zero: give an amount of zero or more")
            return None
        if cents < least:
            self.fault(name, f"{self.raw[name]!r} is no amount: give at least one cent")
            return None
        return cents

    def choice(self, name: str, choices: Sequence[str]) -> str | None:
        """One of the given texts, or None with a fault."""
        text = self.raw.get(name)
        if isinstance(text, str) and text in choices:
            return text
        if name in self.raw:
            self.fault(name, f"{text!r} is not known: use {', '.join(choices)}")
        return None


class EventReader:
    """Reads the events of one case for one tax and period, in the order of recording."""

    def __init__(self, tax: Tax, period: Period, kinds: Sequence[str], faults: list[Fault]) -> None:
        self._tax = tax
        self._period = period
        self._kinds = kinds
        self._faults = faults
        self._payments: list[Payment] = []
        self._returned: set[int] = set()
        self._readers: dict[str, Callable[[Fields, int, date], Event | None]] = {
            "return_filed": self._return,
            "estimate": self._estimate,
            "payment": self._payment,
            "payment_returned": self._payment_returned,
            "waiver": self._waiver,
            "extension": self._extension,
            "notice": lambda fields, seq, on: Notice(seq, on, on),
            "finding": self._finding,
        }

    def read(self, raw_events: Sequence[Any]) -> list[Event]:
        """Every event that could be placed. A faulty amount is read as nothing, so that the rest is still checked."""
        events: list[Event] = []
        for seq, raw in enumerate(raw_events):
            path = f"events[{seq}]."
            if not isinstance(raw, dict):
                self._faults.append(Fault(f"events[{seq}]", f"{raw!r} is no event: write an object with on and type"))
                continue
            event = self._one(Fields(raw, path, self._faults), seq)
            if event is not None:
                events.append(event)
        return events

    def _one(self, fields: Fields, seq: int) -> Event | None:
        kind = fields.choice("type", tuple(FIELDS))
        on = fields.day("on")
        if kind is None:
            if "type" not in fields.raw:
                fields.fault("type", f"type is missing: use {', '.join(FIELDS)}")
            return None
        required, optional = FIELDS[kind]
        fields.keys(self._receipt_keys(fields.raw, required) | {"on", "type"}, self._optional(kind, fields, optional))
        return self._readers[kind](fields, seq, on) if on is not None else None

    def _other_lines(self) -> tuple[str, ...]:
        return tuple([line.key for line in self._tax.receipts[1:]])

    def _receipt_keys(self, raw: Mapping[str, Any], required: set[str]) -> set[str]:
        if required != {"receipts"}:
            return required
        return {"parts"} if "parts" in raw else {"gross_receipts"}

    def _optional(self, kind: str, fields: Fields, optional: set[str]) -> set[str]:
        if kind == "return_filed" and "parts" not in fields.raw:
            return {"deductions", *self._other_lines()}
        if kind == "estimate":
            return set(self._other_lines())
        return optional

    def _return(self, fields: Fields, seq: int, on: date) -> Event:
        if "parts" not in fields.raw:
            return ReturnFiled(seq, on, on, (self._receipts(fields, self._period.first_day, self._period.last_day),))
        return ReturnFiled(seq, on, on, self._parts(fields))

    def _parts(self, fields: Fields) -> tuple[Receipts, ...]:
        raw_parts = fields.raw["parts"]
        if not isinstance(raw_parts, list) or not raw_parts:
            fields.fault("parts", "parts is a list of objects with first_night, last_night and gross_receipts")
            return ()
        parts = []
        expected = self._period.first_day
        for place, raw in enumerate(raw_parts):
            part = Fields(raw if isinstance(raw, dict) else {}, f"{fields.path}parts[{place}].", self._faults)
            part.keys({"first_night", "last_night", "gross_receipts"}, {"deductions", *self._other_lines()})
            first, last = part.day("first_night"), part.day("last_night")
            if first is None or last is None:
                continue
            if first != expected or last < first or last > self._period.last_day:
                message = f"the parts must follow one another from {self._period.first_day} to {self._period.last_day}"
                part.fault("first_night", f"{first} to {last}: {message}")
            expected = date.fromordinal(last.toordinal() + 1)
            parts.append(self._receipts(part, first, last))
        if parts and parts[-1].last_night != self._period.last_day:
            fields.fault("parts", f"the last part ends on {parts[-1].last_night}, not on {self._period.last_day}")
        return tuple(parts)

    def _receipts(self, fields: Fields, first: date, last: date) -> Receipts:
        usual = fields.cents("gross_receipts")
        others = [(name, fields.cents(name)) for name in self._other_lines() if name in fields.raw]
        gross = [(self._tax.usual_line.key, usual or 0), *((name, cents or 0) for name, cents in others)]
        deductions = self._deductions(fields)
        if usual is None or any(cents is None for _, cents in others):
            deductions = ()  # what they are deducted from is not known
        return Receipts(first, last, tuple(gross), deductions)

    def _deductions(self, fields: Fields) -> tuple[tuple[str, int], ...]:
        raw = fields.raw.get("deductions", {})
        if not isinstance(raw, dict):
            fields.fault("deductions", f"{raw!r} is no object: write each deduction by its name")
            return ()
        lines = Fields(raw, f"{fields.path}deductions.", self._faults)
        lines.keys(set(), {line.key for line in self._tax.deductions})
        known = [line.key for line in self._tax.deductions if line.key in raw]
        return tuple([(name, lines.cents(name) or 0) for name in known])

    def _estimate(self, fields: Fields, seq: int, on: date) -> Event:
        return Estimate(seq, on, on, (self._receipts(fields, self._period.first_day, self._period.last_day),))

    def _payment(self, fields: Fields, seq: int, on: date) -> Event | None:
        cents = fields.cents("amount", least=1)
        recorded = fields.day("recorded") if "recorded" in fields.raw else on
        if recorded is not None and recorded < on:
            fields.fault("recorded", f"{recorded} is before the payment's own day {on}: give the day it was entered")
        if cents is None or recorded is None:
            return None
        payment = Payment(seq, on, max(on, recorded), cents)
        self._payments.append(payment)
        return payment

    def _payment_returned(self, fields: Fields, seq: int, on: date) -> Event | None:
        payment_on, cents = fields.day("payment_on"), fields.cents("amount", least=1)
        if payment_on is None or cents is None:
            return None
        for paid in self._payments:
            if (paid.on, paid.cents) == (payment_on, cents) and paid.seq not in self._returned and paid.recorded <= on:
                self._returned.add(paid.seq)
                return PaymentReturned(seq, on, on, paid.seq, payment_on, cents)
        return PaymentReturned(seq, on, on, -1, payment_on, cents)

    def _waiver(self, fields: Fields, seq: int, on: date) -> Event | None:
        waivable = [kind for kind in self._kinds if kind != self._kinds[-1]]
        kind, cents = fields.choice("kind", waivable), fields.cents("amount", least=1)
        return Waiver(seq, on, on, kind, cents) if kind is not None and cents is not None else None

    def _extension(self, fields: Fields, seq: int, on: date) -> Event | None:
        until = fields.day("until")
        return Extension(seq, on, on, until) if until is not None else None

    def _finding(self, fields: Fields, seq: int, on: date) -> Event | None:
        finding = fields.choice("finding", FINDINGS)
        return Finding(seq, on, on, finding) if finding is not None else None
