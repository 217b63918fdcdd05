"""Makes draft returns of reservations, one for each place and period, by night of stay (READINGS 5 and 7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import NamedTuple

from core.contract.declarations import Stay, Tax
from core.contract.municipality import OpenMunicipality
from core.domain.calendar import ONE_DAY, Period
from core.domain.errors import Fault, Refused, ValueNotInForce
from core.domain.money import dollars
from core.services.reservations.map import LONG_STAY, ReservationMap, line_faults
from core.services.reservations.read import Cancelled, FaultyRow, Reservation, Row, ValuesSeen, read_rows
from core.services.reservations.table import open_table

LEFT_OUT = "left out"
TAXABLE = "taxable"


@dataclass(slots=True)
class Part:
    """The nights of a period that one rate is for, both days inside, with what is reported for them, in cents.

    `gross` holds the receipts lines, `deductions` every line that the return has. A period has one part unless the
    rate changes inside it.
    """

    first_night: date
    last_night: date
    nights: int
    gross: dict[str, int]
    deductions: dict[str, int]


@dataclass(slots=True)
class Draft:
    """A draft return of one place for one period, with what its filer should look at."""

    place: str
    municipality: str
    tax: Tax
    period: Period
    parts: list[Part]
    warnings: list[str] = field(default_factory=list)

    @property
    def nights(self) -> int:
        """Room nights, exempt ones included."""
        return sum(part.nights for part in self.parts)

    @property
    def gross_cents(self) -> int:
        """All receipts, before anything is taken off, in cents."""
        return sum(sum(part.gross.values()) for part in self.parts)

    def deducted_cents(self, line: str) -> int:
        """What one line takes off, in cents."""
        return sum(part.deductions[line] for part in self.parts)


class Placement(NamedTuple):
    """Where one row of the file went and why.

    `shares` are (period key, nights, cents); `counted_as` is the line of deductions, "taxable" or "left out". Nights
    and cents are of the whole stay, None for a cancelled row.
    """

    line: int
    place: str
    nights: int | None
    cents: int | None
    shares: tuple[tuple[str, int, int], ...]
    counted_as: str
    reason: str


@dataclass(frozen=True, slots=True)
class Drafted:
    """All drafts, by place and period, where each row went, and what is odd about map and file as a whole."""

    drafts: tuple[Draft, ...]
    placements: tuple[Placement, ...]
    warnings: tuple[str, ...]


class Share(NamedTuple):
    """The nights of a stay that fall into one part of a period, and their money in cents."""

    period: Period
    part: int
    nights: int
    cents: int


def draft_returns(path: Path, columns: ReservationMap, municipality: OpenMunicipality) -> Drafted:
    """Draft returns of the reservations in a CSV or XLSX file. Reads the file once.

    Raises Refused with every fault of every row (line, column, value, reason); then there is no draft at all.
    """
    tax = tax_of(columns, municipality)
    values = ValuesSeen({})
    with open_table(path, columns) as table:
        drafter = Drafter(municipality, tax)
        try:
            drafter.add_all(read_rows(table, columns, values))
        except Refused as refused:
            # The file breaks off; what was wrong before that is still worth knowing.
            raise Refused([*drafter.faults, *refused.faults]) from None
    if drafter.faults:
        raise Refused(drafter.faults)
    drafted = drafter.drafted()
    unseen = [
        f"map, {match.where}: no row has {value!r} in {match.column}: look whether the map spells it as the file does"
        for match, value in values.never(columns)
    ]
    if not drafted.placements:
        unseen.append(f"{path}: holds no reservation")
    return Drafted(drafted.drafts, drafted.placements, (*drafted.warnings, *unseen))


def tax_of(columns: ReservationMap, municipality: OpenMunicipality) -> Tax:
    """The tax that the drafts are for: the one that the map names, else the only one. Raises Refused."""
    taxes = municipality.taxes
    if columns.tax is None and len(taxes) != 1:
        raise Refused([Fault("map, tax", f"is missing: name one of {', '.join(taxes)}")])
    key = columns.tax or next(iter(taxes))
    if key not in taxes:
        raise Refused(
            [Fault("map, tax", f"{key!r} is no tax of {municipality.declared.name}: name {', '.join(taxes)}")]
        )
    faults = line_faults(columns, taxes[key])
    if faults:
        raise Refused(faults)
    return taxes[key]


def share_out(reservation: Reservation, spans: SpanFinder) -> Iterator[Share]:
    """Splits a stay by the nights in each part of a period; the cents of the shares sum to those of the stay.

    Night i of n stands for cents x i // n less cents x (i - 1) // n, so odd cents go to later nights and any way of
    cutting the stay gives the same money. Raises ValueNotInForce where the law has no rate for a night.
    """
    nights, cents = reservation.nights, reservation.cents
    day, done, taken = reservation.arrival, 0, 0
    while done < nights:
        span = spans.containing(day)
        upto = min(nights, done + (span.last - day).days + 1)
        reached = cents * upto // nights
        yield Share(span.period, span.part, upto - done, reached - taken)
        day, done, taken = span.last + ONE_DAY, upto, reached


class Span(NamedTuple):
    """The days from `first` to `last` (inside) of a period for which one rate holds, the `part`-th of the period."""

    period: Period
    part: int
    first: date
    last: date


class SpanFinder:
    """Finds the part of a period that a night lies in, asking the law once for each period."""

    def __init__(self, municipality: OpenMunicipality, tax: Tax) -> None:
        self._law = municipality.law
        self._tax = tax
        self._by_day: dict[date, Span] = {}
        self._of_period: dict[Period, tuple[Span, ...]] = {}

    def containing(self, day: date) -> Span:
        """The span that `day` lies in. Raises ValueNotInForce."""
        found = self._by_day.get(day)
        if found is None:
            spans = self.of_period(self._tax.frequency.containing(day))
            found = next(span for span in spans if day <= span.last)
            self._by_day[day] = found
        return found

    def of_period(self, period: Period) -> tuple[Span, ...]:
        """The spans of a period, in order. Raises ValueNotInForce."""
        spans = self._of_period.get(period)
        if spans is None:
            values = self._law.spans(self._tax.rate_key, period.first_day, period.last_day)
            spans = tuple(Span(period, part, first, last) for part, (_, first, last) in enumerate(values))
            self._of_period[period] = spans
        return spans


class Drafter:
    """Takes rows one after the other and holds the drafts that they make; `faults` says what could not be taken."""

    def __init__(self, municipality: OpenMunicipality, tax: Tax) -> None:
        self._municipality = municipality
        self._tax = tax
        self._spans = SpanFinder(municipality, tax)
        self._drafts: dict[str, dict[Period, Draft]] = {}
        self._placements: list[Placement] = []
        self._without_night: dict[tuple[str, Period], list[Reservation]] = defaultdict(list)
        self._without_receipts: dict[tuple[str, Period], list[int]] = defaultdict(list)
        self._has_long_stays = any(line.key == LONG_STAY for line in tax.deductions)
        self.faults: list[Fault] = []

    def add_all(self, rows: Iterable[Row]) -> None:
        """Takes every row."""
        for row in rows:
            if isinstance(row, FaultyRow):
                self.faults.extend(row.faults)
            elif isinstance(row, Cancelled):
                self._placements.append(Placement(row.line, row.place, None, None, (), LEFT_OUT, row.reason))
            else:
                self._add(row)

    def _add(self, row: Reservation) -> None:
        try:
            shares = tuple(share_out(row, self._spans))
            if not shares:
                self._spans.containing(row.arrival)
            deduction, reason = self._line_of(row)
        except ValueNotInForce as error:
            self.faults.append(Fault(f"line {row.line}", f"the stay from {row.arrival}: {error}"))
            return
        if shares:
            for share in shares:
                self._count(row, share, deduction)
        else:
            self._note_no_night(row)
            deduction, reason = LEFT_OUT, "the stay has no night"
        by_period: dict[str, tuple[int, int]] = {}
        for share in shares:
            nights, cents = by_period.get(share.period.key, (0, 0))
            by_period[share.period.key] = (nights + share.nights, cents + share.cents)
        listed = tuple((key, nights, cents) for key, (nights, cents) in by_period.items())
        counted_as = deduction or TAXABLE
        self._placements.append(Placement(row.line, row.place, row.nights, row.cents, listed, counted_as, reason))

    def _line_of(self, row: Reservation) -> tuple[str | None, str]:
        """The line of deductions that the row counts on and why: a long stay's is never another's."""
        if row.nights and self._municipality.is_long_stay(Stay(row.arrival, row.departure)):
            if self._has_long_stays:
                return LONG_STAY, f"{row.nights} nights from {row.arrival} to {row.departure} are a long stay"
            name = self._municipality.declared.name
            message = f"is a long stay by the rule of {name}, whose return has no line {LONG_STAY!r} for it"
            self.faults.append(Fault(f"line {row.line}", message))
        return row.deduction, row.reason

    def _count(self, row: Reservation, share: Share, deduction: str | None) -> None:
        part = self._draft(row.place, share.period).parts[share.part]
        part.nights += share.nights
        receipts = row.receipts or self._tax.usual_line.key
        part.gross[receipts] += share.cents
        if deduction is not None:
            part.deductions[deduction] += share.cents
        if share.cents == 0:
            self._without_receipts[row.place, share.period].append(row.line)

    def _note_no_night(self, row: Reservation) -> None:
        period = self._spans.containing(row.arrival).period
        self._draft(row.place, period)
        self._without_night[row.place, period].append(row)

    def _draft(self, place: str, period: Period) -> Draft:
        drafts = self._drafts.setdefault(place, {})
        draft = drafts.get(period)
        if draft is None:
            parts = [self._empty_part(span) for span in self._spans.of_period(period)]
            draft = drafts[period] = Draft(place, self._municipality.declared.key, self._tax, period, parts)
        return draft

    def _empty_part(self, span: Span) -> Part:
        gross = {line.key: 0 for line in self._tax.receipts}
        return Part(span.first, span.last, 0, gross, {line.key: 0 for line in self._tax.deductions})

    def drafted(self) -> Drafted:
        """All drafts. A period without a night between two others of its place is a zero return, not a gap."""
        drafts: list[Draft] = []
        for place in sorted(self._drafts):
            periods = sorted(self._drafts[place], key=lambda period: period.first_day)
            period = periods[0]
            while period.first_day <= periods[-1].first_day:
                draft = self._draft(place, period)
                draft.warnings = list(self._warnings(draft))
                drafts.append(draft)
                period = self._tax.frequency.containing(period.last_day + ONE_DAY)
        return Drafted(tuple(drafts), tuple(self._placements), ())

    def _warnings(self, draft: Draft) -> Iterator[str]:
        if draft.nights == 0:
            yield "no night lies in this period: a zero return, which must be filed too"
        without_night = self._without_night.get((draft.place, draft.period), [])
        if without_night:
            listed, cents = _lines([row.line for row in without_night]), sum(row.cents for row in without_night)
            money = f", though {dollars(cents)} stand there: see whether they belong on the return" if cents else ""
            yield f"without a night and left out: {listed}{money}"
        without_receipts = self._without_receipts.get((draft.place, draft.period), [])
        if without_receipts:
            yield f"nights without receipts: {_lines(without_receipts)}"


def _lines(lines: list[int]) -> str:
    """Rows by their line in the file, the first five of many."""
    first = ", ".join(map(str, lines[:5]))
    rows = "row" if len(lines) == 1 else "rows"
    return f"{len(lines)} {rows} (line {first}{', …' if len(lines) > 5 else ''})"
