"""Months that end early, days that roll, and the periods of a year."""

from calendar import monthrange
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.calendar import (
    Deadlines,
    Election,
    Frequency,
    Period,
    add_months,
    day_for_reading,
    end_of_month,
    first_of_next_month,
    month_starts,
    roll_forward,
)

DAYS = st.dates(date(1990, 1, 1), date(2100, 12, 31))
FREQUENCIES = [
    Frequency("monthly", 1, "M"),
    Frequency("two-monthly", 2, "B"),
    Frequency("quarterly", 3, "Q"),
    Frequency("four-monthly", 4, "T"),
    Frequency("half-yearly", 6, "H"),
    Frequency("annual", 12, "Y"),
]


@pytest.mark.parametrize(
    ("day", "months", "later"),
    [
        (date(2026, 1, 31), 1, date(2026, 2, 28)),
        (date(2028, 1, 31), 1, date(2028, 2, 29)),  # a leap year
        (date(2026, 4, 30), 1, date(2026, 5, 30)),  # the same day, not the month's end
        (date(2026, 12, 31), 2, date(2027, 2, 28)),
        (date(2026, 3, 31), -1, date(2026, 2, 28)),
        (date(2026, 1, 15), -1, date(2025, 12, 15)),
        (date(2026, 5, 5), 0, date(2026, 5, 5)),
    ],
)
def test_months_later_is_the_same_day_or_the_last_of_the_month(day, months, later):
    assert add_months(day, months) == later


@given(DAYS, st.integers(-120, 120))
def test_months_later_moves_the_month_by_that_many_and_never_the_day_up(day, months):
    later = add_months(day, months)
    assert later.year * 12 + later.month == day.year * 12 + day.month + months
    assert later.day == min(day.day, monthrange(later.year, later.month)[1])


@given(DAYS)
def test_a_month_ends_the_day_before_the_next_begins(day):
    assert end_of_month(day) + timedelta(1) == first_of_next_month(day)
    assert first_of_next_month(day).day == 1


@given(DAYS, st.integers(0, 800))
def test_month_starts_are_the_firsts_after_one_day_and_up_to_another(after, days):
    through = after + timedelta(days)
    naive = [day for n in range(1, days + 1) if (day := after + timedelta(n)).day == 1]
    assert list(month_starts(after, through)) == naive


@given(DAYS, st.sets(DAYS, max_size=5))
def test_a_day_rolls_to_the_next_business_day_and_no_further(day, closed):
    rolled = roll_forward(day, lambda one: one not in closed and one.weekday() < 5)
    assert rolled >= day
    assert rolled not in closed
    assert rolled.weekday() < 5
    assert all(one in closed or one.weekday() >= 5 for one in (day + timedelta(n) for n in range((rolled - day).days)))


def test_a_business_day_stays():
    assert roll_forward(date(2026, 4, 30), lambda day: True) == date(2026, 4, 30)


@pytest.mark.parametrize("frequency", FREQUENCIES, ids=lambda frequency: frequency.name)
class TestFrequency:
    def test_the_periods_of_a_year_follow_one_another_and_fill_it(self, frequency):
        periods = frequency.of_year(2028)
        assert len(periods) == 12 // frequency.months
        assert periods[0].first_day == date(2028, 1, 1)
        assert periods[-1].last_day == date(2028, 12, 31)
        for one, other in zip(periods, periods[1:], strict=False):
            assert other.first_day == one.last_day + timedelta(1)

    def test_a_key_names_its_period(self, frequency):
        for period in frequency.of_year(2026):
            assert frequency.period(period.key) == period

    def test_its_example_is_a_key(self, frequency):
        assert frequency.period(frequency.example).first_day == date(2026, 1, 1)

    def test_each_day_lies_in_the_period_that_contains_it(self, frequency):
        for n in range(366):
            day = date(2028, 1, 1) + timedelta(n)
            assert day in frequency.containing(day)

    def test_a_key_of_another_shape_is_refused_with_an_example(self, frequency):
        marker = frequency.marker
        wrong = ["", "2026", f"2026-{marker}", f"2026-{marker}0", f"2026-{marker}13", f"2026{marker}1", "2026-Z1"]
        wrong += [
            f"26-{marker}1",
            f"2026-{marker.lower()}1",
            f" 2026-{marker}1",
            f"2026-{marker}1 ",
            f"2026-{marker}-1",
        ]
        wrong += [f"1899-{frequency.example[5:]}", f"9999-{frequency.example[5:]}", f"２０２６-{frequency.example[5:]}"]
        for key in wrong:
            with pytest.raises(ValueError, match=f"write it as '{frequency.example}'"):
                frequency.period(key)


@pytest.mark.parametrize(
    ("frequency", "key", "first", "last"),
    [
        (FREQUENCIES[0], "2026-M02", date(2026, 2, 1), date(2026, 2, 28)),
        (FREQUENCIES[1], "2026-B6", date(2026, 11, 1), date(2026, 12, 31)),
        (FREQUENCIES[2], "2026-Q1", date(2026, 1, 1), date(2026, 3, 31)),
        (FREQUENCIES[3], "2026-T2", date(2026, 5, 1), date(2026, 8, 31)),
        (FREQUENCIES[4], "2026-H2", date(2026, 7, 1), date(2026, 12, 31)),
        (FREQUENCIES[5], "2026-Y1", date(2026, 1, 1), date(2026, 12, 31)),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_period_has_its_first_and_last_day(frequency, key, first, last):
    assert frequency.period(key) == Period(key, first, last)


def test_only_a_two_digit_month_is_a_month():
    with pytest.raises(ValueError, match="2026-M01"):
        FREQUENCIES[0].period("2026-M1")


@pytest.mark.parametrize("months", [0, 5, 7, 24, -3])
def test_a_frequency_divides_a_year(months):
    with pytest.raises(ValueError, match="does not divide a year"):
        Frequency("odd", months, "O")


def test_a_filers_year_ends_with_the_month_it_elected():
    assert Election().year_end(2026) == date(2026, 12, 31)
    assert Election(2).year_end(2028) == date(2028, 2, 29)


def test_deadlines_roll_by_their_own_business_days():
    saturday = date(2026, 10, 31)
    deadlines = Deadlines(saturday, date(2026, 11, 2), date(2026, 11, 30), (), lambda day: day.weekday() < 5)
    assert deadlines.rolled(saturday) == date(2026, 11, 2)


def test_a_day_is_written_as_people_write_it():
    assert day_for_reading(date(2026, 5, 1)) == "May 1, 2026"
