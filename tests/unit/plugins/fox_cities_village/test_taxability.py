"""What is taxed in the Village: rooms and lodging, transients under one month (READINGS 5)."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.declarations import Stay
from core.contract.loading import open_municipality
from tests.support.stories import Story, day


def taxed(gross: str, **facts):
    story = Story("fox_cities_village", "2026-Q1")
    return story.municipality.taxability(story.receipts(gross, **facts))


@pytest.mark.clause("FOX-01")
@pytest.mark.parametrize(
    ("arrival", "nights", "long"),
    [("2026-02-01", 27, False), ("2026-02-01", 28, True), ("2026-07-15", 29, False), ("2026-07-15", 30, True)],
)
def test_a_guest_of_a_month_is_no_transient(arrival, nights, long):
    stay = Stay(day(arrival), day(arrival) + timedelta(days=nights))
    assert open_municipality("fox_cities_village").is_long_stay(stay) is long


@pytest.mark.clause("FOX-01")
def test_long_stays_are_left_out_with_their_clause():
    answer = taxed("1000.00", long_stay="300.00")
    assert answer.taxable_cents == 700_00
    assert [(one.clause_id, one.section) for one in answer.excluded] == [("FOX-01", "Definitions")]


@pytest.mark.clause("FOX-01")
@pytest.mark.parametrize("by", ["hospital", "nursing_home", "religious", "charitable", "educational"])
def test_the_text_leaves_no_kind_of_place_out(by):
    assert taxed("1000.00", by=by, private=False).taxable_cents == 1000_00


@pytest.mark.clause("FOX-01")
@given(st.integers(0, 10**9), st.lists(st.integers(0, 10**8), min_size=3, max_size=3))
def test_what_is_taxed_and_each_part_that_is_not_make_the_gross_receipts(taxable, deducted):
    story = Story("fox_cities_village", "2026-Q1")
    lines = ("marketplace", "long_stay", "exempt_entity")
    receipts = story.receipts("0.00")._replace(
        gross=(("rooms", taxable + sum(deducted)),), deductions=tuple(zip(lines, deducted, strict=True))
    )
    answer = story.municipality.taxability(receipts)
    assert answer.taxable_cents == taxable
    assert answer.taxable_cents + sum(one.cents for one in answer.excluded) == receipts.gross_cents
