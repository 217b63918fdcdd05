"""Reads MAP.toml: which column of an export means what. Strict; every fault of the file is listed at once."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.contract.declarations import Tax
from core.domain.errors import Fault, Refused
from core.services.reservations.dates import DateFormat
from core.services.reservations.refusal import refused

# The municipality's own rule says which stays are long, so no column of an export may.
LONG_STAY = "long_stay"

LARGEST_MAP_BYTES = 256 * 1024
DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class DateColumn:
    """A date in one column, written as `format`; a date cell of a workbook needs no format."""

    column: str
    format: DateFormat

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the date is read from."""
        return (self.column,)


@dataclass(frozen=True, slots=True)
class DateColumns:
    """A date in three columns; the month is a number or an English name."""

    year: str
    month: str
    day: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the date is read from."""
        return (self.year, self.month, self.day)


@dataclass(frozen=True, slots=True)
class Amount:
    """Money in dollars: the sum of `columns`, for each night or for the whole stay, without the tax itself."""

    columns: tuple[str, ...]
    per_night: bool
    thousands_commas: bool


@dataclass(frozen=True, slots=True)
class Match:
    """Rows that have one of `values` in `column` belong to `name`. `where` is the rule's place in the map."""

    where: str
    name: str
    column: str
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReservationMap:
    """What each column means. `lines` are tried in order; the first that matches takes the row.

    Exactly one of `place_column` and `place_name` is set, and one of `nights` (columns that are added up) and
    `departure`.
    """

    tax: str | None
    delimiter: str
    sheet: str | None
    place_column: str | None
    place_name: str | None
    arrival: DateColumn | DateColumns
    departure: DateColumn | DateColumns | None
    nights: tuple[str, ...]
    amount: Amount
    cancelled: Match | None
    lines: tuple[Match, ...]
    receipts: tuple[Match, ...]

    @property
    def matches(self) -> tuple[Match, ...]:
        """Every rule that looks for values in a column."""
        return (*((self.cancelled,) if self.cancelled else ()), *self.lines, *self.receipts)

    @property
    def columns(self) -> dict[str, str]:
        """Each column that the map names, with the first place in the map that names it."""
        named = [(self.place_column, "place")] if self.place_column else []
        named += [(column, "arrival") for column in self.arrival.columns]
        named += [(column, "departure") for column in (self.departure.columns if self.departure else ())]
        named += [(column, "nights") for column in self.nights]
        named += [(column, "amount") for column in self.amount.columns]
        named += [(match.column, match.where) for match in self.matches]
        return dict(reversed(named))


def read_map(path: Path) -> ReservationMap:
    """The map in a TOML file. Raises Refused with every unknown key, missing key and wrong value in it."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_MAP_BYTES + 1)
        if len(raw) > LARGEST_MAP_BYTES:
            raise refused(path, f"is larger than {LARGEST_MAP_BYTES:,} bytes, which no map needs")
        return parse_map(tomllib.loads(raw.decode("utf-8-sig")))
    except OSError as error:
        raise refused(path, f"cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise refused(path, f"is not a TOML file: {error}") from None


def parse_map(content: dict[str, Any]) -> ReservationMap:
    """The map from the content of its TOML file. Raises Refused with every fault."""
    faults: list[Fault] = []
    top = _Table(content, "", faults)
    file = top.table("file", required=False)
    place = top.table("place")
    nights = top.table("nights", required=False)
    departure = top.table("departure", required=False)
    cancelled = top.table("cancelled", required=False)
    if (nights is None) == (departure is None):
        top.fault("nights", "give either [nights] with its columns or [departure], not both and not neither")
    parsed = ReservationMap(
        tax=top.text("tax", required=False),
        delimiter=_delimiter(file),
        sheet=file.text("sheet", required=False) if file else None,
        place_column=place.text("column", required=False) if place else None,
        place_name=place.text("name", required=False) if place else None,
        arrival=_date(top.table("arrival")),
        departure=_date(departure) if departure else None,
        nights=nights.texts("columns") if nights else (),
        amount=_amount(top.table("amount")),
        cancelled=_match(cancelled, "cancelled") if cancelled else None,
        lines=tuple(_match(table) for table in top.tables("line")),
        receipts=tuple(_match(table) for table in top.tables("receipts")),
    )
    if place and (parsed.place_column is None) == (parsed.place_name is None):
        place.fault("column", 'give either "column", or "name" for an export of one place')
    top.finish()
    if faults:
        raise Refused(faults)
    return parsed


def line_faults(columns: ReservationMap, tax: Tax) -> list[Fault]:
    """What the map asks for that the tax's return does not have; empty when the two fit."""
    faults = []
    deductions = [line.key for line in tax.deductions if line.key != LONG_STAY]
    receipts = [line.key for line in tax.receipts]
    for match in columns.lines:
        if match.name == LONG_STAY:
            message = "is found from arrival and departure by the municipality's own rule: leave this rule out"
            faults.append(Fault(f"map, {match.where}.name", f"{match.name!r} {message}"))
        elif match.name not in deductions:
            faults.append(_no_line(match, deductions))
    faults += [_no_line(match, receipts) for match in columns.receipts if match.name not in receipts]
    return faults


