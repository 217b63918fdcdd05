"""Pays back a standing credit, with the interest that the law gives on it or a reasoned none (READINGS 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.contract.declarations import Refund, RefundInterest
from core.contract.loading import open_municipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.calendar import day_for_reading
from core.domain.clause import Clause
from core.domain.errors import Fault, Refused
from core.domain.events import Refunded
from core.domain.money import dollars, dollars_for_reading
from core.services.accounts.act import Act
from core.services.accounts.glance import glance
from core.services.accounts.judge import judge, placed
from core.services.accounts.load import LoadedAccount
from core.services.accounts.look import Looked, look
from core.services.accounts.named import Named, one_named
from core.services.accounts.post import credit
from core.services.accounts.record import record_looked, require_key
from core.services.accounts.refused import refused_as
from core.services.money.allocation import held
from core.services.money.slices import Slice, slices
from core.tenants.directory import Tenant

NAMES = {"on": "paid_back_on", "recorded": "account"}


@dataclass(frozen=True, slots=True)
class RefundForm:
    """A refund in cents out of the credit of a named account; None is the whole credit.

    `paid_back_on` is the day on which the money goes out, None the day of recording. The two judgements are the
    officer's: whether the overpayment was intentional or careless, and whether it came with a complete return.
    """

    account: Named
    cents: int | None = None
    paid_back_on: date | None = None
    intentional_or_careless: bool = False
    complete_return: bool = True


class WorkedOut(NamedTuple):
    """A refund with its interest in cents: by each part, and as it is recorded, cited once."""

    event: Refunded
    parts: tuple[tuple[Slice, RefundInterest], ...]

    def told(self, account: LoadedAccount) -> dict[str, Any]:
        """In plain JSON, amounts as texts in dollars."""
        event, record = self.event, account.record
        return {
            "account": str(record.id),
            "place": str(record.place_id),
            "tax": record.tax,
            "period": record.period.key,
            "paid_back_on": event.on.isoformat(),
            "amount": dollars(event.cents),
            "interest": dollars(event.interest_cents),
            "total": dollars(event.cents + event.interest_cents),
            "clause": event.clause_id,
            "section": event.section,
            "reason": event.reason,
            "parts": [
                {
                    "amount": dollars(one.cents),
                    "paid_on": one.paid_on.isoformat(),
                    "interest": dollars(interest.cents),
                    "reason": interest.reason,
                }
                for one, interest in self.parts
            ],
        }


def refund(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    form: RefundForm,
    recorded: Recorded,
    *,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Record that a credit, or a part of it, is paid back, and post it. The same request does so once.

    A refund comes out of the last payments first, and each part bears interest from its own payment or the due date,
    whichever is later, as the law says; what it says is kept with the refund. The answer has the refund with its
    parts, and balance and credit of the account.

    Raises Refused (fields "amount", "paid_back_on", "account", "place", "period"), AccountUnknown, PlaceUnknown,
    ResolutionMissing or ValueNotInForce where nobody can say what the credit is, TenantNotOpen, TenantClosed,
    RequestKeyReused, PeriodClosed, TooBusy.
    """
    require_key(request)

    def pay_back(uow: UnitOfWork) -> Answer:
        named = one_named(uow, open_municipality(tenant.plugin).taxes, form.account, recorded.on, reach)
        looked = look(uow, [named.id])
        looked.require_tenant_open(recorded.on)
        account = looked.accounts[named.id]
        made = _worked_out(account, form, recorded.on)
        with refused_as([""], NAMES):
            recording = record_looked(uow, looked, [Act(named.id, made.event)], recorded)
        told = {**made.told(account), "seq": recording.events[0].seq}
        return {"refund": told, "accounts": recording.answer["accounts"]}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: pay_back(uow)))


