"""Reads the rows of an export through its map: each row is a reservation, a cancelled one, or a list of faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple, TypeVar

from core.domain.errors import Fault, Refused
from core.services.reservations.cells import (
    Cell,
    Unreadable,
    cents_of,
    day_of,
    day_of_parts,
    place_of,
    text_of,
    whole_of,
)
from core.services.reservations.dates import LATEST
from core.services.reservations.map import DateColumn, DateColumns, Match, ReservationMap
from core.services.reservations.table import Table

# Ten years: more is a slip, and every night is looked at.
MOST_NIGHTS = 3660

Value = TypeVar("Value")


class Reservation(NamedTuple):
    """One row that counts. `cents` is for the whole stay, without the tax itself; `departure` is no night.

    `deduction` is the line that a rule of the map gives the row (None: no rule), `receipts` the receipts line
    (None: the usual one), `reason` the rule in words.
    """

    line: int
    place: str
    arrival: date
    departure: date
    cents: int
    deduction: str | None
    receipts: str | None
    reason: str

    @property
    def nights(self) -> int:
        """Nights stayed."""
        return (self.departure - self.arrival).days


class Cancelled(NamedTuple):
    """A row that the map says was cancelled. Nothing else of it is read."""

    line: int
    place: str
    reason: str


class FaultyRow(NamedTuple):
    """A row that cannot be read, with everything that is wrong with it."""

    line: int
    faults: tuple[Fault, ...]


Row = Reservation | Cancelled | FaultyRow


@dataclass(slots=True)
class ValuesSeen:
    """Which values of the map's rules occur in the file: one that never does is most likely misspelt."""

    seen: dict[str, set[str]]

    def never(self, columns: ReservationMap) -> Iterator[tuple[Match, str]]:
        """Each rule with a value that no row has."""
        for match in columns.matches:
            for value in sorted(match.values - self.seen[match.where]):
                yield match, value


def header_faults(table: Table, columns: ReservationMap) -> list[Fault]:
    """Each column that the map names and the file has not, or has twice."""
    faults = []
    for column, where in columns.columns.items():
        count = table.header.count(column)
        if count == 0:
            faults.append(Fault(f"column {column}", f"is named in the map ({where}) and is not in the file"))
        elif count > 1:
            faults.append(Fault(f"column {column}", f"is in the file {count} times: keep one"))
    if any(column not in table.header for column in columns.columns):
        faults.append(Fault("columns", f"the file has {', '.join(map(repr, table.header))}"))
    return faults


def read_rows(table: Table, columns: ReservationMap, values: ValuesSeen) -> Iterator[Row]:
    """Every row of the table in its order; blank rows are passed over. Raises Refused when columns are missing."""
    faults = header_faults(table, columns)
    if faults:
        raise Refused(faults)
    reader = _RowReader(table.header, columns, values)
    width = len(table.header)
    for line, cells in table.rows:
        if len(cells) != width:
            # A CSV reader gives a blank line as no cell, a spreadsheet saves one as delimiters only.
            if any(map(text_of, cells)):
                message = f"has {len(cells)} cells under {width} columns: look for a stray delimiter or quote"
                yield FaultyRow(line, (Fault(f"line {line}", message),))
        elif any(map(text_of, cells)):
            yield reader.read(line, cells)


