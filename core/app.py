"""The composition root: the Flask application with its routes, its limits and its document."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module

from flask import Flask, Response, request
from flask.json.provider import DefaultJSONProvider
from flask_smorest import Api
from werkzeug.middleware.proxy_fix import ProxyFix

from core.services.access.visit import Engines, Passwords
from core.services.demo.pages import Shown
from core.web import log, problems
from core.web.visit import EXTENSION

BLUEPRINTS = (
    "core.api.sessions",
    "core.api.host",
    "core.api.municipalities",
    "core.api.filers",
    "core.api.places",
    "core.api.settings",
    "core.api.returns",
    "core.api.accounts",
    "core.api.ledger",
    "core.api.payments",
    "core.api.acts",
    "core.api.sharing",
    "core.api.waiting",
    "core.api.imports",
    "core.web.documentation",
)
LARGEST_BODY = 1024 * 1024


class _Api(Api):
    """smorest without its own error answers: core.web.problems gives every one, and each is in the document."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        pass


def create_app(
    make_engines: Callable[[], Engines],
    *,
    passwords: Passwords | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    trusted_hosts: list[str] | None = None,
    proxies: int = 0,
    demo: Shown | None = None,
) -> Flask:
    """The application. `make_engines` is called once in each process; `clock` says what time it is.

    `proxies` is how many proxies stand before it, each of which adds to X-Forwarded-For whom it answers.
    `demo` is what the page of a demonstration shows, None anywhere else.
    """
    app = Flask("fisc", root_path=str(import_module("core.web").__path__[0]), static_folder=None)
    app.config.update(
        API_TITLE="Fisc",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX=None,
        MAX_CONTENT_LENGTH=LARGEST_BODY,
        TRUSTED_HOSTS=trusted_hosts,
    )
    app.extensions[EXTENSION] = {
        "make_engines": make_engines,
        "passwords": passwords or Passwords(),
        "clock": clock,
        "demo": demo,
    }
    # What was filed is given back in the order in which it was sent.
    assert isinstance(app.json, DefaultJSONProvider)
    app.json.sort_keys = False
    app.url_map.strict_slashes = True
    log.register(app)
    problems.register(app)
    if proxies:
        # Of all that a proxy forwards, only the address of the client is believed.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=0)  # type: ignore[method-assign]
    api = _Api(app)
    api.spec.components.security_scheme("bearer", {"type": "http", "scheme": "bearer"})
    api.spec.components.schema("Problem", problems.PROBLEM_SCHEMA)
    for name in BLUEPRINTS:
        api.register_blueprint(import_module(name).blueprint)
    app.extensions[EXTENSION]["api"] = api
    app.register_blueprint(import_module("core.portal.home").blueprint)
    app.after_request(_headers)
    return app


def _headers(answer: Response) -> Response:
    """What a browser may do with an answer: keep nothing of the API, run nothing, frame nothing."""
    headers = answer.headers
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Referrer-Policy", "no-referrer")
    headers.setdefault(
        "Content-Security-Policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"
    )
    if request.path.startswith("/api/"):
        headers.setdefault("Cache-Control", "no-store")
        headers.setdefault("Vary", "Authorization")
    return answer
