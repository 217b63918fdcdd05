"""Resolutions, readings and the opening over HTTP; and a municipality as anybody may see it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from core.services.tenants.add import add_municipality
from tests.support.towns import Town, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database


@pytest.fixture
def web(app: Engine, host: Engine) -> Web:
    return Web(app, host)


@pytest.fixture
def treasurer(web: Web, app: Engine, host: Engine) -> Client:
    """Of a town that is entered and not open yet."""
    tenant = add_municipality(app, host, "bay", "bayfield", "The Town of Bay", "America/Chicago", "host")
    return web.staff("treasurer", tenant)


def resolution(name: str, value: str, **values: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "since": "2026-01-01", "number": "2026-1", **values}


def fields_at_fault(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [fault["field"] for fault in answer.json["errors"]]


def setting(client: Client, name: str, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in client.get(f"/settings{query}").json["items"] if one["name"] == name)
    return found


def test_a_town_opens_once_what_its_council_has_to_set_is_set(web: Web, treasurer: Client) -> None:
    assert treasurer.get("/settings").json["lacking"] == ["late_filing_fee", "returned_payment_fee"]
    assert fields_at_fault(treasurer.post("/opening", {"on": "2026-07-01"})) == [
        "resolutions.late_filing_fee",
        "resolutions.returned_payment_fee",
    ]
    both = [resolution("late_filing_fee", "25.00"), resolution("returned_payment_fee", "35.00")]
    assert treasurer.post("/settings/resolutions", {"resolutions": both}).status_code == 201
    opened = treasurer.post("/opening", {"on": "2026-07-01"})
    assert (opened.status_code, opened.json) == (201, {"open_since": "2026-07-01"})
    assert web.nobody().get("/api/v1/municipalities/bay").json["open_since"] == "2026-07-01"
    assert fields_at_fault(treasurer.post("/opening", {"on": "2026-07-02"})) == ["on"]


def test_resolutions_are_recorded_all_or_none_with_every_fault(treasurer: Client) -> None:
    given = [
        resolution("late_filing_fee", "25.00"),
        resolution("parking_fee", "1.00"),
        resolution("returned_payment_fee", "35.005"),
    ]
    answer = treasurer.post("/settings/resolutions", {"resolutions": given})
    assert fields_at_fault(answer) == ["resolutions[1].name", "resolutions[2].value"]
    negative = [resolution("late_filing_fee", "-25.00"), resolution("returned_payment_fee", "35.00", number=" ")]
    answer = treasurer.post("/settings/resolutions", {"resolutions": negative})
    assert fields_at_fault(answer) == ["resolutions[0].value", "resolutions[1].number"]
    assert setting(treasurer, "late_filing_fee")["recordings"] == []


def test_what_holds_on_a_day_is_the_latest_that_has_begun(treasurer: Client) -> None:
    for value, since in (("25.00", "2026-01-01"), ("40.00", "2027-01-01")):
        one = resolution("late_filing_fee", value, since=since)
        treasurer.post("/settings/resolutions", {"resolutions": [one]})
    now = setting(treasurer, "late_filing_fee")
    assert (now["value"], now["since"], now["source"], now["unit"]) == ("25.00", "2026-01-01", "resolution", "cents")
    assert setting(treasurer, "late_filing_fee", "?on=2027-06-30")["value"] == "40.00"
    before = setting(treasurer, "late_filing_fee", "?on=2025-12-31")
    assert (before["value"], before["source"]) == (None, None)
    assert [one["value"] for one in now["recordings"]] == ["25.00", "40.00"]


def test_one_recorded_in_error_is_withdrawn_and_stays_on_record(treasurer: Client) -> None:
    one = resolution("late_filing_fee", "52.00")
    made = treasurer.post("/settings/resolutions", {"resolutions": [one]}).json["settings"][0]
    path = f"/settings/{made['id']}/withdrawal"
    assert treasurer.post(path, {"reason": "the figures were swapped"}).status_code == 201
    found = setting(treasurer, "late_filing_fee")
    assert (found["value"], found["recordings"][0]["withdrawal_reason"]) == (None, "the figures were swapped")
    assert treasurer.post(path, {"reason": "again"}).status_code == 409
    assert treasurer.post(f"/settings/{uuid4()}/withdrawal", {"reason": "no"}).status_code == 404


def test_a_reading_replaces_the_default_from_its_day_with_its_reason(treasurer: Client) -> None:
    name = "penalty_needs_notice"
    assert (setting(treasurer, name)["value"], setting(treasurer, name)["source"]) == ("true", "default")
    reading = {"name": name, "value": "false", "since": "2026-06-01", "reason": "advice of counsel"}
    assert treasurer.post("/settings/readings", {"readings": [reading]}).status_code == 201
    found = setting(treasurer, name)
    assert (found["value"], found["source"], found["reason"]) == ("false", "reading", "advice of counsel")
    assert setting(treasurer, name, "?on=2026-05-31")["source"] == "default"


def test_a_reading_is_of_the_kind_of_its_default(treasurer: Client) -> None:
    reading = {"name": "penalty_needs_notice", "value": "maybe", "since": "2026-06-01", "reason": "none"}
    answer = treasurer.post("/settings/readings", {"readings": [reading, {**reading, "name": "moon"}]})
    assert fields_at_fault(answer) == ["readings[0].value", "readings[1].name"]


def test_the_same_request_sets_once(treasurer: Client) -> None:
    body = {"resolutions": [resolution("late_filing_fee", "25.00")]}
    answers = [treasurer.post("/settings/resolutions", body, key="once") for _ in range(2)]
    assert answers[0].data == answers[1].data
    assert len(setting(treasurer, "late_filing_fee")["recordings"]) == 1


class TestAnybody:
    @pytest.fixture
    def bay(self, app: Engine, host: Engine) -> Town:
        return open_town(app, host, "bay", "bayfield")

    def test_sees_the_municipalities_without_signing_in(self, web: Web, bay: Town) -> None:
        listed = web.nobody().get("/api/v1/municipalities").json["items"]
        assert [(one["key"], one["name"]) for one in listed] == [("bay", "The Town of Bay")]
        assert set(listed[0]) == {"key", "name", "time_zone", "closed_on"}

    def test_sees_the_lines_of_a_return_and_when_it_is_due(self, web: Web, bay: Town) -> None:
        shown = web.nobody().get("/api/v1/municipalities/bay?year=2026").json
        (tax,) = shown["taxes"]
        assert [line["key"] for line in tax["receipts"]] == ["rooms", "site_receipts"]
        assert [line["key"] for line in tax["deductions"]] == ["marketplace", "long_stay", "exempt_entity"]
        # READINGS 1 and 2: the fourth period is due on January 30, 2027, a Saturday; met on Monday, February 1.
        last = next(one for one in tax["deadlines"] if one["period"] == "2026-Q4")
        assert (last["due_on"], last["met_by"]) == ("2027-01-30", "2027-02-01")
        assert [one["period"] for one in tax["deadlines"]][-1] == "2026-annual"

    def test_sees_nothing_of_one_that_is_not_there(self, web: Web, bay: Town) -> None:
        assert web.nobody().get("/api/v1/municipalities/nowhere").status_code == 404
