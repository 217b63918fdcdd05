"""What else lateness costs in Bayfield (§ 54-19(C)(7) and (8)(b), § 54-1(A); READINGS 11 to 13, 15, 18, 22)."""

from datetime import date

import pytest

from core.contract.loading import open_municipality
from core.contract.settings import Resolution
from core.domain.errors import ResolutionMissing, ValueNotYetInForce, ValueUnknown
from tests.support.stories import Story

FEES = {"late_filing_fee": "25.00", "returned_payment_fee": "35.00"}
# $10,000.00 x 6.5% = $650.00; 10% is $65.00, 25% is $162.50, 50% is $325.00


def story(period: str = "2026-Q1", readings=None) -> Story:
    return Story("bayfield", period, FEES, readings)


@pytest.mark.clause("BAY-19C8B1")
def test_the_late_filing_fee_is_owed_from_the_day_after_the_due_date():
    assert story().owed("2026-04-30") == {"tax": "0.00"}
    assert story().owed("2026-05-01") == {"tax": "0.00", "late_filing_fee": "25.00"}
    assert story().cited("2026-05-01", "late_filing_fee") == {"BAY-19C8B1"}


@pytest.mark.clause("BAY-19C8B1")
@pytest.mark.parametrize(("filed", "late"), [("2027-02-01", False), ("2027-02-02", True)])
def test_a_return_on_the_rolled_day_bears_no_fee(filed, late):
    assert ("late_filing_fee" in story("2026-Q4").files(filed, "0.00").owed("2027-03-31")) is late


@pytest.mark.clause("BAY-19C8B1")
def test_the_fee_is_owed_once_however_late_the_return():
    assert story().files("2026-11-30", "0.00").owed("2027-04-30")["late_filing_fee"] == "25.00"


@pytest.mark.clause("BAY-19C8B1")
def test_without_a_resolution_the_fee_is_refused_and_never_zero():
    unset = Story("bayfield", "2026-Q1", {"returned_payment_fee": "35.00"})
    assert unset.owed("2026-04-30") == {"tax": "0.00"}
    with pytest.raises(
        ResolutionMissing, match=r"The late filing fee is set by resolution of the Common Council"
    ) as it:
        unset.owed("2026-05-01")
    assert it.value.resolution == "late_filing_fee"


@pytest.mark.clause("BAY-19C8B1")
def test_the_fee_is_that_of_the_resolution_in_force_when_it_arose():
    town = open_municipality("bayfield").with_settings(
        [
            Resolution("late_filing_fee", 25_00, date(2020, 1, 1), "2020-1"),
            Resolution("late_filing_fee", 40_00, date(2026, 5, 1), "2026-9"),
        ]
    )
    assert Story(town, "2025-Q4").owed("2026-06-30")["late_filing_fee"] == "25.00"
    assert Story(town, "2026-Q1").owed("2026-06-30")["late_filing_fee"] == "40.00"


@pytest.mark.clause("BAY-01A")
def test_each_payment_that_came_back_costs_the_fee_on_the_day_it_did():
    told = story().files("2026-04-20", "10000.00").pays("2026-04-21", "300.00").pays("2026-04-22", "350.00")
    told.bounces("2026-04-27", 0).bounces("2026-04-28", 1)
    assert told.owed("2026-04-26") == {"tax": "650.00"}
    assert told.owed("2026-04-27") == {"tax": "650.00", "returned_payment_fee": "35.00"}
    assert told.owed("2026-04-28") == {"tax": "650.00", "returned_payment_fee": "70.00"}
    assert told.cited("2026-04-28", "returned_payment_fee") == {"BAY-01A"}
    assert told.applied("2026-04-28") == {}


@pytest.mark.clause("BAY-01A")
def test_an_error_of_entry_costs_no_fee():
    told = story().files("2026-04-20", "10000.00").pays("2026-04-21", "6500.00").voids("2026-04-22")
    assert told.owed("2026-04-30") == {"tax": "650.00"}
    assert told.applied("2026-04-30") == {}


@pytest.mark.clause("BAY-01A")
def test_without_a_resolution_a_returned_payment_is_refused():
    unset = Story("bayfield", "2026-Q1", {"late_filing_fee": "25.00"}).files("2026-04-20", "1.00")
    unset.pays("2026-04-21", "1.00").bounces("2026-04-27")
    with pytest.raises(ResolutionMissing) as missing:
        unset.owed("2026-04-30")
    assert missing.value.resolution == "returned_payment_fee"


