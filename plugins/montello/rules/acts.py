"""Which acts Montello refuses, and what an officer should know (READINGS 4, 12 and 15)."""

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
)
from core.domain.tax import percentage
from plugins.montello.rules.charges import PREVIOUS_YEAR_TAX, charges, nonpayment_forfeiture, room_tax
from plugins.wisconsin.limits import state_cautions


def objections(account: Account, act: Event, law: Law) -> list[Objection]:
    """Why this act is refused here."""
    found: tuple[str, str] | None = None
    section = ""
    if isinstance(act, Estimate):
        found, section = estimate_objection(account, act), law.clause("MON-15").section
    elif isinstance(act, Extension):
        found, section = extension_objection(account, act), law.clause("MON-10").section
    elif isinstance(act, Finding) and act.finding == FRAUD:
        found, section = finding_before_a_return(account, act), law.clause("MON-21").section
    return [Objection(*found, section)] if found is not None else []


def finding_before_a_return(account: Account, act: Finding) -> tuple[str, str] | None:
    """The text reaches only a return that was filed, so intent cannot be found before there is one (READINGS 15)."""
    if account.returns:
        return None
    return ("finding", "no return is filed, and the text reaches only a false return: record it when one is filed")


def cautions(account: Account, law: Law, on: date) -> list[Caution]:
    """State limits that this account touches, and a previous year that is not known."""
    lines: list[Charge] = charges(account, law, on)
    found = state_cautions(account, lines, law.ordinance("room_tax.rate", account.period.last_day), law, on)
    forfeiture = law.clause("MON-16").section
    if account.inputs.get(PREVIOUS_YEAR_TAX) is None and lines[0].cents and on > account.deadlines.effective:
        message = "no tax of the previous year is known: no forfeiture for nonpayment is charged"
        found.append(Caution(forfeiture, message))
    if not law.reading("forfeiture_is_billed", account.deadlines.nominal).value:
        found += [
            Caution(forfeiture, f"not billed under the reading in force: {charge.words}")
            for charge in nonpayment_forfeiture(
                account, law, on, sum(line.cents for line in room_tax(account, law, on))
            )
        ]
    return found


@implements("MON-26", "MON-26B", "MON-26C")
def exposures(account: Account, law: Law, on: date) -> list[Exposure]:
    """What a court could impose for a missing return: at most $250 a day, in total at most 5% of the tax."""
    days = days_of_violation(account, on)
    if not days:
        return []
    since = account.filing_date + ONE_DAY
    most, cap_rate = law.ordinance("forfeiture.most_a_day", since), law.ordinance("forfeiture.cap_rate", since)
    known = account.basis != "none"
    tax = sum([line.cents for line in room_tax(account, law, on)])
    words = Words(
        "{0} days from {1:day} at up to {2:money} a day, in total at most {3:percent} of the tax{4}",
        (days, since, most.value, cap_rate.value, "" if known else ", which is not known yet"),
    )
    largest = min(days * most.number, percentage(tax, cap_rate)) if known else None
    return [Exposure("daily_forfeiture", 0, largest, most.clause, words)]
