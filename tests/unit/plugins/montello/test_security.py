"""Security, fees and refunds in Montello (security; forfeiture and interest; READINGS 9 and 35)."""

from datetime import date

import pytest

from core.contract.declarations import Filer, Refund
from core.contract.loading import open_municipality
from core.contract.settings import ReadingChoice

DUE = date(2026, 4, 30)


def refund(**facts) -> Refund:
    return Refund(**{"cents": 1000_00, "due_on": DUE, "paid_on": DUE, "refunded_on": date(2026, 6, 15), **facts})


def interest(**facts):
    return open_municipality("montello").refund_interest(refund(**facts))


@pytest.mark.clause("MON-22")
@pytest.mark.parametrize("delinquent", [0, 9000_00])
def test_at_most_5000_dollars_with_or_without_a_delinquency(delinquent):
    demand = open_municipality("montello").security_demand(Filer(delinquent), date(2026, 5, 1))
    assert (demand.ceiling_cents, demand.mandatory, demand.clause.id) == (5000_00, False, "MON-22")


@pytest.mark.clause("MON-18")
@pytest.mark.parametrize(
    ("paid", "refunded", "cents"),
    [
        (date(2026, 4, 20), date(2026, 6, 15), 20_00),  # from the due date: May and June: $1,000 x 12% x 2 / 12
        (date(2026, 5, 10), date(2026, 6, 15), 10_00),  # from the payment: June
        (date(2026, 4, 20), date(2026, 4, 25), 0),  # before the due date
        (date(2026, 4, 20), date(2027, 4, 30), 120_00),  # a year
    ],
)
def test_refunds_bear_twelve_percent_by_whole_months(paid, refunded, cents):
    answer = interest(paid_on=paid, refunded_on=refunded)
    assert (answer.cents, answer.clause.id) == (cents, "MON-18")
    assert "months from" in answer.reason


@pytest.mark.clause("MON-18")
def test_actual_days_are_the_other_reading_for_refunds_too():
    # April 30 to July 1: 62 days. $1,000 x 12% x 62 / 365 = $20.383
    choice = ReadingChoice("interest_in_whole_months", False, date(2020, 1, 1), "counsel")
    answer = open_municipality("montello").with_settings((), [choice]).refund_interest(refund())
    assert answer.cents == 20_38
    assert "62 days" in answer.reason


@pytest.mark.clause("MON-18B")
@pytest.mark.parametrize(
    ("facts", "why"),
    [({"intentional_or_careless": True}, "intentional or careless"), ({"complete_return": False}, "complete return")],
)
def test_no_interest_on_a_careless_overpayment_or_without_a_complete_return(facts, why):
    answer = interest(**facts)
    assert (answer.cents, answer.clause.id) == (0, "MON-18B")
    assert why in answer.reason


@pytest.mark.clause("MON-07B")
def test_the_only_fee_is_the_one_for_a_returned_payment():
    assert [(fee.key, fee.clause.id) for fee in open_municipality("montello").scheduled_fees()] == [
        ("returned_payment_fee", "MON-07B")
    ]
