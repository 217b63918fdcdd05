"""Security and fees in Bayfield (§ 54-19(C)(4) and (D); READINGS 35)."""

from __future__ import annotations

from datetime import date

from core.contract.declarations import Filer, Refund, RefundInterest, ScheduledFee, SecurityDemand
from core.contract.law import Law
from core.domain.clause import implements
from core.domain.money import dollars_for_reading


@implements("BAY-19D1", "BAY-19D3")
def security_demand(filer: Filer, law: Law, on: date) -> SecurityDemand:
    """Up to $5,000 at the Treasurer's discretion; after a delinquency its amount, for the next two periods."""
    ceiling = law.ordinance("security.ceiling", on)
    if not filer.delinquent_cents:
        return SecurityDemand("to protect the revenue of the City", ceiling.number, False, ceiling.clause)
    warnings: tuple[str, ...] = ()
    if filer.delinquent_cents > ceiling.number:
        warnings = (
            f"the delinquency is above {dollars_for_reading(ceiling.number)}, the ceiling of a discretionary security",
        )
    return SecurityDemand(
        "the amount of the delinquency, for the next two periods; else the permit is revoked",
        filer.delinquent_cents,
        True,
        law.clause("BAY-19D3"),
        warnings,
    )


@implements("BAY-19C4D")
def scheduled_fees(law: Law) -> list[ScheduledFee]:
    """Fees that the Council sets by resolution."""
    return [
        ScheduledFee(slot.key, slot.title, slot.clause, slot.key)
        for slot in (law.resolution_slots[key] for key in ("permit_reissue_fee", "returned_payment_fee"))
    ]


def refund_interest(refund: Refund, law: Law) -> RefundInterest:
    """None: the ordinance gives interest on unpaid tax only (READINGS 9)."""
    return RefundInterest(0, law.clause("BAY-19C8A"), "the ordinance pays no interest on refunds")
