"""The typed face of a municipality: its plugin's hooks with their answers checked, bound to one tenant's law."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, TypeVar

import pluggy

from core.contract.declarations import (
    AnnualReturn,
    Filer,
    Municipality,
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
from core.domain.errors import ContractBroken, Fault
from core.domain.events import Event, Extension
from core.domain.fold import Statement, fold
from core.domain.receipts import Receipts, Taxability
from core.domain.shares import Collected, Distribution

Answer = TypeVar("Answer")


class OpenMunicipality:
    """One plugin with one tenant's resolutions and readings. It satisfies the fold's `Rules`.

    Every answer is checked for its type; a charge for its clause and its day. Raises ContractBroken, naming plugin
    and hook.
    """

    def __init__(self, hooks: pluggy.HookRelay, plugin_name: str, law: Law | None = None) -> None:
        self._hooks = hooks
        self._plugin_name = plugin_name
        self.declared: Municipality = self._one(Municipality, "municipality")
        self.law: Law = self._one(Law, "law") if law is None else law
        self.taxes: dict[str, Tax] = {tax.key: tax for tax in self._many(Tax, "taxes", law=self.law)}
        self.application_order: tuple[str, ...] = self._one(tuple, "application_order", law=self.law)
        if not self.application_order or self.application_order[-1] != TAX:
            raise self._broken("application_order", "the last kind must be the tax")
        answer = self._hooks.business_days(law=self.law)
        if not callable(answer):
            raise self._broken("business_days", f"a function was expected, not {answer!r}")
        self.is_business_day: BusinessDay = answer
        self._deadlines: dict[Period, Deadlines] = {}

    def with_settings(
        self, resolutions: Iterable[Resolution] = (), readings: Iterable[ReadingChoice] = ()
    ) -> OpenMunicipality:
        """The same municipality with a tenant's own acts. Raises Refused for keys that its law does not have."""
        return OpenMunicipality(self._hooks, self._plugin_name, self.law.with_settings(resolutions, readings))

    def deadlines(self, period: Period) -> Deadlines:
        """The dates of a period's return."""
        known = self._deadlines.get(period)
        if known is None:
            known = self._one(Deadlines, "deadlines", period=period, law=self.law)
            self._deadlines[period] = known
        return known

    def annual_return(self, election: Election, year: int) -> AnnualReturn:
        """The dates of the annual return for the filer's year that ends in `year`."""
        return self._one(AnnualReturn, "annual_return", election=election, year=year, law=self.law)

    def open_account(self, tax: str, period: Period, inputs: dict[str, int | None] | None = None) -> Account:
        """A period account with nothing recorded on it."""
        return Account(tax, period, self.deadlines(period), inputs or {})

    def statement(self, account: Account, events: Iterable[Event], as_of: date) -> Statement:
        """Folds the events over an account with nothing recorded on it. Raises Refused, ResolutionMissing."""
        return fold(account, events, self, as_of)

    def is_long_stay(self, stay: Stay) -> bool:
        """Whether the guest of this stay is no transient."""
        return self._one(bool, "long_stay", stay=stay, law=self.law)

    def taxability(self, receipts: Receipts) -> Taxability:
        """What of these receipts is taxed."""
        return self._one(Taxability, "taxability", receipts=receipts, law=self.law)

    def charges(self, account: Account, on: date) -> Sequence[Charge]:
        """All that has arisen by `on`, before waivers."""
        charges: Sequence[Charge] = self._hooks.charges(account=account, law=self.law, on=on)
        if type(charges) not in (list, tuple):
            raise self._broken("charges", f"a list of charges was expected, not {charges!r}")
        taxed = False
        for charge in charges:
            if type(charge) is not Charge or type(charge.cents) is not int or charge.arose_on > on:
                raise self._broken("charges", f"no charge in whole cents that arose by {on}: {charge!r}")
            taxed = taxed or charge.kind == TAX
        if not taxed:
            raise self._broken("charges", "there must be a line for the tax, be it of no cents")
        return charges

    def exposures(self, account: Account, on: date) -> Sequence[Exposure]:
        """What a court could impose as of `on`."""
        return self._many(Exposure, "exposures", account=account, law=self.law, on=on)

    def cautions(self, account: Account, on: date) -> Sequence[Caution]:
        """What an officer should know."""
        return self._many(Caution, "cautions", account=account, law=self.law, on=on)

    def objections(self, account: Account, event: Event) -> Sequence[Fault]:
        """Why the law refuses an act, the longest extension included; each message cites its section."""
        faults: list[Fault] = []
        if isinstance(event, Extension) and event.until > account.deadlines.longest_extension:
            faults.append(
                Fault(
                    "until",
                    f"{event.until} is too long an extension: name a day up to {account.deadlines.longest_extension} "
                    f"({account.deadlines.clauses[-1].section})",
                )
            )
        answer = self._hooks.objections(account=account, act=event, law=self.law)
        if answer is None:
            raise self._broken("objections", "no answer")
        for objection in answer:
            cited = f" ({objection.section})" if objection.section else ""
            faults.append(Fault(objection.field, objection.message + cited))
        return faults

    def refund_interest(self, refund: Refund) -> RefundInterest:
        """Interest on a refund, or a reasoned none."""
        return self._one(RefundInterest, "refund_interest", refund=refund, law=self.law)

    def security_demand(self, filer: Filer, on: date) -> SecurityDemand:
        """The security that may be asked of a filer."""
        return self._one(SecurityDemand, "security_demand", filer=filer, law=self.law, on=on)

    def scheduled_fees(self) -> Sequence[ScheduledFee]:
        """The fees for applications and services."""
        return self._many(ScheduledFee, "scheduled_fees", law=self.law)

    def distribution(self, collected: Collected) -> Distribution:
        """Shares of the base, which sum to it."""
        answer = self._one(Distribution, "distribution", collected=collected, law=self.law)
        total = sum(share.cents for share in answer.shares)
        if total != collected.cents:
            raise self._broken("distribution", f"shares sum to {total} cents, the base is {collected.cents}")
        return answer

    def _one(self, kind: type[Answer], hook: str, **arguments: Any) -> Answer:
        answer = getattr(self._hooks, hook)(**arguments)
        if type(answer) is not kind:
            raise self._broken(hook, f"{kind.__name__} was expected, not {answer!r}")
        return answer

    def _many(self, kind: type[Answer], hook: str, **arguments: Any) -> tuple[Answer, ...]:
        answer = getattr(self._hooks, hook)(**arguments)
        if type(answer) not in (list, tuple) or any(type(one) is not kind for one in answer):
            raise self._broken(hook, f"a list of {kind.__name__} was expected, not {answer!r}")
        return tuple(answer)

    def _broken(self, hook: str, why: str) -> ContractBroken:
        return ContractBroken(f"plugin {self._plugin_name}, hook {hook}: {why}")
