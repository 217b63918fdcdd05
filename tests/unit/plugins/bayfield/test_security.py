"""Security, fees and refunds in Bayfield (§ 54-19(C)(4) and (D); READINGS 9 and 35)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.declarations import Filer, Refund
from core.contract.loading import open_municipality

ON = date(2026, 5, 1)


def demand(delinquent: int):
    return open_municipality("bayfield").security_demand(Filer(delinquent), ON)


@pytest.mark.clause("BAY-19D1")
def test_up_to_5000_dollars_at_the_treasurers_discretion():
    asked = demand(0)
    assert (asked.ceiling_cents, asked.mandatory, asked.clause.id) == (5000_00, False, "BAY-19D1")


@pytest.mark.clause("BAY-19D3")
def test_after_a_delinquency_its_amount_for_two_periods():
    asked = demand(4000_00)
    assert (asked.ceiling_cents, asked.mandatory, asked.clause.id) == (4000_00, True, "BAY-19D3")
    assert "the next two periods" in asked.ground
    assert asked.warnings == ()


@pytest.mark.clause("BAY-19D3", "BAY-19D1")
@pytest.mark.parametrize(("delinquent", "warned"), [(5000_00, False), (5000_01, True)])
def test_a_delinquency_above_the_discretionary_ceiling_is_warned_about(delinquent, warned):
    asked = demand(delinquent)
    assert asked.ceiling_cents == delinquent
    assert bool(asked.warnings) is warned
    assert not warned or "$5,000.00" in asked.warnings[0]


@pytest.mark.clause("BAY-19C4D")
def test_the_fee_for_a_permit_after_revocation_is_the_councils():
    fees = {fee.key: fee for fee in open_municipality("bayfield").scheduled_fees()}
    assert fees["permit_reissue_fee"].clause.id == "BAY-19C4D"
    assert fees["permit_reissue_fee"].resolution == "permit_reissue_fee"


@pytest.mark.clause("BAY-19C8A")
@given(st.integers(0, 10**9))
def test_a_refund_bears_no_interest_and_says_why(cents):
    refund = Refund(cents, date(2026, 4, 30), date(2026, 4, 20), date(2026, 9, 1))
    answer = open_municipality("bayfield").refund_interest(refund)
    assert answer.cents == 0
    assert answer.reason == "the ordinance pays no interest on refunds"
