"""How an export writes a date: a format such as "MM/DD/YYYY", and months by number or English name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date

# Beyond these a date is a slip of the pen, and a filing period could not be named.
EARLIEST = date(1990, 1, 1)
LATEST = date(2099, 12, 31)

# Written out: the names that the calendar module gives depend on the machine's language.
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_MONTHS |= {name[:3]: number for number, name in enumerate(_MONTH_NAMES, 1)} | {"sept": 9}

_TOKEN = re.compile(r"YYYY|MMMM|MMM|MM|M|DD|D|hh|mm|ss|T|[^A-Za-z0-9]")
_PATTERNS = {
    "YYYY": r"(?P<year>[0-9]{4})",
    "MMMM": r"(?P<month>[A-Za-z]{3,9})",
    "MMM": r"(?P<month>[A-Za-z]{3,9})",
    "MM": r"(?P<month>[0-9]{2})",
    "M": r"(?P<month>[0-9]{1,2})",
    "DD": r"(?P<day>[0-9]{2})",
    "D": r"(?P<day>[0-9]{1,2})",
    "hh": r"[0-9]{1,2}",
    "mm": r"[0-9]{2}",
    "ss": r"[0-9]{2}",
}


class NotADate(ValueError):
    """A text is no date of the form that was asked for. The message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class DateFormat:
    """A date as an export writes it, made of YYYY, MM or M (a number), MMM or MMMM (a name), DD or D and separators.

    MM and DD are two digits, M and D one or two. A time of day (hh, mm, ss) may follow and is read over.
    Raises ValueError when year, month and day are not each there once.
    """

    text: str
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tokens = _TOKEN.findall(self.text)
        kinds = sorted(token[0] for token in tokens if token in _PATTERNS and token[0] in "YMD")
        if "".join(tokens) != self.text or kinds != ["D", "M", "Y"]:
            raise ValueError(
                f'{self.text!r} is no date format: write YYYY, MM and DD once each, such as "MM/DD/YYYY"; M and D '
                "for one or two digits, MMM for the name of a month, hh:mm:ss for a time that is read over"
            )
        pattern = "".join(_PATTERNS.get(token, re.escape(token)) for token in tokens)
        object.__setattr__(self, "_pattern", re.compile(pattern))

    def read(self, text: str) -> date:
        """The date that `text` writes. Raises NotADate."""
        match = self._pattern.fullmatch(text)
        if match is None:
            raise NotADate(f"is not written as {self.text}")
        return date_of(match["year"], match["month"], match["day"])


def date_of(year: str, month: str, day: str) -> date:
    """The date with this year, month (a number or an English name) and day of the month. Raises NotADate."""
    number = _MONTHS.get(month.lower()) or _whole(month, "month")
    try:
        found = date(_whole(year, "year"), number, _whole(day, "day"))
    except ValueError as error:
        if isinstance(error, NotADate):
            raise
        raise NotADate("is a day that no calendar has") from None
    return plausible(found)


def plausible(day: date) -> date:
    """`day`, when reservations can lie on it. Raises NotADate."""
    if not EARLIEST <= day <= LATEST:
        raise NotADate(f"lies outside {EARLIEST.year} to {LATEST.year}: look for a slip in the year")
    return day


def _whole(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise NotADate(f"has the {what} {text!r}, which is no {what}")
    return int(text)
