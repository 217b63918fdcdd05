"""When a return is due in the Village: the last day of the month after the quarter (READINGS 1 to 4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.loading import open_municipality
from core.domain.calendar import Election, end_of_month
from tests.support.stories import Story, day

FEES = {"late_filing_fee": "25.00"}


def deadlines(period: str):
    town = open_municipality("fox_cities_village")
    return town.deadlines(town.taxes["room_tax"].frequency.period(period))


@pytest.mark.clause("FOX-02B", "FOX-04", "FOX-04B")
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
    assert [clause.id for clause in dates.clauses] == ["FOX-04", "FOX-04B", "FOX-06C"]


@pytest.mark.clause("FOX-04", "FOX-04B")
@given(st.integers(1999, 2190), st.integers(1, 4))
def test_the_nominal_date_is_always_the_last_of_a_month(year, number):
    dates = deadlines(f"{year}-Q{number}")
    assert dates.nominal == end_of_month(dates.nominal)
    assert dates.effective >= dates.nominal


@pytest.mark.clause("FOX-04B")
def test_tax_is_delinquent_when_it_is_not_paid_by_the_due_date_as_it_is_met():
    # Due Saturday, October 31, 2026, met until Monday, November 2. On the 3rd: November bears 7% / 12 of $300.00
    for paid, interest in (("2026-11-02", None), ("2026-11-03", "1.75")):
        story = Story("fox_cities_village", "2026-Q3", FEES).files("2026-10-20", "10000.00").pays(paid, "300.00")
        assert story.owed("2026-11-30").get("interest") == interest


@pytest.mark.clause("FOX-05", "FOX-05B")
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
    annual = open_municipality("fox_cities_village").annual_return(Election(year_end_month), year)
    assert (annual.nominal, annual.effective) == (day(nominal), day(effective))
    assert annual.clause.id == "FOX-05B"


@pytest.mark.clause("FOX-06C")
@pytest.mark.parametrize(
    ("period", "longest"),
    [("2026-Q1", "2026-05-30"), ("2026-Q4", "2027-02-28"), ("2027-Q4", "2028-02-29"), ("2026-Q2", "2026-08-31")],
)
def test_an_extension_reaches_one_month_at_most(period, longest):
    assert deadlines(period).longest_extension == day(longest)


@pytest.mark.clause("FOX-06C")
def test_a_day_more_is_refused_and_one_that_extends_nothing_too():
    (too_long,) = Story("fox_cities_village", "2026-Q4").extends("2027-01-20", "2027-03-01").refusals()
    assert "2027-02-28" in too_long
    assert "§ 18-2(D)" in too_long
    (nothing,) = Story("fox_cities_village", "2026-Q4").extends("2027-01-20", "2027-01-31").refusals()
    assert "extends nothing" in nothing


@pytest.mark.clause("FOX-06C", "FOX-16")
def test_an_extension_moves_the_late_fee():
    story = Story("fox_cities_village", "2026-Q1", FEES).extends("2026-04-20", "2026-05-29")
    assert story.owed("2026-05-29") == {"tax": "0.00"}
    assert story.owed("2026-06-01") == {"tax": "0.00", "late_filing_fee": "25.00"}


@pytest.mark.clause("FOX-02B")
def test_the_proceeds_are_remitted_by_the_quarter():
    frequency = open_municipality("fox_cities_village").taxes["room_tax"].frequency
    assert (frequency.months, frequency.period("2026-Q1").last_day) == (3, day("2026-03-31"))
