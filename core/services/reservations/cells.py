"""What one cell says: a text, money, a whole number or a date. A cell is a text of a CSV file or a workbook's value."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from core.domain.money import NotMoney, parse_dollars
from core.services.reservations.dates import DateFormat, NotADate, date_of, plausible

Cell = str | int | float | bool | date | datetime | None

_WITH_COMMAS = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?", re.ASCII)
_WHOLE = re.compile(r"(?P<minus>-?)(?P<digits>\d{1,6})(\.0+)?", re.ASCII)

# A workbook stores every number as a binary fraction; a sum made there may be off by this much of a cent.
_BINARY_SLACK = Decimal("1e-9")


class Unreadable(ValueError):
    """A cell does not say what its column should. The message follows the value: "'-5' is negative…"."""


def text_of(cell: Cell) -> str:
    """A cell as text, without white space around it. A whole number is written without a fraction."""
    if isinstance(cell, str):
        return cell.strip()
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, date):
        return cell.isoformat()
    # A workbook's array formula is an object that holds its text.
    return str(getattr(cell, "text", cell))


def place_of(cell: Cell) -> str:
    """The name of a place. A formula stays the text it is. Raises Unreadable."""
    name = text_of(cell)
    if not name:
        raise Unreadable("is blank: every row names its place")
    if len(name) > 200 or not name.isprintable():
        raise Unreadable("is no name of a place: write at most 200 letters, without line breaks or control characters")
    return name


def cents_of(cell: Cell, *, thousands_commas: bool = False) -> int:
    """Dollars as cents, never below zero. A leading $ is read over. Raises Unreadable for a part of a cent."""
    if isinstance(cell, str):
        cents = _cents_of_text(cell.strip(), thousands_commas)
    elif isinstance(cell, bool) or not isinstance(cell, int | float):
        raise Unreadable("is blank: write 0.00 where nothing was charged" if cell is None else "is not an amount")
    else:
        cents = _cents_of_number(cell)
    if cents < 0:
        raise Unreadable("is negative: take a refund off the row that it belongs to")
    return cents


def whole_of(cell: Cell) -> int:
    """A number of nights. Raises Unreadable when it is not whole or below zero."""
    text = text_of(cell)
    match = _WHOLE.fullmatch(text)
    if not text:
        raise Unreadable("is blank: write 0 where there is no night")
    if match is None:
        raise Unreadable("is not a whole number of nights")
    if match["minus"] and int(match["digits"]):
        raise Unreadable("is negative: a stay has no fewer than 0 nights")
    return int(match["digits"])


def day_of(cell: Cell, written: DateFormat) -> date:
    """A date; of a date cell with a time of day, its day. Raises Unreadable."""
    try:
        if isinstance(cell, datetime):
            return plausible(cell.date())
        if isinstance(cell, date):
            return plausible(cell)
        text = text_of(cell)
        if not text:
            raise Unreadable("is blank: every stay has its date")
        return written.read(text)
    except NotADate as error:
        raise Unreadable(str(error)) from None


def day_of_parts(year: Cell, month: Cell, day: Cell) -> date:
    """A date from a year, a month (number or English name) and a day of the month. Raises Unreadable."""
    try:
        return date_of(text_of(year), text_of(month), text_of(day))
    except NotADate as error:
        raise Unreadable(str(error)) from None


def _cents_of_text(text: str, thousands_commas: bool) -> int:
    if not text:
        raise Unreadable("is blank: write 0.00 where nothing was charged")
    if not text.isascii():
        raise Unreadable("is not an amount: write it in the digits 0 to 9")
    bare = text.removeprefix("$")
    if thousands_commas and _WITH_COMMAS.fullmatch(bare):
        bare = bare.replace(",", "")
    try:
        return parse_dollars(bare)
    except NotMoney as error:
        hint = " (for 1,234.50 set thousands_commas = true in the map)" if _WITH_COMMAS.fullmatch(bare) else ""
        # The reason without its value, which the fault names already.
        raise Unreadable(str(error).removeprefix(repr(bare)).strip() + hint) from None


def _cents_of_number(number: int | float) -> int:
    # repr gives the shortest decimal that means this number, which is what the workbook shows.
    try:
        exact = Decimal(repr(number)) * 100
        cents = int(exact.to_integral_value())
    except (InvalidOperation, OverflowError, ValueError):
        raise Unreadable("is not an amount") from None
    if abs(exact - cents) > _BINARY_SLACK:
        raise Unreadable("has a part of a cent: round it to whole cents before it is entered")
    if abs(cents) >= 10**15:
        raise Unreadable("is too large to be an amount")
    return cents
