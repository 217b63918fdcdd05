"""Security, fees and refunds in the Village (§ 18-3(C), § 18-4(B) and (D); READINGS 9 and 35)."""

from datetime import date

import pytest

from core.contract.declarations import Filer, Refund
from core.contract.loading import open_municipality
from core.contract.settings import ReadingChoice

DUE = date(2026, 4, 30)


def refund(**facts) -> Refund:
    return Refund(**{"cents": 1000_00, "due_on": DUE, "paid_on": DUE, "refunded_on": date(2026, 6, 15), **facts})


def interest(**facts):
    return open_municipality("fox_cities_village").refund_interest(refund(**facts))


@pytest.mark.clause("FOX-19")
def test_at_most_the_highest_possible_tax_of_one_period():
    village = open_municipality("fox_cities_village")
    demand = village.security_demand(Filer(9000_00, highest_period_cents=2400_00), date(2026, 5, 1))
    assert (demand.ceiling_cents, demand.mandatory, demand.clause.id) == (2400_00, False, "FOX-19")
    assert demand.warnings == ()


@pytest.mark.clause("FOX-19")
def test_a_ceiling_that_is_not_known_is_none_and_says_what_to_do():
    demand = open_municipality("fox_cities_village").security_demand(Filer(9000_00), date(2026, 5, 1))
    assert demand.ceiling_cents is None
    assert demand.warnings == ("determine the highest possible tax of the property for one period first",)


@pytest.mark.clause("FOX-15")
@pytest.mark.parametrize(
    ("paid", "refunded", "cents"),
    [
        (date(2026, 4, 20), date(2026, 6, 15), 11_67),  # from the due date: May and June: $1,000 x 7% x 2 / 12
        (date(2026, 5, 10), date(2026, 6, 15), 5_83),  # from the payment: June
        (date(2026, 4, 20), date(2026, 4, 25), 0),  # before the due date
        (date(2026, 4, 20), date(2027, 4, 30), 70_00),  # a year
    ],
)
def test_refunds_bear_seven_percent_by_whole_months(paid, refunded, cents):
    answer = interest(paid_on=paid, refunded_on=refunded)
    assert (answer.cents, answer.clause.id) == (cents, "FOX-15")
    assert "months from" in answer.reason


@pytest.mark.clause("FOX-15")
def test_actual_days_are_the_other_reading_for_refunds_too():
    # April 30 to July 1: 62 days. $1,000 x 7% x 62 / 365 = $11.890
    choice = ReadingChoice("interest_in_whole_months", False, date(2020, 1, 1), "counsel")
    answer = open_municipality("fox_cities_village").with_settings((), [choice]).refund_interest(refund())
    assert answer.cents == 11_89
    assert "62 days" in answer.reason


@pytest.mark.clause("FOX-15B")
@pytest.mark.parametrize(
    ("facts", "why"),
    [({"intentional_or_careless": True}, "intentional or careless"), ({"complete_return": False}, "complete return")],
)
def test_no_interest_on_a_careless_overpayment_or_without_a_complete_return(facts, why):
    answer = interest(**facts)
    assert (answer.cents, answer.clause.id) == (0, "FOX-15B")
    assert why in answer.reason


@pytest.mark.clause("FOX-09D")
def test_the_fees_that_the_board_sets():
    assert [(fee.key, fee.clause.id) for fee in open_municipality("fox_cities_village").scheduled_fees()] == [
        ("permit_reissue_fee", "FOX-09D"),
        ("returned_payment_fee", "FOX-04B"),
    ]
