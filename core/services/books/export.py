"""Exports the books for other plain-text accounting programs, and shows the trial balance."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from datetime import date

from sqlalchemy import Engine

from core.db.unit_of_work import UnitOfWork, reading
from core.ledger.export_beancount import beancount_lines
from core.ledger.export_hledger import hledger_lines
from core.ledger.read import LAST_DAY, Balance, trial_balance
from core.tenants.directory import Tenant

FORMATS: dict[str, Callable[[UnitOfWork, str], Iterator[str]]] = {
    "beancount": beancount_lines,
    "hledger": hledger_lines,
}


def export_books(engine: Engine, tenant: Tenant, form: str) -> Generator[str, None, None]:
    """The books in the form `form` (a key of FORMATS), line by line, from one moment of the database."""
    with reading(engine, tenant.id) as uow:
        yield from FORMATS[form](uow, tenant.name)


def balances(engine: Engine, tenant: Tenant, through: date = LAST_DAY) -> tuple[Balance, ...]:
    """Every account of the chart with its debits and credits, effective through a day, in cents."""
    with reading(engine, tenant.id) as uow:
        return trial_balance(uow, through)
