"""A period account as the law looks at it: one filer, place, tax and period, and what is recorded so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from core.domain.calendar import Deadlines, Period
from core.domain.events import (
    Estimate,
    Event,
    Extension,
    Finding,
    Notice,
    Payment,
    PaymentReturned,
    Refunded,
    ReturnFiled,
    Voided,
    Waiver,
)

Basis = Literal["none", "estimate", "return"]


class Account(NamedTuple):
    """The facts of a period account, in the order of recording. A rule reads it and never changes it.

    Every payment in `payments` stands: one that came back or was entered in error is not among them. `tax_applied`
    is the history of what stood applied to tax, as (day it counts from, cents), negative where money was moved away.
    `inputs` holds what the law takes from other accounts, in cents; None or absent where it is not known.
    """

    tax: str
    period: Period
    deadlines: Deadlines
    inputs: Mapping[str, int | None] = MappingProxyType({})
    returns: tuple[ReturnFiled, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    payments: tuple[Payment, ...] = ()
    returned: tuple[PaymentReturned, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    extensions: tuple[Extension, ...] = ()
    notices: tuple[Notice, ...] = ()
    findings: tuple[Finding, ...] = ()
    refunds: tuple[Refunded, ...] = ()
    tax_applied: tuple[tuple[date, int], ...] = ()

    @property
    def basis(self) -> Basis:
        """What the tax rests on: the last return, else the last estimate, else nothing."""
        if self.returns:
            return "return"
        return "estimate" if self.estimates else "none"

    @property
    def determination(self) -> ReturnFiled | Estimate | None:
        """The return or the estimate that the tax rests on (READINGS 12: a return supersedes an estimate)."""
        if self.returns:
            return self.returns[-1]
        return self.estimates[-1] if self.estimates else None

    @property
    def extended_date(self) -> date:
        """The nominal filing date as extended, before it is rolled (READINGS 4: the latest `until` holds)."""
        if not self.extensions:
            return self.deadlines.nominal
        return max(self.deadlines.nominal, *[extension.until for extension in self.extensions])

    @property
    def filing_date(self) -> date:
        """The last day on which a return is in time: the due date, or the extended one, on a business day."""
        if not self.extensions:
            return self.deadlines.effective
        return self.deadlines.rolled(self.extended_date)

    def first_return_by(self, day: date) -> ReturnFiled | None:
        """The first recorded return that counts for `day` or earlier."""
        for filed in self.returns:
            if filed.on <= day:
                return filed
        return None

    def paid_by(self, day: date) -> int:
        """What was paid by the end of a day and not paid back by then, in cents."""
        paid = sum([payment.cents for payment in self.payments if payment.on <= day])
        return paid - sum([refund.cents for refund in self.refunds if refund.on <= day])

    def findings_of(self, finding: str) -> tuple[Finding, ...]:
        """The findings of this kind, in the order of recording."""
        return tuple([made for made in self.findings if made.finding == finding])

    def with_event(self, event: Event) -> Account:
        """This account with one more event recorded."""
        return _RECORD[type(event)](self, event)


def _add(name: str) -> Callable[[Account, Any], Account]:
    def record(account: Account, event: Any) -> Account:
        longer: dict[str, Any] = {name: (*getattr(account, name), event)}
        return account._replace(**longer)

    return record


def _void(account: Account, event: PaymentReturned | Voided) -> Account:
    standing = tuple([paid for paid in account.payments if paid.seq != event.payment_seq])
    if isinstance(event, PaymentReturned):
        return account._replace(payments=standing, returned=(*account.returned, event))
    return account._replace(payments=standing)


_RECORD: dict[type, Callable[[Account, Any], Account]] = {
    ReturnFiled: _add("returns"),
    Estimate: _add("estimates"),
    Payment: _add("payments"),
    PaymentReturned: _void,
    Voided: _void,
    Waiver: _add("waivers"),
    Extension: _add("extensions"),
    Notice: _add("notices"),
    Finding: _add("findings"),
    Refunded: _add("refunds"),
}
