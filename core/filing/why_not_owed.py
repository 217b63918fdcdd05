"""Why a place owes no return for a period, in words that say what to do. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from core.domain.calendar import Period
from core.filing.opening_days import SEASONAL_CLOSURE, PlaceFact, Span, is_open_in, open_spans


def why_not_owed(facts: Sequence[PlaceFact], since: date | None, period: Period, today: date) -> str | None:
    """Why a place with these facts, which owes the tax from `since` on, owes nothing for a period; None where it does.

    A return is owed once its period is over: one filed before could not report all of it.
    """
    if period.last_day >= today:
        return f"{period.key} is not over before {period.last_day}: file it after that day"
    if since is None:
        return "the place does not owe this tax: name one that it owes"
    if since > period.last_day:
        return f"the place owes this tax since {since}, after {period.key}: name a later period"
    first = max(since, period.first_day)
    if is_open_in(facts, first, period.last_day):
        return None
    open_but_for_seasons = [fact for fact in facts if fact.kind != SEASONAL_CLOSURE]
    if is_open_in(open_but_for_seasons, first, period.last_day):
        return (
            f"the place was closed for the season all through {period.key}, so no return is owed: "
            "if it was open, withdraw the closed season first"
        )
    return f"the place was closed in {period.key}: {_when_open(open_spans(facts))}"


def _when_open(spans: Sequence[Span]) -> str:
    if not spans:
        return "no opening is recorded for it"
    told = [
        f"from {span.first_day} to {span.last_day}" if span.last_day is not None else f"since {span.first_day}"
        for span in spans
    ]
    return f"it was open {', '.join(told)}"
