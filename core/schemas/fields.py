"""Fields that the house has of its own: dollars as text, days, ids, words. Each refusal says what to write.

What comes in is read strictly, as the document says and in no other spelling; what goes out is written in the same.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from core.domain.errors import shown
from core.domain.money import NotMoney, dollars, parse_dollars

MOST_CENTS = 10**13
# Every day of the law lies well within these; a day far beyond would be counted to for a long time.
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Strict(Schema):
    """A schema that refuses keys that it does not know."""

    class Meta:
        unknown = RAISE

    error_messages = {"unknown": "there is no such field: leave it out", "type": "an object is expected here"}

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Says of a field that is left out, or of no use, what to do."""
        field_obj.error_messages.update(required="this is missing: give it", null="this has no value: give one")
        for rule in field_obj.validators:
            if isinstance(rule, validate.OneOf):
                rule.error = "{input!r:.60} is none of them: use {choices}"


class Dollars(fields.Field[int]):
    """An amount as text in dollars, "1234.50"; held in cents. Zero or more, or above zero; outward also below."""

    def __init__(self, *, above_zero: bool = False, **options: Any) -> None:
        metadata = {"type": "string", "pattern": r"^-?[0-9]{1,13}([.][0-9]{1,2})?$", "example": "1234.50"}
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

    def _serialize(self, value: Any, attr: str | None, obj: Any, **options: Any) -> str | None:
        return dollars(value) if isinstance(value, int) else value


class Percent(fields.Field[Decimal]):
    """A percentage as text, "75" or "62.5"; held as a fraction of one."""

    def __init__(self, **options: Any) -> None:
        metadata = {"type": "string", "pattern": r"^[0-9]{1,3}([.][0-9]{1,10})?$", "example": "75"}
        super().__init__(**{**options, "metadata": metadata | options.get("metadata", {})})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> Decimal:
        plain = isinstance(value, str) and re.fullmatch(r"[0-9]{1,3}([.][0-9]{1,10})?", value)
        try:
            share = Decimal(value) / 100 if plain else None
        except InvalidOperation:
            share = None
        if share is None or not 0 <= share <= 1:
            raise ValidationError('a percentage is a text from "0" to "100", such as "62.5"')
        return share

    def _serialize(self, value: Any, attr: str | None, obj: Any, **options: Any) -> str | None:
        if not isinstance(value, Decimal):
            return None if value is None else str(value)
        text = f"{value * 100:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text


class Day(fields.Date):
    """A day written 2026-04-30, and in no other of the ways that a standard allows."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> date:
        try:
            if not isinstance(value, str) or not _DAY.fullmatch(value):
                raise ValueError
            found = date.fromisoformat(value)
        except ValueError:
            message = f"{shown(value)} is no day: write year-month-day, as 2026-04-30"
            raise ValidationError(message) from None
        if not FIRST_DAY <= found <= LAST_DAY:
            raise ValidationError(f"{value} is no day that the law could mean: name one from 1900 to 2199")
        return found


class Id(fields.UUID):
    """The id of a record, as it was given: small letters, with dashes."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> UUID:
        if not isinstance(value, str) or not _ID.fullmatch(value):
            raise ValidationError("that is no id: take it from the record that you mean")
        return UUID(value)


class Flag(fields.Boolean):
    """true or false; in a query the same as words."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> bool:
        if isinstance(value, bool):
            return value
        if value in ("true", "false") and not isinstance(data, dict):
            return bool(value == "true")
        raise ValidationError("write true or false")


class Key(fields.String):
    """A text without blanks that names something: a tax, a period, a fund."""

    def __init__(self, *, most: int = 63, **options: Any) -> None:
        super().__init__(**{**options, "validate": [validate.Length(1, most), _without_blanks]})


def left_out() -> None:
    """What a query's name stands for that is left out: nothing, which no text in a query can say."""


def words(*, most: int = 200, least: int = 1, **options: Any) -> fields.String:
    """A text of a length that makes sense, without control characters."""
    rules = [validate.Length(least, most), _printable]
    return fields.String(**{**options, "validate": [*rules, *options.pop("validate", [])]})


def day(**options: Any) -> Day:
    """A day written 2026-04-30."""
    return Day(**options)


def whole(least: int, most: int, **options: Any) -> fields.Integer:
    """A whole number, both bounds inside; a text that looks like one is none, except in a query."""
    range_ = validate.Range(least, most, error=f"give a whole number from {least} to {most}")
    return _Whole(**{**options, "validate": range_})


def some(inner: fields.Field[Any], *, most: int, least: int = 1, **options: Any) -> fields.List[Any]:
    """A list of `least` to `most` of something."""
    return fields.List(inner, **{**options, "validate": validate.Length(least, most)})


class Amounts(fields.Dict):
    """Amounts by line of a return, {"rooms": "1234.50"}; which lines there are, the municipality declares."""

    def __init__(self, *, most: int = 50, **options: Any) -> None:
        metadata = {"maxProperties": most, "example": {"rooms": "1234.50"}, **options.pop("metadata", {})}
        self._amount, self.most = Dollars(), most
        super().__init__(keys=fields.String(), values=self._amount, **{**options, "metadata": metadata})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> dict[str, int]:
        if not isinstance(value, dict):
            raise ValidationError('amounts by line are an object: write them as {"rooms": "1234.50"}')
        if len(value) > self.most:
            raise ValidationError(f"give at most {self.most} lines")
        amounts: dict[str, int] = {}
        faults: dict[str, list[str]] = {}
        for line, text in value.items():
            try:
                amounts[line] = self._amount.deserialize(text, line, value) or 0
            except ValidationError as error:
                faults[line] = [str(message) for message in error.messages]
        if faults:
            raise ValidationError(faults)
        return amounts


class _Whole(fields.Integer):
    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> int:
        in_a_query = isinstance(value, str) and not isinstance(data, dict) and re.fullmatch("-?[0-9]{1,9}", value)
        if in_a_query:
            value = int(value)
        if type(value) is not int:
            raise ValidationError("give a whole number")
        return super()._deserialize(value, attr, data, **options)


def _printable(text: str) -> None:
    if any(not letter.isprintable() and letter not in "\n\t" for letter in text):
        raise ValidationError("there is a character in it that cannot be printed: leave it out")


def _without_blanks(text: str) -> None:
    if any(not letter.isprintable() or letter.isspace() for letter in text):
        raise ValidationError("this is one word without blanks: take it from where it is declared")
