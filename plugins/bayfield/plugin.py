"""The City of Bayfield's answers to the contract. Each hook delegates: this page is the table of contents."""

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
)
from core.contract.hookspecs import hookimpl
from core.contract.law import Law
from core.domain.account import Account
from core.domain.calendar import BusinessDay, Deadlines, Election, Period
from core.domain.charge import Caution, Charge, Exposure
from core.domain.events import Event
from core.domain.receipts import Receipts, Taxability
from core.domain.shares import Collected, Distribution
from plugins.bayfield.rules import acts, security
from plugins.bayfield.rules import charges as owed
from plugins.bayfield.rules import deadlines as dates
from plugins.bayfield.rules import distribution as sharing
from plugins.bayfield.rules import taxability as taxed
from plugins.wisconsin.calendar import QUARTERLY
from plugins.wisconsin.calendar import business_days as state_business_days
from plugins.wisconsin.chart import room_tax_chart
from plugins.wisconsin.state_law import under_state_law

VERSION = "1.0.0"


@hookimpl
def municipality() -> Municipality:
    return Municipality("bayfield", "City of Bayfield", ("Treasurer", "Clerk"), "Common Council", 12, VERSION, True)


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
            receipts=(
                Line(taxed.ROOMS, "Rooms and lodging", law.clause("BAY-19A2")),
                Line(taxed.SITES, "Camp sites", law.clause("BAY-19A")),
            ),
            deductions=(
                Line("marketplace", "Collected by a marketplace provider", law.clause("WIS-05")),
                Line("long_stay", "Stays of a month or more", law.clause("BAY-19A")),
                Line("exempt_entity", "Sales to exempt entities", law.clause("WIS-03")),
            ),
            titles=owed.TITLES,
        ),
    )


@hookimpl
def chart(tax: Tax, law: Law) -> Chart:
    return room_tax_chart(owed.APPLICATION_ORDER, owed.TITLES, outside=(sharing.CHAMBER,), own=sharing.GENERAL_FUND)


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
    return sharing.agreement_terms(law, on)


@hookimpl
def distribution(collected: Collected, law: Law) -> Distribution:
    return sharing.distribution(collected, law)
