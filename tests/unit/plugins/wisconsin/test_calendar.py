"""Legal holidays, business days, and how a due date rolls (READINGS 2 and 3)."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.loading import open_municipality
from core.contract.settings import ReadingChoice
from core.domain.calendar import roll_forward
from plugins.wisconsin.calendar import business_days, legal_holidays
from plugins.wisconsin.state_law import state_law
from tests.support.stories import day

IN_ANY_YEAR = st.integers(1901, 2200)


@pytest.mark.clause("WIS-01")
@pytest.mark.parametrize(
    ("year", "days"),
    [
        # An even year: the partisan primary (2nd Tuesday of August) and the general election (Tuesday after the 1st
        # Monday of November) are among them.
        (2026, "01-01 01-19 02-16 05-25 06-19 07-04 08-11 09-07 10-12 11-03 11-11 11-26 12-25"),
        # July 4, 2027 is a Sunday, so it is kept on the 5th.
        (2027, "01-01 01-18 02-15 05-31 06-19 07-05 09-06 10-11 11-11 11-25 12-25"),
        # November 1, 2022 is a Tuesday, so the Tuesday after the first Monday is the 8th.
        (2022, "01-01 01-17 02-21 05-30 06-20 07-04 08-09 09-05 10-10 11-08 11-11 11-24 12-26"),
    ],
)
def test_the_legal_holidays_of_a_year(year, days):
    assert sorted(legal_holidays(year)) == [date.fromisoformat(f"{year}-{one}") for one in days.split()]


@pytest.mark.clause("WIS-01")
@given(IN_ANY_YEAR)
def test_no_holiday_is_kept_on_a_sunday(year):
    assert all(holiday.weekday() != 6 for holiday in legal_holidays(year))


@pytest.mark.clause("WIS-01")
@given(IN_ANY_YEAR)
def test_even_years_have_two_election_days_more(year):
    assert len(legal_holidays(year)) == (13 if year % 2 == 0 else 11)


@pytest.mark.clause("WIS-02")
@pytest.mark.parametrize(
    ("nominal", "met_on"),
    [
        ("2026-04-30", "2026-04-30"),  # a Thursday
        ("2026-10-31", "2026-11-02"),  # a Saturday
        ("2027-01-31", "2027-02-01"),  # a Sunday
        ("2026-07-04", "2026-07-06"),  # a holiday on a Saturday, and the Sunday after it
        ("2027-07-04", "2027-07-06"),  # a Sunday, and its holiday on the Monday
        ("2026-11-03", "2026-11-04"),  # election day
        ("2027-11-02", "2027-11-02"),  # no election day in an odd year
        ("2026-12-25", "2026-12-28"),  # Christmas on a Friday, and the weekend
    ],
)
def test_a_due_date_is_met_on_the_next_business_day(nominal, met_on):
    assert roll_forward(day(nominal), business_days(state_law())) == day(met_on)


@pytest.mark.clause("WIS-02")
@given(st.dates(date(1901, 1, 1), date(2200, 12, 31)))
def test_rolling_goes_to_a_business_day_less_than_a_week_away(nominal):
    is_business_day = business_days(state_law())
    met_on = roll_forward(nominal, is_business_day)
    assert is_business_day(met_on)
    assert timedelta(0) <= met_on - nominal < timedelta(days=7)


@pytest.mark.clause("WIS-02")
def test_a_saturday_counts_where_the_treasurer_reads_it_so_from_that_day_on():
    choice = ReadingChoice("saturday_is_business_day", True, date(2026, 7, 1), "the office is open")
    town = open_municipality("montello").with_settings((), [choice])
    assert town.is_business_day(day("2026-10-31"))
    assert not town.is_business_day(day("2026-06-27"))
    assert not town.is_business_day(day("2026-07-04")), "a holiday on a Saturday stays one"
    assert town.deadlines(town.taxes["room_tax"].frequency.period("2026-Q3")).effective == day("2026-10-31")
