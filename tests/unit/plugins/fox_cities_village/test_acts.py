"""What a court could impose in the Village, never billed (violations; READINGS 17)."""

import pytest

from core.domain.errors import ValueNotYetInForce
from tests.support.stories import Story

FEES = {"late_filing_fee": "25.00"}


def story(period: str = "2026-Q1") -> Story:
    return Story("fox_cities_village", period, FEES)


@pytest.mark.clause("FOX-23", "FOX-23B")
def test_each_day_without_a_return_is_at_most_500_dollars_without_a_cap():
    # May 1 to May 10: 10 days x $500.00, whatever the tax
    for told in (story(), story().files("2026-05-10", "1.00")):
        (exposure,) = told.exposures("2026-05-10")
        assert (exposure.least_cents, exposure.most_cents, exposure.clause.id) == (0, 5000_00, "FOX-23")
        assert "the text has no cap" in str(exposure.words)


@pytest.mark.clause("FOX-23B")
@pytest.mark.parametrize("as_of", ["2026-04-30", "2026-12-31"])
def test_a_return_in_time_is_no_violation(as_of):
    assert story().files("2026-04-30", "10000.00").exposures(as_of) == []


@pytest.mark.clause("FOX-23B")
def test_the_days_end_with_the_return():
    (exposure,) = story().files("2026-05-01", "1.00").exposures("2026-12-31")
    assert exposure.most_cents == 500_00


@pytest.mark.clause("FOX-23")
def test_before_october_13_2014_the_text_gives_no_forfeiture_and_it_is_not_read_as_zero():
    told = story("2014-Q2").files("2014-09-01", "1.00")
    with pytest.raises(ValueNotYetInForce, match="forfeiture.most_a_day"):
        told.exposures("2014-09-30")
    # Due October 31, 2014, a Friday
    (exposure,) = story("2014-Q3").exposures("2014-11-01")
    assert exposure.most_cents == 500_00
