"""Agreements, distributions and remittances over HTTP."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Engine

from tests.support.towns import Town, a_payment, a_return, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

CHAMBER = "Bayfield Chamber of Commerce"
CITY = "General fund"
AGREEMENT = {
    "number": "2026-A",
    "payee": CHAMBER,
    "share": "75",
    "first_day": "2026-01-01",
    "last_day": "2026-12-31",
}
ROOM_TAX = {"tax": "room_tax"}


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    """The first period of 2026: 10,000.00 x 6.5% = 650.00, filed and paid on April 29."""
    town = open_town(app, host, "bay", "bayfield")
    day, account = date(2026, 4, 29), town.accounts["2026-Q1"]
    town.act(day, ("2026-Q1", a_return(day, account, 1_000_000)), ("2026-Q1", a_payment(day, 65_000)))
    return town


@pytest.fixture
def web(app: Engine, host: Engine) -> Web:
    return Web(app, host)


@pytest.fixture
def treasurer(web: Web, bay: Town) -> Client:
    return web.staff("treasurer", bay.tenant)


def test_an_agreement_is_recorded_and_listed_with_the_clause_that_asks_for_it(treasurer: Client) -> None:
    made = treasurer.post("/agreements", AGREEMENT)
    assert made.status_code == 201
    listed = treasurer.get("/agreements").json["items"]
    assert [(one["id"], one["share"], one["section"]) for one in listed] == [(made.json["id"], "75", "§ 54-19(B)")]


def test_every_fault_of_an_agreement_is_named_at_once(treasurer: Client) -> None:
    wrong = {**AGREEMENT, "share": "175", "first_day": "2026-02-30", "colour": "blue"}
    refused = treasurer.post("/agreements", wrong)
    assert refused.status_code == 422
    assert [fault["field"] for fault in refused.json["errors"]] == ["colour", "first_day", "share"]


def test_an_agreement_that_shares_a_day_with_another_is_refused_by_name(treasurer: Client) -> None:
    treasurer.post("/agreements", AGREEMENT)
    other = {**AGREEMENT, "number": "2026-B", "first_day": "2026-12-31", "last_day": "2027-06-30"}
    refused = treasurer.post("/agreements", other)
    assert refused.status_code == 422
    assert [fault["field"] for fault in refused.json["errors"]] == ["first_day"]
    assert "2026-A" in refused.json["errors"][0]["message"]


def test_an_agreement_is_withdrawn_until_money_was_shared_out_under_it(treasurer: Client) -> None:
    first = treasurer.post("/agreements", AGREEMENT).json["id"]
    gone = treasurer.post(f"/agreements/{first}/withdrawal", {"reason": "wrong share"}, key="gone")
    assert gone.status_code == 201
    assert treasurer.post(f"/agreements/{first}/withdrawal", {"reason": "wrong share"}, key="gone").data == gone.data
    assert treasurer.post(f"/agreements/{first}/withdrawal", {"reason": "wrong share"}).status_code == 404
    second = treasurer.post("/agreements", {**AGREEMENT, "number": "2026-B"}).json["id"]
    treasurer.post("/distributions", ROOM_TAX)
    refused = treasurer.post(f"/agreements/{second}/withdrawal", {"reason": "wrong share"})
    assert refused.status_code == 422
    assert [one["withdrawal_reason"] for one in treasurer.get("/agreements").json["items"]] == ["wrong share", None]


def test_the_preview_shows_what_the_distribution_then_posts(treasurer: Client) -> None:
    treasurer.post("/agreements", AGREEMENT)
    preview = treasurer.post("/distributions/preview", ROOM_TAX).json
    made = treasurer.post("/distributions", ROOM_TAX)
    assert made.status_code == 201
    shown = treasurer.get(f"/distributions/{made.json['number']}").json
    # 650.00 x 75% = 487.50, the rest 162.50.
    now = {(one["period"], one["payee"]): one["now"] for one in shown["shares"]}
    assert now == {("2026-Q1", CHAMBER): "487.50", ("2026-Q1", CITY): "162.50"}
    assert preview["shares"] == shown["shares"]
    assert (preview["number"], preview["distributed_on"]) == (None, shown["distributed_on"])


def test_a_preview_leaves_nothing_behind(treasurer: Client) -> None:
    treasurer.post("/distributions/preview", ROOM_TAX)
    assert treasurer.get("/distributions").json == {"items": [], "next": None}


def test_a_distribution_is_made_once_for_one_key(treasurer: Client) -> None:
    first = treasurer.post("/distributions", ROOM_TAX, key="mine")
    again = treasurer.post("/distributions", ROOM_TAX, key="mine")
    assert first.data == again.data
    assert len(treasurer.get("/distributions").json["items"]) == 1
    other = treasurer.post("/distributions", {**ROOM_TAX, "periods": ["2026-Q1"]}, key="mine")
    assert other.status_code == 422
    assert other.json["name"] == "RequestKeyReused"


def test_a_distribution_of_what_has_not_changed_has_no_number(treasurer: Client) -> None:
    assert treasurer.post("/distributions", ROOM_TAX).json["number"] == 1
    assert treasurer.post("/distributions", ROOM_TAX).json["number"] is None


def test_a_period_that_has_not_ended_is_refused(treasurer: Client) -> None:
    refused = treasurer.post("/distributions", {**ROOM_TAX, "periods": ["2026-Q4"]})
    assert refused.status_code == 422
    assert [fault["field"] for fault in refused.json["errors"]] == ["periods"]


def test_without_an_agreement_the_share_is_held_and_the_treasurer_warned(treasurer: Client) -> None:
    treasurer.post("/distributions", ROOM_TAX)
    shown = treasurer.get("/distributions/1").json
    assert [(one["payee"], one["held"], one["now"]) for one in shown["shares"]] == [(CHAMBER, True, "650.00")]
    assert "agreement" in shown["warnings"][0]
    assert shown["remittances"] == []


def test_a_remittance_is_advised_and_paid_once(treasurer: Client) -> None:
    treasurer.post("/agreements", AGREEMENT)
    treasurer.post("/distributions", ROOM_TAX)
    advice = treasurer.get("/remittances/1").json
    assert (advice["payee"], advice["payable"], advice["paid_on"]) == (CHAMBER, "487.50", None)
    assert [line["computation"] for line in advice["shares"]] != [""]
    payment = {"paid_on": "2026-07-01", "method": "check", "reference": "501"}
    paid = treasurer.post("/remittances/1/payment", payment, key="pay-1")
    assert (paid.status_code, paid.json["paid"]) == (201, "487.50")
    assert treasurer.post("/remittances/1/payment", payment, key="pay-1").data == paid.data
    twice = treasurer.post("/remittances/1/payment", payment)
    assert (twice.status_code, twice.json["name"]) == (409, "RemittancePaid")
    listed = treasurer.get("/remittances").json["items"]
    assert [(one["number"], one["paid_on"], one["reference"]) for one in listed] == [(1, "2026-07-01", "501")]


def test_lists_go_on_where_the_page_before_ended(treasurer: Client, bay: Town) -> None:
    treasurer.post("/distributions", ROOM_TAX)
    day, account = date(2026, 7, 1), bay.accounts["2026-Q1"]
    # 8,000.00 x 6.5% = 520.00: 130.00 is taken back.
    bay.act(day, ("2026-Q1", a_return(day, account, 800_000)))
    treasurer.post("/distributions", ROOM_TAX)
    first = treasurer.get("/distributions?limit=1").json
    assert [one["number"] for one in first["items"]] == [1]
    second = treasurer.get(f"/distributions?limit=1&cursor={first['next']}").json
    assert [(one["number"], one["shares"][0]["now"]) for one in second["items"]] == [(2, "-130.00")]
    assert second["next"] is None


def test_a_number_that_nobody_has_is_not_found(treasurer: Client) -> None:
    for path in ("/distributions/7", "/remittances/7", "/distributions/2147483648"):
        assert treasurer.get(path).status_code == 404
    payment = {"paid_on": "2026-07-01", "method": "check"}
    assert treasurer.post("/remittances/7/payment", payment).status_code == 404


def test_the_council_sees_what_is_pooled_and_no_filer(web: Web, bay: Town, treasurer: Client) -> None:
    treasurer.post("/agreements", AGREEMENT)
    treasurer.post("/distributions", ROOM_TAX)
    council = web.staff("council", bay.tenant)
    seen = [council.get(path) for path in ("/distributions", "/distributions/1", "/remittances", "/remittances/1")]
    assert [one.status_code for one in seen] == [200] * 4
    told = b"".join(one.data for one in seen).decode()
    account = bay.accounts["2026-Q1"]
    for secret in ("Lake House", str(account.filer_id), str(account.place_id), str(account.id)):
        assert secret not in told
    assert council.post("/distributions", ROOM_TAX).status_code == 403