def preview_refund(
    engine: Engine, tenant: Tenant, form: RefundForm, on: date, *, reach: frozenset[UUID] | None = None
) -> dict[str, Any]:
    """The refund that `refund` would record on a day, with its interest. Nothing is recorded. Raises what it raises."""
    with reading(engine, tenant.id) as uow:
        taxes = open_municipality(tenant.plugin).taxes
        named = one_named(uow, taxes, form.account, on, reach, opening=False)
        looked = glance(uow, tenant, [named])
    looked.require_tenant_open(on)
    account = looked.accounts[named.id]
    made = _worked_out(account, form, on)
    _judged(looked, Act(named.id, made.event), on)
    return {"refund": made.told(account)}


def _judged(looked: Looked, act: Act, on: date) -> None:
    looked.require_books_open(on)
    with refused_as([""], NAMES):
        judge(looked, [act], placed(looked, [act], on))


def _worked_out(account: LoadedAccount, form: RefundForm, today: date) -> WorkedOut:
    """The refund that is asked for, with its interest. Raises Refused where no such credit stands."""
    on = form.paid_back_on or today
    if on > today:
        raise Refused([Fault("paid_back_on", f"{on} has not come on {today}: record it on its day or later")])
    cents = _cents(account, form.cents, on, today)
    known = [event for event in account.events if event.recorded <= today]
    due_on = account.municipality.deadlines(account.record.period).nominal
    parts = tuple(
        (one, account.municipality.refund_interest(_asked(one, due_on, on, form))) for one in slices(known, cents)
    )
    if parts[0][0].paid_on > on:
        paid = f"{dollars_for_reading(parts[0][0].cents)} of it was paid on {parts[0][0].paid_on}"
        raise Refused([Fault("paid_back_on", f"{paid}, after {on}: correct the day, or refund less")])
    clause = _clause([interest for _, interest in parts])
    interest_cents = sum(interest.cents for _, interest in parts)
    return WorkedOut(Refunded(0, on, date.max, cents, interest_cents, *clause, _reason(parts)), parts)


def _cents(account: LoadedAccount, asked: int | None, on: date, today: date) -> int:
    """What is refunded: what is asked for, or all that stands as credit both on the day and as known today."""
    period = account.record.period.key
    now = account.statement(today)
    stands = credit(now) if on >= today else min(credit(now), credit(account.statement(on)))
    day = day_for_reading(on)
    if now.basis == "none":
        kept = dollars_for_reading(held(now))
        why = f"nothing is filed for {period}: {kept} is held for it and is no credit until a return or an estimate is"
    elif stands == 0:
        why = f"no credit stands for {period} on {day}: there is nothing to pay back"
    elif asked is not None and asked > stands:
        over = dollars_for_reading(asked)
        why = (
            f"{over} is more than the credit of {dollars_for_reading(stands)} that stands on {day}: refund at most that"
        )
    elif asked is not None and asked <= 0:
        why = f"{dollars_for_reading(asked)} cannot be: give at least one cent, or leave it out for the whole credit"
    else:
        return stands if asked is None else asked
    raise Refused([Fault("amount", why)])


def _asked(one: Slice, due_on: date, on: date, form: RefundForm) -> Refund:
    return Refund(one.cents, due_on, one.paid_on, on, form.intentional_or_careless, form.complete_return)


def _clause(answers: Sequence[RefundInterest]) -> Clause:
    """The clause that is kept with the refund: that of the first part that bears interest, else of the first."""
    return next((one.clause for one in answers if one.cents), answers[0].clause)


def _reason(parts: Sequence[tuple[Slice, RefundInterest]]) -> str:
    """Why there is as much interest, or none: once where it is the same for all parts, else for each part."""
    sections = {interest.clause for _, interest in parts}
    if len({(interest.clause, interest.reason) for _, interest in parts}) == 1:
        return parts[0][1].reason
    return "; ".join(
        f"{dollars_for_reading(one.cents)} paid on {day_for_reading(one.paid_on)}: {interest.reason}"
        + (f" ({interest.clause.section})" if len(sections) > 1 else "")
        for one, interest in parts
    )
