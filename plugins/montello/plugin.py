"""The City of Montello's answers to the contract. Each hook delegates: this page is the table of contents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from core.contract.declarations import (
    AgreementTerms,
    AnnualReturn,
    Chart,
    Filer,
    Line,
    Municipality,
    Objection,
    Refund,
    RefundInterest,
    ScheduledFee,
    SecurityDemand,
    Stay,
    Tax,
    YearTotal,
)
from core.contract.hookspecs import hookimpl
from core.contract.law import Law
from core.domain.account import Account
from core.domain.calendar import BusinessDay, Deadlines, Election, Period
from core.domain.charge import Caution, Charge, Exposure
from core.domain.events import Event
from core.domain.receipts import Receipts, Taxability
from core.domain.shares import Collected, Distribution
from plugins.montello.rules import acts, security
from plugins.montello.rules import charges as owed
from plugins.montello.rules import deadlines as dates
from plugins.montello.rules import distribution as sharing
from plugins.montello.rules import taxability as taxed
from plugins.wisconsin.calendar import QUARTERLY
from plugins.wisconsin.calendar import business_days as state_business_days
from plugins.wisconsin.chart import room_tax_chart
from plugins.wisconsin.state_law import under_state_law

VERSION = "1.0.0"


@hookimpl
def municipality() -> Municipality:
    return Municipality("montello", "City of Montello", ("Clerk-Treasurer",), "Common Council", 12, VERSION)


@hookimpl
def law() -> Law:
    return under_state_law(Path(__file__).parent / "law")


@hookimpl
def taxes(law: Law) -> tuple[Tax, ...]:
    return (
        Tax(
            key="room_tax",
            title="Room tax",
            payer="operator",
            frequency=QUARTERLY,
            fund="room_tax",
            rate_key="room_tax.rate",
            receipts=(Line(taxed.ROOMS, "Rooms and lodging", law.clause("MON-01D")),),
            deductions=(
                Line("marketplace", "Collected by a marketplace provider", law.clause("WIS-05")),
                Line("long_stay", "Stays of 30 days or more", law.clause("MON-01")),
                Line("exempt_entity", "Sales to exempt entities", law.clause("MON-03B")),
            ),
            titles=owed.TITLES,
            inputs=(YearTotal(owed.PREVIOUS_YEAR_TAX),),
        ),
    )


@hookimpl
def chart(tax: Tax, law: Law) -> Chart:
    return room_tax_chart(owed.APPLICATION_ORDER, owed.TITLES, outside=(sharing.COMMISSION,), own=sharing.GENERAL_FUND)


@hookimpl
def business_days(law: Law) -> BusinessDay:
    return state_business_days(law)


@hookimpl
def deadlines(period: Period, law: Law) -> Deadlines:
    return dates.deadlines(period, law)


@hookimpl
def annual_return(election: Election, year: int, law: Law) -> AnnualReturn:
    return dates.annual_return(election, year, law)


@hookimpl
def long_stay(stay: Stay, law: Law) -> bool:
    return taxed.long_stay(stay, law)


@hookimpl
def taxability(receipts: Receipts, law: Law) -> Taxability:
    return taxed.taxability(receipts, law)


@hookimpl
def charges(account: Account, law: Law, on: date) -> Sequence[Charge]:
    return owed.charges(account, law, on)


@hookimpl
def exposures(account: Account, law: Law, on: date) -> Sequence[Exposure]:
    return acts.exposures(account, law, on)


@hookimpl
def cautions(account: Account, law: Law, on: date) -> Sequence[Caution]:
    return acts.cautions(account, law, on)


@hookimpl
def objections(account: Account, act: Event, law: Law) -> Sequence[Objection]:
    return acts.objections(account, act, law)


@hookimpl
def application_order(law: Law) -> tuple[str, ...]:
    return owed.APPLICATION_ORDER


@hookimpl
def refund_interest(refund: Refund, law: Law) -> RefundInterest:
    return security.refund_interest(refund, law)


@hookimpl
def security_demand(filer: Filer, law: Law, on: date) -> SecurityDemand:
    return security.security_demand(filer, law, on)


@hookimpl
def scheduled_fees(law: Law) -> Sequence[ScheduledFee]:
    return security.scheduled_fees(law)


@hookimpl
def agreement_terms(law: Law, on: date) -> Sequence[AgreementTerms]:
    return ()


@hookimpl
def distribution(collected: Collected, law: Law) -> Distribution:
    return sharing.distribution(collected, law)
