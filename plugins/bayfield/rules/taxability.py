"""What is taxed in Bayfield: hotels, motels and camp sites, transients under one month (§ 54-19(A))."""

from __future__ import annotations

from core.contract.declarations import Stay
from core.contract.law import Law
from core.domain.clause import implements
from core.domain.receipts import Excluded, Receipts, Taxability
from plugins.wisconsin.stays import CHARITABLE, EXEMPT_ENTITY, MARKETPLACE, MEDICAL, is_a_month_or_more

ROOMS = "rooms"
SITES = "site_receipts"
LEFT_OUT = {
    "marketplace": MARKETPLACE,
    "long_stay": ("BAY-19A", "§ 54-19(A)"),
    "exempt_entity": EXEMPT_ENTITY,
}


@implements("BAY-19A")
def long_stay(stay: Stay, law: Law) -> bool:
    """A guest of a month or more is no transient; a calendar month or 30 days, whichever is less (READINGS 5)."""
    return is_a_month_or_more(stay.arrival, stay.departure)


@implements("BAY-19A2", "BAY-19A3", "WIS-03", "WIS-05")
def taxability(receipts: Receipts, law: Law) -> Taxability:
    """Taxable cents of rooms and sites, and what is left out, each with its clause.

    Rooms of a hospital, sanitarium or nursing home are no hotel; of sites the text exempts only the religious,
    charitable and educational ones. Both without private benefit (§ 54-19(A)).
    """
    if receipts.furnished_by in MEDICAL:
        return _rooms_left_out(receipts)
    if receipts.furnished_by in CHARITABLE and not receipts.private_benefit:
        return Taxability(0, (Excluded("place", receipts.gross_cents, "BAY-19A3", "§ 54-19(A)"),))
    excluded = tuple([Excluded(line, cents, *LEFT_OUT[line]) for line, cents in receipts.deductions if cents])
    return Taxability(receipts.gross_cents - receipts.deducted_cents, excluded)


def _rooms_left_out(receipts: Receipts) -> Taxability:
    sites = dict(receipts.gross).get(SITES, 0)
    rooms = receipts.gross_cents - sites
    return Taxability(sites, (Excluded("place", rooms, "BAY-19A3", "§ 54-19(A)"),))