@pytest.mark.clause("BAY-19C7", "BAY-19C7B")
def test_an_estimate_is_taxed_and_bears_ten_percent():
    told = story().estimates("2026-05-04", "10000.00")
    assert told.owed("2026-05-03") == {"tax": "0.00", "late_filing_fee": "25.00"}
    # 4 days: $650 x 10% x 4 / 365 = $0.71
    assert told.owed("2026-05-04") == {
        "tax": "650.00",
        "late_filing_fee": "25.00",
        "estimate_penalty": "65.00",
        "interest": "0.71",
    }
    assert told.cited("2026-05-04", "estimate_penalty") == {"BAY-19C7B"}
    assert told.words("2026-05-04", "tax").startswith("estimated receipts $10,000.00")


@pytest.mark.clause("BAY-19C7")
def test_a_later_estimate_takes_the_place_of_an_earlier_one():
    told = story().estimates("2026-05-04", "10000.00").estimates("2026-05-05", "20000.00")
    assert told.owed("2026-05-05")["tax"] == "1300.00"
    assert told.owed("2026-05-05")["estimate_penalty"] == "130.00"


@pytest.mark.clause("BAY-19C7")
@pytest.mark.parametrize(("on", "refused"), [("2026-04-30", True), ("2026-05-01", False)])
def test_an_estimate_is_refused_while_the_return_may_be_filed(on, refused):
    faults = story().estimates(on, "1.00").refusals()
    assert bool(faults) is refused
    assert not faults or faults[0].startswith("on: ")


@pytest.mark.clause("BAY-19C7")
def test_an_estimate_is_refused_after_a_return():
    (fault,) = story().files("2026-05-04", "1.00").estimates("2026-05-05", "9.00").refusals()
    assert fault.startswith("type: a return was filed on 2026-05-04")
    assert "§ 54-19(C)(7)" in fault


@pytest.mark.clause("BAY-19C7B")
def test_a_return_supersedes_the_estimate_and_its_ten_percent():
    told = story().estimates("2026-05-04", "10000.00").files("2026-05-06", "2000.00")
    assert told.owed("2026-05-06")["tax"] == "130.00"
    assert "estimate_penalty" not in told.owed("2026-05-06")


@pytest.mark.clause("BAY-19C7B")
def test_whether_it_does_is_a_reading():
    told = story(readings={"return_supersedes_estimate": False})
    told.estimates("2026-05-04", "10000.00").files("2026-05-06", "2000.00")
    assert told.owed("2026-05-06")["tax"] == "130.00"
    assert told.owed("2026-05-06")["estimate_penalty"] == "65.00"


@pytest.mark.clause("BAY-19C8B2")
@pytest.mark.parametrize(
    ("notified", "filed", "penalty"),
    [
        ("2026-05-04", "2026-05-14", None),  # the 10th day
        ("2026-05-04", "2026-05-15", "162.50"),
        ("2026-05-06", "2026-05-18", None),  # the 10th day is Saturday, May 16
        ("2026-05-06", "2026-05-19", "162.50"),
        ("2026-04-01", "2026-04-30", None),  # never before the filing date
    ],
)
def test_25_percent_when_no_return_is_filed_by_the_10th_day_after_the_notice(notified, filed, penalty):
    told = story().notifies(notified).files(filed, "10000.00")
    assert told.owed("2026-07-31").get("negligence_penalty") == penalty


@pytest.mark.clause("BAY-19C8B2")
def test_the_tenth_day_after_a_notice_before_the_primary_rolls_over_it():
    # Mailed Saturday, August 1, 2026; the 10th day is the primary, Tuesday, August 11.
    for filed, penalty in (("2026-08-12", None), ("2026-08-13", "162.50")):
        told = story("2026-Q2").notifies("2026-08-01").files(filed, "10000.00")
        assert told.owed("2026-09-30").get("negligence_penalty") == penalty


@pytest.mark.clause("BAY-19C8B2")
def test_the_first_notice_governs():
    told = story().notifies("2026-05-04").notifies("2026-06-01").files("2026-05-20", "10000.00")
    assert told.owed("2026-07-31")["negligence_penalty"] == "162.50"


@pytest.mark.clause("BAY-19C8B2")
def test_an_extension_moves_the_ten_days():
    told = story().extends("2026-04-20", "2026-05-29").notifies("2026-05-04").files("2026-05-29", "10000.00")
    assert "negligence_penalty" not in told.owed("2026-07-31")


