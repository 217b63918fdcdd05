"""Takes the places of a reservation export through four periods under one ordinance, some of them paid late."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from core.contract.declarations import Tax
from core.contract.municipality import OpenMunicipality
from core.domain.calendar import Period
from core.domain.charge import TAX
from core.domain.fold import Statement
from core.domain.money import dollars
from core.domain.shares import Agreement, Distribution
from core.services.cases.read import Case, case_from_text
from core.services.reservations.draft import Draft, draft_returns
from core.services.reservations.map import read_map
from core.services.reservations.write import return_event
from core.services.rules.distribution import distribute

PERIODS = 4
FEE_SET_BY_RESOLUTION = "25.00"
AGREED_SHARE = Decimal("0.75")


@dataclass(frozen=True, slots=True)
class Account:
    """One place and period: the case and what is owed on it."""

    place: str
    habit: str
    case: Case
    statement: Statement


@dataclass(frozen=True, slots=True)
class Year:
    """Four periods of every place under one ordinance, and how the tax collected is shared."""

    municipality: OpenMunicipality
    accounts: tuple[Account, ...]
    collected_cents: int
    shares: Distribution


def demonstrate(export: Path, map_file: Path, municipality: OpenMunicipality) -> Year:
    """The year of every place in the export. Raises Refused when the export or the map is faulty."""
    drafts = draft_returns(export, read_map(map_file), municipality).drafts
    tax = drafts[0].tax
    places = sorted({draft.place for draft in drafts})
    first = min(draft.period.first_day for draft in drafts)
    periods = list(_periods_from(first, tax))
    as_of = municipality.deadlines(periods[-1]).effective + timedelta(days=75)
    accounts: list[Account] = []
    for place in places:
        tax_by_year: dict[int, int] = {}
        for number, period in enumerate(periods):
            draft = next((one for one in drafts if (one.place, one.period) == (place, period)), None)
            account = _account(municipality, tax, place, period, draft, number, as_of, tax_by_year)
            year = period.first_day.year
            tax_by_year[year] = tax_by_year.get(year, 0) + account.statement.charges[TAX]
            accounts.append(account)
    collected = sum(min(one.statement.applied.get(TAX, 0), one.statement.charges[TAX]) for one in accounts)
    return Year(municipality, tuple(accounts), collected, _shares(municipality, collected, as_of))


def _periods_from(first: date, tax: Tax) -> Iterator[Period]:
    period = tax.frequency.containing(first)
    for _ in range(PERIODS):
        yield period
        period = tax.frequency.containing(period.last_day + timedelta(days=1))


def _account(
    municipality: OpenMunicipality,
    tax: Tax,
    place: str,
    period: Period,
    draft: Draft | None,
    number: int,
    as_of: date,
    tax_by_year: dict[int, int],
) -> Account:
    """The account of one place and period: the return of its draft, or a zero return, and payments by habit."""
    due = municipality.deadlines(period).effective
    filed_on = due + timedelta(days=20) if number % PERIODS == 2 else due
    empty: dict[str, Any] = {
        "on": filed_on.isoformat(),
        "type": "return_filed",
        "gross_receipts": "0.00",
        "deductions": {},
    }
    events = [return_event(draft, filed_on) if draft is not None else empty]
    raw: dict[str, Any] = {
        "municipality": municipality.declared.key,
        "tax": tax.key,
        "period": period.key,
        "as_of": as_of.isoformat(),
        "resolutions": _resolutions(municipality),
        "events": events,
    }
    for total in tax.inputs:
        previous = tax_by_year.get(period.first_day.year - total.years_before)
        if previous is not None:
            raw[total.key] = dollars(previous)
    owed = case_from_text(json.dumps(raw)).statement().charges[TAX]
    habit, payments = _habit(number, due, filed_on, owed)
    events += [_payment(on, cents) for on, cents in payments if cents]
    case = case_from_text(json.dumps(raw))
    return Account(place, habit, case, case.statement())


def _habit(number: int, due: date, filed_on: date, owed: int) -> tuple[str, list[tuple[date, int]]]:
    """How the filer of the demonstration pays: (in words, [(day, cents)])."""
    half = owed // 2
    habits: Sequence[tuple[str, list[tuple[date, int]]]] = (
        ("filed and paid on the due date", [(due, owed)]),
        ("half paid in time, the rest 40 days late", [(due, half), (due + timedelta(days=40), owed - half)]),
        ("filed and paid 20 days late", [(filed_on, owed)]),
        ("filed in time, not paid", []),
    )
    return habits[number % len(habits)]


def _payment(on: date, cents: int) -> dict[str, Any]:
    return {"on": on.isoformat(), "type": "payment", "amount": dollars(cents)}


def _resolutions(municipality: OpenMunicipality) -> dict[str, str]:
    return {slot.key: FEE_SET_BY_RESOLUTION for slot in municipality.law.resolution_slots.values() if slot.required}


def _shares(municipality: OpenMunicipality, collected: int, on: date) -> Distribution:
    agreements: tuple[Agreement, ...] = ()
    if municipality.declared.shares_by_agreement:
        term = date(on.year, 1, 1), date(on.year, 12, 31)
        agreements = (Agreement("of the demonstration", "", AGREED_SHARE, *term),)
    return distribute(municipality, collected, on, agreements)
