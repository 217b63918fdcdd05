"""Versions of a record: an answer says which one it shows, and a change says which one it is a change to."""

from __future__ import annotations

import json
from typing import Any

from flask import Response, request

from core.domain.errors import Fault, FiscError, Refused

LONGEST = 12


class VersionMissing(FiscError):
    """A change does not say which version of the record it is a change to."""


def tagged(body: Any, version: int, status: int = 200) -> Response:
    """A JSON answer about this version of a record, which its ETag names."""
    answer = Response(json.dumps(body, ensure_ascii=False), status, mimetype="application/json")
    answer.headers["ETag"] = f'"{version}"'
    return answer


def version_meant() -> int:
    """The version that a change is a change to, from the header If-Match. Raises VersionMissing, Refused."""
    given = request.headers.get("If-Match", "").strip()
    if not given:
        raise VersionMissing("say which version you change: send If-Match with the ETag of the record as you read it")
    inside = given.removeprefix('"').removesuffix('"')
    if len(inside) > LONGEST or not inside.isascii() or not inside.isdigit() or given != f'"{inside}"':
        raise Refused([Fault("If-Match", "that is no ETag of this record: send the one with which you read it")])
    return min(int(inside), 2**31 - 1)


IF_MATCH = {
    "in": "header",
    "name": "If-Match",
    "required": True,
    "schema": {"type": "string", "pattern": '^"[0-9]{1,12}"$'},
    "description": "The ETag with which the record was read.",
}