def _no_line(match: Match, known: list[str]) -> Fault:
    names = ", ".join(known) or "(none)"
    return Fault(f"map, {match.where}.name", f"{match.name!r} is no line of this return: name one of {names}")


class _Table:
    """One table of the file: hands out its values, notes what is wrong, and at the end which keys nobody knows."""

    def __init__(self, content: dict[str, Any], where: str, faults: list[Fault]) -> None:
        self.where = where
        self._content = content
        self._faults = faults
        self._asked: dict[str, None] = {}
        self._inner: list[_Table] = []

    def has(self, key: str) -> bool:
        return key in self._content

    def fault(self, key: str, message: str) -> None:
        self._faults.append(Fault(f"map, {self.where}.{key}" if self.where else f"map, {key}", message))

    def text(self, key: str, *, required: bool = True) -> str | None:
        value: str | None = self.value(key, _is_text, 'a text in quotes, such as "hotel"', required)
        return value

    def flag(self, key: str) -> bool:
        return self.value(key, lambda value: isinstance(value, bool), "true or false", required=False) or False

    def texts(self, key: str) -> tuple[str, ...]:
        wanted = 'a list of different texts, such as ["hotel"]'
        return tuple(self.value(key, _is_list_of_texts, wanted, required=True) or ())

    def table(self, key: str, *, required: bool = True) -> _Table | None:
        content = self.value(key, lambda value: isinstance(value, dict), f"a table [{key}]", required)
        return None if content is None else self._enter(content, key)

    def tables(self, key: str) -> Iterator[_Table]:
        content = self.value(key, _is_list_of_tables, f"tables, each beginning with [[{key}]]", required=False)
        for number, one in enumerate(content or (), 1):
            yield self._enter(one, f"{key}[{number}]")

    def finish(self) -> None:
        for inner in self._inner:
            inner.finish()
        for key in self._content:
            if key not in self._asked:
                self.fault(key, f"is not known here: the keys are {', '.join(self._asked)}")

    def _enter(self, content: dict[str, Any], key: str) -> _Table:
        inner = _Table(content, f"{self.where}.{key}" if self.where else key, self._faults)
        self._inner.append(inner)
        return inner

    def value(self, key: str, fits: Callable[[Any], bool], wanted: str, required: bool) -> Any:
        self._asked[key] = None
        value = self._content.get(key)
        if value is None:
            if required:
                self.fault(key, f"is missing: give {wanted}")
        elif not fits(value):
            self.fault(key, f"{value!r} is not {wanted}")
            value = None
        return value


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value)) and len(set(value)) == len(value)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _delimiter(table: _Table | None) -> str:
    if table is None or not table.has("delimiter"):
        return ","
    given = table.value("delimiter", lambda value: value in DELIMITERS, 'one of "," ";" "|" "\\t"', required=False)
    return given or ","


def _date(table: _Table | None) -> DateColumn | DateColumns:
    if table is None:
        return DateColumns("", "", "")
    if any(table.has(key) for key in ("year", "month", "day")):
        return DateColumns(*(table.text(key) or "" for key in ("year", "month", "day")))
    column = table.text("column") or ""
    written = table.text("format", required=False) or "YYYY-MM-DD"
    # Offered in the message on unknown keys, though none of them is here.
    for key in ("year", "month", "day"):
        table.text(key, required=False)
    try:
        return DateColumn(column, DateFormat(written))
    except ValueError as error:
        table.fault("format", str(error))
        return DateColumns("", "", "")


def _amount(table: _Table | None) -> Amount:
    if table is None:
        return Amount((), per_night=True, thousands_commas=False)
    columns = table.texts("columns")
    per = table.value("per", lambda value: value in ("night", "stay"), '"night" or "stay"', required=True)
    return Amount(columns, per_night=per == "night", thousands_commas=table.flag("thousands_commas"))


def _match(table: _Table, name: str | None = None) -> Match:
    named = name or table.text("name") or ""
    return Match(table.where, named, table.text("column") or "", frozenset(table.texts("values")))
