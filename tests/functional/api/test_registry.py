"""Filers and places over HTTP: entered, found, changed by version, and the days on which a place is open."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from tests.support.places import a_filer, a_place, first_filer, first_place
from tests.support.towns import Town, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

WRITTEN = {"name": "Lake House Inc.", "address": "1 Shore Road", "email": "", "phone": "", "year_end_month": None}


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def web(app: Engine, host: Engine, bay: Town) -> Web:
    return Web(app, host)


@pytest.fixture
def clerk(web: Web, bay: Town) -> Client:
    return web.staff("clerk", bay.tenant)


def fields_at_fault(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [fault["field"] for fault in answer.json["errors"]]


def changed(client: Client, path: str, body: dict[str, Any], version: str | None) -> Any:
    return client.put(path, body, headers={"If-Match": version} if version is not None else {})


class TestFilers:
    def test_a_filer_is_entered_once_under_the_next_number(self, clerk: Client) -> None:
        answers = [clerk.post("/filers", {"name": "Harbor Inn LLC"}, key="once") for _ in range(2)]
        assert [answer.status_code for answer in answers] == [201, 201]
        assert answers[0].data == answers[1].data
        assert answers[0].json["number"] == 2
        shown = clerk.get(f"/filers/{answers[0].json['id']}")
        assert (shown.json["name"], shown.json["version"], shown.headers["ETag"]) == ("Harbor Inn LLC", 1, '"1"')

    def test_a_change_names_the_version_that_was_read(self, clerk: Client, bay: Town) -> None:
        path = f"/filers/{first_filer(bay)}"
        read = clerk.get(path).headers["ETag"]
        done = changed(clerk, path, WRITTEN, read)
        assert (done.status_code, done.headers["ETag"], done.json["name"]) == (200, '"2"', "Lake House Inc.")
        versions = clerk.get(f"{path}/versions").json["items"]
        assert [(one["version"], one["name"]) for one in versions] == [(1, "Lake House LLC"), (2, "Lake House Inc.")]

    def test_a_change_to_an_outdated_version_changes_nothing(self, clerk: Client, bay: Town) -> None:
        path = f"/filers/{first_filer(bay)}"
        changed(clerk, path, WRITTEN, '"1"')
        assert changed(clerk, path, {**WRITTEN, "name": "Mine"}, '"1"').status_code == 412
        assert clerk.get(path).json["name"] == "Lake House Inc."

    @pytest.mark.parametrize(("version", "status"), [(None, 428), ("", 428), ("1", 422), ("*", 422), ('W/"1"', 422)])
    def test_a_change_without_a_version_is_refused(
        self, clerk: Client, bay: Town, version: str | None, status: int
    ) -> None:
        assert changed(clerk, f"/filers/{first_filer(bay)}", WRITTEN, version).status_code == status

    def test_a_year_that_the_law_does_not_know_is_refused(self, clerk: Client) -> None:
        # Here the annual return covers the calendar year, whatever year a filer keeps.
        assert fields_at_fault(clerk.post("/filers", {"name": "A", "year_end_month": 6})) == ["year_end_month"]
        assert clerk.post("/filers", {"name": "A", "year_end_month": 12}).status_code == 201

    def test_filers_are_found_by_the_beginning_of_their_name_in_pages(self, clerk: Client) -> None:
        for name in ("Café Lévy", "CAFE  Lux", "cafe lama", "Harbor Inn"):
            clerk.post("/filers", {"name": name})
        first = clerk.get("/filers?name=café l&limit=2").json
        second = clerk.get(f"/filers?name=café l&limit=2&cursor={first['next']}").json
        assert [one["name"] for one in first["items"]] == ["cafe lama", "Café Lévy"]
        assert [one["name"] for one in second["items"]] == ["CAFE  Lux"]
        assert second["next"] is None

    def test_a_filer_finds_itself_alone(self, web: Web, bay: Town) -> None:
        other = a_filer(bay)
        filer = web.filer(bay.tenant, first_filer(bay))
        assert [one["id"] for one in filer.get("/filers").json["items"]] == [str(first_filer(bay))]
        answers = [filer.get(f"/filers/{one}") for one in (other, uuid4())]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].data == answers[1].data

    @pytest.mark.parametrize("query", ["cursor=x", "cursor=WzFd", "limit=0", "limit=201", "limit=1.5", "nam=x"])
    def test_a_query_that_makes_no_sense_is_refused_by_name(self, clerk: Client, query: str) -> None:
        assert fields_at_fault(clerk.get(f"/filers?{query}")) == [query.partition("=")[0]]

    @pytest.mark.parametrize("name", ["", "  ", "a\u0000b", "a\ud800", "x" * 201])
    def test_a_name_that_nobody_can_write_is_refused(self, clerk: Client, name: str) -> None:
        assert fields_at_fault(clerk.post("/filers", {"name": name})) == ["name"]


class TestPlaces:
    def new(self, bay: Town, **values: Any) -> dict[str, Any]:
        given = {"filer": str(first_filer(bay)), "name": "Boat House", "opened_on": "2026-04-01", "taxes": ["room_tax"]}
        return {**given, **values}

    def test_a_place_is_entered_with_its_taxes_and_owes_from_its_first_day(self, clerk: Client, bay: Town) -> None:
        made = clerk.post("/places", self.new(bay))
        assert made.status_code == 201
        shown = clerk.get(f"/places/{made.json['id']}").json
        assert shown["taxes"] == [{"tax": "room_tax", "since": "2026-04-01"}]
        assert shown["facts"] == [{"seq": 1, "kind": "opening", "first_day": "2026-04-01", "last_day": None}]
        assert shown["is_open"] is True
        owed = [one["period"] for one in clerk.get("/obligations").json["items"] if one["place"] == made.json["id"]]
        assert owed == ["2026-Q2"]

    def test_what_is_wrong_with_a_place_is_told(self, clerk: Client, bay: Town) -> None:
        wrong = self.new(bay, taxes=["boat_tax", "room_tax", "dog_tax"])
        assert fields_at_fault(clerk.post("/places", wrong)) == ["taxes[0]", "taxes[2]"]
        assert clerk.post("/places", self.new(bay, filer=str(uuid4()))).status_code == 404

    def test_a_closed_season_is_recorded_and_withdrawn_again(self, clerk: Client, bay: Town) -> None:
        path = f"/places/{first_place(bay)}"
        season = {"kind": "seasonal_closure", "first_day": "2026-04-01", "last_day": "2026-06-30"}
        seq = clerk.post(f"{path}/facts", season).json["seq"]
        owed = {one["period"] for one in clerk.get("/obligations").json["items"]}
        assert "2026-Q2" not in owed
        taken_back = clerk.post(f"{path}/facts/{seq}/withdrawal", {"reason": "it stayed open"})
        assert taken_back.status_code == 201
        assert "2026-Q2" in {one["period"] for one in clerk.get("/obligations").json["items"]}
        assert fields_at_fault(clerk.post(f"{path}/facts/{seq}/withdrawal", {"reason": "again"})) == ["seq"]

    def test_facts_that_contradict_what_stands_are_refused(self, clerk: Client, bay: Town) -> None:
        path = f"/places/{first_place(bay)}/facts"
        assert fields_at_fault(clerk.post(path, {"kind": "opening", "first_day": "2026-05-01"})) == ["first_day"]
        closing = {"kind": "closing", "first_day": "2026-05-01", "last_day": "2026-05-02"}
        assert fields_at_fault(clerk.post(path, closing)) == ["last_day"]
        assert fields_at_fault(clerk.post(path, {"kind": "burning", "first_day": "2026-05-01"})) == ["kind"]

    def test_a_tax_that_a_place_owes_already_is_not_added(self, clerk: Client, bay: Town) -> None:
        path = f"/places/{first_place(bay)}/taxes"
        assert fields_at_fault(clerk.post(path, {"tax": "room_tax", "since": "2026-05-01"})) == ["tax"]
        assert fields_at_fault(clerk.post(path, {"tax": "boat_tax", "since": "2026-05-01"})) == ["tax"]

    def test_a_change_names_the_version_that_was_read(self, clerk: Client, bay: Town) -> None:
        path = f"/places/{first_place(bay)}"
        body = {"name": "Lake Lodge", "address": "", "furnished_by": "commercial", "private_benefit": True}
        done = changed(clerk, path, body, clerk.get(path).headers["ETag"])
        assert (done.status_code, done.headers["ETag"], done.json["name"]) == (200, '"2"', "Lake Lodge")
        assert changed(clerk, path, body, '"1"').status_code == 412

    def test_places_are_listed_by_number_in_pages_and_by_filer(self, clerk: Client, bay: Town) -> None:
        other = a_filer(bay)
        for name in ("One", "Two", "Three"):
            a_place(bay, other, name)
        first = clerk.get("/places?limit=2").json
        second = clerk.get(f"/places?limit=2&cursor={first['next']}").json
        assert [one["name"] for one in first["items"] + second["items"]] == ["Lake House", "One", "Two", "Three"]
        assert [one["name"] for one in clerk.get(f"/places?filer={other}").json["items"]] == ["One", "Two", "Three"]

    def test_a_filer_sees_its_own_places_alone(self, web: Web, bay: Town) -> None:
        other = a_filer(bay)
        theirs = a_place(bay, other).id
        filer = web.filer(bay.tenant, first_filer(bay))
        assert [one["id"] for one in filer.get("/places").json["items"]] == [str(first_place(bay))]
        assert filer.get(f"/places?filer={other}").json["items"] == []
        answers = [filer.get(f"/places/{one}") for one in (theirs, uuid4())]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].data == answers[1].data
