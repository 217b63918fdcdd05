"""Simple interest by segment: a span of days or months over which the same unpaid tax bore the same rate.

Both ways of counting look at the tax as now known against what stood applied to it on each day, count what was
applied by the effective due date as if it had been there all along, are exact, and are rounded by the caller once.
No more than the tax bears interest: what was refunded of a payment that came back later is owed, and is no tax.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from core.domain.calendar import ONE_DAY, first_of_next_month, month_starts
from core.domain.clause import LawValue
from core.domain.money import dollars_for_reading, half_up

Applied = Sequence[tuple[date, int]]


class Segment(NamedTuple):
    """`base_cents` unpaid over `units` days or months, the first and the last of which are given."""

    first: date
    last: date
    base_cents: int
    units: int


def by_day(tax_cents: int, applied: Applied, nominal: date, effective: date, on: date) -> list[Segment]:
    """Each day after the due day bears the tax unpaid at its start (READINGS 8: excluding the due day, including `on`).

    `applied` holds (day, cents). Empty while `on` is not later than the effective due date.
    """
    if on <= effective or tax_cents <= 0:
        return []
    unpaid, changes = _unpaid_at_start(tax_cents, applied, effective, on)
    segments: list[Segment] = []
    first = nominal + ONE_DAY
    for day, cents in changes:
        if day >= first:
            if unpaid > 0:
                segments.append(Segment(first, day, min(unpaid, tax_cents), (day - first).days + 1))
            first = day + ONE_DAY
        unpaid -= cents
    if unpaid > 0 and first <= on:
        segments.append(Segment(first, on, min(unpaid, tax_cents), (on - first).days + 1))
    return segments


def by_month(tax_cents: int, applied: Applied, nominal: date, effective: date, on: date) -> list[Segment]:
    """Each calendar month after the due month bears the tax unpaid at its start (READINGS 9: whole months)."""
    if on <= effective or tax_cents <= 0:
        return []
    unpaid, changes = _unpaid_at_start(tax_cents, applied, effective, on)
    segments: list[Segment] = []
    next_change = 0
    previous: Segment | None = None
    for start in month_starts(nominal, on):
        while next_change < len(changes) and changes[next_change][0] < start:
            unpaid -= changes[next_change][1]
            next_change += 1
        if unpaid <= 0:
            previous = None
            continue
        base = min(unpaid, tax_cents)
        if previous is not None and previous.base_cents == base:
            segments[-1] = Segment(previous.first, start, base, previous.units + 1)
        else:
            segments.append(Segment(start, start, base, 1))
        previous = segments[-1]
    return segments


def _unpaid_at_start(tax_cents: int, applied: Applied, effective: date, on: date) -> tuple[int, list[tuple[date, int]]]:
    """The tax not applied by the effective date, and the later changes before `on`, in the order of their days."""
    unpaid = tax_cents
    changes: list[tuple[date, int]] = []
    for entry in applied:
        if entry[0] <= effective:
            unpaid -= entry[1]
        elif entry[0] < on:
            changes.append(entry)
    changes.sort()
    return unpaid, changes


def interest_cents(segments: Iterable[Segment], ratio: tuple[int, int], units_a_year: int) -> int:
    """Interest in cents over the segments, exact and rounded half a cent up once (READINGS 10).

    `ratio` is the rate a year as numerator and denominator; `units_a_year` is 365 for days, 12 for months.
    """
    weight = sum([segment.base_cents * segment.units for segment in segments])
    return half_up(weight * ratio[0], ratio[1] * units_a_year)


class SegmentsInWords:
    """Segments as a reader sees them: "$1,300.00 for 46 days (May 1, 2026 to June 15, 2026)"."""

    __slots__ = ("segments", "unit")

    def __init__(self, segments: Sequence[Segment], unit: str) -> None:
        self.segments = segments
        self.unit = unit

    def __str__(self) -> str:
        return "; ".join(self._one(segment) for segment in self.segments)

    def _one(self, segment: Segment) -> str:
        first, last = segment.first, segment.last
        unit = self.unit if segment.units == 1 else f"{self.unit}s"
        if self.unit == "month":
            span = f"{first:%B} {first.year}"
            if first != last:
                span = f"{span} to {last:%B} {last.year}"
        else:
            span = f"{first:%B} {first.day}, {first.year} to {last:%B} {last.day}, {last.year}"
        return f"{dollars_for_reading(segment.base_cents)} for {segment.units} {unit} ({span})"


def in_spans(
    segments: Sequence[Segment], spans: Sequence[tuple[LawValue, date, date]]
) -> list[tuple[LawValue, list[Segment]]]:
    """Segments of days cut at each change of the rate, grouped by the rate in force."""
    grouped: list[tuple[LawValue, list[Segment]]] = []
    for rate, first, last in spans:
        inside = [
            Segment(start, end, segment.base_cents, (end - start).days + 1)
            for segment in segments
            if (start := max(first, segment.first)) <= (end := min(last, segment.last))
        ]
        if inside:
            grouped.append((rate, inside))
    return grouped


def months_in_spans(
    segments: Sequence[Segment], spans: Sequence[tuple[LawValue, date, date]]
) -> list[tuple[LawValue, list[Segment]]]:
    """Segments of months grouped by the rate in force on the first day of each month."""
    if len(spans) == 1:
        return [(spans[0][0], list(segments))] if segments else []
    grouped: list[tuple[LawValue, list[Segment]]] = []
    for rate, first, last in spans:
        inside: list[Segment] = []
        for segment in segments:
            starts = [
                start for start in (segment.first, *month_starts(segment.first, segment.last)) if first <= start <= last
            ]
            if starts:
                inside.append(Segment(starts[0], starts[-1], segment.base_cents, len(starts)))
        if inside:
            grouped.append((rate, inside))
    return grouped


def cents_by_rate(
    grouped: Sequence[tuple[LawValue, Sequence[Segment]]], units_a_year: int
) -> list[tuple[LawValue, Sequence[Segment], int]]:
    """Interest in cents for each rate; the sum is exact and rounded once, so each line is a difference of totals."""
    if len(grouped) == 1:
        rate, segments = grouped[0]
        return [(rate, segments, interest_cents(segments, rate.ratio, units_a_year))]
    priced: list[tuple[LawValue, Sequence[Segment], int]] = []
    exact, before = Fraction(0), 0
    for rate, segments in grouped:
        weight = sum([segment.base_cents * segment.units for segment in segments])
        exact += Fraction(weight * rate.ratio[0], rate.ratio[1] * units_a_year)
        total = half_up(exact.numerator, exact.denominator)
        priced.append((rate, segments, total - before))
        before = total
    return priced


def months_in_days(segments: Sequence[Segment], nominal: date) -> list[Segment]:
    """Segments of whole months as days: each runs to the first day of the next month, the first from the due date.

    The other way to read "until the first day of the month following payment" (READINGS 9: actual days).
    """
    counted: list[Segment] = []
    for segment in segments:
        after = nominal if segment.first == first_of_next_month(nominal) else segment.first
        until = first_of_next_month(segment.last)
        counted.append(Segment(after + ONE_DAY, until, segment.base_cents, (until - after).days))
    return counted
