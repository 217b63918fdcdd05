"""How the Village shares its room tax with the convention bureau (§ 18-2(B); READINGS 23 and 24)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.loading import open_municipality
from core.domain.shares import Collected


def shared(cents: int):
    return open_municipality("fox_cities_village").distribution(Collected(cents, date(2026, 5, 1))).shares


@pytest.mark.clause("FOX-03")
@pytest.mark.parametrize(
    ("cents", "village"),
    [
        (99_99, 5_00),  # 4.9995
        (100_00, 5_00),
        (10, 1),  # half a cent up
        (9, 0),  # 0.45
        (0, 0),
        (12345_67, 617_28),  # 617.2835
    ],
)
def test_five_percent_to_the_general_fund_the_rest_to_the_bureau(cents, village):
    assert [(share.payee, share.cents, share.held) for share in shared(cents)] == [
        ("General fund", village, False),
        ("Fox Cities Convention and Tourist Bureau", cents - village, False),
    ]
    assert {share.clause.id for share in shared(cents)} == {"FOX-03"}


@pytest.mark.clause("FOX-03")
@given(st.integers(0, 10**15))
def test_the_parts_sum_to_the_base_and_lie_half_a_cent_from_exact(cents):
    village, bureau = (share.cents for share in shared(cents))
    assert village + bureau == cents
    assert -10 <= village * 20 - cents <= 10
