"""What else lateness costs in the Village (§ 18-4(A) to (C); READINGS 11, 12, 14, 15, 22)."""

from datetime import date

import pytest

from core.contract.loading import open_municipality
from core.contract.settings import Resolution
from core.domain.errors import ResolutionMissing
from tests.support.stories import Story

FEES = {"late_filing_fee": "25.00"}
# $10,000.00 x 3% = $300.00; 10% is $30.00, 25% is $75.00, 50% is $150.00


def story(**facts) -> Story:
    return Story("fox_cities_village", "2026-Q1", **{"resolutions": FEES, **facts})


@pytest.mark.clause("FOX-16")
def test_the_late_filing_fee_is_the_boards_and_owed_once():
    assert story().owed("2026-04-30") == {"tax": "0.00"}
    assert story().owed("2026-05-01") == {"tax": "0.00", "late_filing_fee": "25.00"}
    assert story().files("2026-09-01", "0.00").owed("2026-12-31") == {"tax": "0.00", "late_filing_fee": "25.00"}
    assert story().cited("2026-05-01", "late_filing_fee") == {"FOX-16"}


@pytest.mark.clause("FOX-16")
def test_without_a_resolution_the_fee_is_refused_and_never_zero():
    with pytest.raises(ResolutionMissing, match="set by resolution of the Village Board") as missing:
        story(resolutions={}).owed("2026-05-01")
    assert missing.value.resolution == "late_filing_fee"


@pytest.mark.clause("FOX-16")
def test_the_fee_is_that_of_the_resolution_in_force_when_it_arose():
    village = open_municipality("fox_cities_village").with_settings(
        [
            Resolution("late_filing_fee", 40_00, date(2026, 5, 1), "2026-9"),
            Resolution("late_filing_fee", 25_00, date(2020, 1, 1), "2020-1"),
        ]
    )
    assert Story(village, "2025-Q4").owed("2026-06-30")["late_filing_fee"] == "25.00"
    assert Story(village, "2026-Q1").owed("2026-06-30")["late_filing_fee"] == "40.00"


@pytest.mark.clause("FOX-13", "FOX-13B")
def test_an_estimate_is_taxed_and_bears_ten_percent():
    told = story().estimates("2026-05-04", "10000.00")
    assert told.owed("2026-05-04") == {
        "tax": "300.00",
        "late_filing_fee": "25.00",
        "estimate_penalty": "30.00",
        "interest": "1.75",
    }
    assert told.cited("2026-05-04", "estimate_penalty") == {"FOX-13B"}


@pytest.mark.clause("FOX-13")
def test_an_estimate_is_refused_before_it_is_late_and_after_a_return():
    (early,) = story().estimates("2026-04-30", "1.00").refusals()
    assert early.startswith("on: ")
    assert "§ 18-4(A)" in early
    (after,) = story().files("2026-05-04", "1.00").estimates("2026-05-05", "1.00").refusals()
    assert after.startswith("type: ")


@pytest.mark.clause("FOX-13B")
@pytest.mark.parametrize(("readings", "penalty"), [({}, None), ({"return_supersedes_estimate": False}, "30.00")])
def test_whether_a_return_supersedes_the_ten_percent_is_a_reading(readings, penalty):
    told = story(readings=readings)
    told.estimates("2026-05-04", "10000.00").files("2026-05-06", "2000.00")
    assert told.owed("2026-05-06")["tax"] == "60.00"
    assert told.owed("2026-05-06").get("estimate_penalty") == penalty


@pytest.mark.clause("FOX-17")
def test_negligence_with_a_late_return_is_25_percent_from_the_finding():
    told = story().files("2026-05-10", "10000.00").finds("2026-06-01", "negligence")
    assert "negligence_penalty" not in told.owed("2026-05-31")
    assert told.owed("2026-06-01")["negligence_penalty"] == "75.00"
    assert told.cited("2026-06-01", "negligence_penalty") == {"FOX-17"}


@pytest.mark.clause("FOX-17")
def test_negligence_without_a_return_is_25_percent_of_the_estimate():
    told = story().estimates("2026-05-04", "10000.00").finds("2026-05-05", "negligence")
    assert told.owed("2026-05-05")["negligence_penalty"] == "75.00"


@pytest.mark.clause("FOX-17")
def test_an_amended_return_with_another_tax_shows_that_the_first_was_incorrect():
    told = story().files("2026-04-20", "5000.00").finds("2026-05-01", "negligence")
    assert "negligence_penalty" not in told.owed("2026-05-31"), "the return was in time, and is correct so far"
    told.files("2026-06-01", "10000.00")
    assert told.owed("2026-06-01")["negligence_penalty"] == "75.00", "of the tax finally determined"


@pytest.mark.clause("FOX-17")
def test_an_amended_return_with_the_same_tax_shows_nothing():
    told = story().files("2026-04-20", "10000.00").files("2026-04-25", "10000.10").finds("2026-05-01", "negligence")
    # $10,000.10 x 3% = $300.003
    assert told.owed("2026-05-31").keys() == {"tax", "interest"}


@pytest.mark.clause("FOX-17")
def test_without_a_finding_a_late_return_is_no_negligence():
    assert "negligence_penalty" not in story().files("2026-05-10", "10000.00").owed("2026-12-31")


@pytest.mark.clause("FOX-18")
def test_intent_is_50_percent_in_place_of_the_25():
    told = story().files("2026-05-10", "10000.00").finds("2026-06-01", "negligence").finds("2026-06-10", "fraud")
    assert told.owed("2026-06-09")["negligence_penalty"] == "75.00"
    owed = told.owed("2026-06-10")
    assert owed["fraud_penalty"] == "150.00"
    assert "negligence_penalty" not in owed
    assert told.cited("2026-06-10", "fraud_penalty") == {"FOX-18"}


@pytest.mark.clause("FOX-18")
def test_intent_reaches_a_failure_to_file_once_it_is_due():
    (fault,) = story().finds("2026-04-30", "fraud").refusals()
    assert "nothing is due before 2026-04-30" in fault
    assert "§ 18-4(C)" in fault
    assert story().finds("2026-05-01", "fraud").refusals() == []
    assert story().files("2026-04-20", "1.00").finds("2026-04-21", "fraud").refusals() == []


@pytest.mark.clause("FOX-04B")
def test_a_returned_payment_costs_a_fee_only_where_a_resolution_sets_one():
    def told(**facts) -> Story:
        return story(**facts).files("2026-04-20", "10000.00").pays("2026-04-20", "300.00").bounces("2026-04-24")

    assert told().owed("2026-04-30") == {"tax": "300.00"}
    charged = told(resolutions={"returned_payment_fee": "30.00"})
    assert charged.owed("2026-04-24") == {"tax": "300.00", "returned_payment_fee": "30.00"}
    assert charged.cited("2026-04-24", "returned_payment_fee") == {"FOX-04B"}


@pytest.mark.clause("FOX-16", "FOX-17")
def test_a_payment_goes_to_fees_and_penalties_then_interest_then_tax():
    told = story().files("2026-05-10", "10000.00").finds("2026-05-11", "negligence").pays("2026-05-12", "110.00")
    # $25.00 fee, $75.00 penalty, one month $1.75, the rest $8.25
    assert told.applied("2026-05-12") == {
        "late_filing_fee": "25.00",
        "negligence_penalty": "75.00",
        "interest": "1.75",
        "tax": "8.25",
    }
