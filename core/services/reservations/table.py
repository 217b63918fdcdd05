"""Opens an export as a table, CSV or XLSX: a header and rows of cells. Sizes are checked before it is opened."""

from __future__ import annotations

import csv
import io
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.services.reservations.cells import Cell, text_of
from core.services.reservations.map import ReservationMap
from core.services.reservations.refusal import refused

LARGEST_CSV_BYTES = 50 * 1024 * 1024
LARGEST_XLSX_BYTES = 20 * 1024 * 1024
MOST_ROWS = 200_000
MOST_COLUMNS = 500

_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Table:
    """A header and, read as one goes, rows: the line number (as an editor or a workbook shows it) and the cells."""

    header: tuple[str, ...]
    rows: Iterator[tuple[int, Sequence[Cell]]]


@contextmanager
def open_table(path: Path, columns: ReservationMap) -> Iterator[Table]:
    """The table in a .csv (UTF-8) or .xlsx file.

    Raises Refused, at once or while the rows are read, for a file of another kind, one above the size caps, and one
    that is damaged.
    """
    kind = path.suffix.lower()
    if kind not in (".csv", ".xlsx"):
        raise refused(path, f"{_advice(kind)}: save the export as .csv (UTF-8) or .xlsx and name that file")
    try:
        _check_size(path, LARGEST_CSV_BYTES if kind == ".csv" else LARGEST_XLSX_BYTES)
        with path.open("rb") as file:
            _check_beginning(path, kind, file)
            if kind == ".csv":
                yield _with_header(path, _csv_rows(path, file, columns.delimiter))
            else:
                # Loaded only for a workbook: a CSV file needs neither its time nor its memory.
                from core.services.reservations.workbook import workbook_rows

                with workbook_rows(path, file, columns.sheet) as rows:
                    yield _with_header(path, rows)
    except OSError as error:
        raise refused(path, f"cannot be read: {error.strerror}") from None


def _with_header(path: Path, rows: Iterator[tuple[int, Sequence[Cell]]]) -> Table:
    first = next(rows, None)
    if first is None:
        raise refused(path, "is empty: its first row must name the columns")
    header = tuple(text_of(cell) for cell in first[1])
    if len(header) > MOST_COLUMNS:
        raise refused(path, f"has more than {MOST_COLUMNS} columns: export only those that the map names")
    return Table(header, _counted(path, rows))


def _counted(path: Path, rows: Iterator[tuple[int, Sequence[Cell]]]) -> Iterator[tuple[int, Sequence[Cell]]]:
    for count, row in enumerate(rows):
        if count >= MOST_ROWS:
            raise refused(path, f"has more than {MOST_ROWS:,} rows: export a shorter time")
        yield row


def _csv_rows(path: Path, file: BinaryIO, delimiter: str) -> Iterator[tuple[int, Sequence[Cell]]]:
    reader = csv.reader(io.TextIOWrapper(file, "utf-8-sig", newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            # A quoted cell may hold line breaks, and then the row begins before the line that was read last.
            yield line, row
            line = reader.line_num + 1
    except UnicodeDecodeError:
        raise refused(path, f"is not UTF-8 text (after line {reader.line_num}): {_SAVE_AS_UTF8}") from None
    except csv.Error as error:
        raise refused(path, f"line {line} is no CSV: {error}") from None


_SAVE_AS_UTF8 = 'save it as "CSV UTF-8"; in other encodings a name can turn into another one unseen'


def _check_size(path: Path, most_bytes: int) -> None:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise refused(path, "is not a file")
    if status.st_size > most_bytes:
        size, cap = status.st_size / 2**20, most_bytes // 2**20
        raise refused(path, f"has {size:,.0f} MB, and at most {cap} MB are read: export a shorter time")


def _check_beginning(path: Path, kind: str, file: BinaryIO) -> None:
    beginning = file.read(4096)
    file.seek(0)
    if beginning.startswith(_OLE2):
        why = "is an old Excel file or one with a password, whatever its name says"
        raise refused(path, f"{why}: save it as .xlsx without a password")
    if kind == ".xlsx" and not beginning.startswith(_ZIP):
        raise refused(path, "is not an .xlsx workbook, whatever its name says: save the export anew")
    if kind == ".csv" and beginning.startswith(_ZIP):
        raise refused(path, "is a workbook or an archive and not CSV, whatever its name says: name it .xlsx")
    if kind == ".csv" and b"\0" in beginning:
        raise refused(path, f"is not UTF-8 text: {_SAVE_AS_UTF8}")


def _advice(kind: str) -> str:
    if kind == ".xls":
        return "is an old Excel file, which is not read"
    if kind in (".xlsm", ".xlsb", ".xltm"):
        return "is a workbook that can hold macros, which is not read"
    return f"is of a kind that is not read ({kind or 'no ending'})"
