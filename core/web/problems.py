"""Every refusal as a problem document (RFC 9457), in this one place. Nothing of an unforeseen error gets out."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, SecurityError

from core.auth.actor import Forbidden, NotSignedIn
from core.auth.permissions import PUBLIC, SIGNED_IN, Permission
from core.auth.sign_in import SignInRefused, TooManyAttempts
from core.domain.errors import Fault, FiscError, Refused, ResolutionMissing, ValueNotInForce
from core.services.installation import conflicts, outdated, unknowns, unreachable
from core.services.installation import later as not_now
from core.web.versions import VersionMissing
from core.web.visit import NotFound

PROBLEM = "application/problem+json"
LOG = logging.getLogger("fisc.web")
NOT_FOUND = "There is nothing here, or nothing that you have a part in."
_STATUS: tuple[tuple[type[FiscError] | tuple[type[FiscError], ...], int], ...] = (
    (Refused, 422),
    (NotSignedIn, 401),
    (SignInRefused, 401),
    (Forbidden, 403),
    ((NotFound, *unknowns()), 404),
    (outdated(), 412),
    (VersionMissing, 428),
    (TooManyAttempts, 429),
    ((ResolutionMissing, ValueNotInForce, *conflicts()), 409),
    (not_now(), 503),
)


def problem(status: int, title: str, faults: Iterable[Fault] = (), **more: Any) -> Response:
    """A problem document. `faults` become `errors`, each with the field and what to do."""
    body: dict[str, Any] = {"type": "about:blank", "status": status, "title": title, **more}
    listed = [{"field": fault.field, "message": fault.message} for fault in faults]
    if listed:
        body["errors"] = listed
    # What was sent is named in the answer, also where it is half a letter that no encoding has.
    written = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    answer = Response(written, status, mimetype=PROBLEM)
    if status == HTTPStatus.UNAUTHORIZED:
        answer.headers["WWW-Authenticate"] = 'Bearer realm="fisc"'
    if status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        answer.headers["Retry-After"] = "900" if status == HTTPStatus.TOO_MANY_REQUESTS else "1"
    return answer


def register(app: Flask) -> None:
    """Turns every refusal and error of the application into a problem document."""
    app.register_error_handler(FiscError, refusal)
    app.register_error_handler(HTTPException, of_http)
    for kind in unreachable():
        app.register_error_handler(kind, out_of_reach)
    app.register_error_handler(Exception, unforeseen)


def refusal(error: FiscError) -> Response:
    """What the domain refuses, under the name it has there."""
    status = next((code for kinds, code in _STATUS if isinstance(error, kinds)), 422)
    if status == HTTPStatus.NOT_FOUND:
        return problem(404, NOT_FOUND)
    if isinstance(error, Refused):
        return problem(422, "Something in the request has to be corrected.", error.faults, name="Refused")
    return problem(status, str(error), name=type(error).__name__)


def of_http(error: HTTPException) -> Response:
    """What the framework refuses: malformed, too large, of the wrong kind, not to be found."""
    status = error.code or 500
    if status == HTTPStatus.NOT_FOUND:
        return problem(404, NOT_FOUND)
    messages = getattr(error, "data", {}).get("messages") if hasattr(error, "data") else None
    if status == HTTPStatus.UNPROCESSABLE_ENTITY and messages is not None:
        faults = sorted({fault for place in messages.values() for fault in _flat("", place)})
        return problem(422, "Something in the request has to be corrected.", faults, name="Refused")
    titles = {
        400: "The body is not JSON that can be read.",
        405: "This path has no such method.",
        413: "The body is larger than what is taken.",
        415: "Send the body as application/json.",
    }
    title = titles.get(status, HTTPStatus(status).phrase)
    answer = problem(status, "The service has no such host name." if isinstance(error, SecurityError) else title)
    if status == HTTPStatus.METHOD_NOT_ALLOWED and error.get_response().headers.get("Allow"):
        answer.headers["Allow"] = error.get_response().headers["Allow"]
    return answer


def out_of_reach(error: Exception) -> Response:
    """The database does not answer, or not now: what was under way was rolled back."""
    number = _logged("the database is out of reach", error)
    return problem(503, "The records are out of reach just now. Send the same request again.", instance=number)


def unforeseen(error: Exception) -> Response:
    """An error that nobody foresaw: logged with the route and a number, and nothing of it told but the number."""
    number = _logged("unforeseen error", error)
    return problem(
        500, "Something went wrong here. Please report it with the number of this instance.", instance=number
    )


def _logged(what: str, error: Exception) -> str:
    number = uuid4().urn
    LOG.error("%s in %s %s, %s", what, request.method, request.url_rule, number, exc_info=error)
    return number


def documented(permission: Permission, rule: str, methods: Iterable[str]) -> dict[str, Any]:
    """The problem answers of a route, for its document."""
    codes = [] if permission is PUBLIC else [401]
    if permission not in (PUBLIC, SIGNED_IN):
        codes.append(403)
    if "<" in rule:
        codes.append(404)
    codes += [400, 409, 413, 415, 422, 503] if set(methods) - {"GET"} else [409, 422]
    codes += [412, 428] if "PUT" in methods else []
    return answers(*codes)


def answers(*codes: int) -> dict[str, Any]:
    """Problem answers with these codes, for a document."""
    schema = {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {str(code): {"description": HTTPStatus(code).phrase, "content": schema} for code in codes}


PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["type", "status", "title"],
    "properties": {
        "type": {"type": "string"},
        "status": {"type": "integer"},
        "title": {"type": "string"},
        "name": {"type": "string", "description": "The refusal's name in the domain."},
        "instance": {"type": "string", "description": "By which an error is found in the host's log."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}


def _flat(path: str, messages: Any) -> Iterable[Fault]:
    """The messages of a schema, nested by field and index, each with its path such as returns[2].gross.rooms."""
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            place = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}" if path else str(key)
            yield from _flat(path if key == "_schema" else place, inner)
    elif isinstance(messages, list):
        for message in messages:
            yield Fault(path[:200], str(message))
    else:
        yield Fault(path[:200], str(messages))
