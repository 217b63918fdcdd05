"""Reads one sheet of an XLSX workbook, row by row, once its archive has been looked through."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from openpyxl import load_workbook

from core.domain.errors import Refused
from core.services.reservations.archive import check_archive
from core.services.reservations.cells import Cell
from core.services.reservations.refusal import refused
from core.services.reservations.table import MOST_COLUMNS, MOST_ROWS


@contextmanager
def workbook_rows(path: Path, file: BinaryIO, sheet: str | None) -> Iterator[Iterator[tuple[int, Sequence[Cell]]]]:
    """Rows of one sheet: the row's number and its cells, the header first; rows without any cell are passed over.

    Without `sheet` the workbook must have one sheet. Formulas come as the text they are. Raises Refused.
    """
    check_archive(path, file)
    with warnings.catch_warnings():
        # It warns of what it leaves out (styles, validations), none of which is a reservation.
        warnings.filterwarnings("ignore", category=UserWarning, module="openpyxl")
        with _as_damage(path):
            book = load_workbook(file, read_only=True, keep_links=False, data_only=False)
        try:
            yield _rows(path, _sheet(path, book, sheet))
        finally:
            book.close()


@contextmanager
def _as_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except Refused:
        raise
    except Exception as error:
        # On a damaged workbook openpyxl raises whatever comes, from KeyError to the XML parser's SyntaxError.
        raise refused(path, f"is a damaged workbook ({error}): save the export anew") from None


def _sheet(path: Path, book: Any, wanted: str | None) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    listed = ", ".join(map(repr, sheets)) or "(none)"
    if wanted is None and len(sheets) != 1:
        raise refused(path, f"has the sheets {listed}: name one in the map as sheet under [file]")
    if wanted is not None and wanted not in sheets:
        raise refused(path, f"has no sheet {wanted!r}: its sheets are {listed}")
    return sheets[wanted] if wanted is not None else next(iter(sheets.values()))


def _rows(path: Path, sheet: Any) -> Iterator[tuple[int, Sequence[Cell]]]:
    with _as_damage(path):
        # The size that a sheet claims for itself is often wrong.
        sheet.reset_dimensions()
        header = next(sheet.iter_rows(min_row=1, max_row=1, max_col=MOST_COLUMNS + 1, values_only=True), ())
        while header and header[-1] is None:
            header = header[:-1]
        if not header:
            return
        yield 1, header
        # Without a last row: openpyxl would drop what lies beyond it and say nothing.
        for number, row in enumerate(sheet.iter_rows(min_row=2, max_col=len(header), values_only=True), 2):
            if number > MOST_ROWS + 1:
                raise refused(path, f"reaches beyond row {MOST_ROWS + 1:,}: delete blank rows or export a shorter time")
            if any(cell is not None for cell in row):
                yield number, row
