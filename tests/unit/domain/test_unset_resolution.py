"""A missing resolution stops the fold only where money has to go somewhere (READINGS 4 and 20)."""

from __future__ import annotations

import json

import pytest

from core.domain.errors import ResolutionMissing
from core.services.cases.read import case_from_text


def case(events: list[dict[str, str]], as_of: str) -> dict[str, object]:
    return {
        "municipality": "fox_cities_village",
        "tax": "room_tax",
        "period": "2027-Q1",
        "as_of": as_of,
        "resolutions": {},
        "events": events,
    }


PAID = {"on": "2027-04-30", "type": "payment", "amount": "1000.00", "recorded": "2027-05-01"}
EXTENDED = {"on": "2027-05-20", "type": "extension", "until": "2027-05-30"}


def test_a_fee_that_an_extension_took_back_need_not_be_set() -> None:
    statement = case_from_text(json.dumps(case([PAID, EXTENDED], "2027-05-20"))).statement()
    assert statement.balance == -100_000


def test_a_fee_that_is_owed_on_the_day_must_be_set() -> None:
    with pytest.raises(ResolutionMissing):
        case_from_text(json.dumps(case([PAID], "2027-05-20"))).statement()


def test_a_fee_to_which_freed_money_would_go_must_be_set() -> None:
    # $30,000 x 3% = $900: the return of May 10 frees $100, and the fee that arose on May 1 comes first
    filed = {"on": "2027-05-10", "type": "return_filed", "gross_receipts": "30000.00"}
    with pytest.raises(ResolutionMissing):
        case_from_text(json.dumps(case([PAID, filed, EXTENDED], "2027-05-20"))).statement()
