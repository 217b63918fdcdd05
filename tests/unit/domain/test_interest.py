"""Interest by segment, against loops that take one day, or one month, at a time."""

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.clause import Clause, LawValue
from core.domain.interest import (
    Segment,
    SegmentsInWords,
    by_day,
    by_month,
    cents_by_rate,
    in_spans,
    interest_cents,
    months_in_days,
    months_in_spans,
)
from core.domain.money import half_up

DUE = date(2026, 4, 30)
OFFSETS = st.integers(-60, 500)
APPLIED = st.lists(st.tuples(OFFSETS.map(lambda n: DUE + timedelta(n)), st.integers(-50_000, 200_000)), max_size=6)
TAX = st.integers(1, 300_000)
ROLL = st.integers(0, 4)
ON = OFFSETS.map(lambda n: DUE + timedelta(n))


def rate(percent: str, since: date = date(2000, 1, 1)) -> LawValue:
    value = Decimal(percent) / 100
    clause = Clause("T-1", "§ 1")
    return LawValue(f"rate@{since}", "rate", value, clause, since, None, "ordinance", "", value.as_integer_ratio())


def unpaid_at_start_of(day, tax, applied, effective):
    """What was applied by the effective date counts as if it had been there all along (READINGS 2).

    What was refunded and then turned out not to have been paid takes what is applied below zero; it is no tax.
    """
    return min(tax, max(0, tax - sum(cents for when, cents in applied if when < day or when <= effective)))


def naive_day_cents(tax, applied, effective, on):
    """Cents x days, one day at a time: each day after the due day bears the tax unpaid at its start."""
    if on <= effective:
        return 0
    days = (DUE + timedelta(n) for n in range(1, (on - DUE).days + 1))
    return sum(unpaid_at_start_of(day, tax, applied, effective) for day in days)


def naive_month_cents(tax, applied, effective, on):
    """Cents x months: each first day of a month after the due month, as far as `on`, bears what is unpaid then."""
    if on <= effective:
        return 0
    days = (DUE + timedelta(n) for n in range(1, (on - DUE).days + 1))
    return sum(unpaid_at_start_of(day, tax, applied, effective) for day in days if day.day == 1)


def weight(segments):
    return sum(segment.base_cents * segment.units for segment in segments)


@given(TAX, APPLIED, ROLL, ON)
def test_by_day_is_a_loop_over_days(tax, applied, roll, on):
    effective = DUE + timedelta(roll)
    assert weight(by_day(tax, applied, DUE, effective, on)) == naive_day_cents(tax, applied, effective, on)


@given(TAX, APPLIED, ROLL, ON)
def test_by_month_is_a_loop_over_months(tax, applied, roll, on):
    effective = DUE + timedelta(roll)
    assert weight(by_month(tax, applied, DUE, effective, on)) == naive_month_cents(tax, applied, effective, on)


@pytest.mark.parametrize("count", [by_day, by_month])
@given(tax=TAX, applied=APPLIED, roll=ROLL, on=ON)
def test_segments_follow_one_another_and_count_their_units(count, tax, applied, roll, on):
    segments = count(tax, applied, DUE, DUE + timedelta(roll), on)
    for one in segments:
        assert one.base_cents > 0
        assert DUE < one.first <= one.last <= on
        days = [one.first + timedelta(n) for n in range((one.last - one.first).days + 1)]
        assert one.units == (len(days) if count is by_day else sum(day.day == 1 for day in days))
    for one, other in zip(segments, segments[1:], strict=False):
        assert one.last < other.first


@pytest.mark.parametrize("count", [by_day, by_month])
@given(tax=TAX, applied=APPLIED, on=ON, later=st.integers(0, 200))
def test_interest_never_falls_as_time_passes(count, tax, applied, on, later):
    now = weight(count(tax, applied, DUE, DUE, on))
    assert weight(count(tax, applied, DUE, DUE, on + timedelta(later))) >= now


@pytest.mark.parametrize("count", [by_day, by_month])
@given(tax=TAX, applied=APPLIED, roll=ROLL, days=st.integers(0, 60))
def test_nothing_is_borne_by_the_effective_date(count, tax, applied, roll, days):
    effective = DUE + timedelta(roll)
    assert count(tax, applied, DUE, effective, effective - timedelta(days)) == []


def test_a_day_after_the_effective_date_interest_runs_from_the_nominal_one():
    # Due Saturday Oct 31, met on Monday Nov 2; on Nov 3 three days are borne: Nov 1, 2 and 3.
    due, effective, on = date(2026, 10, 31), date(2026, 11, 2), date(2026, 11, 3)
    assert by_day(100_000, [], due, effective, on) == [Segment(date(2026, 11, 1), on, 100_000, 3)]


