"""Reads a sheet: its rows as texts by column, and every cell that says nothing that its column could mean."""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

from core.contract.declarations import Tax
from core.domain.errors import Fault, Refused
from core.services.accounts.act import METHODS
from core.services.reservations.cells import Cell, Unreadable, cents_of, text_of
from core.services.reservations.workbook import workbook_rows

MOST_BYTES = 20 * 1024 * 1024
MOST_ROWS = 50_000
ACTS = ("return", "payment", "returned_payment", "estimate", "extension", "notice", "finding", "waiver")
DAYS = ("on", "received_on", "first_night", "last_night", "paid_on", "until")
AMOUNTS = ("paid", "amount")
TEXTS = ("act", "place", "tax", "period", "name", "capacity", "method", "reference", "kind", "officer", "reason")
NEEDED = ("place", "period")
_DELIMITERS = ",;\t"
_DAY = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"|(?P<month_us>[0-9]{1,2})/(?P<day_us>[0-9]{1,2})/(?P<year_us>[0-9]{4})"
)


class RowFault(NamedTuple):
    """What is wrong with a row: its line in the file, the column, what stands there, and what to do."""

    line: int
    column: str
    value: str
    message: str


@dataclass(slots=True)
class Row:
    """A row as read: texts, days and cents by column; receipts and deductions in cents by line of the return."""

    line: int
    texts: dict[str, str]
    days: dict[str, date] = field(default_factory=dict)
    cents: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)
    # The number of the place that the row names, and the hash of what it says, once the place is known.
    place_number: int | None = None
    hash: str = ""

    @property
    def kind(self) -> str:
        """What the row is: its act, or what its amounts make of it; "" where it says nothing."""
        return self.texts.get("act") or ("return" if self.lines else "payment" if "paid" in self.cents else "")

    def recognise(self, place_number: int | None) -> None:
        """Set the hash, which is the same for every row that says the same, in whatever file and order of columns.

        A place is the same by its number and by its name, an act whether it is written or understood.
        """
        self.place_number = place_number
        said = "\x1f".join(f"{column}\x1e{text}" for column, text in sorted(self._said().items()))
        self.hash = hashlib.sha256(said.encode()).hexdigest()

    def _said(self) -> dict[str, str]:
        return {
            **self.texts,
            "act": self.kind,
            "place": self.texts.get("place", "") if self.place_number is None else f"#{self.place_number}",
            **{name: day.isoformat() for name, day in self.days.items()},
            **{name: str(cents) for name, cents in (self.cents | self.lines).items()},
        }


def columns_of(taxes: Iterable[Tax]) -> tuple[str, ...]:
    """The columns of a sheet, in the order of the template."""
    lines = dict.fromkeys(line.key for tax in taxes for line in (*tax.receipts, *tax.deductions))
    head = ("act", "place", "tax", "period", "on", "received_on", "first_night", "last_night")
    tail = (
        "name",
        "capacity",
        "paid_on",
        "paid",
        "method",
        "reference",
        "kind",
        "amount",
        "until",
        "officer",
        "reason",
    )
    return (*head, *lines, *tail)


def read_sheet(
    name: str, content: bytes, taxes: Iterable[Tax], progress: Callable[[int], None] = lambda _: None
) -> tuple[list[Row], list[RowFault]]:
    """The rows of a CSV or XLSX file, and each cell at fault. Raises Refused where the whole file cannot be read."""
    known = columns_of(taxes)
    rows: list[Row] = []
    faults: list[RowFault] = []
    header: list[str] | None = None
    for line, cells in _cells(name, content):
        if header is None:
            header = _header(name, cells, known)
            continue
        if not any(text_of(cell) for cell in cells):
            continue
        if len(rows) >= MOST_ROWS:
            raise Refused([Fault("file", f"{name} has more than {MOST_ROWS:,} rows: divide it")])
        if len(cells) > len(header) and any(text_of(cell) for cell in cells[len(header) :]):
            extra = text_of(next(cell for cell in cells[len(header) :] if text_of(cell)))
            faults.append(RowFault(line, "", extra, "stands beyond the last column: quote a text that holds a comma"))
        row, wrong = _row(line, dict(zip(header, cells, strict=False)), known)
        rows.append(row)
        faults.extend(wrong)
        progress(1)
    if header is None:
        raise Refused([Fault("file", f"{name} is empty: fill in the template")])
    return rows, faults


