"""The form of a payment as plain values, and the acts that are made of such forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from core.domain.errors import Fault, Refused
from core.domain.events import Payment
from core.filing.records import PeriodAccount
from core.services.accounts.act import Act, PaymentDetails
from core.services.accounts.named import Named

MOST_PAYMENTS = 500
# What the law and the books say of an act, by the name that the form has for it.
NAMES = {"on": "paid_on", "recorded": "account"}


@dataclass(frozen=True, slots=True)
class PaymentForm:
    """A payment in cents for a named account: how it came in, and the payer's reference, such as a check's number.

    `paid_on` is the postmark or the day of paying, which counts; `received_on` the day it arrived. Left out, it was
    received on the day of recording and paid on the day it was received.
    """

    account: Named
    cents: int
    method: str = "check"
    reference: str = ""
    paid_on: date | None = None
    received_on: date | None = None


def require_a_number_of(payments: Sequence[PaymentForm]) -> None:
    """There is a payment, and there are not too many. Raises Refused."""
    if not 1 <= len(payments) <= MOST_PAYMENTS:
        message = f"a request has 1 to {MOST_PAYMENTS} payments, this one has {len(payments)}: divide it"
        raise Refused([Fault("payments", message)])


def paths_of(payments: Sequence[PaymentForm]) -> list[str]:
    """Where each payment stands in the request."""
    return [f"payments[{number}]." for number in range(len(payments))]


def acts_of(
    payments: Sequence[PaymentForm], accounts: Sequence[PeriodAccount | None], today: date, faults: list[Fault]
) -> tuple[list[Act], list[str]]:
    """The acts of the payments whose account is known, each with its path."""
    acts, paths = [], []
    for path, form, account in zip(paths_of(payments), payments, accounts, strict=True):
        received = form.received_on or today
        paid = form.paid_on or min(received, today)
        if form.paid_on is not None and form.received_on is not None and form.paid_on > form.received_on:
            message = f"{form.paid_on} is after {form.received_on}, the day of receipt: correct one of the two"
            faults.append(Fault(f"{path}paid_on", message))
        if account is not None:
            event = Payment(0, paid, date.max, form.cents)
            details = PaymentDetails(form.method, form.reference)
            acts.append(Act(account.id, event, received_on=form.received_on, payment=details))
            paths.append(path)
    return acts, paths


def in_the_order_of_the_form(faults: Sequence[Fault]) -> list[Fault]:
    """What concerns the whole request first, then each payment in turn."""

    def place(fault: Fault) -> int:
        head, bracket, rest = fault.field.partition("[")
        return int(rest.partition("]")[0]) if bracket and head == "payments" else -1

    return sorted(faults, key=place)
