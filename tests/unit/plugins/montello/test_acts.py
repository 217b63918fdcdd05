"""What a court could impose in Montello, never billed (violations A; READINGS 17)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.stories import Story


def story() -> Story:
    return Story("montello", "2026-Q1")


@pytest.mark.clause("MON-26", "MON-26B")
def test_each_day_without_a_return_is_at_most_250_dollars():
    # May 1 to May 10: 10 days. $2,000,000.00 x 4.5% x 5% = $4,500.00, above 10 x $250.00
    (exposure,) = story().files("2026-05-10", "2000000.00").exposures("2026-09-30")
    assert (exposure.least_cents, exposure.most_cents, exposure.clause.id) == (0, 2500_00, "MON-26")


@pytest.mark.clause("MON-26B")
@pytest.mark.parametrize("as_of", ["2026-04-30", "2026-12-31"])
def test_a_return_in_time_is_no_violation(as_of):
    assert story().files("2026-04-30", "10000.00").exposures(as_of) == []


@pytest.mark.clause("MON-26C")
def test_in_total_at_most_five_percent_of_the_tax():
    # $10,000.00 x 4.5% x 5% = $22.50
    (exposure,) = story().files("2026-05-10", "10000.00").exposures("2026-05-10")
    assert exposure.most_cents == 22_50


@pytest.mark.clause("MON-26C")
def test_while_the_tax_is_not_known_neither_is_the_cap():
    (exposure,) = story().exposures("2026-05-10")
    assert exposure.most_cents is None
    assert "which is not known yet" in str(exposure.words)
    assert set(story().owed("2026-05-10")) == {"tax", "late_filing_fee"}, "it is never billed"


@pytest.mark.clause("MON-26C")
@given(st.integers(0, 10**10), st.integers(1, 600))
def test_the_cap_holds_for_any_tax_and_any_number_of_days(cents, days):
    told = story()
    due = told.municipality.deadlines(told.period).effective
    late = type(due).fromordinal(due.toordinal() + days).isoformat()
    told.files_parts(late, told.receipts("0.00")._replace(gross=(("rooms", cents),)))
    (exposure,) = told.exposures(late)
    assert 0 <= exposure.most_cents <= min(250_00 * days, (told.statement(late).charges["tax"] + 10) // 20)
