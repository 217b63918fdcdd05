"""Testville's rules, article by article."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction

from core.contract.declarations import AnnualReturn, Objection, Stay
from core.contract.law import Law
from core.domain.account import Account
from core.domain.calendar import ONE_DAY, BusinessDay, Deadlines, Election, Period, first_of_next_month, roll_forward
from core.domain.charge import INTEREST, TAX, Charge
from core.domain.clause import LawValue, Words, implements
from core.domain.events import Estimate, Event, Extension, Finding
from core.domain.interest import SegmentsInWords, by_day, cents_by_rate, in_spans
from core.domain.lateness import extension_objection, late_since
from core.domain.receipts import Excluded, Receipts, Taxability
from core.domain.shares import Collected, Distribution, Share

ROOMS, BREAKFASTS = "rooms", "breakfasts"
LATE_FEE = "late_fee"
APPLICATION_ORDER = (LATE_FEE, INTEREST, TAX)
TITLES = {TAX: "Lodging tax", INTEREST: "Interest", LATE_FEE: "Late fee"}
LEFT_OUT = {"long_stay": "TST-02", "airline_crew": "TST-02B"}
SUNDAY = 6


@implements("TST-04")
def is_business_day(day: date) -> bool:
    """The hall is open on Saturdays."""
    return day.weekday() != SUNDAY and (day.month, day.day) not in ((1, 1), (4, 20), (12, 24))


def business_days(law: Law) -> BusinessDay:
    """The same in every year."""
    return is_business_day


@implements("TST-03", "TST-03C")
def deadlines(period: Period, law: Law) -> Deadlines:
    """The 20th of the next month."""
    filing, extension = (law.ordinance(key, period.last_day) for key in ("filing.day", "extension.days"))
    nominal = first_of_next_month(period.last_day) + timedelta(days=filing.number - 1)
    return Deadlines(
        nominal,
        roll_forward(nominal, is_business_day),
        nominal + timedelta(days=extension.number),
        (filing.clause, filing.clause, extension.clause),
        is_business_day,
    )


@implements("TST-03B")
def annual_return(election: Election, year: int, law: Law) -> AnnualReturn:
    """60 days after the close of the operator's year."""
    year_end = election.year_end(year)
    value = law.ordinance("yearly_return.days", year_end)
    nominal = year_end + timedelta(days=value.number)
    return AnnualReturn(year_end, nominal, roll_forward(nominal, is_business_day), value.clause)


@implements("TST-02")
def long_stay(stay: Stay, law: Law) -> bool:
    """A fortnight."""
    return stay.nights >= law.ordinance("long_stay.days", stay.arrival).number


@implements("TST-02B")
def taxability(receipts: Receipts, law: Law) -> Taxability:
    """Rooms and breakfasts, less long stays and crews."""
    clauses = [(line, cents, law.clause(LEFT_OUT[line])) for line, cents in receipts.deductions if cents]
    excluded = tuple([Excluded(line, cents, clause.id, clause.section) for line, cents, clause in clauses])
    return Taxability(receipts.gross_cents - receipts.deducted_cents, excluded)


def charges(account: Account, law: Law, on: date) -> list[Charge]:
    """All that has arisen by `on`."""
    lines = lodging_tax(account, law, on)
    lines += discount(account, law, on, sum([line.cents for line in lines]))
    tax = sum([line.cents for line in lines])
    return [*lines, *late_fee(account, law, on), *interest(account, law, on, tax)]


@implements("TST-01")
def lodging_tax(account: Account, law: Law, on: date) -> list[Charge]:
    """The exact tax over all parts of the return, any part of a cent dropped once."""
    if account.determination is None:
        rate = law.ordinance("lodging.rate", account.period.last_day)
        words = Words("no return is filed: the tax is not known yet")
        return [Charge(TAX, 0, rate.clause, min(on, account.period.last_day), words, (rate,))]
    arose_on = min(on, account.determination.on)
    exact, before, lines = Fraction(0), 0, []
    for part in account.determination.receipts:
        rate = law.ordinance("lodging.rate", part.first_night)
        taxable = taxability(part, law).taxable_cents
        exact += Fraction(taxable * rate.ratio[0], rate.ratio[1])
        cents, before = int(exact) - before, int(exact)
        words = Words(
            "nights from {0:day} to {1:day}: {2:money} x {3:percent}, any part of a cent dropped = {4:money}",
            (part.first_night, part.last_night, taxable, rate.value, cents),
        )
        lines.append(Charge(TAX, cents, rate.clause, arose_on, words, (rate,)))
    return lines


@implements("TST-05")
def discount(account: Account, law: Law, on: date, tax: int) -> Iterator[Charge]:
    """2% of the tax, kept while the due date has not passed, and for good when the rest was paid by then."""
    due = account.deadlines.effective
    filed = account.first_return_by(due)
    if filed is None or not tax:
        return
    rate = law.ordinance("discount.rate", account.period.last_day)
    reading = law.reading("discount_needs_payment", account.period.last_day)
    kept = _part(tax, rate)
    paid = account.paid_by(due)
    if reading.value and on > due and paid < tax - kept:
        return
    words = Words(
        "kept for filing and paying by {0:day}: {1:money} x {2:percent} = {3:money}", (due, tax, rate.value, kept)
    )
    yield Charge(TAX, -kept, rate.clause, min(on, filed.on), words, (rate, reading))


@implements("TST-06")
def late_fee(account: Account, law: Law, on: date) -> Iterator[Charge]:
    """Once a return."""
    since = late_since(account, on)
    if since is not None:
        fee = law.ordinance("late.fee", since)
        yield Charge(LATE_FEE, fee.number, fee.clause, since, Words("no return by {0:day}", (since - ONE_DAY,)), (fee,))


@implements("TST-06")
def interest(account: Account, law: Law, on: date, tax: int) -> Iterator[Charge]:
    """6% a year by the day."""
    due, effective = account.deadlines.nominal, account.deadlines.effective
    segments = by_day(tax, account.tax_applied, due, effective, on)
    if segments:
        for rate, inside, cents in cents_by_rate(
            in_spans(segments, law.spans("interest.rate", due + ONE_DAY, on)), 365
        ):
            words = Words("{0}, at {1:percent} a year / 365", (SegmentsInWords(inside, "day"), rate.value))
            yield Charge(INTEREST, cents, rate.clause, effective + ONE_DAY, words, (rate,))


@implements("TST-06B")
def objections(account: Account, act: Event, law: Law) -> list[Objection]:
    """The clerk neither estimates nor finds."""
    section = law.clause("TST-06B").section
    if isinstance(act, Estimate | Finding):
        return [Objection("type", "the town makes no estimates and no findings: bring it before the justice", section)]
    found = extension_objection(account, act) if isinstance(act, Extension) else None
    return [Objection(*found, law.clause("TST-03C").section)] if found else []


@implements("TST-07")
def distribution(collected: Collected, law: Law) -> Distribution:
    """The library gets a fifth, in whole dollars."""
    rate = law.ordinance("library.rate", collected.on)
    library = _part(collected.cents, rate) // 100 * 100
    town = collected.cents - library
    words = Words("{0:money} x {1:percent}, in whole dollars = {2:money}", (collected.cents, rate.value, library))
    rest = Words("{0:money} - {1:money} = {2:money}", (collected.cents, library, town))
    return Distribution(
        (Share("Library", library, rate.clause, words, (rate,)), Share("Town", town, rate.clause, rest))
    )


def _part(cents: int, rate: LawValue) -> int:
    return cents * rate.ratio[0] // rate.ratio[1]
