"""The tax and the interest of Montello (imposition; forfeiture and interest; READINGS 7, 9, 10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.stories import Story

A_TAX_OF_1000 = "22222.22"  # x 4.5% = $999.9999


def on_time(**facts) -> Story:
    return Story("montello", "2026-Q1", **facts).files("2026-04-20", A_TAX_OF_1000)


@pytest.mark.clause("MON-03", "MON-01D")
@pytest.mark.parametrize(
    ("gross", "tax"), [("10000.00", "450.00"), ("1.00", "0.05"), ("0.99", "0.04"), ("0.33", "0.01"), ("0.00", "0.00")]
)
def test_four_and_a_half_percent_half_a_cent_up(gross, tax):
    story = Story("montello", "2026-Q1").files("2026-04-20", gross)
    assert story.owed("2026-04-30") == {"tax": tax}
    assert story.cited("2026-04-30", "tax") == {"MON-03"}


@pytest.mark.clause("MON-17")
def test_two_months_of_twelve_percent_are_20_dollars():
    # Due April 30, paid June 15: until July 1, so May and June: $1,000 x 12% x 2 / 12 = $20.00
    story = on_time().pays("2026-06-15", "1020.00")
    assert story.owed("2026-06-15") == {"tax": "1000.00", "interest": "20.00"}
    assert story.statement("2026-12-31").balance == 0
    assert story.cited("2026-06-15", "interest") == {"MON-17"}


@pytest.mark.clause("MON-17")
def test_actual_days_are_the_other_reading():
    # April 30 to July 1: 62 days. $1,000 x 12% x 62 / 365 = $20.383
    story = on_time(readings={"interest_in_whole_months": False}).pays("2026-06-15", "1020.38")
    assert story.owed("2026-06-15") == {"tax": "1000.00", "interest": "20.38"}
    assert "62 days" in story.words("2026-06-15", "interest")


@pytest.mark.clause("MON-17")
@pytest.mark.parametrize(
    ("as_of", "interest"),
    [("2026-04-30", None), ("2026-05-01", "10.00"), ("2026-05-31", "10.00"), ("2026-06-01", "20.00")],
)
def test_a_month_begun_bears_the_whole_month(as_of, interest):
    assert on_time().owed(as_of).get("interest") == interest


@pytest.mark.clause("MON-17")
def test_a_part_paid_in_may_is_unpaid_at_the_start_of_may():
    # May bears $1,000 (1% = $10.00), and $10.00 of the $410.00 goes to it; June bears $600 ($6.00)
    story = on_time().pays("2026-05-20", "410.00")
    assert story.owed("2026-06-10")["interest"] == "16.00"


@pytest.mark.clause("MON-17")
def test_a_tax_amended_upwards_bears_from_the_due_date():
    # $2,000 as now known: May and June: $40.00
    assert on_time().files("2026-06-15", "44444.44").owed("2026-06-15")["interest"] == "40.00"


@pytest.mark.clause("MON-19")
def test_an_extension_does_not_move_the_interest():
    story = Story("montello", "2026-Q1").extends("2026-04-20", "2026-05-29").files("2026-05-29", A_TAX_OF_1000)
    assert story.owed("2026-05-29") == {"tax": "1000.00", "interest": "10.00"}


@pytest.mark.clause("MON-17")
@given(st.integers(1, 10**9), st.integers(0, 40))
def test_each_month_bears_one_percent_of_the_tax(cents, months):
    story = Story("montello", "2026-Q1")
    story.files_parts("2026-04-20", story.receipts("0.00")._replace(gross=(("rooms", cents),)))
    year, month = divmod(4 + months, 12)
    charges = story.statement(f"{2026 + year}-{month + 1:02d}-15").charges
    assert charges.get("interest", 0) == (2 * charges["tax"] * (months + 1) + 100) // 200
