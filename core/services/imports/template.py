"""The empty sheet: its columns, what each is for, and a row for each return that is owed."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import xlsxwriter

from core.contract.declarations import Tax
from core.services.imports.sheet import columns_of

SHEET = "Returns and payments"
NOTES = {
    "act": "Blank for a return, payment or both; else returned_payment, estimate, extension, notice, finding, waiver.",
    "place": "The place of business, by its number or its exact name.",
    "tax": "Blank where there is one tax.",
    "period": "The filing period, such as the one in the first row.",
    "on": "The postmark or the day that counts, as 2026-04-30; blank: the day of the import.",
    "received_on": "The day it arrived, for what came on paper.",
    "first_night": "Only where the rate changes within the period: one row for the nights before, one from then on.",
    "last_night": "The last night of such a row.",
    "name": "Who signed the return.",
    "capacity": "In which capacity: owner, bookkeeper.",
    "paid_on": "The day of the payment; blank: that of the column on.",
    "paid": "The amount paid, in dollars.",
    "method": "check, cash, ach, card or marketplace.",
    "reference": "The check's number, or what tells this payment from another.",
    "kind": "For a waiver: which charge; for a finding: negligence or fraud.",
    "amount": "For a waiver: how much, in dollars.",
    "until": "For an extension: the new day.",
    "officer": "For a finding: the title or name of the officer who made it.",
    "reason": "For a waiver, a finding or a returned payment: why.",
}


def template(form: str, taxes: Sequence[Tax], owed: Iterable[tuple[str, str, str]]) -> bytes:
    """The sheet as .csv or .xlsx. `owed` are (place, tax, period), one row each. A text never becomes a formula."""
    columns = columns_of(taxes)
    rows = [
        [{"place": place, "tax": tax, "period": period}.get(column, "") for column in columns]
        for place, tax, period in owed
    ]
    if form == ".csv":
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([[_plain(cell) for cell in row] for row in rows])
        return out.getvalue().encode("utf-8-sig")
    return _workbook(columns, rows, taxes)


def has_sheet(content: bytes) -> bool:
    """Whether a workbook has the sheet that the template has; what is damaged is told when it is read."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            listing = archive.open("xl/workbook.xml").read(65_536)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError):
        return False
    return SHEET.encode() in listing


def endings() -> tuple[str, ...]:
    """The kinds of file that a template can be."""
    return (".csv", ".xlsx")


def _plain(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text


def _workbook(columns: Sequence[str], rows: Sequence[Sequence[str]], taxes: Sequence[Tax]) -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as book:
        head = book.add_format({"bold": True})
        sheet = book.add_worksheet(SHEET)
        sheet.write_row(0, 0, columns, head)
        sheet.freeze_panes(1, 0)
        for number, row in enumerate(rows, start=1):
            sheet.write_row(number, 0, row)
        notes = book.add_worksheet("Columns")
        titles = {line.key: line.title for tax in taxes for line in (*tax.receipts, *tax.deductions)}
        for number, column in enumerate(columns):
            notes.write_row(number, 0, [column, NOTES.get(column) or f"{titles[column]}, in dollars."])
        notes.set_column(0, 0, 16)
        notes.set_column(1, 1, 100)
    return out.getvalue()


def ending_of(path: Path) -> str:
    """The kind of file that a name asks for."""
    return path.suffix.lower()
