"""The books over HTTP: the trial balance as known, the journal and an account's statement in pages, the seals."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from core.services.books.check import heads_file, seal_books
from tests.support.towns import Town, a_payment, a_return, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

PERIODS = ("2025-Q1", "2025-Q2", "2025-Q3", "2025-Q4", "2026-Q1")


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    """Five returns of 100.00 each on March 1 and on May 1, 2026, the last paid with 6.50 on May 2."""
    town = open_town(app, host, "bay", "bayfield")
    for period in PERIODS[:4]:
        day = date(2026, 3, 1)
        town.act(day, (period, a_return(day, town.accounts[period], 10_000)))
    for day in (date(2026, 4, 30),):
        town.act(day, ("2026-Q1", a_return(day, town.accounts["2026-Q1"], 10_000)))
    town.act(date(2026, 5, 2), ("2026-Q1", a_payment(date(2026, 4, 30), 650)))
    return town


@pytest.fixture
def auditor(app: Engine, host: Engine, bay: Town) -> Client:
    return Web(app, host).staff("auditor", bay.tenant)


def pages(client: Client, path: str, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = client.get(f"{path}?{query}" + (f"&cursor={cursor}" if cursor else ""))
        assert answer.status_code == 200, answer.json
        found += answer.json["items"]
        cursor = answer.json["next"]
    return found


def in_cents(amount: str) -> int:
    return int(amount.replace(".", ""))


def test_the_debits_of_each_fund_equal_its_credits(auditor: Client) -> None:
    balances = auditor.get("/ledger/trial-balance").json["items"]
    for fund in {one["fund"] for one in balances}:
        of_fund = [one for one in balances if one["fund"] == fund]
        assert sum(in_cents(one["balance"]) for one in of_fund) == 0
        assert sum(in_cents(one["debit"]) for one in of_fund) == sum(in_cents(one["credit"]) for one in of_fund)
    assert any(one["debit"] != "0.00" for one in balances)


def test_a_trial_balance_knows_what_was_recorded_by_its_day(auditor: Client) -> None:
    def cash(query: str) -> set[str]:
        found = auditor.get(f"/ledger/trial-balance?{query}").json["items"]
        return {one["debit"] for one in found if "ash" in one["title"]}

    # The payment counts for April 30 and was recorded on May 2.
    assert "6.50" in cash("through=2026-05-31")
    assert cash("known_on=2026-05-01&through=2026-05-31") == {"0.00"}


def test_the_journal_is_read_in_pages_each_entry_whole_and_once(auditor: Client, bay: Town) -> None:
    whole = pages(auditor, "/ledger/journal", "limit=200")
    assert len(whole) == 6
    for limit in (1, 2, 4, 5, 6):
        assert pages(auditor, "/ledger/journal", f"limit={limit}") == whole, limit
    assert [one["booked_on"] for one in whole] == sorted(one["booked_on"] for one in whole)
    assert all("seq" not in one for one in whole)


def test_the_journal_of_some_days_leaves_the_others_out(auditor: Client) -> None:
    found = pages(auditor, "/ledger/journal", "first=2026-04-01&last=2026-05-01&limit=1")
    assert [one["booked_on"] for one in found] == ["2026-04-30"]


def test_what_moved_on_an_account_adds_up_to_its_balance(auditor: Client) -> None:
    balances = auditor.get("/ledger/trial-balance").json["items"]
    moved = [one for one in balances if one["debit"] != "0.00" or one["credit"] != "0.00"]
    assert len(moved) >= 4
    for one in moved:
        path = f"/ledger/accounts/{one['fund']}/{one['number']}/movements"
        whole = pages(auditor, path, "limit=200")
        assert sum(in_cents(line["amount"]) for line in whole) == in_cents(one["balance"])
        assert pages(auditor, path, "limit=1") == whole


def test_an_account_that_the_chart_does_not_have_is_not_found(auditor: Client) -> None:
    assert auditor.get("/ledger/accounts/100/nothing/movements").status_code == 404


def test_the_seals_say_how_far_they_reach(auditor: Client, bay: Town, tmp_path: Path) -> None:
    assert auditor.get("/ledger/seals").json == {
        "entries": 6,
        "sealed": 0,
        "not_sealed": 6,
        "head": None,
        "sealed_at": None,
    }
    ((_, sealed),) = list(seal_books(bay.engine, [bay.tenant], heads_file(tmp_path)))
    shown = auditor.get("/ledger/seals").json
    assert (shown["sealed"], shown["not_sealed"], shown["head"]) == (6, 0, sealed.head)


def test_the_council_reads_the_trial_balance_and_no_entry(app: Engine, host: Engine, bay: Town) -> None:
    council = Web(app, host).staff("council", bay.tenant)
    assert council.get("/ledger/trial-balance").status_code == 200
    assert council.get("/ledger/journal").status_code == 403
    assert council.get("/ledger/seals").status_code == 403
