"""What else lateness costs in Montello (late filing, failure to file, forfeiture, fraud; READINGS 11 to 16, 22)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.stories import Story

# $10,000.00 x 4.5% = $450.00; 10% is $45.00, 50% is $225.00


def story(previous: str | None = None, **facts) -> Story:
    return Story("montello", "2026-Q1", previous_year_tax=previous, **facts)


@pytest.mark.clause("MON-20")
def test_the_late_filing_fee_is_25_dollars_once():
    assert story().owed("2026-04-30") == {"tax": "0.00"}
    assert story().owed("2026-05-01") == {"tax": "0.00", "late_filing_fee": "25.00"}
    assert story().files("2026-09-01", "0.00").owed("2026-12-31") == {"tax": "0.00", "late_filing_fee": "25.00"}
    assert story().cited("2026-05-01", "late_filing_fee") == {"MON-20"}


@pytest.mark.clause("MON-15", "MON-15B")
def test_an_estimate_is_taxed_and_bears_ten_percent():
    told = story().estimates("2026-05-04", "10000.00")
    assert told.owed("2026-05-04") == {
        "tax": "450.00",
        "late_filing_fee": "25.00",
        "estimate_penalty": "45.00",
        "interest": "4.50",
    }
    assert told.cited("2026-05-04", "estimate_penalty") == {"MON-15B"}


@pytest.mark.clause("MON-15")
def test_an_estimate_is_refused_before_it_is_late_and_after_a_return():
    (early,) = story().estimates("2026-04-30", "1.00").refusals()
    assert early.startswith("on: ")
    assert "Failure to file" in early
    (after,) = story().files("2026-05-04", "1.00").estimates("2026-05-05", "1.00").refusals()
    assert after.startswith("type: ")


@pytest.mark.clause("MON-15B")
@pytest.mark.parametrize(("readings", "penalty"), [({}, None), ({"return_supersedes_estimate": False}, "45.00")])
def test_whether_a_return_supersedes_the_ten_percent_is_a_reading(readings, penalty):
    told = story(readings=readings)
    told.estimates("2026-05-04", "10000.00").files("2026-05-06", "2000.00")
    assert told.owed("2026-05-06")["tax"] == "90.00"
    assert told.owed("2026-05-06").get("estimate_penalty") == penalty


@pytest.mark.clause("MON-16")
@pytest.mark.parametrize(
    ("previous", "forfeiture"),
    [
        ("3000.00", "750.00"),
        ("4000.00", "1000.00"),
        ("9000.00", "1000.00"),  # a quarter is $2,250.00: the cap holds
        ("0.02", "0.01"),  # half a cent up
        (None, None),  # a new operator: none
    ],
)
def test_the_lesser_of_a_quarter_of_last_years_tax_and_1000_dollars(previous, forfeiture):
    told = story(previous).files("2026-04-20", "10000.00")
    assert told.owed("2026-06-02").get("nonpayment_forfeiture") == forfeiture


@pytest.mark.clause("MON-16")
@given(st.integers(1, 10**9))
def test_the_forfeiture_is_never_above_its_cap(previous):
    told = Story("montello", "2026-Q1", previous_year_tax=f"{previous // 100}.{previous % 100:02d}")
    charged = told.files("2026-04-20", "10000.00").statement("2026-06-02").charges
    assert charged.get("nonpayment_forfeiture", 0) == min(1000_00, (previous + 2) // 4)


@pytest.mark.clause("MON-16")
def test_30_days_after_the_due_date_rolled():
    # April 30 and 30 days: Saturday, May 30; met until Monday, June 1.
    told = story("3000.00").files("2026-04-20", "10000.00")
    assert "nonpayment_forfeiture" not in told.owed("2026-06-01")
    assert "nonpayment_forfeiture" in told.owed("2026-06-02")
    assert told.cited("2026-06-02", "nonpayment_forfeiture") == {"MON-16"}
    assert told.pays("2026-06-01", "450.00").owed("2026-06-30").keys() == {"tax", "interest"}


@pytest.mark.clause("MON-16")
@pytest.mark.parametrize(("paid", "forfeited"), [("2026-03-02", False), ("2026-03-03", True)])
def test_the_30_days_run_from_the_nominal_due_date(paid, forfeited):
    # Due Saturday, January 31, 2026, met until February 2; January 31 and 30 days is Monday, March 2.
    told = (
        Story("montello", "2025-Q4", previous_year_tax="3000.00").files("2026-01-20", "10000.00").pays(paid, "450.00")
    )
    assert ("nonpayment_forfeiture" in told.owed("2026-04-30")) is forfeited


@pytest.mark.clause("MON-16")
def test_the_30_days_run_from_the_extended_date():
    # Extended to May 29: June 28 is a Sunday, so until June 29.
    told = story("3000.00").extends("2026-04-20", "2026-05-29").files("2026-05-29", "10000.00")
    assert "nonpayment_forfeiture" not in told.owed("2026-06-29")
    assert "nonpayment_forfeiture" in told.owed("2026-06-30")


@pytest.mark.clause("MON-16")
def test_for_this_test_every_payment_counts_as_tax():
    # $450.00 paid on May 20: $25.00 of it went to the fee and $4.50 to interest, and yet the tax counts as paid.
    told = story("3000.00").files("2026-05-10", "10000.00").pays("2026-05-20", "450.00")
    assert told.applied("2026-06-02")["tax"] == "420.50"
    assert "nonpayment_forfeiture" not in told.owed("2026-06-02")
    short = story("3000.00").files("2026-05-10", "10000.00").pays("2026-05-20", "449.99")
    assert short.owed("2026-06-02")["nonpayment_forfeiture"] == "750.00"


@pytest.mark.clause("MON-16")
def test_the_tax_is_what_the_last_return_by_the_30th_day_shows():
    told = story("3000.00").files("2026-04-20", "10000.00").pays("2026-04-20", "450.00")
    told.files("2026-08-01", "20000.00")
    assert "nonpayment_forfeiture" not in told.owed("2026-09-30")


@pytest.mark.clause("MON-16")
def test_where_nothing_was_filed_by_then_the_tax_as_now_known_counts():
    told = story("3000.00").files("2026-08-01", "10000.00")
    assert "nonpayment_forfeiture" not in told.owed("2026-07-31")
    assert told.owed("2026-08-01")["nonpayment_forfeiture"] == "750.00"
    assert "nonpayment_forfeiture" not in story("3000.00").files("2026-08-01", "0.00").owed("2026-08-01")


@pytest.mark.clause("MON-16")
def test_an_unknown_previous_year_is_flagged():
    told = story().files("2026-04-20", "10000.00")
    assert told.cautions("2026-04-30") == []
    (caution,) = told.cautions("2026-05-01")
    assert caution.section == "Forfeiture and interest"
    assert caution.message.startswith("no tax of the previous year is known")


@pytest.mark.clause("MON-16")
def test_whether_the_forfeiture_is_billed_is_a_reading():
    told = story("3000.00", readings={"forfeiture_is_billed": False}).files("2026-04-20", "10000.00")
    assert "nonpayment_forfeiture" not in told.owed("2026-06-02")
    (caution,) = told.cautions("2026-06-02")
    assert caution.message.startswith("not billed under the reading in force: ")
    assert "$750.00" in caution.message


@pytest.mark.clause("MON-21")
def test_50_percent_on_a_finding_that_a_return_was_false_with_intent():
    told = story().files("2026-04-20", "10000.00").pays("2026-04-20", "450.00").finds("2026-05-04", "fraud")
    assert told.owed("2026-05-03") == {"tax": "450.00"}
    assert told.owed("2026-05-04") == {"tax": "450.00", "fraud_penalty": "225.00"}
    assert told.cited("2026-05-04", "fraud_penalty") == {"MON-21"}


@pytest.mark.clause("MON-21")
def test_a_finding_before_any_return_is_refused():
    (fault,) = story().finds("2026-06-01", "fraud").refusals()
    assert fault.startswith("finding: no return is filed")
    assert "Fraud" in fault


@pytest.mark.clause("MON-07B")
def test_a_returned_payment_costs_a_fee_only_where_a_resolution_sets_one():
    def told(**facts) -> Story:
        return story(**facts).files("2026-04-20", "10000.00").pays("2026-04-20", "450.00").bounces("2026-04-24")

    assert told().owed("2026-04-30") == {"tax": "450.00"}
    charged = told(resolutions={"returned_payment_fee": "30.00"})
    assert charged.owed("2026-04-23") == {"tax": "450.00"}
    assert charged.owed("2026-04-24") == {"tax": "450.00", "returned_payment_fee": "30.00"}
    assert charged.cited("2026-04-24", "returned_payment_fee") == {"MON-07B"}


@pytest.mark.clause("MON-16", "MON-20")
def test_a_payment_goes_to_the_fee_the_forfeiture_the_interest_and_the_tax():
    told = story("200.00").files("2026-05-10", "10000.00").pays("2026-06-02", "100.00")
    # $25.00 fee, a quarter of $200.00 = $50.00, two months $9.00, the rest $16.00
    assert told.applied("2026-06-02") == {
        "late_filing_fee": "25.00",
        "nonpayment_forfeiture": "50.00",
        "interest": "9.00",
        "tax": "16.00",
    }
