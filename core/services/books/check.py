"""Seals, verifies and closes the books of municipalities; the file of heads lies outside the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading, writing
from core.domain.errors import Fault, Refused
from core.ledger.close import close_through
from core.ledger.heads import HeadsFile
from core.ledger.read import Balance
from core.ledger.seal import Sealed, seal
from core.ledger.verify import Verified, verify
from core.tenants.directory import Tenant

HEADS = "ledger-heads.txt"


def heads_file(folder: Path) -> HeadsFile:
    """The file of heads of an installation; its folder is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return HeadsFile(folder / HEADS)


def seal_books(engine: Engine, tenants: Iterable[Tenant], heads: HeadsFile) -> Iterator[tuple[Tenant, Sealed]]:
    """Seal each municipality's entries that have no seal yet. Raises OSError where the heads cannot be written."""
    for tenant in tenants:
        with writing(engine, tenant.id) as uow:
            yield tenant, seal(uow, heads)


def verify_books(engine: Engine, tenants: Iterable[Tenant], heads: HeadsFile) -> Iterator[tuple[Tenant, Verified]]:
    """Prove each municipality's books. A fault is a finding in the answer and raises nothing."""
    for tenant in tenants:
        with reading(engine, tenant.id) as uow:
            yield tenant, verify(uow, heads)


def close_books(engine: Engine, tenant: Tenant, through: date, reason: str, recorded: Recorded) -> tuple[Balance, ...]:
    """Close the books of a municipality through a day: nothing is booked there any more. Answers the snapshot.

    Raises Refused without a reason, AlreadyClosed.
    """
    if not reason.strip():
        raise Refused([Fault("reason", "say why the books are closed: what was agreed, and by whom")])

    def close(uow: UnitOfWork) -> tuple[Balance, ...]:
        return close_through(uow, through, reason, recorded)

    return in_transaction(engine, tenant.id, close)
