"""Signing in, and what a token is good for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine, text

from tests.support.towns import Town, open_town
from tests.support.web import PASSWORD, Web

pytestmark = pytest.mark.database


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def web(app: Engine, host: Engine) -> Web:
    return Web(app, host)


def test_a_token_says_who_is_signed_in_and_what_they_are_where(web: Web, bay: Town) -> None:
    me = web.staff("treasurer", bay.tenant, "treasurer@bay.example").get("/api/v1/me").json
    assert me is not None
    assert me["email"] == "treasurer@bay.example"
    assert [(m["municipality"], m["role"]) for m in me["memberships"]] == [("bay", "treasurer")]


def test_one_login_has_places_in_two_municipalities(web: Web, bay: Town, app: Engine, host: Engine) -> None:
    mon = open_town(app, host, "mon", "montello")
    one, other = bay.accounts["2026-Q1"].filer_id, mon.accounts["2026-Q1"].filer_id
    web.filer(bay.tenant, one, "operator@lake.example")
    me = web.filer(mon.tenant, other, "operator@lake.example").get("/api/v1/me").json
    assert me is not None
    assert [(m["municipality"], m["filer"]) for m in me["memberships"]] == [("bay", str(one)), ("mon", str(other))]


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer short", "Basic " + "a" * 43, "Bearer " + "a" * 43])
def test_without_a_valid_token_nothing_is_told(web: Web, bay: Town, header: str) -> None:
    answer = web.app.test_client().get("/api/v1/me", headers={"Authorization": header} if header else {})
    assert answer.status_code == 401
    assert answer.mimetype == "application/problem+json"
    assert "Bearer" in answer.headers["WWW-Authenticate"]


def test_a_token_ends_after_twelve_hours(web: Web, bay: Town) -> None:
    client = web.staff("clerk", bay.tenant)
    web.clock.now += timedelta(hours=11, minutes=59)
    assert client.get("/api/v1/me").status_code == 200
    web.clock.now += timedelta(minutes=2)
    assert client.get("/api/v1/me").status_code == 401


def test_a_token_is_good_for_nothing_after_signing_out(web: Web, bay: Town) -> None:
    client = web.staff("clerk", bay.tenant)
    assert client.delete("/api/v1/sessions/current").status_code == 200
    assert client.get("/api/v1/me").status_code == 401


def test_a_disabled_login_is_refused_on_its_next_request(web: Web, bay: Town) -> None:
    client = web.staff("clerk", bay.tenant)
    login = (client.get("/api/v1/me").json or {})["id"]
    host = web.staff("host", None)
    assert host.post(f"/api/v1/host/logins/{login}/disable").status_code == 200
    assert client.get("/api/v1/me").status_code == 401


def test_the_database_keeps_no_token_and_no_password(web: Web, bay: Town) -> None:
    client = web.staff("clerk", bay.tenant)
    with web.engines.app.connect() as connection:
        kept = str(connection.execute(text("SELECT * FROM platform.tokens")).all())
        kept += str(connection.execute(text("SELECT * FROM platform.logins")).all())
    assert client.token is not None
    assert client.token not in kept
    assert PASSWORD not in kept
    assert "$argon2id$" in kept


def test_an_unknown_e_mail_and_a_wrong_password_are_answered_alike(web: Web, bay: Town) -> None:
    web.staff("treasurer", bay.tenant, "treasurer@bay.example")
    answers = [
        web.nobody().post("/api/v1/sessions", {"email": email, "password": "not the right one at all"})
        for email in ("treasurer@bay.example", "nobody@bay.example")
    ]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].data == answers[1].data


def test_a_stranger_cannot_lock_a_treasurer_out(web: Web, bay: Town) -> None:
    web.staff("treasurer", bay.tenant, "treasurer@bay.example")
    body = {"email": "treasurer@bay.example", "password": "not the right one at all"}
    stranger = {"environ_base": {"REMOTE_ADDR": "203.0.113.9"}}
    codes = [web.nobody().post("/api/v1/sessions", body, **stranger).status_code for _ in range(6)]
    assert codes == [401] * 5 + [429]
    right = {**body, "password": PASSWORD}
    assert web.nobody().post("/api/v1/sessions", right).status_code == 201


def test_a_password_must_be_long_and_not_common(web: Web, bay: Town) -> None:
    host = web.staff("host", None)
    body = {"email": "a@b.example", "name": "Clerk", "role": "clerk", "municipality": "bay"}
    for password in ("short", "passwordpassword", "aaaaaaaaaaaaaaaaaa", "123456789012345"):
        answer = host.post("/api/v1/host/logins", {**body, "password": password})
        assert answer.status_code == 422, password
        assert {error["field"] for error in (answer.json or {})["errors"]} == {"password"}


def test_unknown_keys_are_refused_by_name(web: Web, bay: Town) -> None:
    body = {"email": "a@b.example", "password": "x", "is_admin": True, "tenant_id": 1}
    answer = web.nobody().post("/api/v1/sessions", body)
    assert answer.status_code == 422
    assert {error["field"] for error in (answer.json or {})["errors"]} == {"is_admin", "tenant_id"}


def test_anothers_municipality_and_one_that_is_not_there_are_answered_alike(
    web: Web, bay: Town, app: Engine, host: Engine
) -> None:
    open_town(app, host, "mon", "montello")
    client = web.staff("treasurer", bay.tenant)
    body = {"email": "a@b.example", "name": "A", "password": PASSWORD, "filer": str(bay.accounts["2026-Q1"].filer_id)}
    answers = [client.post(f"/api/v1/municipalities/{key}/logins", body) for key in ("mon", "nowhere")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].data == answers[1].data
    assert sorted(answers[0].headers) == sorted(answers[1].headers)


def test_the_host_sees_of_filers_ids_alone(web: Web, bay: Town) -> None:
    web.filer(bay.tenant, bay.accounts["2026-Q1"].filer_id, "operator@lake.example")
    told = web.staff("host", None).get("/api/v1/host/logins").get_data(as_text=True)
    assert "operator@lake" not in told
    assert "The operator" not in told


def test_every_route_names_a_permission(web: Web) -> None:
    without = [
        str(rule)
        for rule in web.app.url_map.iter_rules()
        if not hasattr(web.app.view_functions[rule.endpoint], "permission")
    ]
    assert without == []


def test_the_document_is_openapi_3_1_and_names_each_permission(web: Web) -> None:
    document = web.nobody().get("/api/v1/openapi.json").json or {}
    assert document["openapi"] == "3.1.0"
    operations = [op for path in document["paths"].values() for verb, op in path.items() if verb in METHODS]
    assert operations
    assert all("x-permission" in operation for operation in operations)


METHODS = {"get", "post", "put", "delete", "patch"}