@pytest.mark.clause("BAY-19C8B2")
def test_25_percent_is_of_the_tax_finally_determined():
    told = story().notifies("2026-05-04").files("2026-05-20", "10000.00").files("2026-06-10", "20000.00")
    assert told.owed("2026-06-09")["negligence_penalty"] == "162.50"
    assert told.owed("2026-06-10")["negligence_penalty"] == "325.00"
    assert told.cited("2026-06-10", "negligence_penalty") == {"BAY-19C8B2"}


@pytest.mark.clause("BAY-19C8B2")
def test_without_a_notice_there_is_no_25_percent_unless_the_reading_says_so():
    filed_nothing = "negligence_penalty"
    assert filed_nothing not in story().estimates("2026-05-04", "10000.00").owed("2026-05-31")
    stern = story(readings={"penalty_needs_notice": False}).estimates("2026-05-04", "10000.00")
    assert stern.owed("2026-05-31")[filed_nothing] == "162.50"
    assert filed_nothing not in stern.files("2026-06-01", "10000.00").owed("2026-06-30")


@pytest.mark.clause("BAY-19C8B2")
def test_before_october_18_2006_the_25_percent_is_unknown_and_never_zero():
    # Due Sunday, July 30, 2006, met until Monday the 31st.
    stern = story("2006-Q2", {"penalty_needs_notice": False}).estimates("2006-08-01", "10000.00")
    with pytest.raises(ValueUnknown, match="the text before the amendment of October 18, 2006"):
        stern.owed("2006-08-31")
    with pytest.raises(ValueNotYetInForce, match="not_filed.notice_days"):
        story("2006-Q2").notifies("2006-08-01").owed("2006-08-31")


@pytest.mark.clause("BAY-19C8B3")
def test_50_percent_on_a_finding_of_intent_in_place_of_the_25():
    told = story().notifies("2026-05-04").files("2026-05-20", "10000.00").finds("2026-06-01", "fraud")
    assert told.owed("2026-05-31")["negligence_penalty"] == "162.50"
    owed = told.owed("2026-06-01")
    assert owed["fraud_penalty"] == "325.00"
    assert "negligence_penalty" not in owed
    assert told.cited("2026-06-01", "fraud_penalty") == {"BAY-19C8B3"}


@pytest.mark.clause("BAY-19C8B3")
def test_intent_reaches_a_failure_to_file_once_it_is_due():
    (fault,) = story().finds("2026-04-30", "fraud").refusals()
    assert fault.startswith("finding: nothing is filed and nothing is due before 2026-04-30")
    told = story().finds("2026-05-01", "fraud")
    assert not told.refusals()
    assert told.estimates("2026-05-04", "10000.00").owed("2026-05-04")["fraud_penalty"] == "325.00"


@pytest.mark.clause("BAY-19C8B3")
@pytest.mark.parametrize(("found", "known"), [("2006-10-17", False), ("2006-10-18", True), ("2006-10-19", True)])
def test_before_october_18_2006_the_50_percent_is_unknown_and_never_zero(found, known):
    told = story("2006-Q2").files("2006-07-20", "10000.00").finds(found, "fraud")
    if known:
        assert told.owed("2006-10-31")["fraud_penalty"] == "325.00"
    else:
        with pytest.raises(ValueUnknown, match="intent.penalty_rate"):
            told.owed("2006-10-31")


@pytest.mark.clause("BAY-19C8B1", "BAY-19C8B3")
def test_a_penalty_may_be_waived_but_never_the_tax():
    told = story().files("2026-05-04", "0.00").waives("2026-05-05", "late_filing_fee", "25.00")
    assert told.owed("2026-05-31") == {"tax": "0.00"}
    (fault,) = story().files("2026-04-20", "1.00").waives("2026-04-21", "tax", "0.01").refusals()
    assert fault.startswith("kind: 'tax' cannot be waived here")


@pytest.mark.clause("BAY-19C8B1", "BAY-19C8A")
def test_a_payment_goes_to_fees_then_interest_then_tax():
    told = story().files("2026-05-10", "10000.00").pays("2026-05-10", "100.00")
    # 10 days: $650 x 10% x 10 / 365 = $1.78
    assert told.applied("2026-05-10") == {"late_filing_fee": "25.00", "interest": "1.78", "tax": "73.22"}
