"""What is taxed in Bayfield: rooms and camp sites, transients under one month (READINGS 5 to 7)."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.declarations import Stay
from core.contract.loading import open_municipality
from tests.support.stories import Story, day

CENTS = st.integers(0, 10**9)


def taxed(gross: str, **facts):
    story = Story("bayfield", "2026-Q1")
    return story.municipality.taxability(story.receipts(gross, **facts))


@pytest.mark.clause("BAY-19A")
@pytest.mark.parametrize(
    ("arrival", "nights", "long"),
    [("2026-02-01", 27, False), ("2026-02-01", 28, True), ("2026-07-15", 29, False), ("2026-07-15", 30, True)],
)
def test_a_guest_of_a_month_is_no_transient(arrival, nights, long):
    stay = Stay(day(arrival), day(arrival) + timedelta(days=nights))
    assert open_municipality("bayfield").is_long_stay(stay) is long


@pytest.mark.clause("BAY-19A")
def test_camp_sites_are_taxed_on_a_line_of_their_own():
    assert taxed("1000.00", site_receipts="500.00").taxable_cents == 1500_00
    # $1,500.00 x 6.5% = $97.50
    story = Story("bayfield", "2026-Q1").files("2026-04-01", "1000.00", site_receipts="500.00")
    assert story.owed("2026-04-30") == {"tax": "97.50"}


@pytest.mark.clause("BAY-19A")
def test_long_stays_are_left_out_with_their_clause():
    answer = taxed("1000.00", long_stay="300.00")
    assert answer.taxable_cents == 700_00
    assert [(one.line, one.clause_id, one.section) for one in answer.excluded] == [
        ("long_stay", "BAY-19A", "§ 54-19(A)")
    ]


@pytest.mark.clause("BAY-19A2")
@given(CENTS, CENTS, st.lists(st.integers(0, 10**8), min_size=3, max_size=3))
def test_gross_receipts_are_what_is_taxed_and_each_part_that_is_not(rooms, sites, deducted):
    story = Story("bayfield", "2026-Q1")
    lines = ("marketplace", "long_stay", "exempt_entity")
    receipts = story.receipts("0.00")._replace(
        gross=(("rooms", rooms + sum(deducted)), ("site_receipts", sites)),
        deductions=tuple(zip(lines, deducted, strict=True)),
    )
    answer = story.municipality.taxability(receipts)
    assert answer.taxable_cents == rooms + sites
    assert answer.taxable_cents + sum(one.cents for one in answer.excluded) == receipts.gross_cents


@pytest.mark.clause("BAY-19A3")
@pytest.mark.parametrize("by", ["hospital", "sanitarium", "nursing_home"])
def test_rooms_of_a_hospital_are_no_hotel_and_its_sites_are_taxed_all_the_same(by):
    answer = taxed("1000.00", site_receipts="200.00", by=by)
    assert answer.taxable_cents == 200_00
    assert [(one.line, one.cents, one.clause_id) for one in answer.excluded] == [("place", 1000_00, "BAY-19A3")]


@pytest.mark.clause("BAY-19A3")
@pytest.mark.parametrize("by", ["religious", "charitable", "educational"])
def test_rooms_and_sites_of_a_charity_are_not_taxed(by):
    answer = taxed("1000.00", site_receipts="200.00", by=by, private=False)
    assert answer.taxable_cents == 0
    assert [(one.cents, one.clause_id) for one in answer.excluded] == [(1200_00, "BAY-19A3")]


@pytest.mark.clause("BAY-19A3")
@pytest.mark.parametrize("by", ["religious", "charitable", "educational"])
def test_a_charity_that_benefits_a_private_person_is_taxed(by):
    assert taxed("1000.00", by=by, private=True).taxable_cents == 1000_00


@pytest.mark.clause("BAY-19A")
def test_deductions_above_the_receipts_are_refused():
    (fault,) = Story("bayfield", "2026-Q1").files("2026-04-01", "100.00", long_stay="100.01").refusals()
    assert fault.startswith("deductions: $100.01 is deducted from receipts of only $100.00")
