"""Lists in pages: how many at a time, and where the page before ended."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from marshmallow import ValidationError, fields

from core.schemas.fields import Strict, left_out, whole

MOST_AT_ONCE = 200
USUAL = 50
MOST_NUMBER = 2**31 - 1


def _text(text: str) -> str:
    if not text.isprintable():
        raise ValueError
    return text


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 10 or int(text) > MOST_NUMBER:
        raise ValueError
    return int(text)


READERS: dict[str, Callable[[str], Any]] = {"text": _text, "id": UUID, "day": date.fromisoformat, "number": _number}


class Cursor(fields.Field[tuple[Any, ...]]):
    """Where the page before ended, as it was given there as `next`. `parts` are words of READERS."""

    def __init__(self, *parts: str, **options: Any) -> None:
        metadata = {
            "type": "string",
            "maxLength": 1000,
            "description": "`next` of the page before; without it the list begins.",
        }
        super().__init__(**{"load_default": left_out, **options, "metadata": metadata})
        self.parts = parts

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> tuple[Any, ...]:
        try:
            if not isinstance(value, str) or len(value) > 1000:
                raise ValueError
            told = json.loads(base64.b64decode(value.encode("ascii"), altchars=b"-_", validate=True))
            if not isinstance(told, list) or not all(isinstance(part, str) for part in told):
                raise ValueError
            found = tuple(READERS[part](text) for part, text in zip(self.parts, told, strict=True))
        except (ValueError, RecursionError):
            raise ValidationError("that is no cursor: take `next` of the page before, or leave it out") from None
        return found


class Paging(Strict):
    """How many at a time. A list that is paged has a `cursor` beside it."""

    limit = whole(1, MOST_AT_ONCE, load_default=USUAL)


def cursor_after(*values: Any) -> str:
    """The cursor after the item with these values, in the order of the field's parts."""
    return base64.b64encode(json.dumps([str(value) for value in values]).encode(), altchars=b"-_").decode()


def page_of(items: Sequence[Any], limit: int, values: Callable[[Any], tuple[Any, ...]]) -> dict[str, Any]:
    """A page of at most `limit` of these items, of which one more was asked for to see whether the list goes on."""
    shown = list(items[:limit])
    more = len(items) > limit
    return {"items": shown, "next": cursor_after(*values(shown[-1])) if more else None}


def next_field() -> fields.String:
    """The cursor of the page after this one, null where the list ends."""
    return fields.String(required=True, allow_none=True)
