"""How Montello shares its room tax with the commission of the zone (distribution A; READINGS 23 and 24)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.loading import open_municipality
from core.domain.shares import Collected


def shared(cents: int):
    return open_municipality("montello").distribution(Collected(cents, date(2026, 5, 1))).shares


@pytest.mark.clause("MON-04")
@pytest.mark.parametrize(
    ("cents", "commission"),
    [
        (99_99, 74_99),  # 74.9925
        (100_00, 75_00),
        (2, 2),  # 1.5 cents: half a cent up
        (1, 1),  # 0.75
        (0, 0),
        (12345_67, 9259_25),  # 9,259.2525
    ],
)
def test_75_percent_to_the_commission_the_rest_to_the_city(cents, commission):
    assert [(share.payee, share.cents, share.held) for share in shared(cents)] == [
        ("Commission of the zone", commission, False),
        ("General fund", cents - commission, False),
    ]
    assert {share.clause.id for share in shared(cents)} == {"MON-04"}


@pytest.mark.clause("MON-04")
@given(st.integers(0, 10**15))
def test_the_parts_sum_to_the_base_and_lie_half_a_cent_from_exact(cents):
    commission, city = (share.cents for share in shared(cents))
    assert commission + city == cents
    assert -2 <= commission * 4 - cents * 3 <= 2
