"""What an officer does about an account, over HTTP, and what is owed then."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Engine

from core.schemas import acts as schemas
from core.services.enforcement.find import FINDINGS
from tests.support.towns import Town, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

NOBODY = "019a0000-0000-7000-8000-000000000000"
# Each verb with a body that the law allows for an unfiled first period of 2026 on June 1; it was due on April 30.
VERBS: dict[str, dict[str, Any]] = {
    "estimates": {"gross": {"rooms": "10000.00"}},
    "extensions": {"until": "2026-05-29"},
    "notices": {"mailed_on": "2026-06-01"},
    "findings": {"finding": "fraud", "officer": "Treasurer", "reasons": "two sets of books"},
    "waivers": {"kind": "late_filing_fee", "amount": "25.00", "reason": "the office was closed"},
}


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def web(app: Engine, host: Engine) -> Web:
    made = Web(app, host)
    made.clock.on(2026, 6, 1)
    return made


@pytest.fixture
def treasurer(web: Web, bay: Town) -> Client:
    return web.staff("treasurer", bay.tenant)


def on_account(town: Town, period: str = "2026-Q1", **body: Any) -> dict[str, Any]:
    return {"account": str(town.accounts[period].id), **body}


def faults(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [fault["field"] for fault in answer.json["errors"]]


def test_an_estimate_is_owed_with_its_tenth_the_fee_and_interest(treasurer: Client, bay: Town) -> None:
    made = treasurer.post("/estimates", on_account(bay, **VERBS["estimates"]))
    assert made.status_code == 201
    # 10,000.00 x 6.5% = 650.00; 65.00; 25.00; May 1 to June 1 = 32 days: 650.00 x 10% x 32/365 = 5.699 = 5.70.
    assert made.json["accounts"][0]["balance"] == "745.70"
    assert (made.json["act"]["period"], made.json["act"]["seq"]) == ("2026-Q1", 1)


def test_an_estimate_of_a_line_that_the_return_does_not_have_is_refused(treasurer: Client, bay: Town) -> None:
    body = on_account(bay, gross={"yurts": "1.00", "rooms": "1e3"})
    assert faults(treasurer.post("/estimates", body)) == ["gross.rooms"]
    assert faults(treasurer.post("/estimates", on_account(bay, gross={"yurts": "1.00"}))) == ["gross.yurts"]


def test_an_estimate_before_the_return_is_late_is_refused_with_the_section(treasurer: Client, bay: Town) -> None:
    refused = treasurer.post("/estimates", on_account(bay, "2026-Q2", **VERBS["estimates"]))
    assert faults(refused) == ["on"]
    assert "§ 54-19(C)(7)" in refused.json["errors"][0]["message"]


def test_an_extension_longer_than_the_law_allows_is_refused(treasurer: Client, bay: Town) -> None:
    assert faults(treasurer.post("/extensions", on_account(bay, until="2026-06-01"))) == ["until"]
    assert faults(treasurer.post("/extensions", on_account(bay, until="soon"))) == ["until"]


def test_a_finding_needs_its_officer_and_reasons(treasurer: Client, bay: Town) -> None:
    body = on_account(bay, finding="greed", officer="", colour="blue")
    assert faults(treasurer.post("/findings", body)) == ["colour", "finding", "officer", "reasons"]
    blank = on_account(bay, finding="fraud", officer=" ", reasons=" ")
    assert faults(treasurer.post("/findings", blank)) == ["officer", "reasons"]


def test_a_waiver_lowers_a_fee_and_never_the_tax(treasurer: Client, bay: Town) -> None:
    treasurer.post("/estimates", on_account(bay, **VERBS["estimates"]))
    made = treasurer.post("/waivers", on_account(bay, **VERBS["waivers"]))
    assert made.json["accounts"][0]["balance"] == "720.70"  # 745.70 - 25.00
    tax = {**VERBS["waivers"], "kind": "tax"}
    assert faults(treasurer.post("/waivers", on_account(bay, **tax))) == ["kind"]


@pytest.mark.parametrize("verb", VERBS)
def test_each_act_is_recorded_once_for_one_key(treasurer: Client, bay: Town, verb: str) -> None:
    body = on_account(bay, **VERBS[verb])
    first = treasurer.post(f"/{verb}", body, key="mine")
    assert first.status_code == 201, first.json
    assert treasurer.post(f"/{verb}", body, key="mine").data == first.data
    history = treasurer.get(f"/accounts/{body['account']}/history").json["events"]
    assert len(history) == 1
    other = treasurer.post(f"/{verb}", {**body, "account": str(bay.accounts["2025-Q4"].id)}, key="mine")
    assert (other.status_code, other.json["name"]) == (422, "RequestKeyReused")


@pytest.mark.parametrize("verb", VERBS)
def test_each_act_names_its_account_by_place_and_period_as_well(treasurer: Client, bay: Town, verb: str) -> None:
    account = bay.accounts["2026-Q1"]
    named = {"place": str(account.place_id), "period": "2026-Q1", "tax": "room_tax"}
    made = treasurer.post(f"/{verb}", {**named, **VERBS[verb]})
    assert made.json["act"]["account"] == str(account.id)
    assert faults(treasurer.post(f"/{verb}", VERBS[verb])) == ["account"]


@pytest.mark.parametrize("verb", VERBS)
def test_an_account_of_another_municipality_is_as_unknown_as_none(
    treasurer: Client, bay: Town, app: Engine, host: Engine, verb: str
) -> None:
    foreign = open_town(app, host, "mon", "montello")
    hidden = treasurer.post(f"/{verb}", on_account(foreign, **VERBS[verb]))
    absent = treasurer.post(f"/{verb}", {"account": NOBODY, **VERBS[verb]})
    assert hidden.status_code == absent.status_code == 404
    assert hidden.data == absent.data


@pytest.mark.parametrize("verb", VERBS)
def test_a_clerk_sends_notices_and_extends_and_judges_nothing(web: Web, bay: Town, verb: str) -> None:
    answer = web.staff("clerk", bay.tenant).post(f"/{verb}", on_account(bay, **VERBS[verb]))
    assert answer.status_code == (201 if verb in ("extensions", "notices") else 403)


@pytest.mark.parametrize("verb", VERBS)
def test_an_act_without_a_key_is_refused_before_it_is_read(treasurer: Client, bay: Town, verb: str) -> None:
    answer = treasurer.send(treasurer.client.post, f"/{verb}", json=on_account(bay, **VERBS[verb]))
    assert faults(answer) == ["Idempotency-Key"]


def test_the_findings_are_those_of_the_services() -> None:
    assert schemas.FINDINGS == FINDINGS


@pytest.mark.parametrize("body", [{}, {"gross": {}}, {"parts": [{}, {"first_night": "2026-02-01"}]}])
def test_an_estimate_of_no_line_is_refused_and_leaves_the_one_before(
    treasurer: Client, bay: Town, body: dict[str, Any]
) -> None:
    treasurer.post("/estimates", on_account(bay, **VERBS["estimates"]))
    assert faults(treasurer.post("/estimates", on_account(bay, **body))) == ["gross"]
    account = bay.accounts["2026-Q1"].id
    assert len(treasurer.get(f"/accounts/{account}/history").json["events"]) == 1


def test_an_estimate_of_zero_is_taken_where_it_says_so(treasurer: Client, bay: Town) -> None:
    made = treasurer.post("/estimates", on_account(bay, gross={"rooms": "0.00"}))
    # No tax, no tenth, no interest: the fee of 25.00 alone.
    assert made.json["accounts"][0]["balance"] == "25.00"


def test_a_word_that_is_none_of_those_is_told_with_those(treasurer: Client, bay: Town) -> None:
    wrong = on_account(bay, **{**VERBS["findings"], "finding": "sloth", "on": "2026-02-29"})
    told = {fault["field"]: fault["message"] for fault in treasurer.post("/findings", wrong).json["errors"]}
    assert told == {
        "finding": "'sloth' is none of them: use negligence, fraud",
        "on": "'2026-02-29' is no day: write year-month-day, as 2026-04-30",
    }
