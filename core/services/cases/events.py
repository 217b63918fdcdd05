"""Reads the events of a case: every field checked, every fault named, an event kept wherever it can be placed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from core.contract.declarations import Tax
from core.domain.calendar import ONE_DAY, Period
from core.domain.errors import Fault, shown
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
    "estimate": ({"receipts"}, set()),
    "payment": ({"amount"}, {"recorded"}),
    "payment_returned": ({"payment_on", "amount"}, set()),
    "waiver": ({"kind", "amount"}, set()),
    "extension": ({"until"}, set()),
    "notice": (set(), set()),
    "finding": ({"finding"}, set()),
}
FINDINGS = (NEGLIGENCE, FRAUD)
EARLIEST, LATEST = date(1900, 1, 1), date(9998, 12, 31)  # so that a day after, or a month after, is a date too


class JsonObject(dict[str, Any]):
    """An object as it stood in the text; `twice` names the keys that stood in it more than once."""

    twice: tuple[str, ...] = ()


class Fields:
    """One object of a case, read field by field; what is wrong goes to `faults` with its path."""

    def __init__(self, raw: Mapping[str, Any], path: str, faults: list[Fault]) -> None:
        self.raw = raw
        self.path = path
        self.faults = faults
        for name in raw.twice if isinstance(raw, JsonObject) else ():
            self.fault(name, f"{shown(name)} stands twice in one object: keep one of them")

    def fault(self, name: str, message: str) -> None:
        """Notes what is wrong with a field."""
        plain = name if name.isprintable() and 0 < len(name) <= 60 else shown(name)
        self.faults.append(Fault(f"{self.path}{plain}", message))

    def keys(self, required: set[str], optional: set[str]) -> None:
        """Notes unknown and missing keys."""
        allowed = ", ".join(sorted(required | optional))
        for name in self.raw:
            if name not in required | optional:
                self.fault(name, f"{shown(name)} is not a known key: use {allowed or '(none)'}")
        for name in sorted(required - set(self.raw)):
            self.fault(name, f"{name} is missing: give it")

    def day(self, name: str) -> date | None:
        """A date, or None with a fault when the field is there and is none."""
        text = self.raw.get(name)
        try:
            day = date.fromisoformat(text) if isinstance(text, str) else None
        except ValueError:
            day = None
        if day is None or day.isoformat() != text:  # a week date such as 2026-W05-1 is none that people read
            if name in self.raw:
                self.fault(name, f'{shown(text)} is not a date: write year-month-day, such as "2026-04-30"')
            return None
        if not EARLIEST <= day <= LATEST:
            self.fault(name, f"{shown(text)} is out of reach: give a day from {EARLIEST} to {LATEST}")
            return None
        return day

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
            self.fault(name, f"{shown(self.raw[name])} is below zero: give an amount of zero or more")
            return None
        if cents < least:
            self.fault(name, f"{shown(self.raw[name])} is no amount: give at least one cent")
            return None
        return cents

    def choice(self, name: str, choices: Sequence[str]) -> str | None:
        """One of the given texts, or None with a fault."""
        text = self.raw.get(name)
        if isinstance(text, str) and text in choices:
            return text
        if name in self.raw:
            self.fault(name, f"{shown(text)} is not known: use {', '.join(choices)}")
        return None


class EventReader:
    """Reads the events of one case for one tax and period, in the order of recording.

    Tax, period and kinds of charge are None where the case does not name them rightly: then the events are checked
    for all that does not depend on them. An event that cannot be read may have been a return; `perhaps_returns`
    holds a blank one for each, so that nobody finds fault with a later event for want of it.
    """

    def __init__(
        self, tax: Tax | None, period: Period | None, kinds: Sequence[str] | None, faults: list[Fault]
    ) -> None:
        self._tax = tax
        self._period = period or Period("", EARLIEST, LATEST)
        self._period_known = period is not None
        self._kinds = kinds
        self._faults = faults
        self._unread: list[Mapping[str, Any]] = []
        self._payments: list[Payment] = []
        self._returned: set[int] = set()
        self.perhaps_returns: list[ReturnFiled] = []
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
        """Every event that can be placed. A faulty amount is read as nothing, so that the rest is still checked."""
        events: list[Event] = []
        for seq, raw in enumerate(raw_events):
            path = f"events[{seq}]."
            if not isinstance(raw, dict):
                message = f"{shown(raw)} is no event: write an object with on and type"
                self._faults.append(Fault(f"events[{seq}]", message))
                continue
            event = self._one(Fields(raw, path, self._faults), seq)
            if isinstance(event, Payment):
                self._payments.append(event)
            if event is not None:
                events.append(event)
            else:
                self._note_unread(raw, seq, events[-1].recorded if events else self._period.first_day)
        return events

    def _note_unread(self, raw: Mapping[str, Any], seq: int, latest: date) -> None:
        """Remembers an event that cannot be read: it may be the payment or the return that a later one rests on."""
        self._unread.append(raw)
        unknown = raw.get("type") not in list(FIELDS)
        if raw.get("type") == "return_filed" or (unknown and ("gross_receipts" in raw or "parts" in raw)):
            on = Fields(raw, "", []).day("on") or latest
            self.perhaps_returns.append(ReturnFiled(seq, on, on, ()))

    def _one(self, fields: Fields, seq: int) -> Event | None:
        kind = fields.choice("type", tuple(FIELDS))
        on = fields.day("on")
        if kind is None:
            if "type" not in fields.raw:
                fields.fault("type", f"type is missing: use {', '.join(FIELDS)}")
            return None
        required, optional = FIELDS[kind]
        fields.keys(self._receipt_keys(fields.raw, required) | {"on", "type"}, self._optional(kind, fields, optional))
        event = self._readers[kind](fields, seq, on or EARLIEST)  # without a day the rest is still checked
        return event if on is not None else None

    def _other_lines(self) -> tuple[str, ...]:
        return tuple([line.key for line in self._tax.receipts[1:]]) if self._tax is not None else ()

    def _receipt_keys(self, raw: Mapping[str, Any], required: set[str]) -> set[str]:
        if required != {"receipts"}:
            return required
        return {"parts"} if "parts" in raw else {"gross_receipts"}

    def _optional(self, kind: str, fields: Fields, optional: set[str]) -> set[str]:
        if self._tax is None and kind in ("return_filed", "estimate"):
            return set(fields.raw)  # which lines there are is not known
        if kind == "return_filed" and "parts" not in fields.raw:
            return {"deductions", *self._other_lines()}
        if kind == "estimate" and "parts" not in fields.raw:
            return set(self._other_lines())
        return optional

    def _return(self, fields: Fields, seq: int, on: date) -> Event:
        if "parts" not in fields.raw:
            return ReturnFiled(seq, on, on, (self._receipts(fields, self._period.first_day, self._period.last_day),))
        return ReturnFiled(seq, on, on, self._parts(fields))

    def _parts(self, fields: Fields, deductions: bool = True) -> tuple[Receipts, ...]:
        raw_parts = fields.raw["parts"]
        if not isinstance(raw_parts, list) or not raw_parts:
            fields.fault("parts", "parts is a list of objects with first_night, last_night and gross_receipts")
            return ()
        parts: list[Receipts] = []
        expected: date | None = self._period.first_day
        for place, raw in enumerate(raw_parts):
            part = Fields(raw if isinstance(raw, dict) else {}, f"{fields.path}parts[{place}].", self._faults)
            part.keys(
                {"first_night", "last_night", "gross_receipts"},
                {*(("deductions",) if deductions else ()), *self._other_lines()},
            )
            first, last = part.day("first_night"), part.day("last_night")
            parts.append(self._receipts(part, first or EARLIEST, last or EARLIEST))
            if first is not None and last is not None:
                self._in_place(part, first, last, expected or first)
            expected = last + ONE_DAY if last is not None else None
        if self._period_known and expected not in (None, self._period.last_day + ONE_DAY):
            last_night = parts[-1].last_night
            fields.fault("parts", f"the last part ends on {last_night}: let it end on {self._period.last_day}")
        return tuple(parts)

    def _in_place(self, part: Fields, first: date, last: date, expected: date) -> None:
        if self._period_known and (first != expected or last < first or last > self._period.last_day):
            message = f"the parts must follow one another from {self._period.first_day} to {self._period.last_day}"
            part.fault("first_night", f"{first} to {last}: {message}")

    def _receipts(self, fields: Fields, first: date, last: date) -> Receipts:
        usual = fields.cents("gross_receipts")
        others = [(name, fields.cents(name)) for name in self._other_lines() if name in fields.raw]
        usual_line = self._tax.usual_line.key if self._tax is not None else ""
        gross = [(usual_line, usual or 0), *((name, cents or 0) for name, cents in others)]
        deductions = self._deductions(fields)
        if usual is None or any(cents is None for _, cents in others):
            deductions = ()  # what they are deducted from is not known
        return Receipts(first, last, tuple(gross), deductions)

    def _deductions(self, fields: Fields) -> tuple[tuple[str, int], ...]:
        raw = fields.raw.get("deductions", {})
        if not isinstance(raw, dict):
            fields.fault("deductions", f"{shown(raw)} is no object: write each deduction by its name")
            return ()
        lines = Fields(raw, f"{fields.path}deductions.", self._faults)
        declared = [line.key for line in self._tax.deductions] if self._tax is not None else list(raw)
        lines.keys(set(), set(declared))
        known = [name for name in declared if name in raw]
        return tuple([(name, lines.cents(name) or 0) for name in known])

    def _estimate(self, fields: Fields, seq: int, on: date) -> Event:
        if "parts" not in fields.raw:
            return Estimate(seq, on, on, (self._receipts(fields, self._period.first_day, self._period.last_day),))
        return Estimate(seq, on, on, self._parts(fields, deductions=False))

    def _payment(self, fields: Fields, seq: int, on: date) -> Event | None:
        cents = fields.cents("amount", least=1)
        recorded = fields.day("recorded") if "recorded" in fields.raw else on
        if recorded is not None and recorded < on:
            fields.fault("recorded", f"{recorded} is before the payment's own day {on}: give the day it was entered")
        if cents is None or recorded is None:
            return None
        return Payment(seq, on, max(on, recorded), cents)

    def _payment_returned(self, fields: Fields, seq: int, on: date) -> Event | None:
        payment_on, cents = fields.day("payment_on"), fields.cents("amount", least=1)
        if payment_on is None or cents is None:
            return None
        made = [paid for paid in self._payments if (paid.on, paid.cents) == (payment_on, cents) and paid.recorded <= on]
        if not made and any(self._perhaps_paid(raw, payment_on, cents) for raw in self._unread):
            return None
        standing = [paid for paid in made if paid.seq not in self._returned]
        named = [paid.seq for paid in standing or made]
        self._returned.update(named[:1])
        return PaymentReturned(seq, on, on, named[0] if named else -1, payment_on, cents)

    def _perhaps_paid(self, raw: Mapping[str, Any], payment_on: date, cents: int) -> bool:
        """Whether an event that cannot be read may have been this payment."""
        if raw.get("type") in [kind for kind in FIELDS if kind != "payment"] or "amount" not in raw:
            return False
        fields = Fields(raw, "", [])
        return fields.day("on") in (None, payment_on) and fields.cents("amount") in (None, cents)

    def _waiver(self, fields: Fields, seq: int, on: date) -> Event | None:
        kinds = self._kinds if self._kinds is not None else [str(fields.raw.get("kind")), ""]
        kind, cents = fields.choice("kind", kinds[:-1]), fields.cents("amount", least=1)
        return Waiver(seq, on, on, kind, cents) if kind is not None and cents is not None else None

    def _extension(self, fields: Fields, seq: int, on: date) -> Event | None:
        until = fields.day("until")
        return Extension(seq, on, on, until) if until is not None else None

    def _finding(self, fields: Fields, seq: int, on: date) -> Event | None:
        finding = fields.choice("finding", FINDINGS)
        return Finding(seq, on, on, finding) if finding is not None else None
