"""Accounts over HTTP: what is owed as of a day and why, and what happened."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from tests.support.places import a_filer, a_place, accounts_now, first_filer, first_place
from tests.support.towns import Town, a_payment, a_return, a_waiver, account_id, came_back, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

APRIL_29, JUNE_15 = date(2026, 4, 29), date(2026, 6, 15)


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    """A return in time for the first period of 2026: 10,000.00 x 6.5% = 650.00; 600.00 paid on June 15."""
    town = open_town(app, host, "bay", "bayfield")
    town.act(APRIL_29, ("2026-Q1", a_return(APRIL_29, town.accounts["2026-Q1"], 1_000_000)))
    town.act(JUNE_15, ("2026-Q1", a_payment(JUNE_15, 60_000)))
    return town


@pytest.fixture
def web(app: Engine, host: Engine, bay: Town) -> Web:
    return Web(app, host)


@pytest.fixture
def auditor(web: Web, bay: Town) -> Client:
    return web.staff("auditor", bay.tenant)


def statement(client: Client, town: Town, query: str, period: str = "2026-Q1") -> dict[str, Any]:
    answer = client.get(f"/accounts/{account_id(town, period)}/statement?{query}")
    assert answer.status_code == 200, answer.json
    shown: dict[str, Any] = answer.json
    return shown


class TestStatement:
    def test_says_what_is_owed_line_by_line_with_clause_and_computation(self, auditor: Client, bay: Town) -> None:
        # April 30 to June 15 are 46 days: 650.00 x 10% x 46/365 = 8.1918, so 8.19. The payment of 600.00 goes to the
        # interest first and then to the tax: 591.81, which leaves 58.19.
        shown = statement(auditor, bay, "as_of=2026-06-15")
        by_kind = {line["kind"]: line for line in shown["lines"]}
        assert {kind: line["amount"] for kind, line in by_kind.items()} == {"tax": "650.00", "interest": "8.19"}
        assert by_kind["tax"]["section"].startswith("§ 54-19")
        assert "46" in by_kind["interest"]["computation"]
        assert [(one["kind"], one["amount"]) for one in shown["applications"]] == [
            ("interest", "8.19"),
            ("tax", "591.81"),
        ]
        assert (shown["charged"], shown["applied"], shown["balance"]) == ("658.19", "600.00", "58.19")
        assert shown["not_posted"] == []

    def test_marks_what_has_accrued_and_is_not_in_the_books(self, auditor: Client, bay: Town) -> None:
        # From June 15 to July 1 the 58.19 left bear 16 days more: 8.1918 + 58.19 x 10% x 16/365 = 8.4469, so 8.45.
        shown = statement(auditor, bay, "as_of=2026-07-01")
        assert shown["balance"] == "58.45"
        assert [(one["kind"], one["amount"]) for one in shown["not_posted"]] == [("interest", "0.26")]

    def test_knows_only_what_was_recorded_by_the_day_that_it_knows(self, auditor: Client, bay: Town) -> None:
        # Without the payment, 62 days from April 30 to July 1: 650.00 x 10% x 62/365 = 11.0411, so 11.04.
        shown = statement(auditor, bay, "as_of=2026-07-01&known_on=2026-06-14")
        assert (shown["balance"], shown["known_on"]) == ("661.04", "2026-06-14")
        answer = auditor.get(f"/accounts/{account_id(bay, '2026-Q1')}/statement?as_of=2026-06-01&known_on=2026-06-02")
        assert [fault["field"] for fault in answer.json["errors"]] == ["known_on"]

    def test_a_day_far_off_is_answered_or_refused_at_once(self, auditor: Client, bay: Town) -> None:
        # 63,386 days more on the 58.19 left: 8.1918 + 58.19 x 10% x 63,386/365 = 1,018.7178, so 650.00 + 1,018.72.
        assert statement(auditor, bay, "as_of=2199-12-31")["charged"] == "1668.72"
        path = f"/accounts/{account_id(bay, '2026-Q1')}/statement"
        assert [auditor.get(f"{path}?as_of={day}").status_code for day in ("9999-12-31", "0001-01-01")] == [422, 422]

    @pytest.mark.parametrize("day", ["20260615", "2026-W25-1", "2026-6-15", "2026-02-30", "today", ""])
    def test_a_day_is_written_in_one_way(self, auditor: Client, bay: Town, day: str) -> None:
        answer = auditor.get(f"/accounts/{account_id(bay, '2026-Q1')}/statement?as_of={day}")
        assert [fault["field"] for fault in answer.json["errors"]] == ["as_of"]


class TestList:
    def periods(self, client: Client, query: str) -> list[str]:
        return [one["period"] for one in client.get(f"/accounts?{query}").json["items"]]

    def test_shows_due_dates_filing_and_balance_as_of_a_day(self, auditor: Client, bay: Town) -> None:
        (shown,) = auditor.get("/accounts?period=2026-Q1&as_of=2026-06-15").json["items"]
        assert (shown["due_on"], shown["filed_on"], shown["basis"]) == ("2026-04-30", "2026-04-29", "return")
        assert (shown["balance"], shown["credit"], shown["place_name"]) == ("58.19", "0.00", "Lake House")
        (before,) = auditor.get("/accounts?period=2026-Q1&as_of=2026-04-28").json["items"]
        assert (before["filed_on"], before["basis"], before["balance"]) == (None, "none", "0.00")

    def test_goes_on_where_the_page_before_ended(self, auditor: Client, bay: Town) -> None:
        found: list[str] = []
        page: dict[str, Any] = {"next": ""}
        while page["next"] is not None:
            cursor = f"&cursor={page['next']}" if page["next"] else ""
            page = auditor.get(f"/accounts?limit=3{cursor}").json
            found += [one["period"] for one in page["items"]]
        assert found == [f"{year}-Q{number}" for year in (2025, 2026) for number in (1, 2, 3, 4)]

    def test_of_a_state_finds_the_same_accounts_in_pages_of_any_size(self, auditor: Client, bay: Town) -> None:
        # Nothing is filed for 2025, so each of its periods owes the late filing fee; 2026-Q2 is not due on July 1.
        for limit in (1, 2, 4, 5, 200):
            found: list[str] = []
            page: dict[str, Any] = {"next": ""}
            while page["next"] is not None:
                cursor = f"&cursor={page['next']}" if page["next"] else ""
                page = auditor.get(f"/accounts?state=owing&as_of=2026-07-01&limit={limit}{cursor}").json
                found += [one["period"] for one in page["items"]]
            assert found == ["2025-Q1", "2025-Q2", "2025-Q3", "2025-Q4", "2026-Q1"], limit

    def test_tells_owing_credit_settled_and_unfiled_apart(self, auditor: Client, bay: Town) -> None:
        day = date(2026, 7, 20)
        bay.act(day, ("2026-Q2", a_return(day, bay.accounts["2026-Q2"], 0)), ("2026-Q2", a_payment(day, 500)))
        bay.act(day, ("2026-Q1", a_payment(day, 5_900)))
        as_of = "as_of=2026-07-20"
        assert self.periods(auditor, f"state=credit&{as_of}") == ["2026-Q1", "2026-Q2"]
        assert self.periods(auditor, f"state=unfiled&{as_of}&period=2026-Q1") == []
        assert self.periods(auditor, f"state=settled&{as_of}&period=2026-Q3") == ["2026-Q3"]

    def test_a_filer_sees_its_own_alone(self, web: Web, auditor: Client, bay: Town) -> None:
        other = a_filer(bay)
        a_place(bay, other)
        assert self.periods(web.filer(bay.tenant, other), "limit=200") == []
        mine = web.filer(bay.tenant, first_filer(bay))
        assert self.periods(mine, "limit=200") == self.periods(auditor, "limit=200")
        assert self.periods(mine, f"filer={other}") == []
        assert self.periods(mine, f"place={first_place(bay)}&period=2026-Q1") == ["2026-Q1"]


class TestHistory:
    def test_tells_every_event_with_who_and_when(self, auditor: Client, bay: Town) -> None:
        day = date(2026, 6, 20)
        bay.act(day, ("2026-Q1", came_back(day, 2, JUNE_15, 60_000)), by="clerk")
        bay.act(day, ("2026-Q1", a_waiver(day, "interest", 100)))
        events = auditor.get(f"/accounts/{account_id(bay, '2026-Q1')}/history").json["events"]
        assert [(one["kind"], one["on"], one["recorded_by"]) for one in events] == [
            ("return_filed", "2026-04-29", "treasurer"),
            ("payment", "2026-06-15", "treasurer"),
            ("payment_returned", "2026-06-20", "clerk"),
            ("waiver", "2026-06-20", "treasurer"),
        ]
        filed, paid, returned, waived = events
        assert filed["filed"]["number"] == 1
        assert filed["parts"][0]["gross"] == {"rooms": "10000.00"}
        assert (paid["amount"], paid["payment"]["number"], paid["payment"]["method"]) == ("600.00", 1, "check")
        assert (returned["of"], returned["amount"]) == (2, "600.00")
        assert (waived["charge"], waived["amount"], waived["reason"]) == ("interest", "1.00", "good cause")

    def test_the_entries_of_an_account_cite_what_they_rest_on(self, auditor: Client, bay: Town) -> None:
        entries = auditor.get(f"/accounts/{account_id(bay, '2026-Q1')}/entries").json["items"]
        assert [entry["booked_on"] for entry in entries] == ["2026-04-29", "2026-06-15"]
        (tax,) = entries[0]["transfers"]
        assert (tax["amount"], tax["kind"]) == ("650.00", "tax")
        assert all(one["section"] and one["computation"] for entry in entries for one in entry["transfers"])


@pytest.mark.parametrize("below", ["", "/statement", "/history", "/entries"])
def test_anothers_account_and_one_that_is_not_there_are_answered_alike(web: Web, bay: Town, below: str) -> None:
    stranger = web.filer(bay.tenant, a_filer(bay))
    answers = [stranger.get(f"/accounts/{one}{below}") for one in (account_id(bay, "2026-Q1"), uuid4())]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].data == answers[1].data
    assert sorted(answers[0].headers) == sorted(answers[1].headers)
    owner = web.filer(bay.tenant, first_filer(bay))
    assert owner.get(f"/accounts/{account_id(bay, '2026-Q1')}{below}").status_code == 200


def test_what_waits_for_a_resolution_says_so_in_the_list(web: Web, app: Engine, host: Engine) -> None:
    town = open_town(app, host, "poor", "bayfield", resolutions=(("late_filing_fee", 2_500),))
    day = date(2026, 4, 29)
    town.act(day, ("2026-Q1", a_return(day, town.accounts["2026-Q1"], 100_000)), ("2026-Q1", a_payment(day, 100)))
    town.act(day, ("2026-Q1", came_back(day, 2, day, 100)))
    auditor = web.staff("auditor", town.tenant)
    (waits,) = auditor.get("/accounts?state=waiting").json["items"]
    assert (waits["period"], waits["balance"], waits["credit"]) == ("2026-Q1", None, None)
    assert "resolution" in waits["waiting"]
    answer = auditor.get(f"/accounts/{waits['id']}/statement")
    assert (answer.status_code, answer.json["name"]) == (409, "ResolutionMissing")
    assert accounts_now(town, first_filer(town))
