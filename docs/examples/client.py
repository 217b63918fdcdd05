"""A client of the Fisc API in one file, with nothing but Python's own library.

    from client import Fisc, Problem

    fisc = Fisc("http://127.0.0.1:8000")
    fisc.sign_in("owner@lakehouse.example", password)
    answer = fisc.post("municipalities/bayfield/returns", {"returns": [...], "signature": {...}})

As a command: `python client.py METHOD PATH [FILE.json]`; see `python client.py --help`.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

TIMES = 4  # How often a request is sent before its failure is told.
LONGEST_WAIT = 5.0  # Seconds between two of them.
SECONDS = 60  # How long an answer is waited for.
SHOWN = ("Content-Type", "ETag", "Retry-After", "WWW-Authenticate")


class Problem(Exception):
    """A refusal: the status, and the problem document that says what is wrong."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"{answer.status}: {json.dumps(answer.body, ensure_ascii=False)}")
        self.answer = answer


class Answer(NamedTuple):
    """An answer of the service; `body` is what its JSON says."""

    status: int
    reason: str
    headers: dict[str, str]
    body: Any


class Fisc:
    """The API of one instance, as one login sees it."""

    def __init__(self, url: str, token: str = "") -> None:
        self.url = url.rstrip("/")
        self.token = token

    def sign_in(self, email: str, password: str) -> Any:
        """Take a token for this login. Raises Problem."""
        told = self.send("POST", "sessions", {"email": email, "password": password}).body
        self.token = told["token"]
        return told

    def get(self, path: str, **query: str) -> Any:
        """What stands at a path. Raises Problem."""
        return self.send("GET", f"{path}?{urlencode(query)}" if query else path).body

    def pages(self, path: str, **query: str) -> Iterator[Any]:
        """Every item of a list, page by page. Raises Problem."""
        while True:
            page = self.get(path, **query)
            yield from page["items"]
            if page.get("next") is None:
                return
            query["cursor"] = page["next"]

    def post(self, path: str, body: Any, key: str = "") -> Any:
        """Make something, once. Without a key it is given one, which stays the same while it is sent again."""
        return self.send("POST", path, body, key).body

    def send(self, method: str, path: str, body: Any = None, key: str = "", etag: str = "") -> Answer:
        """Send a request, again where no answer came or the service is busy. Raises Problem, OSError.

        Sending it again is safe: a GET changes nothing, and what a POST made is made once under its key.
        """
        sent = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if sent is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if method == "POST":
            headers["Idempotency-Key"] = key or str(uuid.uuid4())
        if etag:
            headers["If-Match"] = etag
        request = Request(f"{self.url}/api/v1/{path}", sent, headers, method=method)  # noqa: S310
        for number in range(1, TIMES + 1):
            pause = min(LONGEST_WAIT, 0.25 * 2**number)
            try:
                return _answer_to(request)
            except Problem as problem:
                if problem.answer.status != http.HTTPStatus.SERVICE_UNAVAILABLE or number == TIMES:
                    raise
                pause = min(LONGEST_WAIT, float(problem.answer.headers.get("Retry-After", pause)))
            except (OSError, http.client.HTTPException):
                if number == TIMES:
                    raise
            time.sleep(pause)
        raise AssertionError("the last time is answered or raised")


def _answer_to(request: Request) -> Answer:
    try:
        with urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            return _read(answer.status, answer.reason, answer)
    except HTTPError as error:
        raise Problem(_read(error.code, error.reason, error)) from None


def _read(status: int, reason: str, answer: Any) -> Answer:
    headers, text = dict(answer.headers), answer.read()
    is_json = headers.get("Content-Type", "").partition(";")[0].endswith("json")
    return Answer(status, reason, headers, json.loads(text) if is_json else text.decode())


def main() -> None:
    """Send one request and print the answer; the exit status is 1 where it is a problem document."""
    parser = argparse.ArgumentParser(description="Send one request to Fisc, at the address in FISC_URL.")
    parser.add_argument("method", choices=["GET", "POST", "PUT", "DELETE"])
    parser.add_argument("path", help="below /api/v1/, with its query")
    parser.add_argument("body", nargs="?", metavar="FILE.json", help="what is sent; - reads it from standard input")
    parser.add_argument("-t", "--token", type=Path, help="a file with the token; signing in writes it")
    parser.add_argument("--key", default="", help="the Idempotency-Key; else one is made")
    parser.add_argument("--etag", default="", help="for PUT: the ETag with which the record was read")
    given = parser.parse_args()
    signs_in = given.path == "sessions"
    url = os.environ.get("FISC_URL", "http://127.0.0.1:8000")
    try:
        token = given.token.read_text("utf-8").strip() if given.token and not signs_in else ""
        text = sys.stdin.read() if given.body == "-" else Path(given.body).read_text("utf-8") if given.body else ""
        body = json.loads(text) if text else None
    except (OSError, ValueError) as error:
        parser.error(str(error))
    try:
        answer = Fisc(url, token).send(given.method, given.path, body, given.key, given.etag)
    except Problem as problem:
        answer = problem.answer
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"no answer from {url}: {error}")
    if signs_in and given.token and "token" in answer.body:
        given.token.touch(mode=0o600)
        given.token.write_text(answer.body["token"], "utf-8")
    _print(answer)
    sys.exit(answer.status >= http.HTTPStatus.BAD_REQUEST)


def _print(answer: Answer) -> None:
    out = [f"HTTP {answer.status} {answer.reason}"]
    out += [f"{name}: {answer.headers[name]}" for name in SHOWN if name in answer.headers]
    body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body, ensure_ascii=False, indent=1)
    sys.stdout.write("\n".join([*out, body]) + "\n")


if __name__ == "__main__":
    main()
