"""The API's document, the page that shows it, and whether the process is alive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Response, current_app, jsonify, send_from_directory

from core.auth.permissions import PUBLIC
from core.web.guarded import GuardedBlueprint
from core.web.visit import EXTENSION, NotFound

blueprint = GuardedBlueprint("documentation", __name__, description="The document of the API.")
SWAGGER = Path(__file__).parent / "static" / "swagger"
FILES = ("swagger-ui.css", "swagger-ui-bundle.js", "open.js")
# Swagger UI writes styles into the page; it loads nothing from elsewhere and runs no inline script.
POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"


def plain(*media: str, kind: str = "string") -> dict[str, Any]:
    """An answer of these media types, for the document."""
    content = {one: {"schema": {"type": kind}} for one in media}
    return {"200": {"description": "OK", "content": content}}


@blueprint.route("/healthz", permission=PUBLIC)
@blueprint.doc(operationId="health", responses=plain("application/json", kind="object"))
def health() -> Any:
    """Whether the process is alive.

    It says no more.
    """
    return jsonify(status="ok")


@blueprint.route("/api/v1/openapi.json", permission=PUBLIC)
@blueprint.doc(operationId="document", responses=plain("application/json", kind="object"))
def document() -> Any:
    """This document.

    In OpenAPI 3.1.
    """
    return jsonify(current_app.extensions[EXTENSION]["api"].spec.to_dict())


@blueprint.route("/api/v1/docs", permission=PUBLIC)
@blueprint.doc(operationId="page", responses=plain("text/html"))
def page() -> Response:
    """The page that shows this document.

    It loads nothing from elsewhere.
    """
    answer = send_from_directory(SWAGGER, "page.html")
    answer.headers["Content-Security-Policy"] = POLICY
    return answer


@blueprint.route("/api/v1/docs/<name>", permission=PUBLIC)
@blueprint.doc(operationId="page_file", responses=plain("text/css", "text/javascript"))
def page_file(name: str) -> Response:
    """A file of that page.

    Style sheet or script.
    """
    if name not in FILES:
        raise NotFound
    return send_from_directory(SWAGGER, name)
