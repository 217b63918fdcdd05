"""The client of docs/api.md against the service, where answers are lost, late and in pages."""

from __future__ import annotations

import importlib.util
import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from werkzeug.serving import make_server

from tests.support.places import first_filer, first_place
from tests.support.towns import Town, open_town
from tests.support.web import PASSWORD, Web

pytestmark = pytest.mark.database

FILE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "client.py"
EMAIL = "owner@bay.example"
RETURNS = "municipalities/bay/returns"


def _client() -> Any:
    spec = importlib.util.spec_from_file_location("client", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client = _client()


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def service(app: Engine, host: Engine, bay: Town) -> Iterator[str]:
    """The application on a port of this machine."""
    web = Web(app, host)
    web.clock.on(2026, 4, 29)
    web.filer(bay.tenant, first_filer(bay), EMAIL)
    server = make_server("127.0.0.1", 0, web.app, threaded=True)
    with _running(server):
        yield f"http://127.0.0.1:{server.port}"


@contextmanager
def _running(server: Any) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Between:
    """Stands before a service, and loses so many answers after the service has given them, or answers 503 first."""

    def __init__(self, service: str, *, lost: int = 0, busy: int = 0) -> None:
        between, self.sent = self, []
        self._lost, self._busy = lost, busy

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                between.pass_on(self, service)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def pass_on(self, handler: BaseHTTPRequestHandler, service: str) -> None:
        """The request to the service, and its answer back unless that is lost."""
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.sent.append(handler.headers["Idempotency-Key"])
        if len(self.sent) <= self._busy:
            handler.send_response(503)
            handler.send_header("Content-Length", "0")
            handler.send_header("Retry-After", "0")
            handler.end_headers()
            return
        fisc = client.Fisc(service, handler.headers["Authorization"].removeprefix("Bearer "))
        answer = fisc.send("POST", handler.path.removeprefix("/api/v1/"), json.loads(body), self.sent[-1])
        if len(self.sent) <= self._lost:
            return  # The connection ends without an answer.
        content = json.dumps(answer.body).encode()
        handler.send_response(answer.status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)


@pytest.fixture
def fisc(service: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The client, signed in. It does not wait between two tries."""
    monkeypatch.setattr(client, "LONGEST_WAIT", 0.0)
    made = client.Fisc(service)
    made.sign_in(EMAIL, PASSWORD)
    return made


def a_return(town: Town) -> dict[str, Any]:
    one = {"place": str(first_place(town)), "period": "2026-Q1", "gross": {"rooms": "100.00"}}
    return {"returns": [one], "signature": {"name": "A. Owner", "capacity": "owner"}}


@pytest.mark.parametrize("trouble", [{"lost": 1}, {"lost": 2}, {"busy": 2}])
def test_a_request_is_sent_again_under_its_key_and_done_once(fisc: Any, bay: Town, trouble: dict[str, int]) -> None:
    between = Between(fisc.url, **trouble)
    with _running(between.server):
        made = client.Fisc(between.address, fisc.token).post(RETURNS, a_return(bay))
    assert len(between.sent) == 1 + sum(trouble.values())
    assert len(set(between.sent)) == 1
    account = made["returns"][0]["account"]
    events = fisc.get(f"municipalities/bay/accounts/{account}/history")["events"]
    assert [event["filed"]["id"] for event in events] == [made["returns"][0]["id"]]


def test_it_gives_up_after_a_few_tries(fisc: Any, bay: Town) -> None:
    between = Between(fisc.url, busy=100)
    with _running(between.server), pytest.raises(client.Problem) as refused:
        client.Fisc(between.address, fisc.token).post(RETURNS, a_return(bay))
    assert refused.value.answer.status == 503
    assert len(between.sent) == client.TIMES


def test_a_refusal_is_told_with_its_problem_document_and_not_sent_again(fisc: Any, bay: Town) -> None:
    with pytest.raises(client.Problem) as refused:
        fisc.post(RETURNS, {**a_return(bay), "colour": "red"})
    assert [fault["field"] for fault in refused.value.answer.body["errors"]] == ["colour"]


def test_a_list_is_read_page_by_page(fisc: Any, bay: Town) -> None:
    path, query = "municipalities/bay/obligations", {"as_of": "2026-12-31"}
    whole = fisc.get(path, **query)["items"]
    assert len(whole) > 1
    assert list(fisc.pages(path, limit="1", **query)) == whole


@pytest.mark.parametrize(
    ("given", "status", "told"),
    [
        (["GET", "municipalities"], 1, "no answer from http://127.0.0.1:1:"),
        (["GET", "me", "-t", "missing.token"], 2, "missing.token"),
        (["POST", "sessions", "-"], 2, "Expecting value"),
    ],
)
def test_the_command_says_in_a_line_what_keeps_it_from_asking(
    given: list[str],
    status: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["client.py", *given])
    monkeypatch.setattr("sys.stdin", io.StringIO("no JSON"))
    monkeypatch.setenv("FISC_URL", "http://127.0.0.1:1")
    monkeypatch.setattr(client, "LONGEST_WAIT", 0.0)
    with pytest.raises(SystemExit) as ended:
        client.main()
    code = ended.value.code
    # A text is printed, and the status is 1 then.
    said, code = (code, 1) if isinstance(code, str) else (capsys.readouterr().err, code)
    assert code == status
    assert told in said
