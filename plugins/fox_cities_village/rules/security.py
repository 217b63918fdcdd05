"""Security, fees and refunds in the Village (§ 18-3(C), § 18-4(B) and (D); READINGS 9 and 35)."""

from __future__ import annotations

from datetime import date

from core.contract.declarations import Filer, Refund, RefundInterest, ScheduledFee, SecurityDemand
from core.contract.law import Law
from core.domain.calendar import first_of_next_month, month_starts
from core.domain.clause import implements
from core.domain.money import half_up


@implements("FOX-19")
def security_demand(filer: Filer, law: Law, on: date) -> SecurityDemand:
    """At most the highest possible revenue of the property in one period, as the Treasurer determines it."""
    warnings: tuple[str, ...] = ()
    if filer.highest_period_cents is None:
        warnings = ("determine the highest possible tax of the property for one period first",)
    return SecurityDemand(
        "to protect the revenue of the Village", filer.highest_period_cents, False, law.clause("FOX-19"), warnings
    )


@implements("FOX-09D")
def scheduled_fees(law: Law) -> list[ScheduledFee]:
    """Fees that the Board sets by resolution."""
    return [
        ScheduledFee(slot.key, slot.title, slot.clause, slot.key)
        for slot in (law.resolution_slots[key] for key in ("permit_reissue_fee", "returned_payment_fee"))
    ]


@implements("FOX-15", "FOX-15B")
def refund_interest(refund: Refund, law: Law) -> RefundInterest:
    """7% a year by whole months from the due date or the payment, whichever is later, to the first of the month after.

    None when the overpayment was intentional or careless, or came without a complete return (READINGS 9).
    """
    if refund.intentional_or_careless:
        return RefundInterest(0, law.clause("FOX-15B"), "the overpayment was intentional or careless")
    if not refund.complete_return:
        return RefundInterest(0, law.clause("FOX-15B"), "the tax was not accompanied by a complete return")
    since = max(refund.due_on, refund.paid_on)
    rate = law.ordinance("refund.interest_rate", refund.refunded_on)
    if not law.reading("interest_in_whole_months", refund.due_on).value:
        days = (first_of_next_month(refund.refunded_on) - since).days
        cents = half_up(refund.cents * days * rate.ratio[0], rate.ratio[1] * 365)
        return RefundInterest(cents, rate.clause, f"{days} days from {since} to the first of the next month")
    months = len(list(month_starts(since, refund.refunded_on)))
    cents = half_up(refund.cents * months * rate.ratio[0], rate.ratio[1] * 12)
    return RefundInterest(cents, rate.clause, f"{months} whole months from {since}, at a twelfth of the yearly rate")
