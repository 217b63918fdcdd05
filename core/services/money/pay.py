"""Records payments for named accounts, and says where each cent went."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused
from core.services.accounts.look import look
from core.services.accounts.named import Named, accounts_named
from core.services.accounts.record import Recording, by_account, record_looked, require_key
from core.services.accounts.refused import law_faults, refused_as
from core.services.money.allocation import allocations
from core.services.money.form import (
    NAMES,
    PaymentForm,
    acts_of,
    in_the_order_of_the_form,
    paths_of,
    require_a_number_of,
)
from core.tenants.directory import Tenant

__all__ = ["Named", "PaymentForm", "pay", "with_numbers"]


def pay(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    payments: Sequence[PaymentForm],
    recorded: Recorded,
    *,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Record payments of one municipality in one transaction, all or nothing. The same request pays once.

    A payment goes to the account that it names and never to an older balance (READINGS 19); before anything is filed
    what is not owed is held. `reach` are the filers whose accounts may be named, None all. The answer has for each
    payment its id, its number (of the receipt), what it was applied to and what is left over, and for each account
    balance and credit; amounts are texts in dollars.

    Raises Refused with everything that is wrong (fields "payments[2].paid_on"), AccountUnknown, PlaceUnknown,
    TenantNotOpen, TenantClosed, RequestKeyReused, PeriodClosed, TooBusy.
    """
    require_key(request)

    def work(uow: UnitOfWork) -> Answer:
        return remember(uow, request, lambda: _pay(uow, tenant, payments, recorded, reach))

    return in_transaction(engine, tenant.id, work)


def _pay(
    uow: UnitOfWork,
    tenant: Tenant,
    payments: Sequence[PaymentForm],
    recorded: Recorded,
    reach: frozenset[UUID] | None,
) -> Answer:
    require_a_number_of(payments)
    faults: list[Fault] = []
    taxes = open_municipality(tenant.plugin).taxes
    named = [(path, form.account) for path, form in zip(paths_of(payments), payments, strict=True)]
    accounts = accounts_named(uow, taxes, named, recorded.on, reach, faults)
    acts, paths = acts_of(payments, accounts, recorded.on, faults)
    looked = look(uow, {act.account_id for act in acts})
    if faults:
        looked.require_tenant_open(recorded.on)
        faults += law_faults(looked, acts, recorded.on, paths, NAMES)
        raise Refused(in_the_order_of_the_form(faults))
    with refused_as(paths, NAMES):
        recording = record_looked(uow, looked, acts, recorded)
    after = looked.with_events(by_account(recording.acts, recording.events))
    told = allocations(after, recording.acts, recording.events, recorded.on)
    return {"payments": with_numbers(recording, told), "accounts": recording.answer["accounts"]}


def with_numbers(recording: Recording, told: Sequence[Answer]) -> list[Answer]:
    """What is told of the payments among recorded acts, each with its seq, its id and its number."""
    payments = [one for one in recording.answer["acts"] if "number" in one]
    return [{**numbered, **one} for numbered, one in zip(payments, told, strict=True)]
