"""When a place is open and which periods it owes, by hand-made examples; the numbers of the days are in the names."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.calendar import Frequency
from core.filing.opening_days import PlaceFact, is_open_in, objections, open_spans, periods_owed

QUARTERS = Frequency("three-monthly", 3, "Q")
MONTHS = Frequency("monthly", 1, "M")
JAN1, DEC31 = date(2026, 1, 1), date(2026, 12, 31)


def opening(day: date, seq: int = 1) -> PlaceFact:
    return PlaceFact(seq, "opening", day)


def closing(day: date, seq: int = 2) -> PlaceFact:
    return PlaceFact(seq, "closing", day)


def season(first: date, last: date, seq: int = 3) -> PlaceFact:
    return PlaceFact(seq, "seasonal_closure", first, last)


def keys(facts, since=JAN1, frequency=QUARTERS, through=DEC31) -> list[str]:
    return [period.key for period in periods_owed(facts, since, frequency, through)]


def test_a_place_open_all_year_owes_every_period():
    assert keys([opening(JAN1)]) == ["2026-Q1", "2026-Q2", "2026-Q3", "2026-Q4"]


def test_a_single_day_open_makes_a_period_owed():
    assert keys([opening(date(2026, 3, 31)), closing(date(2026, 4, 1))]) == ["2026-Q1", "2026-Q2"]


def test_the_closing_day_is_the_last_day_open():
    assert keys([opening(JAN1), closing(date(2026, 3, 31))]) == ["2026-Q1"]


def test_a_period_that_has_not_ended_is_not_owed_yet():
    assert keys([opening(JAN1)], through=date(2026, 6, 29)) == ["2026-Q1"]
    assert keys([opening(JAN1)], through=date(2026, 6, 30)) == ["2026-Q1", "2026-Q2"]


def test_a_season_closed_from_end_to_end_of_a_period_takes_it_out():
    assert keys([opening(JAN1), season(date(2026, 4, 1), date(2026, 6, 30))]) == ["2026-Q1", "2026-Q3", "2026-Q4"]


def test_a_season_that_leaves_a_day_leaves_the_period():
    assert "2026-Q2" in keys([opening(JAN1), season(date(2026, 4, 1), date(2026, 6, 29))])


def test_two_seasons_in_a_row_close_together():
    facts = [opening(JAN1), season(date(2026, 4, 1), date(2026, 5, 9)), season(date(2026, 5, 10), date(2026, 6, 30), 4)]
    assert "2026-Q2" not in keys(facts)


def test_a_place_that_opens_again_owes_again():
    facts = [opening(JAN1), closing(date(2026, 2, 1)), opening(date(2026, 8, 1), 3)]
    assert keys(facts) == ["2026-Q1", "2026-Q3", "2026-Q4"]
    assert [span.last_day for span in open_spans(facts)] == [date(2026, 2, 1), None]


def test_a_tax_is_owed_from_its_own_day_on():
    assert keys([opening(JAN1)], since=date(2026, 4, 2)) == ["2026-Q2", "2026-Q3", "2026-Q4"]


def test_months_are_periods_too():
    assert keys([opening(JAN1), closing(date(2026, 3, 1))], frequency=MONTHS) == ["2026-M01", "2026-M02", "2026-M03"]


def test_a_place_that_never_opened_owes_nothing():
    assert keys([]) == []


@pytest.mark.parametrize(
    ("fact", "field"),
    [
        (opening(date(2026, 5, 1), 9), "first_day"),
        (closing(date(2025, 12, 31), 9), "first_day"),
        (season(date(2025, 12, 1), date(2026, 1, 31), 9), "first_day"),
        (season(date(2026, 5, 2), date(2026, 5, 1), 9), "last_day"),
        (PlaceFact(9, "seasonal_closure", date(2026, 5, 2)), "last_day"),
        (season(date(2026, 7, 15), date(2026, 8, 15), 9), "first_day"),
    ],
)
def test_what_cannot_be_beside_the_rest_is_refused(fact, field):
    standing = [opening(JAN1), season(date(2026, 7, 1), date(2026, 7, 31))]
    assert [fault.field for fault in objections(standing, fact)] == [field]


def test_nothing_closes_twice():
    standing = [opening(JAN1), closing(date(2026, 6, 30))]
    assert objections(standing, closing(date(2026, 5, 1), 9))
    assert objections(standing, season(date(2026, 6, 1), date(2026, 7, 31), 9))
    assert not objections(standing, opening(date(2026, 7, 1), 9))


DAYS = st.dates(date(2026, 1, 1), date(2027, 12, 31))


@given(st.lists(st.tuples(st.sampled_from(["opening", "closing", "seasonal_closure"]), DAYS, DAYS), max_size=8), DAYS)
def test_open_days_agree_with_counting_them_one_by_one(drawn, first):
    """An oracle that knows nothing of spans: walk the days, note what happens on each."""
    facts: list[PlaceFact] = []
    for kind, one, other in drawn:
        days = (min(one, other), max(one, other)) if kind == "seasonal_closure" else (one, None)
        fact = PlaceFact(len(facts) + 1, kind, *days)
        if not objections(facts, fact):
            facts.append(fact)
    last = first + timedelta(days=40)
    expected, is_open, day = False, False, date(2026, 1, 1)
    while day <= last:
        is_open = is_open or any(f.kind == "opening" and f.first_day == day for f in facts)
        shut = any(f.kind == "seasonal_closure" and f.first_day <= day <= f.last_day for f in facts)
        expected = expected or (is_open and not shut and day >= first)
        is_open = is_open and not any(f.kind == "closing" and f.first_day == day for f in facts)
        day += timedelta(days=1)
    assert is_open_in(facts, first, last) is expected
