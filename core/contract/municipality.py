"""The typed face of a municipality: its plugin's hooks with their answers checked, bound to one tenant's law."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import Any, TypeVar

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
from core.contract.settings import ReadingChoice, Resolution
from core.domain.account import Account
from core.domain.calendar import BusinessDay, Deadlines, Election, Period
from core.domain.charge import TAX, Caution, Charge, Exposure
from core.domain.clause import Clause
from core.domain.errors import ContractBroken, Fault, LawFileInvalid
from core.domain.events import Estimate, Event, Extension, ReturnFiled
from core.domain.fold import InputsByDay, Statement, fold, refusals
from core.domain.receipts import Receipts, Taxability
from core.domain.shares import Collected, Distribution

Answer = TypeVar("Answer")


class OpenMunicipality:
    """One plugin with one tenant's resolutions and readings. It satisfies the fold's `Rules`.

    Every answer is checked for its type, and for its clause where it has one; a charge also for its kind and its
    day. Raises ContractBroken, naming plugin and hook.
    """

    def __init__(self, hooks: pluggy.HookRelay, plugin_name: str, law: Law | None = None) -> None:
        self._hooks = hooks
        self._plugin_name = plugin_name
        self.declared: Municipality = self._one(Municipality, "municipality")
        self.law: Law = self._one(Law, "law") if law is None else law
        self._clauses = frozenset(row.clause for row in self.law.clauses.values())
        self.taxes: dict[str, Tax] = {tax.key: tax for tax in self._many(Tax, "taxes", law=self.law)}
        self.application_order: tuple[str, ...] = self._one(tuple, "application_order", law=self.law)
        if not self.application_order or self.application_order[-1] != TAX:
            raise self._broken("application_order", "the last kind must be the tax")
        self._kinds = frozenset(self.application_order)
        for tax in self.taxes.values():
            self._cited("taxes", *[line.clause for line in (*tax.receipts, *tax.deductions)])
        answer = self._ask("business_days", law=self.law)
        if not callable(answer):
            raise self._broken("business_days", f"a function was expected, not {answer!r}")
        self.is_business_day: BusinessDay = answer
        self._charges = self._direct("charges")
        self._deadlines: dict[Period, Deadlines] = {}
        self._charts: dict[str, Chart] = {}

    def with_settings(
        self, resolutions: Iterable[Resolution] = (), readings: Iterable[ReadingChoice] = ()
    ) -> OpenMunicipality:
        """The same municipality with a tenant's own acts. Raises Refused for keys that its law does not have."""
        return OpenMunicipality(self._hooks, self._plugin_name, self.law.with_settings(resolutions, readings))

    def asked_anew(self) -> OpenMunicipality:
        """The same plugin, opened once more without any settings: whatever it answers it is asked again."""
        return OpenMunicipality(self._hooks, self._plugin_name)

    @property
    def plugin(self) -> object:
        """The plugin that answers, usually a module."""
        return self._hooks.municipality.get_hookimpls()[0].plugin

    def deadlines(self, period: Period) -> Deadlines:
        """The dates of a period's return."""
        known = self._deadlines.get(period)
        if known is None:
            known = self._annual_deadlines(period) or self._one(Deadlines, "deadlines", period=period, law=self.law)
            self._cited("deadlines", *known.clauses)
            self._deadlines[period] = known
        return known

    def _annual_deadlines(self, period: Period) -> Deadlines | None:
        """The dates of an annual return, which is due after its year (READINGS 1); None for any other period."""
        if not period.is_annual:
            return None
        due = self.annual_return(Election(period.last_day.month), period.last_day.year)
        longest = due.longest_extension or due.nominal
        return Deadlines(due.nominal, due.effective, longest, (due.clause,) * 3, self.is_business_day)

    def chart(self, tax: str) -> Chart:
        """The funds and accounts of a tax: a receivable and a revenue account for each kind of charge, in one fund."""
        known = self._charts.get(tax)
        if known is None:
            known = self._one(Chart, "chart", tax=self.taxes[tax], law=self.law)
            self._charts[tax] = known
            for kind in self.application_order:
                if kind not in known.receivable or kind not in known.revenue:
                    raise self._broken("chart", f"no receivable or revenue account for {kind}")
                if known.receivable[kind].fund != known.revenue[kind].fund:
                    raise self._broken("chart", f"{kind}: receivable and revenue lie in two funds")
        return known

    def annual_return(self, election: Election, year: int) -> AnnualReturn:
        """The dates of the annual return for the filer's year that ends in `year`."""
        answer = self._one(AnnualReturn, "annual_return", election=election, year=year, law=self.law)
        self._cited("annual_return", answer.clause)
        return answer

    def open_account(self, tax: str, period: Period, inputs: dict[str, int | None] | None = None) -> Account:
        """A period account with nothing recorded on it."""
        return Account(tax, period, self.deadlines(period), inputs or {})

    def statement(
        self, account: Account, events: Iterable[Event], as_of: date, inputs_by_day: InputsByDay = ()
    ) -> Statement:
        """Folds allowed events over an account with nothing recorded on it. Raises ResolutionMissing."""
        return fold(account, events, self, as_of, inputs_by_day)

    def refusals(self, account: Account, events: Iterable[Event], above: int = -1) -> list[Fault]:
        """Why the law refuses acts among these, those up to the seq `above` taken as allowed."""
        return refusals(account, events, self, above)

    def is_long_stay(self, stay: Stay) -> bool:
        """Whether the guest of this stay is no transient."""
        return self._one(bool, "long_stay", stay=stay, law=self.law)

    def taxability(self, receipts: Receipts) -> Taxability:
        """What of these receipts is taxed."""
        answer = self._one(Taxability, "taxability", receipts=receipts, law=self.law)
        self._cited("taxability", *[Clause(part.clause_id, part.section) for part in answer.excluded])
        return answer

    def charges(self, account: Account, on: date) -> Sequence[Charge]:
        """All that has arisen by `on`, before waivers."""
        return self._checked_charges(account, on, self.law)

    def charges_without_unset(self, account: Account, on: date) -> Sequence[Charge]:
        """The same, with nothing for an amount that a council or board has yet to set."""
        return self._checked_charges(account, on, self.law.where_set())

    def _checked_charges(self, account: Account, on: date, law: Law) -> Sequence[Charge]:
        try:
            charges: Sequence[Charge] = self._charges(account=account, law=law, on=on)
        except LawFileInvalid as error:
            raise self._broken("charges", str(error)) from error
        if type(charges) not in (list, tuple):
            raise self._broken("charges", f"a list of charges was expected, not {charges!r}")
        taxed = False
        for charge in charges:
            if type(charge) is not Charge or type(charge.cents) is not int or charge.arose_on > on:
                raise self._broken("charges", f"no charge in whole cents that arose by {on}: {charge!r}")
            if charge.kind not in self._kinds:
                raise self._broken("charges", f"{charge.kind!r} has no place in the order of application")
            if charge.clause not in self._clauses:
                self._cited("charges", charge.clause)
            taxed = taxed or charge.kind == TAX
        if not taxed:
            raise self._broken("charges", "there must be a line for the tax, be it of no cents")
        return charges

    def exposures(self, account: Account, on: date) -> Sequence[Exposure]:
        """What a court could impose as of `on`."""
        answer = self._many(Exposure, "exposures", account=account, law=self.law, on=on)
        self._cited("exposures", *[exposure.clause for exposure in answer])
        return answer

    def cautions(self, account: Account, on: date) -> Sequence[Caution]:
        """What an officer should know."""
        return self._many(Caution, "cautions", account=account, law=self.law, on=on)

    def objections(self, account: Account, event: Event) -> Sequence[Fault]:
        """Why the law refuses an act; each message cites its section.

        Three things are refused for every municipality: an extension beyond the longest, receipts over a change of
        the rate that are not divided at it, and receipts on an annual return, which would be taxed twice.
        """
        faults: list[Fault] = []
        if isinstance(event, ReturnFiled | Estimate):
            faults.extend(_taxed_twice(account, event) if account.period.is_annual else self._undivided(account, event))
        if isinstance(event, Extension) and event.until > account.deadlines.longest_extension:
            faults.append(
                Fault(
                    "until",
                    f"{event.until} is too long an extension: name a day up to {account.deadlines.longest_extension} "
                    f"({account.deadlines.clauses[-1].section})",
                )
            )
        for objection in self._many(Objection, "objections", account=account, act=event, law=self.law):
            cited = f" ({objection.section})" if objection.section else ""
            faults.append(Fault(objection.field, objection.message + cited))
        return faults

    def refund_interest(self, refund: Refund) -> RefundInterest:
        """Interest on a refund, or a reasoned none."""
        answer = self._one(RefundInterest, "refund_interest", refund=refund, law=self.law)
        self._cited("refund_interest", answer.clause)
        return answer

    def security_demand(self, filer: Filer, on: date) -> SecurityDemand:
        """The security that may be asked of a filer."""
        answer = self._one(SecurityDemand, "security_demand", filer=filer, law=self.law, on=on)
        self._cited("security_demand", answer.clause)
        return answer

    def scheduled_fees(self) -> Sequence[ScheduledFee]:
        """The fees for applications and services."""
        answer = self._many(ScheduledFee, "scheduled_fees", law=self.law)
        self._cited("scheduled_fees", *[fee.clause for fee in answer])
        return answer

    def agreement_terms(self, on: date) -> Sequence[AgreementTerms]:
        """What an agreement that begins on a day must keep to, for each payee."""
        answer = self._many(AgreementTerms, "agreement_terms", law=self.law, on=on)
        self._cited("agreement_terms", *[terms.clause for terms in answer])
        if bool(answer) != self.declared.shares_by_agreement:
            raise self._broken("agreement_terms", "it and the declaration differ on whether agreements fix shares")
        return answer

    def distribution(self, collected: Collected) -> Distribution:
        """Shares of the base, which sum to it."""
        answer = self._one(Distribution, "distribution", collected=collected, law=self.law)
        total = sum(share.cents for share in answer.shares)
        if total != collected.cents:
            raise self._broken("distribution", f"shares sum to {total} cents, the base is {collected.cents}")
        self._cited("distribution", *[share.clause for share in answer.shares])
        return answer

    def _undivided(self, account: Account, event: ReturnFiled | Estimate) -> Iterator[Fault]:
        """Receipts of one part that fall under several rates: which night each cent is for would be a guess."""
        rate_key = self.taxes[account.tax].rate_key
        for part in event.receipts:
            _, *later = self.law.spans(rate_key, part.first_night, part.last_night)
            for rate, first, _ in later:
                yield Fault(
                    "parts",
                    f"the rate changes on {first}: give the receipts of the nights before and of those from then on "
                    f"apart ({rate.clause.section})",
                )

    def _cited(self, hook: str, *clauses: Clause) -> None:
        for clause in clauses:
            if clause not in self._clauses:
                raise self._broken(
                    hook, f"{clause!r} is not in the clause table: cite id and section as they stand there"
                )

    def _direct(self, hook: str) -> Callable[..., Any]:
        """The plugin's own function for a hook that is asked for every account; each manager has one plugin alone."""
        implementations = getattr(self._hooks, hook).get_hookimpls()
        specified = getattr(self._hooks, hook).spec.argnames
        if len(implementations) == 1 and set(implementations[0].argnames) == set(specified):
            function: Callable[..., Any] = implementations[0].function
            return function
        called: Callable[..., Any] = getattr(self._hooks, hook)
        return called

    def _ask(self, hook: str, **arguments: Any) -> Any:
        try:
            return getattr(self._hooks, hook)(**arguments)
        except LawFileInvalid as error:
            raise self._broken(hook, str(error)) from error

    def _one(self, kind: type[Answer], hook: str, **arguments: Any) -> Answer:
        answer = self._ask(hook, **arguments)
        if type(answer) is not kind:
            raise self._broken(hook, f"{kind.__name__} was expected, not {answer!r}")
        return answer

    def _many(self, kind: type[Answer], hook: str, **arguments: Any) -> tuple[Answer, ...]:
        answer = self._ask(hook, **arguments)
        if type(answer) not in (list, tuple) or any(type(one) is not kind for one in answer):
            raise self._broken(hook, f"a list of {kind.__name__} was expected, not {answer!r}")
        return tuple(answer)

    def _broken(self, hook: str, why: str) -> ContractBroken:
        return ContractBroken(f"plugin {self._plugin_name}, hook {hook}: {why}")


def _taxed_twice(account: Account, event: ReturnFiled | Estimate) -> Iterator[Fault]:
    """Receipts on the annual return, which sums up the returns of its periods and bears no tax of its own."""
    if isinstance(event, Estimate):
        yield Fault(
            "type", f"{account.period.key} bears no tax of its own: estimate the period whose return is missing"
        )
    elif any(part.gross_cents or part.deducted_cents for part in event.receipts):
        yield Fault("receipts", f"{account.period.key} bears no tax of its own: correct the return of the period")
