"""What payees get: the advice of a remittance line by line, and that it was paid."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.calendar import day_for_reading
from core.domain.errors import Fault, Refused
from core.domain.money import dollars, dollars_for_reading
from core.ledger.distributions import (
    Distributed,
    Remittance,
    RemittancePaid,
    RemittanceUnknown,
    ShareLine,
    all_distributions,
    find_remittance,
    record_remittance_payment,
    take_turns,
)
from core.ledger.post import Entry, Transfer, post
from core.services.accounts.look import look
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

METHODS = ("check", "ach")


class Advice(NamedTuple):
    """A remittance with the lines that make it up. Everything in it is pooled."""

    municipality: str
    distribution: Distributed
    remittance: Remittance
    lines: tuple[ShareLine, ...]

    def as_text(self) -> Iterator[str]:
        """The advice as a letter's enclosure."""
        one = self.remittance
        yield f"{self.municipality}: remittance {one.number} to {one.payee}"
        yield f"distribution {self.distribution.number} of {day_for_reading(self.distribution.distributed_on)}"
        for line in self.lines:
            what = "taken back" if line.now_cents < 0 else "share"
            cited = f"{line.section} [{line.clause_id}]"
            yield f"{line.period} {what:<32} {dollars_for_reading(line.now_cents):>16}   {cited}"
            yield f"    {line.computation}; so far {dollars_for_reading(line.so_far_cents)}"
        if one.brought_forward_cents:
            yield f"{'Brought forward':<40} {dollars_for_reading(one.brought_forward_cents):>16}"
        yield f"{'To be paid':<40} {dollars_for_reading(one.payable_cents):>16}"
        if one.paid_on is not None:
            yield f"paid on {one.paid_on} by {one.method} {one.reference}".rstrip()


def distributions(engine: Engine, tenant: Tenant) -> tuple[Distributed, ...]:
    """Every distribution with its lines and remittances, the first first."""
    with reading(engine, tenant.id) as uow:
        return all_distributions(uow)


def advice(engine: Engine, tenant: Tenant, number: int) -> Advice:
    """The advice of the remittance with this number. Raises RemittanceUnknown."""
    with reading(engine, tenant.id) as uow:
        for distribution in all_distributions(uow):
            for one in distribution.remittances:
                if one.number == number:
                    lines = tuple(line for line in distribution.lines if line.payee == one.payee and not line.held)
                    return Advice(tenant.name, distribution, one, lines)
    raise RemittanceUnknown(f"no remittance here has the number {number}")


def pay_remittance(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    number: int,
    paid_on: date,
    method: str,
    reference: str,
    recorded: Recorded,
) -> Answer:
    """Record that a remittance was paid and post it.

    Raises Refused, RemittanceUnknown, RemittancePaid, TenantNotOpen, PeriodClosed.
    """
    faults = []
    if method not in METHODS:
        faults.append(Fault("method", f"{method!r} is no way of paying a remittance: use {', '.join(METHODS)}"))
    if paid_on > recorded.on:
        faults.append(Fault("paid_on", f"{paid_on} has not come on {recorded.on}: record it on its day or later"))
    if faults:
        raise Refused(faults)

    def pay(uow: UnitOfWork) -> Answer:
        take_turns(uow)
        looked = look(uow, ())
        looked.require_tenant_open(recorded.on)
        looked.require_books_open(recorded.on)
        one, distribution_id = find_remittance(uow, number)
        if one.paid_on is not None:
            raise RemittancePaid(f"remittance {number} was paid on {one.paid_on}: look at its advice")
        if not one.payable_cents:
            raise Refused([Fault("number", f"remittance {number} has nothing to be paid: it was netted")])
        tax = next(made.tax for made in all_distributions(uow) if made.id == distribution_id)
        chart = open_tenant(uow, tenant.key).chart(tax)
        account = chart.payable[one.payee]
        cash = chart.cash[account.fund].number
        entry = Entry(
            key=f"remittance:{one.id}",
            kind="remittance",
            effective_on=paid_on,
            booked_on=recorded.on,
            recorded_on=recorded.on,
            transfers=(Transfer(account.fund, account.number, cash, one.payable_cents, "remittance"),),
            narrative=f"Remittance {number} to {one.payee}",
        )
        entry_id = post(uow, entry).id
        record_remittance_payment(uow, one.id, paid_on, method, reference, entry_id, recorded)
        return {"number": number, "paid": dollars(one.payable_cents), "entry": str(entry_id)}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: pay(uow)))
