"""Whatever goes wrong, the answer is a problem document that says what to do and nothing of the inside."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from core.app import create_app
from core.auth.passwords import Passwords
from core.db.url import Database
from core.services.access.visit import make_engines
from core.web import log, problems
from tests.support.postgres import Cluster
from tests.support.towns import Town
from tests.support.web import PASSWORD, Web

pytestmark = pytest.mark.database

SESSIONS = "/api/v1/sessions"
GOOD = {"email": "a@b.example", "password": "x"}


NOWHERE = "host=127.0.0.1 port=1 dbname=none connect_timeout=1"


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    """A client of the application without a database: what is refused before one is asked needs none."""
    return create_app(lambda: make_engines(NOWHERE, NOWHERE), passwords=Passwords(memory_kib=8)).test_client()


def posted(client: FlaskClient, data: bytes | str, kind: str = "application/json") -> TestResponse:
    return client.post(SESSIONS, data=data, content_type=kind)


def is_problem(answer: TestResponse, status: int) -> dict[str, Any]:
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    body: dict[str, Any] = json.loads(answer.data)
    assert body["status"] == status
    assert body["title"]
    return body


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "{'email': 1}",
        '{"email": NaN}',
        '{"email": Infinity}',
        "[" * 100_000,
        '{"a":' * 50_000,
        b'{"email": "\xff\xfe"}',
        "1" * 5000,
    ],
)
def test_what_is_no_json_is_malformed(client: FlaskClient, body: bytes | str) -> None:
    is_problem(posted(client, body), 400)


@pytest.mark.parametrize("body", ["[]", "null", '"text"', "1", "[[[[]]]]", "true"])
def test_json_that_is_no_object_has_to_be_corrected(client: FlaskClient, body: str) -> None:
    assert is_problem(posted(client, body), 422)["errors"]


@pytest.mark.parametrize(
    "kind",
    ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", "", "application/xml"],
)
def test_a_body_of_another_kind_is_not_read(client: FlaskClient, kind: str) -> None:
    is_problem(posted(client, json.dumps(GOOD), kind), 415)


def test_a_body_of_more_than_a_mebibyte_is_not_read(client: FlaskClient) -> None:
    is_problem(posted(client, json.dumps({**GOOD, "password": "x" * 2**20})), 413)


def test_every_fault_is_told_in_one_pass_with_its_field(web: Web, bay: Town) -> None:
    host = web.staff("host", None)
    body = {"name": "", "password": 5, "role": "king", "is_admin": True, "tenant_id": 1}
    found = is_problem(host.post("/api/v1/host/logins", body), 422)["errors"]
    assert {one["field"] for one in found} == {"email", "name", "password", "role", "is_admin", "tenant_id"}


def test_what_a_request_may_not_set_is_refused_and_not_passed_over(web: Web, bay: Town) -> None:
    host = web.staff("host", None)
    body = {"email": "c@bay.example", "name": "C", "password": PASSWORD, "role": "clerk", "municipality": "bay"}
    for key in ("id", "tenant_id", "login_id", "granted_by", "granted_at", "password_hash", "disabled_at", "__class__"):
        answer = host.post("/api/v1/host/logins", {**body, key: "1"})
        assert [one["field"] for one in is_problem(answer, 422)["errors"]] == [key]
    assert "c@bay.example" not in host.get("/api/v1/host/logins").get_data(as_text=True)


def test_ten_times_as_many_unknown_keys_are_ten_times_as_many_steps(client: FlaskClient) -> None:
    def steps(keys: int) -> int:
        body = json.dumps({**GOOD, **{f"unknown{n}": n for n in range(keys)}})
        counted = 0

        def count(*_: object) -> None:
            nonlocal counted
            counted += 1

        sys.setprofile(count)
        try:
            answer = posted(client, body)
        finally:
            sys.setprofile(None)
        assert len(is_problem(answer, 422)["errors"]) == keys
        return counted

    steps(10)
    few, many = steps(200), steps(2000)
    # Calls and returns, not seconds: what is squared would make it a hundredfold.
    assert many < 12 * few


def test_a_path_has_the_methods_of_its_document_and_says_which(client: FlaskClient) -> None:
    answer = client.put("/api/v1/me", json={})
    is_problem(answer, 405)
    assert "GET" in answer.headers["Allow"]


def test_a_path_that_is_none_is_a_problem_and_no_page(client: FlaskClient) -> None:
    is_problem(client.get("/nothing"), 404)


def test_of_an_unforeseen_error_only_a_number_is_told(caplog: pytest.LogCaptureFixture) -> None:
    app = Flask("broken")
    log.register(app)
    problems.register(app)

    @app.get("/broken")
    def broken() -> str:
        raise RuntimeError("secret of the inside")

    answer = app.test_client().get("/broken")
    number = is_problem(answer, 500)["instance"]
    assert "secret" not in answer.get_data(as_text=True)
    assert "Traceback" not in answer.get_data(as_text=True)
    assert number in caplog.text
    assert "secret of the inside" in caplog.text


def test_a_database_that_is_out_of_reach_is_a_matter_of_time(client: FlaskClient) -> None:
    answer = client.post(SESSIONS, json=GOOD)
    body = is_problem(answer, 503)
    assert answer.headers["Retry-After"] == "1"
    assert "127.0.0.1" not in str(body)


def test_a_connection_that_died_in_the_pool_is_made_anew_without_a_word(
    web: Web, bay: Town, postgres: Cluster, database: Database
) -> None:
    client = web.staff("treasurer", bay.tenant)
    assert client.get("/api/v1/me").status_code == 200
    with web.engines.app.connect() as connection:
        backend = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with postgres.superuser(database) as superuser:
        superuser.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])
    # The path of a municipality that is not there: nothing but the question who asks is put to the database.
    assert client.get("/api/v1/municipalities/nowhere/settings").status_code == 404


def test_a_host_name_that_is_not_the_services_is_refused() -> None:
    app = create_app(lambda: make_engines(NOWHERE, NOWHERE), trusted_hosts=["fisc.example"])
    client = app.test_client()
    assert client.get("/healthz", headers={"Host": "fisc.example"}).status_code == 200
    for name in ("evil.example", "fisc.example.evil.example", "fisc.example@evil.example", ""):
        assert "host name" in is_problem(client.get("/healthz", headers={"Host": name}), 400)["title"]
    # What a stranger writes into another header chooses nothing.
    forwarded = {"Host": "evil.example", "X-Forwarded-Host": "fisc.example"}
    is_problem(client.get("/healthz", headers=forwarded), 400)
