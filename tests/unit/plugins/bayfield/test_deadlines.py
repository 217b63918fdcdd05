"""When a return is due in Bayfield: 30 days after the end of the quarter (READINGS 1 to 4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.loading import open_municipality
from core.domain.calendar import Election
from tests.support.stories import Story, day

FEES = {"late_filing_fee": "25.00", "returned_payment_fee": "35.00"}


def deadlines(period: str):
    town = open_municipality("bayfield")
    return town.deadlines(town.taxes["room_tax"].frequency.period(period))


@pytest.mark.clause("BAY-19C1A", "BAY-19C1A2")
@pytest.mark.parametrize(
    ("period", "nominal", "effective"),
    [
        ("2026-Q1", "2026-04-30", "2026-04-30"),
        ("2026-Q2", "2026-07-30", "2026-07-30"),
        ("2026-Q3", "2026-10-30", "2026-10-30"),
        ("2026-Q4", "2027-01-30", "2027-02-01"),  # a Saturday
        ("2027-Q1", "2027-04-30", "2027-04-30"),
        ("2027-Q2", "2027-07-30", "2027-07-30"),
        ("2027-Q3", "2027-10-30", "2027-11-01"),  # a Saturday
        ("2027-Q4", "2028-01-30", "2028-01-31"),  # a Sunday
    ],
)
def test_return_and_tax_are_due_30_days_after_the_quarter(period, nominal, effective):
    dates = deadlines(period)
    assert (dates.nominal, dates.effective) == (day(nominal), day(effective))
    assert [clause.id for clause in dates.clauses] == ["BAY-19C1A", "BAY-19C1A2", "BAY-19C1B2"]


@pytest.mark.clause("BAY-19C1A2")
def test_tax_paid_on_the_rolled_day_is_in_time():
    story = Story("bayfield", "2026-Q4", FEES).files("2027-02-01", "10000.00").pays("2027-02-01", "650.00")
    assert story.owed("2027-06-30") == {"tax": "650.00"}


@pytest.mark.clause("BAY-19C1A3")
@pytest.mark.parametrize(
    ("year", "nominal", "effective"), [(2025, "2026-01-30", "2026-01-30"), (2026, "2027-01-30", "2027-02-01")]
)
def test_the_annual_return_is_due_30_days_after_the_calendar_year(year, nominal, effective):
    annual = open_municipality("bayfield").annual_return(Election(), year)
    assert (annual.nominal, annual.effective) == (day(nominal), day(effective))
    assert annual.clause.id == "BAY-19C1A3"


@pytest.mark.clause("BAY-19C1A3")
@given(st.integers(1, 12), st.integers(1993, 2200))
def test_the_annual_return_covers_the_calendar_year_whatever_year_the_filer_keeps(month, year):
    town = open_municipality("bayfield")
    assert town.annual_return(Election(month), year) == town.annual_return(Election(), year)


@pytest.mark.clause("BAY-19C1B2")
@pytest.mark.parametrize(
    ("period", "longest"),
    [("2026-Q1", "2026-05-30"), ("2026-Q4", "2027-02-28"), ("2027-Q4", "2028-02-29")],  # January 30 has no such day
)
def test_an_extension_reaches_one_month_at_most(period, longest):
    assert deadlines(period).longest_extension == day(longest)


@pytest.mark.clause("BAY-19C1B2")
def test_a_day_more_than_a_month_is_refused_with_the_section():
    story = Story("bayfield", "2026-Q1").extends("2026-04-20", "2026-05-31")
    (refusal,) = story.refusals()
    assert refusal.startswith("until: ")
    assert "2026-05-30" in refusal
    assert "§ 54-19(C)(1)(b)" in refusal
    assert Story("bayfield", "2026-Q1").extends("2026-04-20", "2026-05-30").refusals() == []


@pytest.mark.clause("BAY-19C1B2")
def test_of_several_extensions_the_latest_day_holds():
    story = Story("bayfield", "2026-Q1", FEES).extends("2026-04-20", "2026-05-20").extends("2026-04-21", "2026-05-10")
    assert story.files("2026-05-20", "1000.00").pays("2026-04-30", "65.00").owed("2026-06-30") == {"tax": "65.00"}


@pytest.mark.clause("BAY-19C1B2")
def test_an_extended_day_that_is_no_business_day_rolls():
    # May 30, 2026 is a Saturday: the return is in time on Monday, June 1.
    story = Story("bayfield", "2026-Q1", FEES).extends("2026-04-20", "2026-05-30")
    assert "late_filing_fee" not in story.files("2026-06-01", "1000.00").owed("2026-07-01")


@pytest.mark.clause("BAY-19C1B2", "BAY-19C8B1")
def test_an_extension_counts_from_its_recording_and_reverses_a_fee_charged_before():
    story = Story("bayfield", "2026-Q1", FEES).extends("2026-04-20", "2026-05-20", recorded="2026-05-10")
    assert story.owed("2026-05-09") == {"tax": "0.00", "late_filing_fee": "25.00"}
    assert story.owed("2026-05-10") == {"tax": "0.00"}


@pytest.mark.clause("BAY-19C1B2")
@given(st.integers(1993, 2190), st.integers(1, 4))
def test_no_extension_is_longer_than_a_month_of_31_days(year, number):
    dates = deadlines(f"{year}-Q{number}")
    assert 28 <= (dates.longest_extension - dates.nominal).days <= 31
    assert dates.effective >= dates.nominal