def _cells(name: str, content: bytes) -> Iterator[tuple[int, Sequence[Cell]]]:
    if len(content) > MOST_BYTES:
        message = f"{name} has {len(content):,} bytes, and at most {MOST_BYTES:,} are read: divide it"
        raise Refused([Fault("file", message)])
    if Path(name).suffix.lower() == ".xlsx" or content.startswith(b"PK\x03\x04"):
        with workbook_rows(Path(name), io.BytesIO(content), _first_sheet(name, content)) as found:
            yield from found
        return
    text = _text(name, content)
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise Refused([Fault("file", f"{name}, line {line} is no CSV: {error}")]) from None


def _first_sheet(name: str, content: bytes) -> str | None:
    """The template has the notes on a second sheet, so the sheet to read is named where there are several."""
    from core.services.imports.template import SHEET, has_sheet

    return SHEET if has_sheet(content) else None


def _text(name: str, content: bytes) -> str:
    if b"\0" in content:
        raise Refused([Fault("file", f"{name} is no text: save it as CSV UTF-8 or as .xlsx")])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _header(name: str, cells: Sequence[Cell], known: tuple[str, ...]) -> list[str]:
    header = [text_of(cell).strip().lower().replace(" ", "_") for cell in cells]
    while header and not header[-1]:
        header.pop()
    faults = []
    for column in header:
        if column not in known:
            near = difflib.get_close_matches(column, known, 1)
            hint = f"do you mean {near[0]!r}?" if near else f"the columns are {', '.join(known)}"
            faults.append(Fault("file", f"{name} has a column {column!r} that is not read: {hint}"))
        if header.count(column) > 1:
            faults.append(Fault("file", f"{name} has the column {column!r} twice: keep one"))
    faults += [Fault("file", f"{name} has no column {column!r}: add it") for column in NEEDED if column not in header]
    if faults:
        raise Refused(dict.fromkeys(faults))
    return header


def _row(line: int, cells: dict[str, Cell], known: tuple[str, ...]) -> tuple[Row, list[RowFault]]:
    row = Row(line, {})
    faults: list[RowFault] = []
    for column, cell in cells.items():
        text = text_of(cell)
        if not text:
            continue
        row.cells[column] = text[:200]
        try:
            if column in DAYS:
                row.days[column] = _day(cell)
            elif column in AMOUNTS:
                row.cents[column] = cents_of(cell, thousands_commas=True)
            elif column in TEXTS:
                row.texts[column] = _words(text)
            else:
                row.lines[column] = cents_of(cell, thousands_commas=True)
        except Unreadable as error:
            faults.append(RowFault(line, column, text[:60], str(error)))
    act = row.texts.get("act")
    if act is not None and act not in ACTS:
        faults.append(RowFault(line, "act", act[:60], f"is no act: leave it blank or use {', '.join(ACTS)}"))
    method = row.texts.get("method")
    if method is not None and method not in METHODS:
        faults.append(RowFault(line, "method", method[:60], f"is no way of paying: use {', '.join(METHODS)}"))
    return row, faults


def _words(text: str) -> str:
    if len(text) > 200 or not text.isprintable():
        raise Unreadable("is no plain text of at most 200 letters: shorten it, without line breaks")
    return text


def _day(cell: Cell) -> date:
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    text = text_of(cell)
    found = _DAY.fullmatch(text)
    if found is not None:
        year, month, day = (int(found[part] or found[f"{part}_us"]) for part in ("year", "month", "day"))
        try:
            return date(year, month, day)
        except ValueError:
            pass
    raise Unreadable("is no day: write it as 2026-04-30")
