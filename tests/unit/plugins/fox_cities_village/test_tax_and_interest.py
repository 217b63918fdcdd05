"""The tax and the interest of the Village (§ 18-2(A), § 18-4(B); READINGS 7, 9, 10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.stories import Story

FEES = {"late_filing_fee": "25.00"}
A_TAX_OF_1000 = "33333.33"  # x 3% = $999.9999


def on_time(**facts) -> Story:
    return Story("fox_cities_village", "2026-Q1", FEES, **facts).files("2026-04-20", A_TAX_OF_1000)


@pytest.mark.clause("FOX-02")
@pytest.mark.parametrize(
    ("gross", "tax"), [("10000.00", "300.00"), ("0.50", "0.02"), ("0.49", "0.01"), ("0.16", "0.00"), ("0.00", "0.00")]
)
def test_three_percent_half_a_cent_up(gross, tax):
    story = Story("fox_cities_village", "2026-Q1").files("2026-04-20", gross)
    assert story.owed("2026-04-30") == {"tax": tax}
    assert story.cited("2026-04-30", "tax") == {"FOX-02"}


@pytest.mark.clause("FOX-14")
def test_two_months_of_seven_percent_are_11_67():
    # Due April 30, paid June 15: until July 1, so May and June: $1,000 x 7% x 2 / 12 = $11.667
    story = on_time().pays("2026-06-15", "1011.67")
    assert story.owed("2026-06-15") == {"tax": "1000.00", "interest": "11.67"}
    assert story.statement("2026-12-31").balance == 0
    assert story.cited("2026-06-15", "interest") == {"FOX-14"}


@pytest.mark.clause("FOX-14")
def test_actual_days_are_the_other_reading():
    # April 30 to July 1: 62 days. $1,000 x 7% x 62 / 365 = $11.890
    story = on_time(readings={"interest_in_whole_months": False}).pays("2026-06-15", "1011.89")
    assert story.owed("2026-06-15") == {"tax": "1000.00", "interest": "11.89"}
    assert "62 days" in story.words("2026-06-15", "interest")


@pytest.mark.clause("FOX-14")
@pytest.mark.parametrize(
    ("as_of", "interest"),
    [("2026-04-30", None), ("2026-05-01", "5.83"), ("2026-05-31", "5.83"), ("2026-06-01", "11.67")],
)
def test_a_month_begun_bears_the_whole_month(as_of, interest):
    assert on_time().owed(as_of).get("interest") == interest


@pytest.mark.clause("FOX-14")
def test_a_part_paid_in_may_is_unpaid_at_the_start_of_may():
    # May bears $1,000: $5.83, which is paid first of the $405.83; June bears $600: $9.333 in all
    story = on_time().pays("2026-05-20", "405.83")
    assert story.owed("2026-06-10")["interest"] == "9.33"


@pytest.mark.clause("FOX-14B")
def test_an_extension_does_not_move_the_interest():
    story = Story("fox_cities_village", "2026-Q1", FEES).extends("2026-04-20", "2026-05-29")
    story.files("2026-05-29", A_TAX_OF_1000)
    assert story.owed("2026-05-29") == {"tax": "1000.00", "interest": "5.83"}


@pytest.mark.clause("FOX-14")
@given(st.integers(1, 10**9), st.integers(0, 40))
def test_each_month_bears_a_twelfth_of_seven_percent(cents, months):
    story = Story("fox_cities_village", "2026-Q1", FEES)
    story.files_parts("2026-04-20", story.receipts("0.00")._replace(gross=(("rooms", cents),)))
    year, month = divmod(4 + months, 12)
    charges = story.statement(f"{2026 + year}-{month + 1:02d}-15").charges
    assert charges.get("interest", 0) == (2 * charges["tax"] * 7 * (months + 1) + 1200) // 2400
