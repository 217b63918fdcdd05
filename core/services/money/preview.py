"""Shows what payments would be applied to, cent by cent, before they are made. Nothing is recorded (READINGS 19)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.db.unit_of_work import reading
from core.domain.errors import Fault, Refused, ResolutionMissing, ValueNotInForce
from core.domain.money import dollars
from core.services.accounts.glance import glance
from core.services.accounts.judge import judge, placed
from core.services.accounts.load import LoadedAccount
from core.services.accounts.named import accounts_named
from core.services.accounts.post import credit
from core.services.accounts.record import by_account
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


def preview(
    engine: Engine,
    tenant: Tenant,
    payments: Sequence[PaymentForm],
    on: date,
    *,
    reach: frozenset[UUID] | None = None,
) -> dict[str, Any]:
    """What `pay` would answer if these payments were recorded on a day, without ids and numbers.

    In a transaction that can write nothing. The account of a period that is owed need not be open yet. Raises what
    `pay` raises.
    """
    require_a_number_of(payments)
    faults: list[Fault] = []
    named = [(path, form.account) for path, form in zip(paths_of(payments), payments, strict=True)]
    with reading(engine, tenant.id) as uow:
        taxes = open_municipality(tenant.plugin).taxes
        accounts = accounts_named(uow, taxes, named, on, reach, faults, opening=False)
        # Two payments for a period that is not open yet are for one account.
        by_name = {(one.place_id, one.tax, one.period.key): one for one in reversed(accounts) if one is not None}
        same = [by_name[one.place_id, one.tax, one.period.key] if one is not None else None for one in accounts]
        looked = glance(uow, tenant, by_name.values())
    looked.require_tenant_open(on)
    acts, paths = acts_of(payments, same, on, faults)
    if faults:
        raise Refused(in_the_order_of_the_form([*faults, *law_faults(looked, acts, on, paths, NAMES)]))
    looked.require_books_open(on)
    events = placed(looked, acts, on)
    with refused_as(paths, NAMES):
        judge(looked, acts, events)
    after = looked.with_events(by_account(acts, events))
    return {
        "payments": allocations(after, acts, events, on),
        "accounts": [_account(after.accounts[account_id], on) for account_id in sorted(looked.wanted)],
    }


def _account(account: LoadedAccount, on: date) -> dict[str, Any]:
    told: dict[str, Any] = {"account": str(account.record.id)}
    try:
        statement = account.statement(on)
    except (ResolutionMissing, ValueNotInForce) as error:
        return told | {"balance": None, "credit": None, "waiting": str(error)}
    return told | {"balance": dollars(statement.balance), "credit": dollars(credit(statement)), "waiting": None}
