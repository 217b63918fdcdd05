"""Days, months, filing periods and deadlines. Which days are business days is a question for the municipality."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache

from core.domain.clause import Clause
from core.domain.errors import shown

ONE_DAY = timedelta(days=1)
ANNUAL = "-annual"
BusinessDay = Callable[[date], bool]


def add_months(day: date, months: int) -> date:
    """The same day `months` later, or the last day of that month where it has no such day (READINGS 4: clamped)."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def end_of_month(day: date) -> date:
    """The last day of the month that `day` lies in."""
    return date(day.year, day.month, monthrange(day.year, day.month)[1])


def first_of_next_month(day: date) -> date:
    """The first day of the month after the one that `day` lies in."""
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def month_starts(after: date, through: date) -> Iterator[date]:
    """Each first day of a month that is later than `after` and not later than `through`."""
    start = first_of_next_month(after)
    while start <= through:
        yield start
        start = first_of_next_month(start)


def roll_forward(day: date, is_business_day: BusinessDay) -> date:
    """`day`, or the next business day where it is none."""
    while not is_business_day(day):
        day += ONE_DAY
    return day


def day_for_reading(day: date) -> str:
    """A day as people write it: "May 1, 2026"."""
    return f"{day:%B} {day.day}, {day.year}"


@dataclass(frozen=True, slots=True)
class Period:
    """A filing period: its key, such as "2026-M03", and its first and last day (both inside)."""

    key: str
    first_day: date
    last_day: date

    def __contains__(self, day: date) -> bool:
        return self.first_day <= day <= self.last_day

    @property
    def is_annual(self) -> bool:
        """Whether it is a filer's year, for which the annual return is filed beside those of the periods in it."""
        return self.key.endswith(ANNUAL)


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often a return is filed: every `months` months, counted from January.

    A period's key is the year, a dash, `marker` and the number of the period in the year: Frequency("monthly", 1,
    "M") gives "2026-M03". `months` divides twelve.
    """

    name: str
    months: int
    marker: str

    def __post_init__(self) -> None:
        if self.months not in (1, 2, 3, 4, 6, 12):
            raise ValueError(f"a filing period of {self.months} months does not divide a year")

    @property
    def example(self) -> str:
        """A key as one is written, for messages."""
        return f"2026-{self.marker}{'01' if self.months == 1 else '1'}"

    def period(self, key: str) -> Period:
        """The period with this key. Raises ValueError when there is none."""
        return _period(self, key)

    def containing(self, day: date) -> Period:
        """The period that `day` lies in."""
        number = (day.month - 1) // self.months + 1
        return _period(self, self._key(day.year, number))

    def of_year(self, year: int) -> tuple[Period, ...]:
        """The periods of a calendar year, in order."""
        return tuple(_period(self, self._key(year, n + 1)) for n in range(12 // self.months))

    def _key(self, year: int, number: int) -> str:
        digits = 2 if self.months == 1 else 1
        return f"{year:04d}-{self.marker}{number:0{digits}d}"


@lru_cache(maxsize=4096)
def _period(frequency: Frequency, key: str) -> Period:
    year_text, dash, number_text = key.partition(f"-{frequency.marker}")
    count = 12 // frequency.months
    known = dash and year_text.isascii() and year_text.isdigit() and number_text.isascii() and number_text.isdigit()
    if not known or not 1900 <= int(year_text) <= 9998 or not 1 <= int(number_text) <= count:
        raise ValueError(f"{shown(key)} is no {frequency.name} period: write it as {frequency.example!r}")
    first = date(int(year_text), (int(number_text) - 1) * frequency.months + 1, 1)
    if key != frequency._key(first.year, int(number_text)):
        raise ValueError(f"{shown(key)} is no {frequency.name} period: write it as {frequency.example!r}")
    return Period(key, first, end_of_month(add_months(first, frequency.months - 1)))


@dataclass(frozen=True, slots=True)
class Election:
    """What a filer elected with the first return: the month in which its year ends (12: the calendar year)."""

    year_end_month: int = 12

    def year_end(self, year: int) -> date:
        """The last day of the filer's year that ends in the calendar year `year`."""
        return end_of_month(date(year, self.year_end_month, 1))

    def annual_period(self, year: int) -> Period:
        """The filer's year that ends in `year`, as the period of its annual return: its key is "2026-annual"."""
        last = self.year_end(year)
        return Period(f"{year:04d}{ANNUAL}", add_months(last + ONE_DAY, -12), last)


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The dates of one return. Nominal is what the text says; effective is where it falls on a business day.

    `longest_extension` is the latest day that an extension may name. `clauses` cites the filing date, the payment
    date and the extension, in that order. An annual return has deadlines of its own.
    """

    nominal: date
    effective: date
    longest_extension: date
    clauses: tuple[Clause, ...]
    is_business_day: BusinessDay = field(repr=False, compare=False)

    def rolled(self, day: date) -> date:
        """`day`, or the next business day."""
        return roll_forward(day, self.is_business_day)
