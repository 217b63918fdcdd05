"""Security and refunds in Montello (security; forfeiture and interest; READINGS 9 and 35)."""

from __future__ import annotations

from datetime import date

from core.contract.declarations import Filer, Refund, RefundInterest, ScheduledFee, SecurityDemand
from core.contract.law import Law
from core.domain.calendar import first_of_next_month, month_starts
from core.domain.clause import implements
from core.domain.money import half_up


@implements("MON-22")
def security_demand(filer: Filer, law: Law, on: date) -> SecurityDemand:
    """At most $5,000, as the Clerk-Treasurer determines."""
    ceiling = law.ordinance("security.ceiling", on)
    return SecurityDemand("to protect the revenue of the City", ceiling.number, False, ceiling.clause)


def scheduled_fees(law: Law) -> list[ScheduledFee]:
    """None is in the text; the Council may set a fee for a returned payment by resolution (READINGS 22)."""
    slot = law.resolution_slots["returned_payment_fee"]
    return [ScheduledFee(slot.key, slot.title, slot.clause, slot.key)]


@implements("MON-18", "MON-18B")
def refund_interest(refund: Refund, law: Law) -> RefundInterest:
    """12% a year by whole months from the due date or the payment, whichever is later, to the first of the month after.

    None when the overpayment was intentional or careless, or came without a complete return (READINGS 9).
    """
    if refund.intentional_or_careless:
        return RefundInterest(0, law.clause("MON-18B"), "the overpayment was intentional or careless")
    if not refund.complete_return:
        return RefundInterest(0, law.clause("MON-18B"), "the tax was not accompanied by a complete return")
    since = max(refund.due_on, refund.paid_on)
    rate = law.ordinance("refund.interest_rate", refund.refunded_on)
    if not law.reading("interest_in_whole_months", refund.due_on).value:
        days = (first_of_next_month(refund.refunded_on) - since).days
        cents = half_up(refund.cents * days * rate.ratio[0], rate.ratio[1] * 365)
        return RefundInterest(cents, rate.clause, f"{days} days from {since} to the first of the next month")
    months = len(list(month_starts(since, refund.refunded_on)))
    cents = half_up(refund.cents * months * rate.ratio[0], rate.ratio[1] * 12)
    return RefundInterest(cents, rate.clause, f"{months} whole months from {since}, at a twelfth of the yearly rate")
