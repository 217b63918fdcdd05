"""Parts of a base, and the terms of agreements."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.shares import Agreement, overlapping, part_rounded_up, rounded_part

BASES = st.integers(0, 10**12)
RATIOS = st.tuples(st.integers(0, 100), st.just(100))


def agreement(first: date, last: date, number: str = "1") -> Agreement:
    return Agreement(number, "chamber", Decimal("0.7"), first, last)


def test_a_part_is_rounded_half_a_cent_up():
    # $0.10 x 5% = half a cent -> 1 cent; $0.09 x 5% = 0.45 -> 0
    assert rounded_part(10, (5, 100)) == 1
    assert rounded_part(9, (5, 100)) == 0


def test_a_part_rounded_up_takes_any_part_of_a_cent():
    assert part_rounded_up(1, (1, 100)) == 1
    assert part_rounded_up(100, (1, 100)) == 1
    assert part_rounded_up(0, (70, 100)) == 0


@pytest.mark.parametrize("part", [rounded_part, part_rounded_up])
@given(base=BASES, ratio=RATIOS)
def test_a_part_lies_within_the_base_and_within_a_cent_of_exact(part, base, ratio):
    cents = part(base, ratio)
    assert 0 <= cents <= base
    assert abs(cents * 100 - base * ratio[0]) < 100


@pytest.mark.parametrize("part", [rounded_part, part_rounded_up])
@given(base=BASES, more=st.integers(0, 10**6), ratio=RATIOS)
def test_a_larger_base_never_lowers_a_part(part, base, more, ratio):
    assert part(base + more, ratio) >= part(base, ratio)


def test_both_days_of_a_term_are_inside():
    year = agreement(date(2026, 1, 1), date(2026, 12, 31))
    assert date(2026, 1, 1) in year
    assert date(2026, 12, 31) in year
    assert date(2027, 1, 1) not in year
    assert date(2025, 12, 31) not in year


def test_a_year_is_complete_on_the_day_before_the_first_comes_round():
    assert not agreement(date(2026, 3, 1), date(2027, 2, 28)).is_longer_than(12)
    assert agreement(date(2026, 3, 1), date(2027, 3, 1)).is_longer_than(12)


def test_terms_that_share_a_day_overlap():
    one = agreement(date(2026, 1, 1), date(2026, 6, 30), "1")
    other = agreement(date(2026, 6, 30), date(2026, 12, 31), "2")
    assert overlapping([other, one]) == [(one, other)]


def test_terms_that_follow_one_another_do_not():
    assert (
        overlapping([agreement(date(2026, 1, 1), date(2026, 6, 30)), agreement(date(2026, 7, 1), date(2027, 6, 30))])
        == []
    )


def test_a_long_term_overlaps_each_that_lies_in_it():
    long = agreement(date(2026, 1, 1), date(2026, 12, 31), "long")
    inside = [agreement(date(2026, month, 1), date(2026, month, 28), str(month)) for month in (2, 4)]
    assert overlapping([*inside, long]) == [(long, inside[0]), (long, inside[1])]
