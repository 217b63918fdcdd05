"""Which acts the Village refuses, and what an officer should know (READINGS 4, 12 and 15)."""

from __future__ import annotations

from datetime import date

from core.contract.declarations import Objection
from core.contract.law import Law
from core.domain.account import Account
from core.domain.calendar import ONE_DAY
from core.domain.charge import Caution, Charge, Exposure
from core.domain.clause import Words, implements
from core.domain.events import FRAUD, Estimate, Event, Extension, Finding
from core.domain.lateness import (
    days_of_violation,
    estimate_objection,
    extension_objection,
    finding_before_anything_is_due,
)
from plugins.fox_cities_village.rules.charges import charges
from plugins.wisconsin.limits import state_cautions


def objections(account: Account, act: Event, law: Law) -> list[Objection]:
    """Why this act is refused here."""
    found: tuple[str, str] | None = None
    section = ""
    if isinstance(act, Estimate):
        found, section = estimate_objection(account, act), law.clause("FOX-13").section
    elif isinstance(act, Extension):
        found, section = extension_objection(account, act), law.clause("FOX-06C").section
    elif isinstance(act, Finding) and act.finding == FRAUD:
        found, section = finding_before_anything_is_due(account, act), law.clause("FOX-18").section
    return [Objection(*found, section)] if found is not None else []


def cautions(account: Account, law: Law, on: date) -> list[Caution]:
    """State limits that this account touches."""
    lines: list[Charge] = charges(account, law, on)
    return state_cautions(account, lines, law.ordinance("room_tax.rate", account.period.last_day), law, on)


@implements("FOX-23", "FOX-23B")
def exposures(account: Account, law: Law, on: date) -> list[Exposure]:
    """What a court could impose for a missing return: at most $500 a day; the text has no cap on the total."""
    days = days_of_violation(account, on)
    if not days:
        return []
    since = account.filing_date + ONE_DAY
    most = law.ordinance("forfeiture.most_a_day", since)
    words = Words("{0} days from {1:day} at up to {2:money} a day; the text has no cap", (days, since, most.value))
    return [Exposure("daily_forfeiture", 0, days * most.number, most.clause, words)]
