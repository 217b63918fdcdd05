"""Reads what comes with a request: JSON alone, nothing that a reader of JSON chokes on, no name that is not known."""

from __future__ import annotations

import json
from typing import Any

from flask import Request, abort, g
from flask_smorest.arguments import FlaskParser
from marshmallow import RAISE
from webargs.core import is_json

MALFORMED = 400
WRONG_TYPE = 415


class Reader(FlaskParser):
    """What flask-smorest reads with, stricter: a name that a query does not have is refused as in a body."""

    DEFAULT_UNKNOWN_BY_LOCATION = {**FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION, "query": RAISE, "querystring": RAISE}

    def _raw_load_json(self, req: Request) -> Any:
        if not is_json(req.mimetype):
            abort(WRONG_TYPE)
        try:
            # Kept for whoever records what was sent letter for letter.
            g.sent = json.loads(req.get_data(cache=True), parse_constant=_refuse)
            return g.sent
        except (ValueError, RecursionError):
            # Not JSON at all, nested beyond reading, or a number of more digits than anybody counts to.
            abort(MALFORMED)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")
