"""The tax and the interest of Bayfield (§ 54-19(B) and (C)(8)(a); READINGS 2, 4, 7, 8, 10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.stories import Story

FEES = {"late_filing_fee": "25.00", "returned_payment_fee": "35.00"}
A_TAX_OF_1000 = "15384.62"  # x 6.5% = $1,000.0003


def on_time(period: str = "2026-Q1", readings=None, **extra) -> Story:
    filed = {"2026-Q1": "2026-04-20", "2026-Q4": "2027-01-20"}[period]
    return Story("bayfield", period, FEES, readings, **extra).files(filed, A_TAX_OF_1000)


@pytest.mark.clause("BAY-19B1")
@pytest.mark.parametrize(
    ("gross", "tax"),
    [
        ("10000.00", "650.00"),
        ("1.00", "0.07"),  # 6.5 cents: half a cent up
        ("0.99", "0.06"),  # 6.435 cents
        ("0.07", "0.00"),  # 0.455 cents
        ("0.00", "0.00"),  # a zero return is a return
    ],
)
def test_six_and_a_half_percent_half_a_cent_up(gross, tax):
    story = Story("bayfield", "2026-Q1").files("2026-04-20", gross)
    assert story.owed("2026-05-30")["tax"] == tax
    assert story.cited("2026-05-30", "tax") == {"BAY-19B1"}


@pytest.mark.clause("BAY-19B1")
def test_the_computation_is_in_words():
    story = Story("bayfield", "2026-Q1").files("2026-04-20", "1000.00", marketplace="200.00")
    assert story.words("2026-04-30", "tax") == (
        "gross receipts $1,000.00 less $200.00 not taxed = $800.00; x 6.5% = $52.00"
    )


@pytest.mark.clause("BAY-19B1")
def test_an_amended_return_takes_the_place_of_the_first():
    story = Story("bayfield", "2026-Q1").files("2026-04-20", "1000.00").files("2026-04-25", "2000.00")
    assert story.owed("2026-04-24") == {"tax": "65.00"}
    assert story.owed("2026-04-25") == {"tax": "130.00"}


@pytest.mark.clause("BAY-19C8A")
def test_46_days_of_ten_percent_are_12_60():
    # Due April 30, paid June 15: 46 days. $1,000 x 10% x 46 / 365 = $12.602
    story = on_time().pays("2026-06-15", "1012.60")
    assert story.owed("2026-06-15") == {"tax": "1000.00", "interest": "12.60"}
    assert story.owed("2026-12-31") == story.owed("2026-06-15"), "paid tax bears nothing more"
    assert story.statement("2026-12-31").balance == 0
    assert story.cited("2026-06-15", "interest") == {"BAY-19C8A"}


@pytest.mark.clause("BAY-19C8A")
def test_nothing_on_the_due_day_one_day_on_the_next():
    # $1,000 x 10% / 365 = $0.27
    assert on_time().owed("2026-04-30") == {"tax": "1000.00"}
    assert on_time().owed("2026-05-01") == {"tax": "1000.00", "interest": "0.27"}


@pytest.mark.clause("BAY-19C8A")
def test_met_on_the_rolled_day_none_missed_from_the_nominal_day():
    # Due Saturday, January 30, 2027, met until Monday, February 1. On February 2: 3 days x $0.27397 = $0.82
    assert on_time("2026-Q4").pays("2027-02-01", "1000.00").owed("2027-03-31") == {"tax": "1000.00"}
    assert on_time("2026-Q4").pays("2027-02-02", "1000.00").owed("2027-02-02")["interest"] == "0.82"


@pytest.mark.clause("BAY-19C8A")
def test_what_is_paid_by_the_rolled_day_bears_none():
    # Of $1,000 $600 is paid on February 1; $400 bears 3 days: $400 x 10% x 3 / 365 = $0.33
    story = on_time("2026-Q4").pays("2027-02-01", "600.00").pays("2027-02-02", "400.00")
    assert story.owed("2027-02-02")["interest"] == "0.33"


@pytest.mark.clause("BAY-19C8A")
def test_parts_are_added_exactly_and_rounded_once():
    # Paid 100 a day for two days: $1,000 for 1 day, $900 for 1 day, then $800 for 1 day:
    # $2,700 x 10% / 365 = $0.7397; rounded day by day it would be 0.27 + 0.25 + 0.22 = 0.74 as well,
    # so ten days more of $800: $10,700 x 10% / 365 = $2.9315
    story = on_time().pays("2026-05-01", "100.00").pays("2026-05-02", "100.00")
    # $0.27 of each payment goes to the interest before the tax, so the base is a little higher:
    # $1,000.00, $900.27, $800.52 x 11 days (to May 13) = $10,705.99 x 10% / 365 = $2.9331
    assert story.owed("2026-05-13")["interest"] == "2.93"
    assert story.applied("2026-05-13") == {"interest": "0.52", "tax": "199.48"}


@pytest.mark.clause("BAY-19C8A")
def test_a_later_return_moves_the_interest_from_the_due_date_on():
    # Amended upwards on June 15 to $2,000 of tax: it had borne interest from May 1 as now known.
    # $2,000 x 10% x 46 / 365 = $25.205
    story = on_time().files("2026-06-15", "30769.23")
    assert story.owed("2026-06-15") == {"tax": "2000.00", "interest": "25.21"}


@pytest.mark.clause("BAY-19C8A")
def test_an_extension_moves_the_filing_and_not_the_interest():
    # 20 days from April 30: $1,000 x 10% x 20 / 365 = $5.479
    story = Story("bayfield", "2026-Q1", FEES).extends("2026-04-20", "2026-05-20").files("2026-05-20", A_TAX_OF_1000)
    assert story.owed("2026-05-20") == {"tax": "1000.00", "interest": "5.48"}


@pytest.mark.clause("BAY-19C8A")
def test_whether_an_extension_moves_the_interest_is_a_reading():
    moved = {"extension_moves_interest": True}
    story = Story("bayfield", "2026-Q1", FEES, moved).extends("2026-04-20", "2026-05-20")
    story.files("2026-05-20", A_TAX_OF_1000)
    assert story.owed("2026-05-20") == {"tax": "1000.00"}
    assert story.owed("2026-05-21") == {"tax": "1000.00", "interest": "0.27"}


@pytest.mark.clause("BAY-19C8A")
def test_a_payment_recorded_late_counts_for_its_own_day():
    story = on_time().pays("2026-04-29", "1000.00", recorded="2026-05-11")
    assert story.owed("2026-05-10")["interest"] == "2.74", "10 days; the payment is not known yet"
    assert story.owed("2026-05-11") == {"tax": "1000.00"}


@pytest.mark.clause("BAY-19C8A")
def test_a_payment_that_came_back_never_stopped_the_interest():
    story = on_time().pays("2026-04-29", "1000.00").bounces("2026-05-11")
    assert story.owed("2026-05-10") == {"tax": "1000.00"}
    # 11 days: $1,000 x 10% x 11 / 365 = $3.01
    assert story.owed("2026-05-11") == {"tax": "1000.00", "interest": "3.01", "returned_payment_fee": "35.00"}


@pytest.mark.clause("BAY-19C8A")
def test_interest_may_be_waived():
    story = on_time().waives("2026-06-14", "interest", "5.00").pays("2026-06-15", "1007.60")
    assert story.owed("2026-06-15")["interest"] == "7.60"
    assert story.statement("2026-07-31").balance == 0


@pytest.mark.clause("BAY-19C8A")
@given(st.integers(1, 10**9), st.integers(1, 3000))
def test_interest_grows_with_the_days_and_stays_below_a_tenth_a_year(cents, days):
    story = Story("bayfield", "2026-Q1")
    story.files_parts("2026-04-20", story.receipts("0.00")._replace(gross=(("rooms", cents),)))
    look = story.municipality.deadlines(story.period).effective.toordinal() + days
    earlier, later = (
        story.statement(type(story.period.first_day).fromordinal(one).isoformat()).charges for one in (look, look + 1)
    )
    assert earlier.get("interest", 0) <= later.get("interest", 0)
    assert abs(later.get("interest", 0) * 3650 - later["tax"] * (days + 1)) <= 3650 // 2
