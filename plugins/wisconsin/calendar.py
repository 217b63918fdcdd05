"""Legal holidays and business days (WIS-01, Wis. Stat. § 995.20; WIS-02, § 990.001(4); READINGS 2)."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache

from core.contract.law import Law
from core.domain.calendar import BusinessDay, Frequency, end_of_month
from core.domain.clause import implements

QUARTERLY = Frequency("quarterly", 3, "Q")

MONDAY, TUESDAY, THURSDAY, SATURDAY, SUNDAY = 0, 1, 3, 5, 6


def _nth(year: int, month: int, weekday: int, n: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (n - 1))


def _last(year: int, month: int, weekday: int) -> date:
    last = end_of_month(date(year, month, 1))
    return last - timedelta(days=(last.weekday() - weekday) % 7)


@implements("WIS-01")
@lru_cache(maxsize=256)
def legal_holidays(year: int) -> frozenset[date]:
    """The legal holidays of a year; one that falls on a Sunday is kept on the Monday after it."""
    days = [
        date(year, 1, 1),
        _nth(year, 1, MONDAY, 3),
        _nth(year, 2, MONDAY, 3),
        _last(year, 5, MONDAY),
        date(year, 6, 19),
        date(year, 7, 4),
        _nth(year, 9, MONDAY, 1),
        _nth(year, 10, MONDAY, 2),
        date(year, 11, 11),
        _nth(year, 11, THURSDAY, 4),
        date(year, 12, 25),
    ]
    if year % 2 == 0:
        days.append(_nth(year, 8, TUESDAY, 2))  # partisan primary
        days.append(_nth(year, 11, MONDAY, 1) + timedelta(days=1))  # general election
    return frozenset(day + timedelta(days=1) if day.weekday() == SUNDAY else day for day in days)


@implements("WIS-02")
def business_days(law: Law) -> BusinessDay:
    """A function that says whether a day is a business day under the reading in force on that day."""

    def is_business_day(day: date) -> bool:
        if day.weekday() == SUNDAY or day in legal_holidays(day.year):
            return False
        return day.weekday() != SATURDAY or law.reading("saturday_is_business_day", day).value is True

    return is_business_day
