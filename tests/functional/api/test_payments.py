"""Payments over HTTP: where each cent goes, what takes one back, and what is paid back."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sqlalchemy import Engine

from core.schemas import payments as schemas
from core.services.accounts.act import METHODS
from tests.support.places import a_filer
from tests.support.towns import Town, a_return, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

NOBODY = "019a0000-0000-7000-8000-000000000000"


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    """10,000.00 x 6.5% = 650.00 for the first period of 2026, filed 20 days late: due on April 30."""
    town = open_town(app, host, "bay", "bayfield")
    day = date(2026, 5, 20)
    town.act(day, ("2026-Q1", a_return(day, town.accounts["2026-Q1"], 1_000_000)))
    return town


@pytest.fixture
def web(app: Engine, host: Engine) -> Web:
    made = Web(app, host)
    made.clock.on(2026, 5, 20)
    return made


@pytest.fixture
def clerk(web: Web, bay: Town) -> Client:
    return web.staff("clerk", bay.tenant)


@pytest.fixture
def treasurer(web: Web, bay: Town) -> Client:
    return web.staff("treasurer", bay.tenant)


def a_payment(town: Town, amount: str, period: str = "2026-Q1", **values: Any) -> dict[str, Any]:
    return {"account": str(town.accounts[period].id), "amount": amount, **values}


def payments(*made: dict[str, Any]) -> dict[str, Any]:
    return {"payments": list(made)}


def paid(client: Client, town: Town, amount: str, period: str = "2026-Q1", **values: Any) -> dict[str, Any]:
    answer = client.post("/payments", payments(a_payment(town, amount, period, **values)))
    assert answer.status_code == 201, answer.json
    return answer.json["payments"][0] | {"balance": answer.json["accounts"][0]["balance"]}


def faults(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [fault["field"] for fault in answer.json["errors"]]


def test_a_payment_goes_to_fees_then_interest_then_tax_and_the_answer_cites_each(clerk: Client, bay: Town) -> None:
    # Late filing fee 25.00; May 1 to 20 = 20 days: 650.00 x 10% x 20/365 = 3.562 = 3.56; 100.00 - 28.56 = 71.44 to tax.
    # Left: 650.00 - 71.44 = 578.56.
    made = paid(clerk, bay, "100.00", method="cash")
    applied = [(one["kind"], one["amount"], one["clauses"][0]["section"]) for one in made["applied"]]
    assert applied == [
        ("late_filing_fee", "25.00", "§ 54-19(C)(8)(b)"),
        ("interest", "3.56", "§ 54-19(C)(8)(a)"),
        ("tax", "71.44", "§ 54-19(B)"),
    ]
    assert (made["balance"], made["left_over"], made["number"]) == ("578.56", "0.00", 1)


def test_the_preview_shows_what_the_payment_then_does(web: Web, clerk: Client, bay: Town) -> None:
    filer = web.filer(bay.tenant, bay.accounts["2026-Q1"].filer_id)
    asked = payments(a_payment(bay, "100.00"), a_payment(bay, "700.00"))
    seen = filer.post("/payments/preview", asked)
    assert seen.status_code == 200
    made = clerk.post("/payments", asked).json
    assert [one["applied"] for one in seen.json["payments"]] == [one["applied"] for one in made["payments"]]
    assert seen.json["accounts"][0]["balance"] == made["accounts"][0]["balance"]


def test_a_preview_records_nothing(clerk: Client, bay: Town) -> None:
    clerk.post("/payments/preview", payments(a_payment(bay, "100.00")))
    assert clerk.get("/payments").json == {"items": [], "next": None}


def test_an_account_is_named_by_its_place_and_period_as_well(clerk: Client, bay: Town) -> None:
    account = bay.accounts["2026-Q1"]
    named = {"place": str(account.place_id), "period": "2026-Q1", "amount": "1.00"}
    made = clerk.post("/payments", payments(named)).json["payments"][0]
    assert made["account"] == str(account.id)
    assert faults(clerk.post("/payments", payments({"amount": "1.00"}))) == ["payments[0].account"]
    assert faults(clerk.post("/payments", payments(named | {"account": str(account.id)}))) == ["payments[0].account"]


def test_every_fault_of_every_payment_is_named_at_once_and_nothing_is_recorded(clerk: Client, bay: Town) -> None:
    wrong = payments(
        a_payment(bay, "1e3", method="barter"),
        a_payment(bay, "0.00", colour="blue"),
        a_payment(bay, "1.005", paid_on="20 May"),
        a_payment(bay, "-1.00"),
    )
    assert faults(clerk.post("/payments", wrong)) == [
        "payments[0].amount",
        "payments[0].method",
        "payments[1].amount",
        "payments[1].colour",
        "payments[2].amount",
        "payments[2].paid_on",
        "payments[3].amount",
    ]
    later = payments(a_payment(bay, "1.00"), a_payment(bay, "1.00", paid_on="2026-06-01"))
    assert faults(clerk.post("/payments", later)) == ["payments[1].paid_on"]
    assert clerk.get("/payments").json["items"] == []


def test_one_key_pays_once_and_two_equal_checks_with_keys_of_their_own_are_two(clerk: Client, bay: Town) -> None:
    body = payments(a_payment(bay, "10.00", reference="1201"))
    first = clerk.post("/payments", body, key="mine")
    assert clerk.post("/payments", body, key="mine").data == first.data
    assert len(clerk.get("/payments").json["items"]) == 1
    clerk.post("/payments", body)
    assert len(clerk.get("/payments").json["items"]) == 2
    other = clerk.post("/payments", payments(a_payment(bay, "11.00")), key="mine")
    assert (other.status_code, other.json["name"]) == (422, "RequestKeyReused")


def test_a_payment_without_a_key_is_refused(clerk: Client, bay: Town) -> None:
    body = payments(a_payment(bay, "10.00"))
    answer = clerk.send(clerk.client.post, "/payments", json=body)
    assert faults(answer) == ["Idempotency-Key"]


def test_a_check_that_comes_back_is_as_if_it_had_never_been_paid_and_costs_the_fee(clerk: Client, bay: Town) -> None:
    check = paid(clerk, bay, "678.56", reference="1201")
    assert check["balance"] == "0.00"
    body = {"came_back_on": "2026-05-20", "reason": "insufficient funds"}
    back = clerk.post(f"/payments/{check['id']}/return", body)
    assert back.status_code == 201
    # 650.00 + 25.00 + 3.56 + 35.00.
    assert back.json["accounts"][0]["balance"] == "713.56"
    shown = clerk.get(f"/payments/{check['id']}").json
    assert (shown["void"]["kind"], shown["void"]["reason"]) == ("returned", "insufficient funds")
    twice = clerk.post(f"/payments/{check['id']}/return", body)
    assert (twice.status_code, twice.json["name"]) == (409, "PaymentAlreadyVoid")


def test_a_payment_struck_out_costs_nothing_and_needs_its_reason(clerk: Client, bay: Town) -> None:
    made = paid(clerk, bay, "678.56")
    assert faults(clerk.post(f"/payments/{made['id']}/void", {"reason": ""})) == ["reason"]
    assert faults(clerk.post(f"/payments/{made['id']}/void", {"reason": "  "})) == ["reason"]
    struck = clerk.post(f"/payments/{made['id']}/void", {"reason": "entered twice"})
    assert struck.json["accounts"][0]["balance"] == "678.56"


def test_a_moved_payment_keeps_its_own_day_and_both_balances_are_told(web: Web, clerk: Client, bay: Town) -> None:
    astray = paid(clerk, bay, "40.00", "2025-Q4", paid_on="2026-05-04", reference="88")
    body = {"to": {"account": str(bay.accounts["2026-Q1"].id)}, "reason": "named the wrong period"}
    moved = clerk.post(f"/payments/{astray['id']}/move", body)
    assert moved.status_code == 201
    made = moved.json["payment"]
    assert (made["period"], made["paid_on"], made["reference"]) == ("2026-Q1", "2026-05-04", "88")
    assert made["moved_from"] == astray["id"]
    # On May 4: fee 25.00; 4 days: 650.00 x 10% x 4/365 = 0.712 = 0.71; 40.00 - 25.71 = 14.29 to tax.
    assert {one["kind"]: one["amount"] for one in made["applied"]} == {
        "late_filing_fee": "25.00",
        "interest": "0.71",
        "tax": "14.29",
    }
    assert len(moved.json["accounts"]) == 2
    listed = clerk.get(f"/accounts/{bay.accounts['2025-Q4'].id}/payments").json["items"]
    assert [(one["void"]["kind"], one["moved_to"]) for one in listed] == [("moved", made["id"])]


def test_a_credit_is_paid_back_and_no_more_than_the_credit(treasurer: Client, bay: Town) -> None:
    paid(treasurer, bay, "700.00")  # 21.44 more than is owed
    account = {"account": str(bay.accounts["2026-Q1"].id)}
    assert faults(treasurer.post("/refunds", account | {"amount": "21.45"})) == ["amount"]
    seen = treasurer.post("/refunds/preview", account).json["refund"]
    made = treasurer.post("/refunds", account, key="back")
    assert made.status_code == 201
    assert made.json["refund"] == seen | {"seq": made.json["refund"]["seq"]}
    assert (seen["amount"], seen["interest"], seen["total"]) == ("21.44", "0.00", "21.44")
    assert made.json["accounts"][0]["balance"] == "0.00"
    assert treasurer.post("/refunds", account, key="back").data == made.data
    assert faults(treasurer.post("/refunds", account)) == ["amount"]


def test_a_filer_previews_and_reads_its_own_and_pays_nothing_in(web: Web, clerk: Client, bay: Town) -> None:
    own = web.filer(bay.tenant, bay.accounts["2026-Q1"].filer_id)
    other = web.filer(bay.tenant, a_filer(bay, "Harbor Inn"))
    made = paid(clerk, bay, "10.00")
    assert own.get(f"/payments/{made['id']}").status_code == 200
    assert len(own.get("/payments").json["items"]) == 1
    assert other.get("/payments").json["items"] == []
    body = payments(a_payment(bay, "10.00"))
    assert own.post("/payments", body).status_code == 403
    hidden = [
        other.get(f"/payments/{made['id']}"),
        other.get(f"/accounts/{made['account']}/payments"),
        other.post("/payments/preview", body),
    ]
    absent = [
        other.get(f"/payments/{NOBODY}"),
        other.get(f"/accounts/{NOBODY}/payments"),
        other.post("/payments/preview", payments({"account": NOBODY, "amount": "10.00"})),
    ]
    assert [one.status_code for one in hidden] == [404] * 3
    assert [one.data for one in hidden] == [one.data for one in absent]


def test_payments_are_listed_by_number_in_pages(clerk: Client, bay: Town) -> None:
    for _ in range(3):
        paid(clerk, bay, "1.00")
    first = clerk.get("/payments?limit=2").json
    assert [one["number"] for one in first["items"]] == [1, 2]
    second = clerk.get(f"/payments?limit=2&cursor={first['next']}").json
    assert ([one["number"] for one in second["items"]], second["next"]) == ([3], None)


def test_a_clerk_pays_nothing_back(clerk: Client, bay: Town) -> None:
    assert clerk.post("/refunds", {"account": str(bay.accounts["2026-Q1"].id)}).status_code == 403


def test_the_ways_of_paying_are_those_of_the_services() -> None:
    assert schemas.METHODS == METHODS
