"""Reads a worked case: one period account as text. Every fault is found in one pass; nothing unknown is passed over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from core.contract.declarations import Tax
from core.contract.loading import municipality_keys, open_municipality
from core.contract.municipality import OpenMunicipality
from core.contract.settings import Resolution
from core.domain.calendar import Period
from core.domain.errors import Fault, Refused
from core.domain.events import Event
from core.domain.fold import Statement
from core.services.cases.events import EventReader, Fields

REQUIRED = {"municipality", "tax", "period", "as_of", "events"}
OPTIONAL = {"why", "resolutions", "previous_year_tax", "expected"}
LARGEST_BYTES = 4_000_000


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
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise Refused([Fault("file", f"{path} is larger than {LARGEST_BYTES} bytes: give one case a file")])
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused([Fault("file", f"{path} cannot be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        raise Refused([Fault("file", f"{path} is not UTF-8 text: save it as UTF-8")]) from error
    return case_from_text(text)


def case_from_text(text: str) -> Case:
    """The case in a JSON text. Raises Refused with every fault."""
    faults: list[Fault] = []

    def object_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        faults.extend(
            Fault(name, f"{name!r} stands twice in one object: keep one of them")
            for name in sorted({name for name in names if names.count(name) > 1})
        )
        return dict(pairs)

    try:
        raw = json.loads(text, parse_float=Decimal, object_pairs_hook=object_once)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        raise Refused([Fault("file", f"this is not JSON: {error}")]) from error
    if not isinstance(raw, dict):
        raise Refused([Fault("file", "a case is one JSON object")])
    return _Reader(raw, faults).case()


class _Reader:
    """One case, field by field. What can be read is read on, so that all faults are found."""

    def __init__(self, raw: Mapping[str, Any], faults: list[Fault]) -> None:
        self.fields = Fields(raw, "", faults)
        self.faults = faults
        self.raw = raw

    def case(self) -> Case:
        self.fields.keys(REQUIRED, OPTIONAL)
        municipality = self._municipality()
        as_of = self.fields.day("as_of")
        inputs = {"previous_year_tax": self.fields.cents("previous_year_tax")}
        if municipality is None:
            raise Refused(self.faults)
        tax = self._tax(municipality)
        period = self._period(tax) if tax is not None else None
        if tax is None or period is None:
            raise Refused(self.faults)
        raw_events = self.raw.get("events", [])
        if not isinstance(raw_events, list):
            self.fields.fault("events", "events is a list, in the order of recording")
            raw_events = []
        events = EventReader(tax, period, municipality.application_order, self.faults).read(raw_events)
        case = Case(municipality, tax, period, as_of or date.max, inputs, tuple(events))
        if self.faults:
            raise Refused([*self.faults, *(fault for fault in case.refusals() if fault not in self.faults)])
        return case

    def _municipality(self) -> OpenMunicipality | None:
        key = self.fields.choice("municipality", municipality_keys())
        if key is None:
            return None
        opened = open_municipality(key)
        raw = self.raw.get("resolutions", {})
        if not isinstance(raw, dict):
            self.fields.fault("resolutions", f"{raw!r} is no object: write each amount by its name")
            return opened
        amounts = Fields(raw, "resolutions.", self.faults)
        resolutions = []
        for name in raw:
            cents = amounts.cents(name)
            if cents is not None:
                resolutions.append(Resolution(name, cents, date.min, "as given"))
        try:
            return opened.with_settings(resolutions)
        except Refused as refused:
            self.faults.extend(refused.faults)
            return opened

    def _tax(self, municipality: OpenMunicipality) -> Tax | None:
        key = self.fields.choice("tax", tuple(municipality.taxes))
        return municipality.taxes[key] if key is not None else None

    def _period(self, tax: Tax) -> Period | None:
        key = self.raw.get("period")
        try:
            return tax.frequency.period(key if isinstance(key, str) else repr(key))
        except ValueError as error:
            if "period" in self.raw:
                self.fields.fault("period", str(error))
            return None
