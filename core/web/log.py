"""One line for each request, in JSON, for whoever watches the service. No token, no body, no query, no e-mail."""

from __future__ import annotations

import json
import logging
import time
from http import HTTPStatus

from flask import Flask, Response, g, request

LOG = logging.getLogger("fisc.requests")
LONGEST_KEY = 63
# Somebody tries what is not theirs, or a client is wrong: both are looked at.
LOOKED_AT = {
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.TOO_MANY_REQUESTS,
}


def write(least: int) -> None:
    """Writes what the service logs, from this level on, to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    service = logging.getLogger("fisc")
    service.handlers = [handler]
    service.setLevel(least)
    service.propagate = False


def register(app: Flask) -> None:
    """Writes a line for every request of the application."""
    app.before_request(_started)
    app.after_request(_written)


def _started() -> None:
    g.started = time.perf_counter()


def _written(answer: Response) -> Response:
    level = logging.WARNING if answer.status_code in LOOKED_AT else logging.INFO
    if LOG.isEnabledFor(level):
        seconds = time.perf_counter() - g.get("started", time.perf_counter())
        # The route and not the path: whose record it was is told by the records, under their own rules.
        line = {
            "method": request.method,
            "route": request.url_rule.rule if request.url_rule else None,
            "municipality": (request.view_args or {}).get("key", "")[:LONGEST_KEY] or None,
            "status": answer.status_code,
            "login": str(g.login) if "login" in g else None,
            "from": request.remote_addr,
            "milliseconds": round(seconds * 1000, 1),
        }
        LOG.log(level, "%s", json.dumps(line))
    return answer
