"""Reads a worked case: one period account as text. Every fault is found in one pass; nothing unknown is passed over."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from core.contract.declarations import Tax
from core.contract.loading import municipality_keys, open_municipality
from core.contract.municipality import OpenMunicipality
from core.contract.settings import Resolution
from core.domain.calendar import Period
from core.domain.errors import Fault, Refused, ValueNotInForce, shown
from core.domain.events import Event
from core.domain.fold import Statement
from core.services.cases.events import EventReader, Fields, JsonObject

REQUIRED = {"municipality", "tax", "period", "as_of", "events"}
OPTIONAL = {"why", "resolutions", "previous_year_tax", "expected"}
LARGEST_BYTES = 4_000_000
MOST_EVENTS = 5_000  # folding takes time in proportion to their square


@dataclass(frozen=True, slots=True)
class Case:
    """One period account: whose law, which tax and period, what happened, and the day to look at it."""

    municipality: OpenMunicipality
    tax: Tax
    period: Period
    as_of: date
    inputs: dict[str, int | None]
    events: tuple[Event, ...]

    def statement(self) -> Statement:
        """What is owed as of the day. Raises Refused, ResolutionMissing, ValueNotInForce."""
        account = self.municipality.open_account(self.tax.key, self.period, self.inputs)
        refused = self.refusals()
        if refused:
            raise Refused(refused)
        return self.municipality.statement(account, self.events, self.as_of)

    def refusals(self) -> list[Fault]:
        """Why the law refuses acts among those recorded by the day."""
        account = self.municipality.open_account(self.tax.key, self.period, self.inputs)
        return self.municipality.refusals(account, [event for event in self.events if event.recorded <= self.as_of])


def read_case(path: Path) -> Case:
    """The case in a file. Raises Refused with every fault, those that the law finds in its acts included."""
    name = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise Refused([Fault("file", f"{name} is larger than {LARGEST_BYTES} bytes: give one case a file")])
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused([Fault("file", f"{name} cannot be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        raise Refused([Fault("file", f"{name} is not UTF-8 text: save it as UTF-8")]) from error
    return case_from_text(text)


def case_from_text(text: str) -> Case:
    """The case in a JSON text. Raises Refused with every fault, ValueNotInForce where there is no law for its time."""
    try:
        raw = json.loads(
            text, parse_float=_Number, parse_int=_Number, parse_constant=_no_json, object_pairs_hook=_json_object
        )
    except RecursionError as error:
        raise Refused([Fault("file", "this is nested too deeply to be a case")]) from error
    except ValueError as error:
        raise Refused([Fault("file", f"this is not JSON: {error}")]) from error
    if not isinstance(raw, dict):
        raise Refused([Fault("file", f"{shown(raw)} is no case: a case is one JSON object")])
    return _Reader(raw, []).case()


class _Number:
    """A number as it stood in the text. A case holds none, so it is kept for the message alone, whatever its size."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is no value")


def _json_object(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = JsonObject(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        found.twice = tuple(sorted(name for name in counts if counts[name] > 1))
    return found


class _Reader:
    """One case, field by field. What can be read is read on, so that all faults are found."""

    def __init__(self, raw: Mapping[str, Any], faults: list[Fault]) -> None:
        self.fields = Fields(raw, "", faults)
        self.faults = faults
        self.raw = raw

    def case(self) -> Case:
        self.fields.keys(REQUIRED, OPTIONAL)
        municipality = self._municipality()
        tax = self._tax(municipality) if municipality is not None else None
        period = self._period(tax) if tax is not None else None
        as_of = self.fields.day("as_of")
        inputs = {"previous_year_tax": self.fields.cents("previous_year_tax")}
        reader = EventReader(tax, period, municipality.application_order if municipality else None, self.faults)
        events = reader.read(self._events())
        if municipality is None or tax is None or period is None:
            raise Refused(self.faults)
        if as_of is None:
            as_of = max([event.recorded for event in events], default=period.last_day)
        case = Case(municipality, tax, period, as_of, inputs, tuple(events))
        if self.faults:
            raise Refused([*self.faults, *_surely_refused(case, reader.perhaps_returns)])
        return case

    def _events(self) -> list[Any]:
        raw = self.raw.get("events", [])
        if isinstance(raw, list) and len(raw) <= MOST_EVENTS:
            return raw
        if isinstance(raw, list):
            self.fields.fault("events", f"{len(raw)} events are more than {MOST_EVENTS}: give one period's alone")
            return []
        self.fields.fault("events", f"{shown(raw)} is no list: list the events in the order of recording")
        return []

    def _municipality(self) -> OpenMunicipality | None:
        key = self.fields.choice("municipality", municipality_keys())
        opened = open_municipality(key) if key is not None else None
        raw = self.raw.get("resolutions", {})
        if not isinstance(raw, dict):
            self.fields.fault("resolutions", f"{shown(raw)} is no object: write each amount by its name")
            return opened
        amounts = Fields(raw, "resolutions.", self.faults)
        known = set(raw) if opened is None else set(opened.law.resolution_slots)
        amounts.keys(set(), known)
        set_cents = [(name, amounts.cents(name)) for name in raw if name in known]
        if opened is None:
            return None
        return opened.with_settings(
            [Resolution(name, cents, date.min, "as given") for name, cents in set_cents if cents is not None]
        )

    def _tax(self, municipality: OpenMunicipality) -> Tax | None:
        key = self.fields.choice("tax", tuple(municipality.taxes))
        return municipality.taxes[key] if key is not None else None

    def _period(self, tax: Tax) -> Period | None:
        key = self.raw.get("period")
        try:
            return tax.frequency.period(key if isinstance(key, str) else shown(key))
        except ValueError as error:
            if "period" in self.raw:
                self.fields.fault("period", str(error))
            return None


def _surely_refused(case: Case, perhaps_returns: Sequence[Event]) -> list[Fault]:
    """What the law refuses beside what is wrong with the text, whether or not an unreadable event was a return."""
    try:
        refused = case.refusals()
        if perhaps_returns:
            with_them = set(replace(case, events=(*case.events, *perhaps_returns)).refusals())
            refused = [fault for fault in refused if fault in with_them]
    except ValueNotInForce:
        return []
    return refused
