"""What the State leaves out of the tax, and how long a month is (READINGS 5)."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.wisconsin.stays import is_a_month_or_more
from tests.support.stories import Story, day

FEES = {"late_filing_fee": "25.00", "returned_payment_fee": "35.00"}


@pytest.mark.clause("WIS-05")
@pytest.mark.parametrize("key", ["bayfield", "montello", "fox_cities_village"])
def test_marketplace_receipts_are_left_out_as_the_provider_owes_the_tax(key):
    story = Story(key, "2026-Q1", FEES if key != "montello" else {})
    answer = story.municipality.taxability(story.receipts("1000.00", marketplace="400.00"))
    assert answer.taxable_cents == 600_00
    assert [(one.line, one.cents, one.clause_id, one.section) for one in answer.excluded] == [
        ("marketplace", 400_00, "WIS-05", "Marketplace providers")
    ]


@pytest.mark.clause("WIS-03")
@pytest.mark.parametrize("key", ["bayfield", "fox_cities_village"])
def test_sales_to_the_federal_government_and_listed_entities_are_left_out(key):
    story = Story(key, "2026-Q1", FEES)
    answer = story.municipality.taxability(story.receipts("1000.00", exempt_entity="250.00"))
    assert answer.taxable_cents == 750_00
    assert [(one.clause_id, one.section) for one in answer.excluded] == [("WIS-03", "Wis. Stat. § 77.54(9a)")]


@pytest.mark.clause("WIS-05")
@pytest.mark.parametrize(("period", "cautioned"), [("2019-Q4", True), ("2020-Q1", False)])
def test_marketplace_receipts_before_2020_are_cautioned_since_the_seller_was_still_liable(period, cautioned):
    due = {"2019-Q4": "2020-01-20", "2020-Q1": "2020-04-20"}[period]
    story = Story("montello", period).files(due, "1000.00", marketplace="400.00")
    assert [one.section for one in story.cautions(due)] == (["Marketplace providers"] if cautioned else [])
    assert story.owed(due)["tax"] == "27.00", "$600.00 x 4.5%: left out either way"


@pytest.mark.parametrize(
    ("arrival", "nights", "long"),
    [
        ("2026-02-01", 27, False),
        ("2026-02-01", 28, True),  # February 1 to March 1 is a calendar month
        ("2028-02-01", 28, False),  # a leap year: 29
        ("2028-02-01", 29, True),
        ("2026-04-10", 29, False),
        ("2026-04-10", 30, True),  # April has 30 days
        ("2026-07-15", 29, False),
        ("2026-07-15", 30, True),  # 30 days, less than the calendar month of 31
        ("2026-01-31", 27, False),
        ("2026-01-31", 28, True),  # clamped: a month from January 31 ends on February 28
    ],
)
def test_a_calendar_month_or_30_days_whichever_is_less(arrival, nights, long):
    assert is_a_month_or_more(day(arrival), day(arrival) + timedelta(days=nights)) is long


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.integers(1, 400))
def test_27_nights_are_never_a_month_and_30_always(arrival, nights):
    long = is_a_month_or_more(arrival, arrival + timedelta(days=nights))
    assert long or nights < 30
    assert not long or nights > 27
