"""Tax over one rate or several, rounded once over the whole."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from core.domain.clause import Clause, LawValue
from core.domain.money import half_up
from core.domain.tax import percentage, tax_by_part

RATES = st.integers(0, 10_000).map(lambda n: Decimal(n) / 10_000)


def value(rate: Decimal) -> LawValue:
    since = date(2000, 1, 1)
    return LawValue("r", "r", rate, Clause("T-1", "§ 1"), since, None, "ordinance", "", rate.as_integer_ratio())


def test_one_part_is_rounded_half_a_cent_up():
    # $100.10 x 6.5% = 6.5065 -> $6.51; $1.00 x 4.5% = 4.5 cents -> 5
    assert tax_by_part([(10_010, value(Decimal("0.065")))]) == [651]
    assert tax_by_part([(100, value(Decimal("0.045")))]) == [5]


def test_two_parts_of_half_a_cent_are_one_cent():
    # $0.10 x 5% = half a cent, twice: one cent in all, not two
    half = (10, value(Decimal("0.05")))
    assert tax_by_part([half, half]) == [1, 0]


def test_no_part_is_no_line():
    assert tax_by_part([]) == []


@given(st.lists(st.tuples(st.integers(0, 10**9), RATES), min_size=1, max_size=5))
def test_the_parts_sum_to_the_tax_rounded_once(parts):
    exact = sum((cents * Fraction(rate) for cents, rate in parts), Fraction(0))
    by_part = tax_by_part([(cents, value(rate)) for cents, rate in parts])
    assert sum(by_part) == half_up(exact.numerator, exact.denominator)
    assert all(cents >= 0 for cents in by_part)


@given(st.integers(0, 10**9), RATES)
def test_a_percentage_is_rounded_half_a_cent_up(cents, rate):
    exact = cents * Fraction(rate)
    assert percentage(cents, value(rate)) == half_up(exact.numerator, exact.denominator)