def test_the_worked_example_of_actual_days():
    # $1,000 due Apr 30, paid Jun 15: 46 days; 1000 x 10% x 46 / 365 = 12.6027 -> $12.60
    paid = date(2026, 6, 15)
    segments = by_day(100_000, [(paid, 100_000)], DUE, DUE, date(2026, 12, 31))
    assert segments == [Segment(date(2026, 5, 1), paid, 100_000, 46)]
    assert interest_cents(segments, (1, 10), 365) == 1260


def test_the_worked_example_of_whole_months():
    # The same facts: May and June are borne; 1000 x 12% x 2 / 12 = $20.00, and at 7% 11.6666 -> $11.67
    segments = by_month(100_000, [(date(2026, 6, 15), 100_000)], DUE, DUE, date(2026, 12, 31))
    assert segments == [Segment(date(2026, 5, 1), date(2026, 6, 1), 100_000, 2)]
    assert interest_cents(segments, (12, 100), 12) == 2000
    assert interest_cents(segments, (7, 100), 12) == 1167


def test_whole_months_read_as_actual_days_run_to_the_first_of_the_month_after():
    # Apr 30 to Jul 1, the first day excluded, is 62 days: 1000 x 12% x 62 / 365 = 20.3835 -> $20.38; at 7% $11.89
    segments = by_month(100_000, [(date(2026, 6, 15), 100_000)], DUE, DUE, date(2026, 12, 31))
    days = months_in_days(segments, DUE)
    assert days == [Segment(date(2026, 5, 1), date(2026, 7, 1), 100_000, 62)]
    assert interest_cents(days, (12, 100), 365) == 2038
    assert interest_cents(days, (7, 100), 365) == 1189


def test_a_part_payment_starts_a_new_segment_on_the_day_after():
    # $1,000 for 15 days (May 1 to 15), then $400 for 31 (May 16 to Jun 15):
    # 10% x (15,000 + 12,400) / 365 = 7.5068 -> $7.51
    segments = by_day(100_000, [(date(2026, 5, 15), 60_000)], DUE, DUE, date(2026, 6, 15))
    assert segments == [
        Segment(date(2026, 5, 1), date(2026, 5, 15), 100_000, 15),
        Segment(date(2026, 5, 16), date(2026, 6, 15), 40_000, 31),
    ]
    assert interest_cents(segments, (1, 10), 365) == 751


def test_what_was_paid_by_the_effective_date_bears_nothing():
    effective = date(2026, 5, 4)
    segments = by_day(100_000, [(effective, 60_000)], DUE, effective, date(2026, 5, 10))
    assert segments == [Segment(date(2026, 5, 1), date(2026, 5, 10), 40_000, 10)]


def test_money_moved_away_from_tax_bears_again_from_the_day_after():
    applied = [(date(2026, 5, 10), 100_000), (date(2026, 5, 20), -30_000)]
    segments = by_day(100_000, applied, DUE, DUE, date(2026, 5, 25))
    assert segments == [
        Segment(date(2026, 5, 1), date(2026, 5, 10), 100_000, 10),
        Segment(date(2026, 5, 21), date(2026, 5, 25), 30_000, 5),
    ]


def test_a_payment_on_the_first_of_a_month_does_not_lift_that_month():
    segments = by_month(100_000, [(date(2026, 6, 1), 100_000)], DUE, DUE, date(2026, 8, 1))
    assert [segment.units for segment in segments] == [2]


CHANGES = st.lists(st.integers(1, 499), max_size=3, unique=True).map(sorted)
PERCENTS = st.integers(1, 1500).map(lambda n: str(Decimal(n) / 100))


def spans_of(changes, percents, on):
    """The rates from the day after the due day to `on`, each with the days on which it is in force."""
    starts = [
        DUE + timedelta(1),
        *[DUE + timedelta(n) for n in changes if DUE + timedelta(1) < DUE + timedelta(n) <= on],
    ]
    ends = [*(start - timedelta(1) for start in starts[1:]), on]
    return [(rate(percents[n], start), start, end) for n, (start, end) in enumerate(zip(starts, ends, strict=True))]


def naive_by_rate(grouped, units_a_year):
    exact = sum(
        (Fraction(weight(segments) * value.ratio[0], value.ratio[1] * units_a_year) for value, segments in grouped),
        Fraction(0),
    )
    return half_up(exact.numerator, exact.denominator)


