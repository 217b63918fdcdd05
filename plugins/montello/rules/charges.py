"""What is owed in Montello, subject by subject (imposition, late filing, forfeiture and interest, fraud)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from core.contract.law import Law
from core.domain.account import Account
from core.domain.calendar import ONE_DAY, first_of_next_month
from core.domain.charge import INTEREST, TAX, Charge
from core.domain.clause import Words, implements
from core.domain.events import FRAUD, Estimate, ReturnFiled
from core.domain.interest import SegmentsInWords, by_month, cents_by_rate, in_spans, months_in_days, months_in_spans
from core.domain.lateness import last_of_days, late_since
from core.domain.tax import percentage, tax_by_part
from plugins.montello.rules.taxability import taxability

LATE_FILING_FEE = "late_filing_fee"
RETURNED_PAYMENT_FEE = "returned_payment_fee"
ESTIMATE_PENALTY = "estimate_penalty"
NONPAYMENT_FORFEITURE = "nonpayment_forfeiture"
FRAUD_PENALTY = "fraud_penalty"

# READINGS 19: penalties and fees, then interest, then tax.
PREVIOUS_YEAR_TAX = "previous_year_tax"
APPLICATION_ORDER = (
    LATE_FILING_FEE,
    RETURNED_PAYMENT_FEE,
    NONPAYMENT_FORFEITURE,
    ESTIMATE_PENALTY,
    FRAUD_PENALTY,
    INTEREST,
    TAX,
)
TITLES = {
    TAX: "Room tax",
    INTEREST: "Interest",
    LATE_FILING_FEE: "Late filing fee",
    RETURNED_PAYMENT_FEE: "Returned payment fee",
    ESTIMATE_PENALTY: "Penalty on the estimate (10%)",
    NONPAYMENT_FORFEITURE: "Forfeiture for nonpayment",
    FRAUD_PENALTY: "Penalty for intent (50%)",
}


def charges(account: Account, law: Law, on: date) -> list[Charge]:
    """All that has arisen by `on`."""
    lines = room_tax(account, law, on)
    tax = sum([line.cents for line in lines])
    lines += late_filing_fee(account, law, on)
    lines += returned_payment_fees(account, law, on)
    if law.reading("forfeiture_is_billed", account.deadlines.nominal).value:
        lines += nonpayment_forfeiture(account, law, on, tax)
    lines += estimate_penalty(account, law, on)
    lines += intent_penalty(account, law, on, tax)
    lines += interest(account, law, on, tax)
    return lines


@implements("MON-03")
def room_tax(account: Account, law: Law, on: date) -> list[Charge]:
    """4.5% of taxable receipts, at the rate of the night, half a cent up."""
    return tax_lines(account.determination, account, law, on)


def tax_lines(determination: ReturnFiled | Estimate | None, account: Account, law: Law, on: date) -> list[Charge]:
    """The tax on what a return or an estimate reports, one line for each rate."""
    if determination is None:
        rate = law.ordinance("room_tax.rate", account.period.last_day)
        words = Words("no return is filed and no estimate is made: the tax is not known yet")
        return [Charge(TAX, 0, rate.clause, min(on, account.period.last_day), words, (rate,))]
    parts = [
        (taxability(part, law), law.ordinance("room_tax.rate", part.first_night)) for part in determination.receipts
    ]
    by_part = tax_by_part([(taxable.taxable_cents, rate) for taxable, rate in parts])
    arose_on = min(on, determination.on)
    reported = "estimated receipts" if isinstance(determination, Estimate) else "gross receipts"
    return [
        Charge(
            TAX,
            cents,
            rate.clause,
            arose_on,
            Words(
                "{0} {1:money} less {2:money} not taxed = {3:money}; x {4:percent} = {5:money}",
                (
                    reported,
                    receipts.gross_cents,
                    receipts.gross_cents - taxable.taxable_cents,
                    taxable.taxable_cents,
                    rate.value,
                    cents,
                ),
            ),
            (rate,),
        )
        for receipts, (taxable, rate), cents in zip(determination.receipts, parts, by_part, strict=True)
    ]


@implements("MON-20")
def late_filing_fee(account: Account, law: Law, on: date) -> Iterator[Charge]:
    """$25 once per return, when none is filed by the filing date as extended (READINGS 11)."""
    since = late_since(account, on)
    if since is None:
        return
    fee = law.ordinance("late_filing.fee", since)
    words = Words("no return by {0:day}: {1:money}", (since - ONE_DAY, fee.value))
    yield Charge(LATE_FILING_FEE, fee.number, fee.clause, since, words, (fee,))


def returned_payment_fees(account: Account, law: Law, on: date) -> Iterator[Charge]:
    """One for each payment that came back, only where a resolution sets a fee (READINGS 22).

    The text has no clause for it, so the line cites the clause under which the payment was due.
    """
    for event in account.returned:
        if event.on <= on and law.has_resolution("returned_payment_fee", event.on):
            fee = law.resolution("returned_payment_fee", event.on)
            words = Words(
                "the payment of {0:money} on {1:day} came back on {2:day}: {3:money}, set by resolution of the "
                "Common Council",
                (event.cents, event.payment_on, event.on, fee.value),
            )
            yield Charge(RETURNED_PAYMENT_FEE, fee.number, fee.clause, event.on, words, (fee,))


@implements("MON-16")
def nonpayment_forfeiture(account: Account, law: Law, on: date, tax: int) -> Iterator[Charge]:
    """The lesser of 25% of the previous year's tax or $1,000, when the tax is not paid in 30 days (READINGS 16).

    For this test every payment made by the 30th day counts as tax, less what was paid back by then, and the tax is
    what the last return or estimate filed by then shows; where nothing was filed by then, the tax as now known.
    """
    previous = account.inputs.get(PREVIOUS_YEAR_TAX)
    if not previous:
        return
    days = law.ordinance("nonpayment.days", account.deadlines.nominal)
    last_day = last_of_days(account, account.extended_date, days.number)
    if on <= last_day:
        return
    shown = _tax_shown_by(account, law, last_day)
    due = tax if shown is None else shown
    paid = account.paid_by(last_day)
    if paid >= due:
        return
    rate, cap = law.ordinance("nonpayment.rate", last_day), law.ordinance("nonpayment.cap", last_day)
    part = percentage(previous, rate)
    cents = min(part, cap.number)
    words = Words(
        "by {0:day} {1:money} of {2:money} was paid: the lesser of {3:money} x {4:percent} = {5:money} and {6:money}",
        (last_day, paid, due, previous, rate.value, part, cap.value),
    )
    yield Charge(
        NONPAYMENT_FORFEITURE, cents, rate.clause, last_day + ONE_DAY, words, (rate, cap, days), (PREVIOUS_YEAR_TAX,)
    )


def _tax_shown_by(account: Account, law: Law, day: date) -> int | None:
    """The tax in cents that the last return, else the last estimate, filed by `day` shows; None when there is none."""
    filings: list[ReturnFiled | Estimate] = [*reversed(account.returns), *reversed(account.estimates)]
    for filed in filings:
        if filed.on <= day:
            return sum([line.cents for line in tax_lines(filed, account, law, day)])
    return None


@implements("MON-15", "MON-15B")
def estimate_penalty(account: Account, law: Law, on: date) -> Iterator[Charge]:
    """10% of the tax on the last estimate, until a return supersedes it (READINGS 12)."""
    if not account.estimates or account.estimates[-1].on > on:
        return
    estimate = account.estimates[-1]
    superseded = law.reading("return_supersedes_estimate", estimate.on)
    if account.returns and superseded.value:
        return
    rate = law.ordinance("estimate.penalty_rate", estimate.on)
    tax = sum([line.cents for line in tax_lines(estimate, account, law, on)])
    cents = percentage(tax, rate)
    words = Words("estimate of {0:day}: tax {1:money} x {2:percent} = {3:money}", (estimate.on, tax, rate.value, cents))
    yield Charge(ESTIMATE_PENALTY, cents, rate.clause, estimate.on, words, (rate, superseded))


@implements("MON-21")
def intent_penalty(account: Account, law: Law, on: date, tax: int) -> Iterator[Charge]:
    """50% of the tax on a recorded finding that a return was false with intent (READINGS 15)."""
    findings = account.findings_of(FRAUD)
    if not findings or findings[0].on > on or not tax:
        return
    found_on = findings[0].on
    rate = law.ordinance("intent.penalty_rate", found_on)
    cents = percentage(tax, rate)
    words = Words(
        "finding of intent of {0:day}: tax {1:money} x {2:percent} = {3:money}", (found_on, tax, rate.value, cents)
    )
    yield Charge(FRAUD_PENALTY, cents, rate.clause, found_on, words, (rate,))


@implements("MON-17", "MON-19")
def interest(account: Account, law: Law, on: date, tax: int) -> Iterator[Charge]:
    """12% a year on unpaid tax from the due date, by whole months; an extension does not move it (READINGS 9, 10)."""
    due, effective = account.deadlines.nominal, account.deadlines.effective
    segments = by_month(tax, account.tax_applied, due, effective, on)
    if not segments:
        return
    unit, units_a_year, until = "month", 12, on
    if not law.reading("interest_in_whole_months", due).value:
        unit, units_a_year, until = "day", 365, first_of_next_month(on)
        segments = months_in_days(segments, due)
    spans = law.spans("interest.rate", due + ONE_DAY, until)
    grouped = months_in_spans(segments, spans) if unit == "month" else in_spans(segments, spans)
    for rate, inside, cents in cents_by_rate(grouped, units_a_year):
        words = Words(
            "{0}, at {1:percent} a year / {2} = {3:money}",
            (SegmentsInWords(inside, unit), rate.value, units_a_year, cents),
        )
        yield Charge(INTEREST, cents, rate.clause, effective + ONE_DAY, words, (rate,))
