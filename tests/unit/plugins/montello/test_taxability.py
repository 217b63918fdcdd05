"""What is taxed in Montello: hotels and motels, transients under 30 consecutive days (READINGS 5)."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.declarations import Stay
from core.contract.loading import open_municipality
from tests.support.stories import Story, day


def taxed(gross: str, **facts):
    story = Story("montello", "2026-Q1")
    return story.municipality.taxability(story.receipts(gross, **facts))


@pytest.mark.clause("MON-01")
@pytest.mark.parametrize(
    ("arrival", "nights", "long"),
    [("2026-02-01", 28, False), ("2026-02-01", 29, False), ("2026-02-01", 30, True), ("2026-07-15", 30, True)],
)
def test_30_consecutive_days_whatever_the_month(arrival, nights, long):
    stay = Stay(day(arrival), day(arrival) + timedelta(days=nights))
    assert open_municipality("montello").is_long_stay(stay) is long


@pytest.mark.clause("MON-01")
def test_long_stays_are_left_out_with_their_clause():
    answer = taxed("1000.00", long_stay="300.00")
    assert answer.taxable_cents == 700_00
    assert [(one.clause_id, one.section) for one in answer.excluded] == [("MON-01", "Room tax definitions")]


@pytest.mark.clause("MON-01B")
@pytest.mark.parametrize("by", ["hospital", "sanitarium", "nursing_home"])
def test_a_hospital_is_no_hotel(by):
    answer = taxed("1000.00", by=by)
    assert answer.taxable_cents == 0
    assert [(one.cents, one.clause_id) for one in answer.excluded] == [(1000_00, "MON-01B")]


@pytest.mark.clause("MON-01B")
@pytest.mark.parametrize("by", ["religious", "charitable", "educational"])
@pytest.mark.parametrize(("private", "taxable"), [(False, 0), (True, 1000_00)])
def test_a_charity_is_no_hotel_unless_it_benefits_a_private_person(by, private, taxable):
    assert taxed("1000.00", by=by, private=private).taxable_cents == taxable


@pytest.mark.clause("MON-03B")
def test_sales_to_exempt_entities_are_left_out_by_the_ordinance_itself():
    answer = taxed("1000.00", exempt_entity="250.00")
    assert answer.taxable_cents == 750_00
    assert [(one.clause_id, one.section) for one in answer.excluded] == [("MON-03B", "Imposition")]


@pytest.mark.clause("MON-01D")
@given(st.integers(0, 10**9), st.lists(st.integers(0, 10**8), min_size=3, max_size=3))
def test_the_total_revenue_is_what_is_taxed_and_each_part_that_is_not(taxable, deducted):
    story = Story("montello", "2026-Q1")
    lines = ("marketplace", "long_stay", "exempt_entity")
    receipts = story.receipts("0.00")._replace(
        gross=(("rooms", taxable + sum(deducted)),), deductions=tuple(zip(lines, deducted, strict=True))
    )
    answer = story.municipality.taxability(receipts)
    assert answer.taxable_cents == taxable
    assert answer.taxable_cents + sum(one.cents for one in answer.excluded) == receipts.gross_cents
