"""When a return is due in Montello: the last day of the month after the quarter (READINGS 1 to 4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.loading import open_municipality
from core.domain.calendar import Election, end_of_month
from tests.support.stories import Story, day


def deadlines(period: str):
    town = open_municipality("montello")
    return town.deadlines(town.taxes["room_tax"].frequency.period(period))


@pytest.mark.clause("MON-07", "MON-07B")
@pytest.mark.parametrize(
    ("period", "nominal", "effective"),
    [
        ("2026-Q1", "2026-04-30", "2026-04-30"),
        ("2026-Q2", "2026-07-31", "2026-07-31"),
        ("2026-Q3", "2026-10-31", "2026-11-02"),  # a Saturday; the Tuesday after is election day
        ("2026-Q4", "2027-01-31", "2027-02-01"),  # a Sunday
        ("2027-Q1", "2027-04-30", "2027-04-30"),
        ("2027-Q2", "2027-07-31", "2027-08-02"),  # a Saturday
        ("2027-Q3", "2027-10-31", "2027-11-01"),  # a Sunday
        ("2027-Q4", "2028-01-31", "2028-01-31"),
    ],
)
def test_return_and_tax_are_due_with_the_month_after_the_quarter(period, nominal, effective):
    dates = deadlines(period)
    assert (dates.nominal, dates.effective) == (day(nominal), day(effective))
    assert [clause.id for clause in dates.clauses] == ["MON-07", "MON-07B", "MON-10"]


@pytest.mark.clause("MON-07", "MON-07B")
@given(st.integers(1993, 2190), st.integers(1, 4))
def test_the_nominal_date_is_always_the_last_of_a_month(year, number):
    dates = deadlines(f"{year}-Q{number}")
    assert dates.nominal == end_of_month(dates.nominal)
    assert dates.effective >= dates.nominal


@pytest.mark.clause("MON-20B", "MON-07B")
def test_tax_is_delinquent_when_it_is_not_paid_by_the_due_date_as_it_is_met():
    # Due Saturday, October 31, 2026, met until Monday, November 2. On the 3rd: November bears 1% of $450.00
    for paid, interest in (("2026-11-02", None), ("2026-11-03", "4.50")):
        story = Story("montello", "2026-Q3").files("2026-10-20", "10000.00").pays(paid, "450.00")
        assert story.owed("2026-11-30").get("interest") == interest


@pytest.mark.clause("MON-08", "MON-08B")
@pytest.mark.parametrize(
    ("year_end_month", "year", "nominal", "effective"),
    [
        (12, 2025, "2026-03-31", "2026-03-31"),
        (12, 2026, "2027-03-31", "2027-03-31"),
        (6, 2026, "2026-09-28", "2026-09-28"),  # June 30 and 90 days
        (9, 2026, "2026-12-29", "2026-12-29"),
        (2, 2028, "2028-05-29", "2028-05-30"),  # February 29 and 90 days: Memorial Day
    ],
)
def test_the_annual_return_is_due_90_days_after_the_year_that_the_filer_elected(
    year_end_month, year, nominal, effective
):
    annual = open_municipality("montello").annual_return(Election(year_end_month), year)
    assert (annual.nominal, annual.effective) == (day(nominal), day(effective))
    assert annual.clause.id == "MON-08B"


@pytest.mark.clause("MON-10")
@pytest.mark.parametrize(
    ("period", "longest"),
    [("2026-Q1", "2026-05-30"), ("2026-Q4", "2027-02-28"), ("2027-Q4", "2028-02-29"), ("2026-Q2", "2026-08-31")],
)
def test_an_extension_reaches_one_month_at_most(period, longest):
    assert deadlines(period).longest_extension == day(longest)


@pytest.mark.clause("MON-10")
def test_a_day_more_is_refused_and_one_that_extends_nothing_too():
    (too_long,) = Story("montello", "2026-Q4").extends("2027-01-20", "2027-03-01").refusals()
    assert "2027-02-28" in too_long
    assert "Administration" in too_long
    (nothing,) = Story("montello", "2026-Q4").extends("2027-01-20", "2027-01-31").refusals()
    assert "extends nothing" in nothing


@pytest.mark.clause("MON-10", "MON-20")
def test_an_extension_moves_the_late_fee():
    story = Story("montello", "2026-Q1").extends("2026-04-20", "2026-05-29")
    assert story.owed("2026-05-29") == {"tax": "0.00"}
    assert story.owed("2026-06-01") == {"tax": "0.00", "late_filing_fee": "25.00"}
