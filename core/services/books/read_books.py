"""Reads the books of a municipality: the trial balance, the journal and an account's statement in pages, the seals."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.unit_of_work import reading
from core.ledger.pages import (
    ChartAccount,
    MovementLine,
    SealedSoFar,
    chart_account,
    journal_page,
    movements_page,
    sealed_so_far,
)
from core.ledger.read import Balance, JournalEntry, trial_balance
from core.tenants.directory import Tenant

__all__ = ["Balance", "JournalEntry", "account_statement", "balances_known", "journal_booked", "seals_so_far"]


def balances_known(engine: Engine, tenant: Tenant, through: date, known_on: date) -> tuple[Balance, ...]:
    """Every account of the chart with its debits and credits effective through a day, as known on a day, in cents."""
    with reading(engine, tenant.id) as uow:
        return trial_balance(uow, through, known_on)


def journal_booked(
    engine: Engine, tenant: Tenant, first: date, last: date, after: UUID | None, most: int
) -> tuple[JournalEntry, ...]:
    """At most `most` entries booked from a day to a day, after the entry with this id, in the order of recording."""
    with reading(engine, tenant.id) as uow:
        return journal_page(uow, first, last, after, most)


def account_statement(
    engine: Engine,
    tenant: Tenant,
    fund: str,
    number: str,
    first: date,
    last: date,
    known_on: date,
    after: tuple[date, UUID, int] | None,
    most: int,
) -> tuple[ChartAccount, tuple[MovementLine, ...]]:
    """An account of the chart, and at most `most` lines of what moved on it. Raises ChartAccountUnknown."""
    with reading(engine, tenant.id) as uow:
        account = chart_account(uow, fund, number)
        return account, movements_page(uow, account, first, last, known_on, after, most)


def seals_so_far(engine: Engine, tenant: Tenant) -> SealedSoFar:
    """How far the books are sealed."""
    with reading(engine, tenant.id) as uow:
        return sealed_so_far(uow)
