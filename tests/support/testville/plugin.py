"""Testville's answers to the contract."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from core.contract.declarations import (
    AgreementTerms,
    AnnualReturn,
    Chart,
    Filer,
    LedgerAccount,
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
from core.contract.lawfiles import load_law
from core.domain.account import Account
from core.domain.calendar import BusinessDay, Deadlines, Election, Frequency, Period
from core.domain.charge import Caution, Charge, Exposure
from core.domain.events import Event
from core.domain.receipts import Receipts, Taxability
from core.domain.shares import Collected, Distribution

from . import rules


@hookimpl
def municipality() -> Municipality:
    return Municipality("testville", "Town of Testville", ("Clerk",), "Town Board", 6, "1.0.0")


@hookimpl
def law() -> Law:
    return load_law(Path(__file__).parent / "law")


@hookimpl
def taxes(law: Law) -> tuple[Tax, ...]:
    return (
        Tax(
            key="lodging_tax",
            title="Lodging tax",
            payer="operator",
            frequency=Frequency("monthly", 1, "M"),
            fund="tourism",
            rate_key="lodging.rate",
            receipts=(
                Line(rules.ROOMS, "Rooms", law.clause("TST-01")),
                Line(rules.BREAKFASTS, "Breakfasts", law.clause("TST-01")),
            ),
            deductions=(
                Line("long_stay", "Stays of a fortnight or more", law.clause("TST-02")),
                Line("airline_crew", "Airline crews under contract", law.clause("TST-02B")),
            ),
            titles=rules.TITLES,
        ),
    )


@hookimpl
def chart(tax: Tax, law: Law) -> Chart:
    cash = LedgerAccount("tourism", "1", "Cash", "asset")
    return Chart(
        funds=(("tourism", "Tourism"),),
        cash={"tourism": cash},
        receivable={
            kind: LedgerAccount("tourism", f"2-{kind}", title, "asset") for kind, title in rules.TITLES.items()
        },
        revenue={kind: LedgerAccount("tourism", f"4-{kind}", title, "revenue") for kind, title in rules.TITLES.items()},
        credits=LedgerAccount("tourism", "3", "Credits", "liability"),
        refund_interest=LedgerAccount("tourism", "5", "Interest on refunds", "expense"),
        distributed=LedgerAccount("tourism", "6", "Shared out", "expense"),
        held=LedgerAccount("tourism", "7", "Held", "liability"),
        payable={"Library": LedgerAccount("tourism", "8", "Due to the library", "liability")},
        transfers_in={"Town": LedgerAccount("tourism", "9", "Retained", "revenue")},
    )


@hookimpl
def business_days(law: Law) -> BusinessDay:
    return rules.business_days(law)


@hookimpl
def deadlines(period: Period, law: Law) -> Deadlines:
    return rules.deadlines(period, law)


@hookimpl
def annual_return(election: Election, year: int, law: Law) -> AnnualReturn:
    return rules.annual_return(election, year, law)


@hookimpl
def long_stay(stay: Stay, law: Law) -> bool:
    return rules.long_stay(stay, law)


@hookimpl
def taxability(receipts: Receipts, law: Law) -> Taxability:
    return rules.taxability(receipts, law)


@hookimpl
def charges(account: Account, law: Law, on: date) -> Sequence[Charge]:
    return rules.charges(account, law, on)


@hookimpl
def exposures(account: Account, law: Law, on: date) -> Sequence[Exposure]:
    return ()


@hookimpl
def cautions(account: Account, law: Law, on: date) -> Sequence[Caution]:
    return ()


@hookimpl
def objections(account: Account, act: Event, law: Law) -> Sequence[Objection]:
    return rules.objections(account, act, law)


@hookimpl
def application_order(law: Law) -> tuple[str, ...]:
    return rules.APPLICATION_ORDER


@hookimpl
def refund_interest(refund: Refund, law: Law) -> RefundInterest:
    return RefundInterest(0, law.clause("TST-08"), "the town pays no interest on refunds")


@hookimpl
def security_demand(filer: Filer, law: Law, on: date) -> SecurityDemand:
    ceiling = law.ordinance("security.ceiling", on)
    return SecurityDemand("at the clerk's discretion", ceiling.number, False, ceiling.clause)


@hookimpl
def scheduled_fees(law: Law) -> Sequence[ScheduledFee]:
    slot = law.resolution_slots["lost_license_fee"]
    return [ScheduledFee(slot.key, slot.title, slot.clause, slot.key)]


@hookimpl
def agreement_terms(law: Law, on: date) -> Sequence[AgreementTerms]:
    return ()


@hookimpl
def distribution(collected: Collected, law: Law) -> Distribution:
    return rules.distribution(collected, law)
