"""Drafts of single rows: where nights, money and deductions go."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.calendar import Frequency
from core.services.reservations.draft import Drafter, SpanFinder, share_out
from core.services.reservations.read import Cancelled, Reservation
from tests.support.small_town import SmallLaw, SmallTown, lodging_tax

JUNE_30, JULY_1 = date(2016, 6, 30), date(2016, 7, 1)
MID_JULY = date(2016, 7, 15)


def stay(arrival, departure, cents, *, line=2, place="Inn", deduction=None, receipts=None):
    return Reservation(line, place, arrival, departure, cents, deduction, receipts, "as the map says")


def drafted(*rows, town=None):
    town = town or SmallTown()
    drafter = Drafter(town, town.tax)
    drafter.add_all(rows)
    assert drafter.faults == []
    return drafter.drafted()


def drafts(*rows, town=None):
    return {(draft.place, draft.period.key): draft for draft in drafted(*rows, town=town).drafts}


def test_a_stay_over_a_border_is_split_by_night():
    made = drafts(stay(date(2016, 6, 29), date(2016, 7, 2), 30_000))
    assert made["Inn", "2016-M06"].nights == 2
    assert made["Inn", "2016-M06"].gross_cents == 20_000
    assert made["Inn", "2016-M07"].gross_cents == 10_000


def test_a_departure_on_the_first_day_of_a_period_leaves_no_night_in_it():
    assert list(drafts(stay(JUNE_30, JULY_1, 10_000))) == [("Inn", "2016-M06")]


def test_an_arrival_on_the_first_day_of_a_period_leaves_no_night_before_it():
    assert list(drafts(stay(JULY_1, date(2016, 7, 2), 10_000))) == [("Inn", "2016-M07")]


def test_a_stay_may_reach_over_several_periods():
    town = SmallTown()
    made = drafts(stay(JUNE_30, date(2016, 9, 2), 64_00), town=town)
    assert [draft.nights for draft in made.values()] == [1, 31, 31, 1]
    assert [draft.deducted_cents("long_stay") for draft in made.values()] == [100, 3100, 3100, 100]


def test_odd_cents_of_a_total_go_to_later_nights_and_sum():
    made = drafts(stay(JUNE_30, date(2016, 7, 2), 101))
    assert [draft.gross_cents for draft in made.values()] == [50, 51]


def test_a_long_stay_is_never_on_another_line():
    draft = drafts(stay(JULY_1, date(2016, 7, 8), 700, deduction="marketplace"))["Inn", "2016-M07"]
    assert (draft.deducted_cents("long_stay"), draft.deducted_cents("marketplace")) == (700, 0)


def test_a_rule_of_the_map_takes_a_short_stay():
    draft = drafts(stay(JULY_1, date(2016, 7, 7), 600, deduction="exempt_entity"))["Inn", "2016-M07"]
    assert (draft.gross_cents, draft.deducted_cents("exempt_entity")) == (600, 600)


def test_receipts_of_sites_stand_on_their_own_line():
    draft = drafts(stay(JULY_1, date(2016, 7, 2), 600, receipts="sites"))["Inn", "2016-M07"]
    assert draft.parts[0].gross == {"rooms": 0, "sites": 600}


def test_a_period_with_a_rate_change_has_a_part_for_each_rate():
    town = SmallTown(law=SmallLaw((date(2000, 1, 1), MID_JULY)))
    (draft,) = drafts(stay(date(2016, 7, 13), date(2016, 7, 18), 500), town=town).values()
    assert [(part.first_night, part.last_night) for part in draft.parts] == [
        (JULY_1, date(2016, 7, 14)),
        (MID_JULY, date(2016, 7, 31)),
    ]
    assert [(part.nights, part.gross["rooms"]) for part in draft.parts] == [(2, 200), (3, 300)]


def test_a_row_split_by_rate_is_listed_once_for_its_period():
    town = SmallTown(law=SmallLaw((date(2000, 1, 1), MID_JULY)))
    (placed,) = drafted(stay(date(2016, 7, 13), date(2016, 7, 18), 500), town=town).placements
    assert placed.shares == (("2016-M07", 5, 500),)


def test_a_period_without_a_night_between_two_others_is_a_zero_return():
    made = drafts(stay(date(2016, 5, 1), date(2016, 5, 2), 100), stay(JULY_1, date(2016, 7, 2), 100))
    assert list(made) == [("Inn", "2016-M05"), ("Inn", "2016-M06"), ("Inn", "2016-M07")]
    assert made["Inn", "2016-M06"].gross_cents == 0
    assert "zero return" in made["Inn", "2016-M06"].warnings[0]


def test_each_place_has_returns_of_its_own():
    assert list(drafts(stay(JULY_1, date(2016, 7, 2), 1, place="B"), stay(JULY_1, date(2016, 7, 2), 1, place="A"))) == [
        ("A", "2016-M07"),
        ("B", "2016-M07"),
    ]


def test_a_cancelled_row_makes_no_draft_and_is_listed():
    made = drafted(Cancelled(2, "Inn", "cancelled: state is 'x'"))
    assert made.drafts == ()
    assert made.placements[0].counted_as == "left out"


def test_money_without_a_night_is_left_out_and_said():
    result = drafted(stay(JULY_1, JULY_1, 5_000, line=7))
    assert result.drafts[0].gross_cents == 0
    assert any("line 7" in warning and "50.00" in warning for warning in result.drafts[0].warnings)
    assert result.placements[0].counted_as == "left out"


def test_nights_without_receipts_are_said():
    (draft,) = drafted(stay(JULY_1, date(2016, 7, 2), 0, line=9)).drafts
    assert any("without receipts" in warning and "line 9" in warning for warning in draft.warnings)


def test_a_stay_before_the_rate_is_a_fault_and_not_untaxed():
    town = SmallTown(law=SmallLaw((JULY_1,)))
    drafter = Drafter(town, town.tax)
    drafter.add_all([stay(JUNE_30, date(2016, 7, 2), 100), stay(JUNE_30, JUNE_30, 0, line=3)])
    assert [fault.field for fault in drafter.faults] == ["line 2", "line 3"]


def test_a_long_stay_without_a_line_for_it_is_a_fault():
    town = SmallTown(tax=lodging_tax(deductions=("marketplace",)))
    drafter = Drafter(town, town.tax)
    drafter.add_all([stay(JULY_1, date(2016, 7, 20), 100)])
    assert "no line 'long_stay'" in drafter.faults[0].message


DAYS = st.dates(date(2014, 1, 1), date(2018, 12, 31))
FREQUENCIES = st.sampled_from([Frequency("every", months, "P") for months in (1, 2, 3, 4, 6, 12)])


@given(
    arrival=DAYS,
    nights=st.integers(0, 400),
    rate=st.integers(0, 10**7),
    changes=st.sets(DAYS, max_size=4),
    frequency=FREQUENCIES,
)
def test_a_nightly_rate_gives_each_part_its_nights_times_the_rate(arrival, nights, rate, changes, frequency):
    town = SmallTown(lodging_tax(frequency), SmallLaw((date(2000, 1, 1), *sorted(changes))))
    row = stay(arrival, date.fromordinal(arrival.toordinal() + nights), rate * nights)
    shares = list(share_out(row, SpanFinder(town, town.tax)))
    assert sum(share.nights for share in shares) == nights
    assert all(share.cents == share.nights * rate for share in shares)
    assert sum(share.cents for share in shares) == rate * nights


@given(
    arrival=DAYS,
    nights=st.integers(1, 400),
    total=st.integers(0, 10**9),
    changes=st.sets(DAYS, max_size=4),
    frequency=FREQUENCIES,
)
def test_a_total_is_split_evenly_and_sums_to_the_cent(arrival, nights, total, changes, frequency):
    town = SmallTown(lodging_tax(frequency), SmallLaw((date(2000, 1, 1), *sorted(changes))))
    row = stay(arrival, date.fromordinal(arrival.toordinal() + nights), total)
    shares = list(share_out(row, SpanFinder(town, town.tax)))
    assert sum(share.cents for share in shares) == total
    # Even: a run of nights is never a cent or more away from its exact part of the total.
    assert all(abs(share.cents * nights - total * share.nights) < nights for share in shares)


@given(st.lists(st.tuples(DAYS, st.integers(1, 60), st.integers(0, 10**6)), min_size=1, max_size=8), FREQUENCIES)
def test_the_drafts_sum_to_what_the_rows_say_however_they_are_cut(stays, frequency):
    rows = [stay(day, date.fromordinal(day.toordinal() + nights), cents) for day, nights, cents in stays]
    made = drafts(*rows, town=SmallTown(lodging_tax(frequency))).values()
    assert sum(draft.gross_cents for draft in made) == sum(row.cents for row in rows)
    assert sum(draft.nights for draft in made) == sum(row.nights for row in rows)
    long = sum(row.cents for row in rows if row.nights >= 7)
    assert sum(draft.deducted_cents("long_stay") for draft in made) == long


@pytest.mark.parametrize("frequency", [1, 3, 12])
def test_a_period_is_asked_of_the_law_once(frequency, monkeypatch):
    town = SmallTown(lodging_tax(Frequency("every", frequency, "P")))
    asked = []
    spans = town.law.spans
    monkeypatch.setattr(town.law, "spans", lambda *given: asked.append(given) or spans(*given))
    drafts(*[stay(date(2016, 7, day), date(2016, 7, day + 2), 100) for day in range(1, 29)], town=town)
    assert len(asked) == 1
