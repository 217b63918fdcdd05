"""What is taxed in Montello: hotels and motels, transients under 30 consecutive days (room tax definitions)."""

from __future__ import annotations

from core.contract.declarations import Stay
from core.contract.law import Law
from core.domain.clause import implements
from core.domain.receipts import Excluded, Receipts, Taxability
from plugins.wisconsin.stays import CHARITABLE, MARKETPLACE, MEDICAL

ROOMS = "rooms"
LEFT_OUT = {
    "marketplace": MARKETPLACE,
    "long_stay": ("MON-01", "Room tax definitions"),
    "exempt_entity": ("MON-03B", "Imposition"),
}


@implements("MON-01")
def long_stay(stay: Stay, law: Law) -> bool:
    """A guest of 30 consecutive days or more is no transient, and the whole stay is exempt (READINGS 5)."""
    return stay.nights >= law.ordinance("transient.days", stay.arrival).number


@implements("MON-01B", "MON-01D", "MON-03B", "WIS-05")
def taxability(receipts: Receipts, law: Law) -> Taxability:
    """Taxable cents, and what is left out with its clause. A hospital, or a charity, is no hotel."""
    charity = receipts.furnished_by in CHARITABLE and not receipts.private_benefit
    if charity or receipts.furnished_by in MEDICAL:
        return Taxability(0, (Excluded("place", receipts.gross_cents, "MON-01B", "Room tax definitions"),))
    excluded = tuple([Excluded(line, cents, *LEFT_OUT[line]) for line, cents in receipts.deductions if cents])
    return Taxability(receipts.gross_cents - receipts.deducted_cents, excluded)
