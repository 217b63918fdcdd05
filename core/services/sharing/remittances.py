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
    require_known,
    take_turns,
)
from core.ledger.post import Entry, Transfer, post
from core.services.accounts.look import look
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

__all__ = ["METHODS", "Advice", "Distributed", "advice", "distribution", "distributions", "pay_remittance"]

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


def distribution(engine: Engine, tenant: Tenant, number: int) -> Distributed:
    """The distribution with this number. Raises DistributionUnknown."""
    return require_known(distributions(engine, tenant), number)


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

    Answers the number, what was paid in dollars, and the entry: the liability to the payee against cash.
    Raises Refused, RemittanceUnknown, RemittancePaid, TenantNotOpen, TenantClosed, PeriodClosed, RequestKeyReused.
    """

    def pay(uow: UnitOfWork) -> Answer:
        take_turns(uow)
        looked = look(uow, ())
        looked.require_tenant_open(recorded.on)
        looked.require_books_open(recorded.on)
        one, distribution_id = find_remittance(uow, number)
        if one.paid_on is not None:
            raise RemittancePaid(f"remittance {number} was paid on {one.paid_on}: look at its advice")
        made = next(made for made in all_distributions(uow) if made.id == distribution_id)
        faults = list(_faults(one, made, paid_on, method, recorded))
        if faults:
            raise Refused(faults)
        chart = open_tenant(uow, tenant.key).chart(made.tax)
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


def _faults(one: Remittance, made: Distributed, paid_on: date, method: str, recorded: Recorded) -> Iterator[Fault]:
    if not one.payable_cents:
        yield Fault("number", f"remittance {one.number} has nothing to be paid: it was netted")
    if method not in METHODS:
        yield Fault("method", f"{method!r} is no way of paying a remittance: use {', '.join(METHODS)}")
    if paid_on > recorded.on:
        yield Fault("paid_on", f"{paid_on} has not come on {recorded.on}: record it on its day or later")
    if paid_on < made.distributed_on:
        earlier = f"{paid_on} is before remittance {one.number} was made, on {made.distributed_on}"
        yield Fault("paid_on", f"{earlier}: write the day on which it was paid")
