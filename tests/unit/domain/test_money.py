"""Cents, rounding, and the texts that are amounts and those that are not."""

from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.money import (
    NotMoney,
    dollars,
    dollars_for_reading,
    half_up,
    parse_dollars,
    percent_for_reading,
    round_up,
    share_of,
)

CENTS = st.integers(-(10**14), 10**14)
SMALL_DENOMINATORS = st.integers(1, 10**6)


@given(CENTS, SMALL_DENOMINATORS)
def test_half_up_rounds_as_decimal_does(numerator, denominator):
    # Twice the number is exact in thirty digits only for some denominators, so the halves are compared as wholes.
    low, rest = divmod(abs(numerator), denominator)
    away = low + (2 * rest >= denominator)
    assert half_up(numerator, denominator) == (away if numerator >= 0 else -away)


@given(CENTS, st.sampled_from([1, 2, 4, 5, 8, 10, 100, 1000, 10**6]))
def test_half_up_agrees_with_round_half_up_where_the_quotient_is_exact(numerator, denominator):
    exact = Decimal(numerator) / Decimal(denominator)
    assert half_up(numerator, denominator) == int(exact.quantize(Decimal(1), ROUND_HALF_UP))


@pytest.mark.parametrize(
    ("numerator", "denominator", "whole"),
    [(1, 2, 1), (-1, 2, -1), (3, 2, 2), (5, 2, 3), (-5, 2, -3), (49, 100, 0), (-49, 100, 0), (0, 7, 0)],
)
def test_a_half_goes_away_from_zero(numerator, denominator, whole):
    assert half_up(numerator, denominator) == whole


@given(CENTS, st.sampled_from([1, 2, 4, 5, 8, 10, 100, 1000]))
def test_round_up_is_the_ceiling(numerator, denominator):
    exact = Decimal(numerator) / Decimal(denominator)
    assert round_up(numerator, denominator) == int(exact.to_integral_value(ROUND_CEILING))


def test_share_of_takes_half_a_cent_up():
    # $10.01 x 5% = 50.05 cents -> 50; $10.10 x 5% = 50.5 cents -> 51
    assert share_of(1001, Decimal("0.05")) == 50
    assert share_of(1010, Decimal("0.05")) == 51


@given(st.integers(-(10**15) + 1, 10**15 - 1))
def test_cents_survive_being_written_and_read(cents):
    assert parse_dollars(dollars(cents)) == cents


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("650.00", 65000),
        ("650", 65000),
        ("650.0", 65000),
        ("650.5", 65050),
        ("650.000", 65000),
        ("650.120000000000", 65012),
        ("0.01", 1),
        ("-0.01", -1),
        ("-0", 0),
        ("007.50", 750),
        ("9999999999999.99", 999999999999999),
    ],
)
def test_an_amount_is_read(text, cents):
    assert parse_dollars(text) == cents


@pytest.mark.parametrize("value", [1.5, 1, 0, True, False, None, [], {}, b"1.00", Decimal("1.00"), float("nan")])
def test_what_is_no_text_is_refused(value):
    with pytest.raises(NotMoney, match="is not a text: write the amount as a text"):
        parse_dollars(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1e3",
        "1,000.00",
        "+5",
        " 5",
        "5 ",
        "5\n",
        "NaN",
        "Infinity",
        "-Infinity",
        "$5",
        "5.",
        ".5",
        "--5",
        "- 5",
        "1_000",
        "1.0.0",
        "0x10",
        "１２",  # full-width digits, which int() would read
        "٣",
        "10000000000000",
    ],
)
def test_a_text_that_is_no_amount_is_refused(text):
    with pytest.raises(NotMoney, match="is not an amount: write dollars and cents only"):
        parse_dollars(text)


@pytest.mark.parametrize("text", ["0.001", "1.005", "-1.999", "0.0000000001"])
def test_a_part_of_a_cent_is_refused_and_never_rounded(text):
    with pytest.raises(NotMoney, match="part of a cent"):
        parse_dollars(text)


def test_a_refusal_shows_the_value_and_cuts_it_where_it_is_long():
    with pytest.raises(NotMoney, match="'1e3'"):
        parse_dollars("1e3")
    with pytest.raises(NotMoney) as refused:
        parse_dollars("9" * 100_000)
    assert len(str(refused.value)) < 200


@given(st.text())
def test_any_text_is_an_amount_or_refused_by_name(text):
    try:
        cents = parse_dollars(text)
    except NotMoney:
        return
    assert Decimal(text) * 100 == cents


@pytest.mark.parametrize(
    ("cents", "plain", "reading"),
    [(0, "0.00", "$0.00"), (-5, "-0.05", "-$0.05"), (123456789, "1234567.89", "$1,234,567.89"), (100, "1.00", "$1.00")],
)
def test_cents_are_written_for_machines_and_for_people(cents, plain, reading):
    assert dollars(cents) == plain
    assert dollars_for_reading(cents) == reading


@pytest.mark.parametrize(
    ("rate", "text"), [("0.065", "6.5%"), ("0.10", "10%"), ("1", "100%"), ("0", "0%"), ("0.0001", "0.01%")]
)
def test_a_rate_is_written_as_a_percentage(rate, text):
    assert percent_for_reading(Decimal(rate)) == text
