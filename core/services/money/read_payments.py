"""Reads payments: one, those of an account, or all of them by number."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Engine

from core.db.unit_of_work import reading
from core.filing.accounts import find_accounts
from core.filing.payments import RecordedPayment, payments_after, payments_of
from core.filing.records import AccountUnknown
from core.services.money.standing import payment_in_reach
from core.tenants.directory import Tenant

__all__ = ["RecordedPayment", "account_payments", "list_payments", "read_payment"]


def read_payment(
    engine: Engine, tenant: Tenant, payment_id: UUID, *, reach: frozenset[UUID] | None = None
) -> RecordedPayment:
    """A payment with its number, method and reference, and whether it is void and why. Raises PaymentUnknown."""
    with reading(engine, tenant.id) as uow:
        return payment_in_reach(uow, payment_id, reach)


def account_payments(
    engine: Engine, tenant: Tenant, account_id: UUID, *, reach: frozenset[UUID] | None = None
) -> tuple[RecordedPayment, ...]:
    """The payments of an account by number, void ones too. Raises AccountUnknown."""
    with reading(engine, tenant.id) as uow:
        (account,) = find_accounts(uow, [account_id]).values()
        if reach is not None and account.filer_id not in reach:
            raise AccountUnknown(f"no period account here has the id {account_id}")
        return payments_of(uow, [account_id])


def list_payments(
    engine: Engine, tenant: Tenant, *, after: int = 0, most: int = 100, reach: frozenset[UUID] | None = None
) -> tuple[RecordedPayment, ...]:
    """At most `most` payments by number, those after number `after`; `reach` are the filers looked at, None all."""
    with reading(engine, tenant.id) as uow:
        return payments_after(uow, after, most, reach)
