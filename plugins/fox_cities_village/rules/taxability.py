"""What is taxed in the Village: rooms and lodging, transients under one month (definitions)."""

from __future__ import annotations

from core.contract.declarations import Stay
from core.contract.law import Law
from core.domain.clause import implements
from core.domain.receipts import Excluded, Receipts, Taxability
from plugins.wisconsin.stays import EXEMPT_ENTITY, MARKETPLACE, is_a_month_or_more

ROOMS = "rooms"
LEFT_OUT = {
    "marketplace": MARKETPLACE,
    "long_stay": ("FOX-01", "Definitions"),
    "exempt_entity": EXEMPT_ENTITY,
}


@implements("FOX-01")
def long_stay(stay: Stay, law: Law) -> bool:
    """A guest of a month or more is no transient; a calendar month or 30 days, whichever is less (READINGS 5)."""
    return is_a_month_or_more(stay.arrival, stay.departure)


@implements("FOX-01", "WIS-03", "WIS-05")
def taxability(receipts: Receipts, law: Law) -> Taxability:
    """Taxable cents, and what is left out with its clause. The text exempts no kind of place."""
    excluded = tuple([Excluded(line, cents, *LEFT_OUT[line]) for line, cents in receipts.deductions if cents])
    return Taxability(receipts.gross_cents - receipts.deducted_cents, excluded)
