"""What a court could impose in Bayfield, never billed (§ 54-19(G); READINGS 17)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.stories import Story

FEES = {"late_filing_fee": "25.00", "returned_payment_fee": "35.00"}


def story() -> Story:
    return Story("bayfield", "2026-Q1", FEES)


@pytest.mark.clause("BAY-19G", "BAY-19G2")
def test_each_day_without_a_return_is_100_to_500_dollars():
    # May 1 to May 10: 10 days; while the tax is not known, neither is the cap.
    (exposure,) = story().exposures("2026-05-10")
    assert (exposure.least_cents, exposure.most_cents) == (1000_00, None)
    assert exposure.clause.id == "BAY-19G"
    assert "10 days from May 1, 2026 at $100.00 to $500.00 a day" in str(exposure.words)


@pytest.mark.clause("BAY-19G2")
def test_the_days_end_with_the_return():
    # $200,000.00 x 6.5% = $13,000.00, half of it is above 10 days x $500.00
    (exposure,) = story().files("2026-05-10", "200000.00").exposures("2026-09-30")
    assert (exposure.least_cents, exposure.most_cents) == (1000_00, 5000_00)


@pytest.mark.clause("BAY-19G2")
@pytest.mark.parametrize("as_of", ["2026-04-30", "2026-12-31"])
def test_a_return_in_time_is_no_violation(as_of):
    assert story().files("2026-04-30", "10000.00").exposures(as_of) == []


@pytest.mark.clause("BAY-19G3")
def test_in_total_at_most_half_of_the_tax():
    # $10,000.00 x 6.5% = $650.00, half of it $325.00: below even the least of 10 days
    (exposure,) = story().files("2026-05-10", "10000.00").exposures("2026-05-10")
    assert (exposure.least_cents, exposure.most_cents) == (325_00, 325_00)


@pytest.mark.clause("BAY-19G3")
@given(st.integers(0, 10**10), st.integers(1, 600))
def test_the_bounds_are_in_order_and_below_the_cap(cents, days):
    told = story()
    due = told.municipality.deadlines(told.period).effective
    late = type(due).fromordinal(due.toordinal() + days).isoformat()
    told.files_parts(late, told.receipts("0.00")._replace(gross=(("rooms", cents),)))
    (exposure,) = told.exposures(late)
    tax = told.statement(late).charges["tax"]
    assert 0 <= exposure.least_cents <= exposure.most_cents <= (tax + 1) // 2


@pytest.mark.clause("BAY-19G")
def test_an_exposure_is_never_billed():
    assert set(story().owed("2026-05-10")) == {"tax", "late_filing_fee"}
