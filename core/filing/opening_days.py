"""When a place is open, from the facts recorded about it, and which periods it owes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from core.domain.calendar import ONE_DAY, Frequency, Period
from core.domain.errors import Fault

OPENING = "opening"
SEASONAL_CLOSURE = "seasonal_closure"
CLOSING = "closing"


class PlaceFact(NamedTuple):
    """An opening on `first_day`, a closing on `first_day` (the last day open), or a season closed, both days inside."""

    seq: int
    kind: str
    first_day: date
    last_day: date | None = None


class Span(NamedTuple):
    """Days in a row, both inside; without a last day it goes on."""

    first_day: date
    last_day: date | None


def open_spans(facts: Iterable[PlaceFact]) -> tuple[Span, ...]:
    """The days from each opening to its closing, by day. Seasonal closures do not end a span."""
    spans: list[Span] = []
    for fact in sorted(facts, key=_by_day):
        if fact.kind == OPENING:
            spans.append(Span(fact.first_day, None))
        elif fact.kind == CLOSING and spans:
            spans[-1] = Span(spans[-1].first_day, fact.first_day)
    return tuple(spans)


def is_open_in(facts: Sequence[PlaceFact], first_day: date, last_day: date) -> bool:
    """Whether the place is open on one day at least from `first_day` to `last_day`, seasons counted as closed."""
    closures = [fact for fact in facts if fact.kind == SEASONAL_CLOSURE]
    for span in open_spans(facts):
        day = max(span.first_day, first_day)
        end = last_day if span.last_day is None else min(span.last_day, last_day)
        while day <= end:
            closed_until = [_end(closure) for closure in closures if closure.first_day <= day <= _end(closure)]
            if not closed_until:
                return True
            day = max(closed_until) + ONE_DAY
    return False


def periods_owed(facts: Sequence[PlaceFact], since: date, frequency: Frequency, through: date) -> tuple[Period, ...]:
    """The periods that ended by `through` in which the place was open, from `since` on, in order.

    A return of nothing is a return too: a period in which the place was open for a single day is owed. One that a
    recorded seasonal closure covers from end to end is not.
    """
    spans = open_spans(facts)
    if not spans:
        return ()
    owed: list[Period] = []
    period = frequency.containing(max(since, spans[0].first_day))
    while period.last_day <= through:
        if is_open_in(facts, max(since, period.first_day), period.last_day):
            owed.append(period)
        period = frequency.containing(period.last_day + ONE_DAY)
    return tuple(owed)


def objections(facts: Sequence[PlaceFact], fact: PlaceFact) -> list[Fault]:
    """Why a fact cannot be true beside those that stand."""
    spans = open_spans(facts)
    around = [span for span in spans if span.first_day <= fact.first_day and _not_before(span.last_day, fact.first_day)]
    if fact.kind == OPENING:
        if around or any(span.first_day >= fact.first_day for span in spans):
            message = f"the place is open on {fact.first_day} or later already: record its closing first"
            return [Fault("first_day", message)]
    elif fact.kind == CLOSING:
        if not around or around[-1].last_day is not None:
            return [Fault("first_day", f"the place is not open on {fact.first_day}, so it cannot close then")]
    elif fact.last_day is None or fact.last_day < fact.first_day:
        return [Fault("last_day", "a season ends on or after its first day: write both days")]
    elif not around or not _not_before(around[-1].last_day, fact.last_day):
        return [Fault("first_day", "the place is not open through these days, so it cannot close for a season")]
    elif any(_overlaps(other, fact) for other in facts):
        return [Fault("first_day", "a closed season with some of these days is recorded already: withdraw it first")]
    return []


def contradictions(facts: Iterable[PlaceFact]) -> list[Fault]:
    """Which facts cannot be true beside those of earlier days, as when the opening before a closing is withdrawn."""
    standing: list[PlaceFact] = []
    faults: list[Fault] = []
    for fact in sorted(facts, key=_by_day):
        if objections(standing, fact):
            kind = fact.kind.replace("_", " ")
            faults.append(Fault("seq", f"the {kind} of {fact.first_day} rests on it: withdraw that first"))
        standing.append(fact)
    return faults


def _overlaps(other: PlaceFact, fact: PlaceFact) -> bool:
    return other.kind == SEASONAL_CLOSURE and other.first_day <= _end(fact) and fact.first_day <= _end(other)


def _end(closure: PlaceFact) -> date:
    return closure.last_day or closure.first_day


def _not_before(last_day: date | None, day: date) -> bool:
    return last_day is None or day <= last_day


def _by_day(fact: PlaceFact) -> tuple[date, bool, int]:
    # Of one day, the opening first: a place can open and close on the same day.
    return (fact.first_day, fact.kind == CLOSING, fact.seq)
