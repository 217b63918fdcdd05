"""What comes with every answer, what the log says of a request, and the pages that come with the service."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import core.web
from core.app import create_app
from core.services.access.visit import make_engines
from tests.support.towns import Town
from tests.support.web import PASSWORD, Web

SWAGGER = Path(core.web.__path__[0]) / "static" / "swagger"
NOWHERE = "host=127.0.0.1 port=1 dbname=none connect_timeout=1"


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    """A client of the application without a database."""
    return create_app(lambda: make_engines(NOWHERE, NOWHERE)).test_client()


@pytest.mark.parametrize("path", ["/healthz", "/api/v1/openapi.json", "/api/v1/docs", "/api/v1/me", "/nothing"])
def test_every_answer_tells_the_browser_to_run_frame_and_guess_nothing(client: FlaskClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy  # and so scripts come from here alone, never from the page itself
    assert "Server" not in headers or "Python" not in headers["Server"]


@pytest.mark.parametrize(
    "path", ["/api/v1/openapi.json", "/api/v1/me", "/api/v1/nothing", "/api/v1/municipalities/x/y"]
)
def test_nothing_of_the_api_is_kept_by_a_browser_or_a_proxy(client: FlaskClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["Cache-Control"] == "no-store"
    assert "Authorization" in headers["Vary"]
    assert "Set-Cookie" not in headers


def test_health_says_that_it_is_well_and_no_more(client: FlaskClient) -> None:
    assert client.get("/healthz").json == {"status": "ok"}


def test_swagger_ui_is_the_one_that_its_hashes_name() -> None:
    told = [line.split() for line in (SWAGGER / "SHA256SUMS").read_text("utf-8").splitlines()]
    assert {name for _, name in told} == {"LICENSE", "swagger-ui-bundle.js", "swagger-ui.css"}
    for digest, name in told:
        assert hashlib.sha256((SWAGGER / name).read_bytes()).hexdigest() == digest, name


def test_the_page_of_the_document_runs_no_script_of_its_own_and_loads_nothing_from_elsewhere(
    client: FlaskClient,
) -> None:
    answer = client.get("/api/v1/docs")
    page = answer.get_data(as_text=True)
    assert re.findall(r"<script[^>]*>([^<]*)</script>", page) == ["", ""]
    assert not re.search(r"\son[a-z]+=|https?://|//[a-z]", page.replace("<!doctype html>", ""))
    wanted = re.findall(r'(?:src|href)="docs/([^"]+)"', page)
    assert len(wanted) == 3
    for name in wanted:
        assert client.get(f"/api/v1/docs/{name}").status_code == 200, name


@pytest.mark.parametrize("name", ["SHA256SUMS", "page.html", "..%2f..%2fguarded.py", "%00", "nothing.js"])
def test_no_other_file_is_given_out(client: FlaskClient, name: str) -> None:
    assert client.get(f"/api/v1/docs/{name}").status_code == 404


@pytest.mark.database
def test_the_log_has_a_line_for_each_request_and_nothing_confidential(
    web: Web, bay: Town, caplog: pytest.LogCaptureFixture
) -> None:
    client = web.staff("treasurer", bay.tenant, "treasurer@bay.example")
    login = (client.get("/api/v1/me").json or {})["id"]
    caplog.clear()
    with caplog.at_level(logging.INFO, "fisc"):
        client.get("/filers?name=Secret%20Harbor")
        client.post(
            "/logins",
            {"email": "o@b.example", "name": "Operator", "password": PASSWORD, "filer": str(filer_of(bay))},
            key="confidential",
        )
        web.nobody().post("/api/v1/sessions", {"email": "treasurer@bay.example", "password": "not this one at all"})
        client.get("/api/v1/municipalities/mon/settings")
        client.get("/api/v1/host/logins")
    lines = [json.loads(record.getMessage()) for record in caplog.records if record.name == "fisc.requests"]
    told = [(one["method"], one["route"].removeprefix("/api/v1"), one["status"], one["login"]) for one in lines]
    assert told == [
        ("GET", "/municipalities/<key>/filers", 200, login),
        ("POST", "/municipalities/<key>/logins", 201, login),
        ("POST", "/sessions", 401, None),
        ("GET", "/municipalities/<key>/settings", 404, login),
        ("GET", "/host/logins", 403, login),
    ]
    assert [one["municipality"] for one in lines] == ["bay", "bay", None, "mon", None]
    assert client.token is not None
    for secret in (client.token, PASSWORD, "not this one", "Secret", "Harbor", "@", "confidential", "Operator"):
        assert secret not in caplog.text, secret


@pytest.mark.database
def test_whatever_was_refused_to_somebody_stands_out_in_the_log(
    web: Web, bay: Town, caplog: pytest.LogCaptureFixture
) -> None:
    client = web.staff("council", bay.tenant)
    caplog.clear()
    with caplog.at_level(logging.WARNING, "fisc"):
        web.nobody().get("/api/v1/me")
        client.get("/accounts")
        client.get("/api/v1/municipalities/mon/accounts")
        client.get("/settings")
    lines = [json.loads(record.getMessage()) for record in caplog.records if record.name == "fisc.requests"]
    assert [one["status"] for one in lines] == [401, 403, 404]


@pytest.mark.database
def test_a_line_cannot_be_slipped_into_the_log(web: Web, bay: Town, caplog: pytest.LogCaptureFixture) -> None:
    client = web.staff("treasurer", bay.tenant)
    caplog.clear()
    client.get("/api/v1/municipalities/x%0a2026-07-01%20WARNING%20all%20is%20well/accounts")
    (line,) = [record.getMessage() for record in caplog.records if record.name == "fisc.requests"]
    assert "\n" not in line
    assert json.loads(line)["status"] == 404


def filer_of(town: Town) -> object:
    return town.accounts["2026-Q1"].filer_id
