"""The whole contract with a municipality, on one page. Every hook is pure: "today" arrives in the argument.

`law` is the municipality's law with the tenant's resolutions and readings in it. Amounts are in cents.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pluggy

from core.contract.declarations import (
    AgreementTerms,
    AnnualReturn,
    Chart,
    Filer,
    Municipality,
    Objection,
    Refund,
    RefundInterest,
    ScheduledFee,
    SecurityDemand,
    Stay,
    Tax,
)
from core.contract.law import Law
from core.domain.account import Account
from core.domain.calendar import BusinessDay, Deadlines, Election, Period
from core.domain.charge import Caution, Charge, Exposure
from core.domain.events import Event
from core.domain.receipts import Receipts, Taxability
from core.domain.shares import Collected, Distribution

PROJECT = "fisc"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class MunicipalityHooks:
    """What a municipality answers. Every hook is required."""

    @hookspec(firstresult=True)
    def municipality(self) -> Municipality:  # type: ignore[empty-body]
        """Key, default name, officers' titles, council, fiscal year and the plugin's version."""

    @hookspec(firstresult=True)
    def law(self) -> Law:  # type: ignore[empty-body]
        """The dated, cited values, with the slots for resolutions and readings."""

    @hookspec(firstresult=True)
    def taxes(self, law: Law) -> tuple[Tax, ...]:  # type: ignore[empty-body]
        """The declared taxes: key, payer, filing frequency, fund, the lines of the return."""

    @hookspec(firstresult=True)
    def chart(self, tax: Tax, law: Law) -> Chart:  # type: ignore[empty-body]
        """The funds and accounts in which a tax, its fees and its penalties are booked."""

    @hookspec(firstresult=True)
    def business_days(self, law: Law) -> BusinessDay:  # type: ignore[empty-body]
        """A function that says whether a day is a business day."""

    @hookspec(firstresult=True)
    def deadlines(self, period: Period, law: Law) -> Deadlines:  # type: ignore[empty-body]
        """The nominal and the effective due date of a period's return, and the longest extension."""

    @hookspec(firstresult=True)
    def annual_return(self, election: Election, year: int, law: Law) -> AnnualReturn:  # type: ignore[empty-body]
        """The due dates of the annual return for the filer's year that ends in `year`."""

    @hookspec(firstresult=True)
    def long_stay(self, stay: Stay, law: Law) -> bool:  # type: ignore[empty-body]
        """Whether a stay is too long for the guest to be a transient; then the whole stay is exempt."""

    @hookspec(firstresult=True)
    def taxability(self, receipts: Receipts, law: Law) -> Taxability:  # type: ignore[empty-body]
        """What of these receipts is taxed and what is left out, each part with its clause."""

    @hookspec(firstresult=True)
    def charges(self, account: Account, law: Law, on: date) -> Sequence[Charge]:  # type: ignore[empty-body]
        """All that has arisen by `on`: tax (always a line), fees, interest, penalties, forfeitures. Waivers apart."""

    @hookspec(firstresult=True)
    def exposures(self, account: Account, law: Law, on: date) -> Sequence[Exposure]:  # type: ignore[empty-body]
        """What a court could impose as of `on`. Computed, recorded, never billed."""

    @hookspec(firstresult=True)
    def cautions(self, account: Account, law: Law, on: date) -> Sequence[Caution]:  # type: ignore[empty-body]
        """What an officer should know before acting: an input not known, an authority not confirmed."""

    @hookspec(firstresult=True)
    def objections(self, account: Account, act: Event, law: Law) -> Sequence[Objection]:  # type: ignore[empty-body]
        """Why the law refuses this act on this account; empty when it does not."""

    @hookspec(firstresult=True)
    def application_order(self, law: Law) -> tuple[str, ...]:  # type: ignore[empty-body]
        """The kinds of charge in the order in which a payment is applied to them; tax comes last."""

    @hookspec(firstresult=True)
    def refund_interest(self, refund: Refund, law: Law) -> RefundInterest:  # type: ignore[empty-body]
        """Interest on money paid out, or a reasoned none."""

    @hookspec(firstresult=True)
    def security_demand(self, filer: Filer, law: Law, on: date) -> SecurityDemand:  # type: ignore[empty-body]
        """The ceiling of a security that may be asked of this filer, and the ground."""

    @hookspec(firstresult=True)
    def scheduled_fees(self, law: Law) -> Sequence[ScheduledFee]:  # type: ignore[empty-body]
        """The fees for applications and services, each with the resolution that sets it."""

    @hookspec(firstresult=True)
    def agreement_terms(self, law: Law, on: date) -> Sequence[AgreementTerms]:  # type: ignore[empty-body]
        """What an agreement on a share must keep to, for each payee; empty where the law alone divides the tax."""

    @hookspec(firstresult=True)
    def distribution(self, collected: Collected, law: Law) -> Distribution:  # type: ignore[empty-body]
        """How tax collected is shared: shares that sum to the base, to the cent."""
