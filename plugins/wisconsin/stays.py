"""What the State leaves out of the tax, and how long a month is."""

from __future__ import annotations

from datetime import date, timedelta

from core.contract.law import Law
from core.domain.calendar import add_months
from core.domain.charge import Caution
from core.domain.clause import implements
from core.domain.receipts import Receipts

MARKETPLACE = ("WIS-05", "Marketplace providers")
EXEMPT_ENTITY = ("WIS-03", "Wis. Stat. § 77.54(9a)")
CHARITABLE = frozenset({"religious", "charitable", "educational"})
MEDICAL = frozenset({"hospital", "sanitarium", "nursing_home"})


def is_a_month_or_more(arrival: date, departure: date) -> bool:
    """Whether a stay reaches a calendar month or 30 days, whichever is less (READINGS 5)."""
    return departure >= min(add_months(arrival, 1), arrival + timedelta(days=30))


@implements("WIS-05")
def marketplace_cautions(parts: tuple[Receipts, ...], law: Law) -> list[Caution]:
    """Marketplace receipts for nights before the provider was liable: left out all the same, and flagged."""
    for part in parts:
        if (
            dict(part.deductions).get("marketplace")
            and not law.ordinance("state.marketplace_liability", part.first_night).value
        ):
            message = (
                "marketplace receipts are left out for nights before January 1, 2020, when the seller was still "
                "liable: keep the provider's proof that it remitted the tax on them"
            )
            return [Caution(MARKETPLACE[1], message)]
    return []
