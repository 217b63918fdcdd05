"""A clause of an ordinance, the words of a computation, and a value of the law on its day."""

from __future__ import annotations

import string
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from core.domain.money import dollars_for_reading, percent_for_reading

Rule = TypeVar("Rule", bound=Callable[..., Any])


class Clause(NamedTuple):
    """One duty of a text: its id in the clause table, and the section as the source carries it."""

    id: str
    section: str


class Words(NamedTuple):
    """A computation in words and figures, rendered only when somebody reads it.

    `template` names figures by position and how to write them: {0:money} in cents, {1:percent} of a fraction of
    one, {2:day} of a date; any other figure stands as it is.
    """

    template: str
    figures: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return _FORMATTER.vformat(self.template, self.figures, {})


@lru_cache(maxsize=1024)
def rendered(words: Words) -> str:
    """The computation as text; what was rendered a moment ago is not rendered again."""
    return str(words)


class _FigureFormatter(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "money":
            return dollars_for_reading(value)
        if format_spec == "percent":
            return percent_for_reading(value)
        if format_spec == "day":
            return f"{value:%B} {value.day}, {value.year}"
        return str(value)


_FORMATTER = _FigureFormatter()


class LawValue(NamedTuple):
    """A value of the law on a day, with where it stands and who set it.

    `value` is cents (int) for an amount, a fraction of one (Decimal) for a rate, a whole number for days or months,
    a bool or a text for a reading. `id` names the value and its effective date, and is what a replay pins.
    """

    id: str
    key: str
    value: Any
    clause: Clause
    since: date
    until: date | None
    source: str
    set_by: str
    ratio: tuple[int, int]

    @property
    def rate(self) -> Decimal:
        """The value as a rate."""
        assert isinstance(self.value, Decimal), self.key
        return self.value

    @property
    def number(self) -> int:
        """The value as cents, days or months."""
        assert isinstance(self.value, int), self.key
        return self.value


def implements(*clause_ids: str) -> Callable[[Rule], Rule]:
    """Marks the function that implements these clauses, so that the clause table can show where each one lives."""

    def mark(rule: Rule) -> Rule:
        rule.__clauses__ = clause_ids  # type: ignore[attr-defined]
        return rule

    return mark
