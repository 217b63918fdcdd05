"""Fields that the house has of its own: dollars as text, words, days. Each refusal says what to write."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from core.domain.money import NotMoney, parse_dollars

MOST_CENTS = 10**13


class Strict(Schema):
    """A schema that refuses keys that it does not know."""

    class Meta:
        unknown = RAISE

    error_messages = {"unknown": "there is no such field: leave it out", "type": "an object is expected here"}


class Dollars(fields.Field[int]):
    """An amount as text in dollars, "1234.50"; held in cents. Zero or more, or above zero."""

    def __init__(self, *, above_zero: bool = False, **options: Any) -> None:
        metadata = {"type": "string", "pattern": "^[0-9]{1,11}([.][0-9]{2})?$", "example": "1234.50"}
        super().__init__(**{**options, "metadata": metadata | options.get("metadata", {})})
        self.above_zero = above_zero

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> int:
        if not isinstance(value, str) or len(value) > 20:
            raise ValidationError('an amount is a text in dollars: write it as "1234.50"')
        try:
            cents = parse_dollars(value)
        except NotMoney as error:
            raise ValidationError(str(error)) from error
        if cents < 0 or (self.above_zero and cents == 0) or cents >= MOST_CENTS:
            least = "above zero" if self.above_zero else "of zero or more"
            raise ValidationError(f"{value!r} cannot be: give an amount {least}, below 100 billion dollars")
        return cents


class Percent(fields.Field[Decimal]):
    """A percentage as text, "75" or "62.5"; held as a fraction of one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "metadata": {"type": "string", "example": "75"}})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> Decimal:
        try:
            share = Decimal(value) / 100 if isinstance(value, str) and len(value) <= 20 else None
        except InvalidOperation:
            share = None
        if share is None or not share.is_finite() or not 0 <= share <= 1:
            raise ValidationError('a percentage is a text from "0" to "100", such as "62.5"')
        return share


def words(*, most: int = 200, least: int = 1, **options: Any) -> fields.String:
    """A text of a length that makes sense, without control characters."""
    rules = [validate.Length(least, most), _printable]
    return fields.String(**{**options, "validate": [*rules, *options.pop("validate", [])]})


def day(**options: Any) -> fields.Date:
    """A day written 2026-04-30."""
    return fields.Date("iso", error_messages={"invalid": "a day is written year-month-day, as 2026-04-30"}, **options)


def _printable(text: str) -> None:
    if any(not letter.isprintable() and letter not in "\n\t" for letter in text):
        raise ValidationError("there is a character in it that cannot be printed: leave it out")