class _RowReader:
    """Reads one row after the other; knows at which place each column is."""

    def __init__(self, header: Sequence[str], columns: ReservationMap, values: ValuesSeen) -> None:
        at = {name: index for index, name in enumerate(header)}
        self._place = None if columns.place_column is None else (columns.place_column, at[columns.place_column])
        self._place_name = columns.place_name or ""
        self._arrival = _day_reader(columns.arrival, at)
        self._departure = None if columns.departure is None else _day_reader(columns.departure, at)
        self._nights = [(column, at[column]) for column in columns.nights]
        self._amount = [(column, at[column]) for column in columns.amount.columns]
        self._per_night = columns.amount.per_night
        self._commas = columns.amount.thousands_commas
        self._cancelled = _matcher([columns.cancelled] if columns.cancelled else [], at, values)
        self._lines = _matcher(columns.lines, at, values)
        self._receipts = _matcher(columns.receipts, at, values)
        self._faults: list[Fault] = []

    def read(self, line: int, cells: Sequence[Cell]) -> Row:
        """The row as what it is."""
        cancelled = self._cancelled(cells)
        if cancelled is not None:
            place = self._place_name if self._place is None else text_of(cells[self._place[1]])
            return Cancelled(line, place, f"cancelled: {cancelled[1]}")
        self._faults = []
        name = self._place_name if self._place is None else self._cell(line, cells, self._place, place_of)
        stay = self._stay(line, cells)
        amounts = [self._cell(line, cells, place, self._cents) for place in self._amount]
        deduction, receipts = self._lines(cells), self._receipts(cells)
        if self._faults or stay is None or name is None:
            return FaultyRow(line, tuple(self._faults))
        arrival, departure = stay
        cents = sum(amount for amount in amounts if amount is not None)
        if self._per_night:
            cents *= (departure - arrival).days
        line_name, reason = deduction or (None, "")
        return Reservation(line, name, arrival, departure, cents, line_name, receipts and receipts[0], reason)

    def _stay(self, line: int, cells: Sequence[Cell]) -> tuple[date, date] | None:
        arrival = self._day(line, cells, self._arrival)
        if self._departure is not None:
            departure = self._day(line, cells, self._departure)
            if arrival is None or departure is None:
                return None
            named, written = self._departure.columns, self._departure.written(cells)
            nights = (departure - arrival).days
            if nights < 0:
                self._fault(line, named, written, f"lies before the arrival on {arrival}")
                return None
        else:
            counts = [self._cell(line, cells, place, whole_of) for place in self._nights]
            if arrival is None or None in counts:
                return None
            named, nights = " + ".join(column for column, _ in self._nights), sum(filter(None, counts))
            written = repr(nights)
        if nights > MOST_NIGHTS or arrival > LATEST - timedelta(nights):
            self._fault(line, named, written, "is a stay longer than any: look for a slip")
            return None
        return arrival, arrival + timedelta(nights)

    def _cents(self, cell: Cell) -> int:
        return cents_of(cell, thousands_commas=self._commas)

    def _cell(
        self, line: int, cells: Sequence[Cell], place: tuple[str, int], read: Callable[[Cell], Value]
    ) -> Value | None:
        column, index = place
        try:
            return read(cells[index])
        except Unreadable as error:
            self._fault(line, column, _written(cells[index]), str(error))
            return None

    def _day(self, line: int, cells: Sequence[Cell], reader: _DayReader) -> date | None:
        try:
            return reader.read(cells)
        except Unreadable as error:
            self._fault(line, reader.columns, reader.written(cells), str(error))
            return None

    def _fault(self, line: int, columns: str, written: str, reason: str) -> None:
        self._faults.append(Fault(f"line {line}, column {columns}", f"{written} {reason}"))


class _DayReader(NamedTuple):
    """Reads a date of a row; `columns` names where, for a fault, and `written` shows what stands there."""

    columns: str
    read: Callable[[Sequence[Cell]], date]
    written: Callable[[Sequence[Cell]], str]


def _day_reader(source: DateColumn | DateColumns, at: dict[str, int]) -> _DayReader:
    if isinstance(source, DateColumn):
        index = at[source.column]
        # Many stays begin on one day.
        one = lru_cache(maxsize=4096)(lambda cell: day_of(cell, source.format))
        return _DayReader(source.column, lambda cells: one(cells[index]), lambda cells: _written(cells[index]))
    year, month, day = (at[column] for column in source.columns)
    three = lru_cache(maxsize=4096)(day_of_parts)
    return _DayReader(
        " + ".join(source.columns),
        lambda cells: three(cells[year], cells[month], cells[day]),
        lambda cells: repr(" ".join(text_of(cells[index]) for index in (year, month, day))),
    )


def _matcher(
    matches: Sequence[Match], at: dict[str, int], values: ValuesSeen
) -> Callable[[Sequence[Cell]], tuple[str, str] | None]:
    """A function that gives the name of the first rule that a row matches, and the rule in words."""
    found = [(at[match.column], match, values.seen.setdefault(match.where, set())) for match in matches]

    def first(cells: Sequence[Cell]) -> tuple[str, str] | None:
        taken = None
        for index, match, seen in found:
            text = text_of(cells[index])
            if text in match.values:
                seen.add(text)
                taken = taken or (match.name, f"{match.column} is {text!r}")
        return taken

    return first


def _written(cell: Cell) -> str:
    """A cell as a fault shows it, cut where it is long."""
    text = repr(cell if isinstance(cell, str) else text_of(cell))
    return text if len(text) <= 60 else f"{text[:57]}…'"
