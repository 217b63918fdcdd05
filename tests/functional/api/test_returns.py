"""Filing returns over HTTP: what is owed then, what is refused, and reading back what was filed."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from tests.support.places import a_filer, a_place, first_filer, first_place
from tests.support.statements import counted_statements
from tests.support.towns import Town, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

SIGNED = {"signature": {"name": "A. Owner", "capacity": "owner"}}
MOST_STATEMENTS = 10


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def web(app: Engine, host: Engine, bay: Town) -> Web:
    made = Web(app, host)
    made.clock.on(2026, 4, 29)
    return made


@pytest.fixture
def filer(web: Web, bay: Town) -> Client:
    return web.filer(bay.tenant, first_filer(bay))


@pytest.fixture
def treasurer(web: Web, bay: Town) -> Client:
    return web.staff("treasurer", bay.tenant)


def a_return(town: Town, **values: Any) -> dict[str, Any]:
    """Rooms for 1,234.50 in the first period of 2026."""
    return {"place": str(first_place(town)), "period": "2026-Q1", "gross": {"rooms": "1234.50"}, **values}


def submission(*returns: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {"returns": list(returns), **SIGNED, **values}


def faults(answer: Any) -> dict[str, str]:
    assert answer.status_code == 422, answer.json
    return {fault["field"]: fault["message"] for fault in answer.json["errors"]}


def test_a_return_is_filed_and_what_is_owed_is_told(filer: Client, bay: Town) -> None:
    # 1,234.50 - 34.50 = 1,200.00 x 6.5% = 78.00, filed in time.
    answer = filer.post("/returns", submission(a_return(bay, deductions={"long_stay": "34.50"})))
    assert answer.status_code == 201
    (filed,), (account,) = answer.json["returns"], answer.json["accounts"]
    assert (filed["period"], filed["amends"], filed["account"]) == ("2026-Q1", False, account["account"])
    assert (account["balance"], account["credit"], account["waiting"]) == ("78.00", "0.00", None)


def test_a_return_is_read_back_letter_for_letter(filer: Client, bay: Town) -> None:
    sent = {"period": "2026-Q1", "place": str(first_place(bay)), "gross": {"site_receipts": "0.00", "rooms": "1234.5"}}
    (filed,) = filer.post("/returns", submission(sent)).json["returns"]
    shown = filer.get(f"/returns/{filed['id']}").json
    assert shown["form"] == {"return": sent, "signature": SIGNED["signature"]}
    assert list(shown["form"]["return"]) == ["period", "place", "gross"]
    assert shown["parts"] == [
        {
            "first_night": "2026-01-01",
            "last_night": "2026-03-31",
            "gross": {"rooms": "1234.50", "site_receipts": "0.00"},
            "deductions": {},
        }
    ]
    assert (shown["on"], shown["channel"], shown["number"]) == ("2026-04-29", "api", filed["number"])


def test_a_later_return_amends_the_earlier_and_both_can_be_read(filer: Client, bay: Town) -> None:
    first = filer.post("/returns", submission(a_return(bay))).json["returns"][0]
    second = filer.post("/returns", submission(a_return(bay, gross={"rooms": "2000.00"}))).json["returns"][0]
    assert (first["amends"], second["amends"]) == (False, True)
    shown = [filer.get(f"/returns/{one['id']}").json["parts"][0]["gross"]["rooms"] for one in (first, second)]
    assert shown == ["1234.50", "2000.00"]


def test_the_same_request_files_once_and_is_answered_alike(filer: Client, bay: Town) -> None:
    answers = [filer.post("/returns", submission(a_return(bay)), key="once") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].data == answers[1].data
    account = answers[0].json["accounts"][0]["account"]
    assert len(filer.get(f"/accounts/{account}/history").json["events"]) == 1


def test_a_key_that_came_with_another_body_is_refused(filer: Client, bay: Town) -> None:
    filer.post("/returns", submission(a_return(bay)), key="once")
    answer = filer.post("/returns", submission(a_return(bay, gross={"rooms": "1.00"})), key="once")
    assert answer.status_code == 422
    assert answer.json["name"] == "RequestKeyReused"


def test_without_a_key_nothing_is_filed(filer: Client, bay: Town) -> None:
    path = "/api/v1/municipalities/bay/returns"
    answer = filer.send(filer.client.post, path, json=submission(a_return(bay)))
    assert list(faults(answer)) == ["Idempotency-Key"]


def test_every_fault_of_every_return_is_told_at_once(filer: Client, bay: Town) -> None:
    wrong = submission(
        a_return(bay, period="2026-Q9"),
        a_return(bay, period="2025-Q4", gross={"boats": "1.00"}),
        a_return(bay, deductions={"long_stay": "9999.00"}),
        signature={"name": " ", "capacity": "owner"},
    )
    assert list(faults(filer.post("/returns", wrong))) == [
        "signature.name",
        "returns[0].period",
        "returns[1].gross.boats",
        "returns[2].deductions",
    ]


def test_a_wrong_period_does_not_hide_what_is_wrong_with_the_lines(filer: Client, bay: Town) -> None:
    wrong = submission(
        a_return(bay, period="2026-Q9", gross={"boats": "1.00"}, deductions={"breakfast": "1.00"}),
        a_return(bay, period="2026-Q8", gross={}, parts=[{"gross": {"boats": "1.00"}}]),
    )
    assert list(faults(filer.post("/returns", wrong))) == [
        "returns[0].period",
        "returns[0].gross.boats",
        "returns[0].deductions.breakfast",
        "returns[1].period",
        "returns[1].parts[0].gross.boats",
    ]


def test_a_field_that_is_missing_or_empty_is_told_with_what_to_do(filer: Client, bay: Town) -> None:
    told = faults(filer.post("/returns", {"returns": [{"period": None}], "signature": {"name": "A. Owner"}}))
    assert told == {
        "returns[0].period": "this has no value: give one",
        "returns[0].place": "this is missing: give it",
        "signature.capacity": "this is missing: give it",
    }


def test_every_misspelt_field_is_told_with_its_path(filer: Client, bay: Town) -> None:
    wrong = submission(a_return(bay, gross={"rooms": 1234.5}, tenant_id=1), a_return(bay, postmarked_on="29.4.2026"))
    assert list(faults(filer.post("/returns", {**wrong, "role": "treasurer"}))) == [
        "returns[0].gross.rooms",
        "returns[0].tenant_id",
        "returns[1].postmarked_on",
        "role",
    ]


@pytest.mark.parametrize(
    "amount", ["1e3", "12.345", "-1.00", "1,234.50", "", " 1.00", "99999999999999", "NaN", 12, None]
)
def test_an_amount_is_a_text_in_dollars_and_nothing_else(filer: Client, bay: Town, amount: Any) -> None:
    assert list(faults(filer.post("/returns", submission(a_return(bay, gross={"rooms": amount}))))) == [
        "returns[0].gross.rooms"
    ]


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b'{"returns": NaN}', b"\xff", b"1" * 5_000])
def test_a_body_that_cannot_be_read_is_malformed(filer: Client, body: bytes) -> None:
    path = "/api/v1/municipalities/bay/returns"
    headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
    answer = filer.send(filer.client.post, path, data=body, headers=headers)
    assert (answer.status_code, answer.mimetype) == (400, "application/problem+json")


def test_a_form_is_not_json(filer: Client) -> None:
    path = "/api/v1/municipalities/bay/returns"
    answer = filer.send(filer.client.post, path, data={"returns": "x"}, headers={"Idempotency-Key": "k"})
    assert answer.status_code == 415


def test_one_bad_return_keeps_all_of_them_out(filer: Client, bay: Town) -> None:
    answer = filer.post("/returns", submission(a_return(bay), a_return(bay, period="2026-Q2")))
    assert list(faults(answer)) == ["returns[1].period"]
    account = filer.get("/accounts?period=2026-Q1").json["items"][0]["id"]
    assert filer.get(f"/accounts/{account}/history").json["events"] == []


def test_another_filers_place_is_as_unknown_as_one_that_is_not_there(filer: Client, bay: Town) -> None:
    theirs = a_place(bay, a_filer(bay)).id
    answers = [filer.post("/returns", submission(a_return(bay, place=str(one)))) for one in (theirs, uuid4())]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].data == answers[1].data


def test_another_filers_return_is_as_unknown_as_one_that_is_not_there(web: Web, treasurer: Client, bay: Town) -> None:
    other = a_filer(bay)
    place = a_place(bay, other).id
    (filed,) = treasurer.post("/returns", submission(a_return(bay, place=str(place)))).json["returns"]
    stranger, owner = web.filer(bay.tenant, first_filer(bay)), web.filer(bay.tenant, other)
    answers = [stranger.get(f"/returns/{one}") for one in (filed["id"], uuid4())]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].data == answers[1].data
    assert owner.get(f"/returns/{filed['id']}").status_code == 200


def test_a_return_on_paper_counts_for_its_postmark(web: Web, bay: Town) -> None:
    web.clock.on(2026, 5, 6)
    treasurer = web.staff("treasurer", bay.tenant)
    paper = a_return(bay, postmarked_on="2026-04-30", received_on="2026-05-04")
    answer = treasurer.post("/returns", submission(paper, channel="paper"))
    assert answer.status_code == 201, answer.json
    # 1,234.50 x 6.5% = 80.2425, so 80.24; posted on the due day, so no fee; interest for 6 days:
    # 80.24 x 10% x 6/365 = 0.1319, so 0.13.
    assert answer.json["accounts"][0]["balance"] == "80.37"
    shown = treasurer.get(f"/returns/{answer.json['returns'][0]['id']}").json
    assert (shown["on"], shown["received_on"], shown["recorded_on"]) == ("2026-04-30", "2026-05-04", "2026-05-06")


def test_a_filer_cannot_say_that_its_return_came_on_paper(filer: Client, bay: Town) -> None:
    paper = a_return(bay, postmarked_on="2026-04-01")
    assert filer.post("/returns", submission(paper, channel="paper")).status_code == 403
    assert list(faults(filer.post("/returns", submission(paper)))) == ["returns[0].postmarked_on"]


def test_a_return_takes_at_most_ten_statements(filer: Client, bay: Town) -> None:
    filer.post("/returns", submission(a_return(bay, period="2025-Q4")))  # the first one elects the filer's year
    with counted_statements() as sent:
        answer = filer.post("/returns", submission(a_return(bay)))
    assert answer.status_code == 201
    assert len(sent) <= MOST_STATEMENTS, sent


def test_an_annual_return_is_drafted_from_the_periods_and_filed(web: Web, filer: Client, bay: Town) -> None:
    for period in ("2025-Q1", "2025-Q2", "2025-Q3"):
        filer.post("/returns", submission(a_return(bay, period=period, gross={"rooms": "100.00"})))
    draft = filer.get(f"/annual-returns/draft?place={first_place(bay)}&year=2025").json
    assert (draft["gross"], draft["missing"], draft["tax"]) == (
        {"rooms": "300.00", "site_receipts": "0.00"},
        ["2025-Q4"],
        "19.50",  # three times 100.00 x 6.5% = 6.50
    )
    annual = {"place": str(first_place(bay)), "year": 2025, "gross": {"rooms": "350.00"}, **SIGNED}
    assert list(faults(filer.post("/annual-returns", annual))) == ["corrections"]
    correction = {"period": "2025-Q4", "gross": {"rooms": "50.00"}}
    filed = filer.post("/annual-returns", {**annual, "corrections": [correction]})
    assert filed.status_code == 201
    assert [one["period"] for one in filed.json["returns"]] == ["2025-Q4", "2025-annual"]
    shown = filer.get(f"/returns/{filed.json['returns'][1]['id']}").json
    assert shown["form"]["return"]["corrections"] == [correction]


def test_an_annual_return_for_a_place_that_was_never_open_is_refused(treasurer: Client, bay: Town) -> None:
    place = first_place(bay)
    treasurer.post(f"/places/{place}/facts/1/withdrawal", {"reason": "entered for another place"})
    annual = {"place": str(place), "year": 2025, **SIGNED}
    assert list(faults(treasurer.post("/annual-returns", annual))) == ["year"]


def test_what_is_owed_is_listed_by_due_date_in_pages(filer: Client, bay: Town) -> None:
    filer.post("/returns", submission(a_return(bay)))
    first = filer.get("/obligations?limit=3").json
    second = filer.get(f"/obligations?limit=3&cursor={first['next']}").json
    listed = [(one["period"], one["filed_on"]) for one in first["items"] + second["items"]]
    # The annual return of 2025 is due with its last period, on January 30, 2026.
    assert listed == [
        ("2025-Q1", None),
        ("2025-Q2", None),
        ("2025-Q3", None),
        ("2025-Q4", None),
        ("2025-annual", None),
        ("2026-Q1", "2026-04-29"),
    ]
    assert second["next"] is None
    still_open = filer.get("/obligations?open_only=true").json["items"]
    assert "2026-Q1" not in {one["period"] for one in still_open}


def test_a_municipality_that_is_not_open_takes_no_return(web: Web, bay: Town) -> None:
    host = web.staff("host", None)
    host.post("/api/v1/host/municipalities", {"key": "new", "plugin": "bayfield", "name": "The new Town"})
    answer = web.nobody().get("/api/v1/municipalities/new")
    assert answer.json["open_since"] is None
