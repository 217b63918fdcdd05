"""How Bayfield shares its room tax with the Chamber (§ 54-19(B); READINGS 23 to 25)."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.loading import open_municipality
from core.domain.shares import Agreement, Collected, overlapping

ON = date(2026, 5, 1)


def agreement(share: str = "0.70", first: date = date(2026, 1, 1), last: date = date(2026, 12, 31)) -> Agreement:
    return Agreement("2026-3", "Bayfield Chamber of Commerce", Decimal(share), first, last)


def shared(cents: int, *agreements: Agreement, on: date = ON):
    return open_municipality("bayfield").distribution(Collected(cents, on, agreements))


@pytest.mark.clause("BAY-19B2")
@pytest.mark.parametrize(
    ("cents", "share", "chamber"),
    [
        (99_99, "0.70", 70_00),  # 69.993 up to the cent
        (100_00, "0.70", 70_00),
        (1, "0.70", 1),  # 0.7 of a cent, up
        (0, "0.70", 0),
        (100_01, "0.333", 33_31),  # 33.30333, up
        (99_99, "1", 99_99),
        (99_99, "0", 0),
    ],
)
def test_the_chambers_percentage_is_rounded_up_to_the_cent(cents, share, chamber):
    answer = shared(cents, agreement(share))
    assert [(one.payee, one.cents, one.held) for one in answer.shares] == [
        ("Bayfield Chamber of Commerce", chamber, False),
        ("General fund", cents - chamber, False),
    ]
    assert {one.clause.id for one in answer.shares} == {"BAY-19B2"}


@pytest.mark.clause("BAY-19B2")
@pytest.mark.parametrize("on", [date(2025, 12, 31), date(2027, 1, 1)])
def test_without_an_agreement_in_force_all_is_held_and_nobody_paid(on):
    answer = shared(99_99, agreement(), on=on)
    (share,) = answer.shares
    assert (share.cents, share.held) == (99_99, True)
    assert "record the yearly agreement" in answer.warnings[0]


@pytest.mark.clause("BAY-19B2")
@pytest.mark.parametrize("on", [date(2026, 1, 1), date(2026, 12, 31)])
def test_both_days_of_the_term_are_inside(on):
    assert len(shared(99_99, agreement(), on=on).shares) == 2


@pytest.mark.clause("BAY-19B2")
@pytest.mark.parametrize(("last", "warned"), [(date(2026, 12, 31), False), (date(2027, 1, 1), True)])
def test_a_term_of_more_than_a_year_is_warned_about(last, warned):
    warnings = shared(100_00, agreement(last=last)).warnings
    assert [warning for warning in warnings if "more than 12 months" in warning] == list(warnings)
    assert bool(warnings) is warned


@pytest.mark.clause("BAY-19B2")
@pytest.mark.parametrize(("share", "warned"), [("0.70", False), ("0.6999", True)])
def test_keeping_more_than_30_percent_is_warned_about(share, warned):
    warnings = shared(100_00, agreement(share)).warnings
    assert bool(warnings) is warned
    assert not warned or "the City keeps 30.01%" in warnings[0]


@pytest.mark.clause("BAY-19B2")
def test_agreements_that_share_a_day_are_found():
    first, second = agreement(), agreement(first=date(2026, 12, 31), last=date(2027, 6, 30))
    third = agreement(first=date(2027, 7, 1), last=date(2027, 12, 31))
    assert overlapping([third, second, first]) == [(first, second)]


@pytest.mark.clause("BAY-19B2")
@given(st.integers(0, 10**15), st.integers(0, 10_000))
def test_the_parts_sum_to_the_base_and_the_chamber_never_loses_a_cent(cents, parts):
    share = Decimal(parts).scaleb(-4)
    chamber, city = (one.cents for one in shared(cents, agreement(str(share))).shares)
    assert chamber + city == cents
    assert 0 <= chamber * 10_000 - cents * parts < 10_000