@given(TAX, APPLIED, st.integers(1, 500), CHANGES, st.lists(PERCENTS, min_size=4, max_size=4))
def test_a_change_of_rate_cuts_days_and_loses_none(tax, applied, days, changes, percents):
    on = DUE + timedelta(days)
    segments = by_day(tax, applied, DUE, DUE, on)
    grouped = in_spans(segments, spans_of(changes, percents, on))
    assert weight(segments) == sum(weight(inside) for _, inside in grouped)
    for value, inside in grouped:
        assert all(one.first >= value.since for one in inside)


@given(TAX, APPLIED, st.integers(1, 500), CHANGES, st.lists(PERCENTS, min_size=4, max_size=4))
def test_a_change_of_rate_cuts_months_and_loses_none(tax, applied, days, changes, percents):
    on = DUE + timedelta(days)
    segments = by_month(tax, applied, DUE, DUE, on)
    grouped = months_in_spans(segments, spans_of(changes, percents, on))
    assert weight(segments) == sum(weight(inside) for _, inside in grouped)


@pytest.mark.parametrize(("count", "cut", "units"), [(by_day, in_spans, 365), (by_month, months_in_spans, 12)])
@given(
    tax=TAX,
    applied=APPLIED,
    days=st.integers(1, 500),
    changes=CHANGES,
    percents=st.lists(PERCENTS, min_size=4, max_size=4),
)
def test_the_lines_of_several_rates_sum_to_the_total_rounded_once(
    count, cut, units, tax, applied, days, changes, percents
):
    on = DUE + timedelta(days)
    grouped = cut(count(tax, applied, DUE, DUE, on), spans_of(changes, percents, on))
    assert sum(cents for _, _, cents in cents_by_rate(grouped, units)) == naive_by_rate(grouped, units)


def test_two_lines_of_half_a_cent_are_one_cent_together_and_not_two():
    # Each month: $1.00 x 6% / 12 = half a cent. Rounded once over both: 1 cent in all, 1 + 0.
    months = [Segment(date(2026, 5, 1), date(2026, 5, 1), 100, 1), Segment(date(2026, 6, 1), date(2026, 6, 1), 100, 1)]
    grouped = [(rate("6"), months[:1]), (rate("6", date(2026, 6, 1)), months[1:])]
    assert [cents for _, _, cents in cents_by_rate(grouped, 12)] == [1, 0]


def test_a_month_bears_the_rate_in_force_on_its_first_day():
    segments = by_month(100_000, [], DUE, DUE, date(2026, 8, 31))
    old, new = rate("12"), rate("6", date(2026, 6, 15))
    spans = [(old, date(2026, 5, 1), date(2026, 6, 14)), (new, date(2026, 6, 15), date(2026, 8, 31))]
    assert months_in_spans(segments, spans) == [
        (old, [Segment(date(2026, 5, 1), date(2026, 6, 1), 100_000, 2)]),
        (new, [Segment(date(2026, 7, 1), date(2026, 8, 1), 100_000, 2)]),
    ]


@pytest.mark.parametrize("count", [by_day, by_month])
def test_no_tax_bears_nothing(count):
    assert count(0, [], DUE, DUE, date(2027, 1, 1)) == []


@pytest.mark.parametrize("count", [by_day, by_month])
def test_tax_paid_ahead_bears_nothing(count):
    assert count(100_000, [(date(2026, 4, 1), 150_000)], DUE, DUE, date(2027, 1, 1)) == []


def test_no_segment_has_no_group():
    assert in_spans([], [(rate("10"), DUE, DUE)]) == []
    assert months_in_spans([], [(rate("10"), DUE, DUE)]) == []
    assert cents_by_rate([], 365) == []


def test_segments_of_days_in_words():
    segments = [
        Segment(date(2026, 5, 1), date(2026, 6, 15), 130_000, 46),
        Segment(date(2026, 6, 16), date(2026, 6, 16), 5, 1),
    ]
    assert str(SegmentsInWords(segments, "day")) == (
        "$1,300.00 for 46 days (May 1, 2026 to June 15, 2026); $0.05 for 1 day (June 16, 2026 to June 16, 2026)"
    )


def test_segments_of_months_in_words():
    segments = [
        Segment(date(2026, 5, 1), date(2026, 6, 1), 100_000, 2),
        Segment(date(2026, 7, 1), date(2026, 7, 1), 5, 1),
    ]
    assert str(SegmentsInWords(segments, "month")) == (
        "$1,000.00 for 2 months (May 2026 to June 2026); $0.05 for 1 month (July 2026)"
    )
