"""Which acts § 54-19 refuses, and what an officer should know (READINGS 4, 12 and 15)."""

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
from core.domain.tax import percentage
from plugins.bayfield.rules.charges import charges, room_tax
from plugins.wisconsin.limits import state_cautions


def objections(account: Account, act: Event, law: Law) -> list[Objection]:
    """Why this act is refused here."""
    found: tuple[str, str] | None = None
    section = ""
    if isinstance(act, Estimate):
        found, section = estimate_objection(account, act), law.clause("BAY-19C7").section
    elif isinstance(act, Extension):
        found, section = extension_objection(account, act), law.clause("BAY-19C1B2").section
    elif isinstance(act, Finding) and act.finding == FRAUD:
        found, section = finding_before_anything_is_due(account, act), law.clause("BAY-19C8B3").section
    return [Objection(*found, section)] if found is not None else []


def cautions(account: Account, law: Law, on: date) -> list[Caution]:
    """State limits that this account touches."""
    lines: list[Charge] = charges(account, law, on)
    return state_cautions(account, lines, law.ordinance("room_tax.rate", account.period.last_day), law, on)


@implements("BAY-19G", "BAY-19G2", "BAY-19G3")
def exposures(account: Account, law: Law, on: date) -> list[Exposure]:
    """What a court could impose for a missing return: $100 to $500 a day, in total at most 50% of the period's tax."""
    days = days_of_violation(account, on)
    if not days:
        return []
    since = account.filing_date + ONE_DAY
    least, most = (law.ordinance(f"forfeiture.{name}", since) for name in ("least_a_day", "most_a_day"))
    cap_rate = law.ordinance("forfeiture.cap_rate", since)
    tax = sum([line.cents for line in room_tax(account, law, on)])
    known = account.basis != "none"
    cap = percentage(tax, cap_rate) if known else None
    words = Words(
        "{0} days from {1:day} at {2:money} to {3:money} a day, in total at most {4:percent} of the tax{5}",
        (days, since, least.value, most.value, cap_rate.value, "" if known else ", which is not known yet"),
    )
    bounds = [days * least.number, days * most.number]
    if cap is not None:
        bounds = [min(bound, cap) for bound in bounds]
    return [Exposure("daily_forfeiture", bounds[0], bounds[1] if known else None, least.clause, words)]
