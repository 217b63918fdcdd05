"""Sheets that were imported, and which of their rows are recorded; places and payments as a sheet names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Text, Uuid, bindparam, func, select

from core.db.base import of_tenant
from core.db.next_number import next_number
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7
from core.filing.tables import imported_rows, imports, payments, places

_PLACES = select(places.c.id, places.c.number, places.c.name).where(of_tenant(places)).order_by(places.c.number)
_KNOWN = select(imported_rows.c.row_hash).where(
    of_tenant(imported_rows), imported_rows.c.row_hash == func.any(bindparam("hashes", type_=ARRAY(Text)))
)
_REFERENCES = select(payments.c.account_id, payments.c.event_seq, payments.c.reference).where(
    of_tenant(payments), payments.c.account_id == func.any(bindparam("ids", type_=ARRAY(Uuid)))
)
# One statement, however long the sheet.
_RECORD_ROWS = """
    INSERT INTO fisc.imported_rows (tenant_id, row_hash, import_id, line, account_id, event_seqs)
    SELECT %(tenant)s, r.row_hash, %(import_id)s, r.line, r.account_id, r.seqs::int[]
    FROM unnest(%(hashes)s::text[], %(lines)s::int[], %(accounts)s::uuid[], %(seqs)s::text[])
        AS r (row_hash, line, account_id, seqs)
"""


class NamedPlace(NamedTuple):
    """A place as a sheet may name it: by number or by name."""

    id: UUID
    number: int
    name: str


class RecordedRow(NamedTuple):
    """A row of a sheet that is recorded: the hash of what it says, its line, and its events on an account."""

    row_hash: str
    line: int
    account_id: UUID
    event_seqs: tuple[int, ...]


def named_places(uow: UnitOfWork) -> tuple[NamedPlace, ...]:
    """Every place of the municipality, by number."""
    return tuple(NamedPlace(row.id, row.number, row.name) for row in uow.rows(_PLACES))


def take_turns(uow: UnitOfWork) -> None:
    """Imports of a municipality are made one after the other: this waits for the one at work."""
    uow.driver.execute("SELECT pg_advisory_xact_lock(5467005, %s)", (uow.tenant,))


def known_rows(uow: UnitOfWork, hashes: Iterable[str]) -> set[str]:
    """Which of these rows are recorded already."""
    return {row.row_hash for row in uow.rows(_KNOWN, hashes=list(hashes))}


def payment_references(uow: UnitOfWork, accounts: Iterable[UUID]) -> dict[tuple[UUID, int], str]:
    """The reference of each payment of these accounts, by account and seq."""
    return {(row.account_id, row.event_seq): row.reference for row in uow.rows(_REFERENCES, ids=list(accounts))}


def record_import(
    uow: UnitOfWork, name: str, sha256: str, rows_read: int, rows: Sequence[RecordedRow], recorded: Recorded
) -> int:
    """Keep that a sheet was imported, and its rows. Answers the import's number."""
    identity, number = uuid7(), next_number(uow, "imports")
    header: dict[str, Any] = {"id": identity, "number": number, "file_name": name[:200], "sha256": sha256}
    uow.insert(imports, {**header, "rows_read": rows_read, "rows_recorded": len(rows), **recorded.columns()})
    columns = {
        "hashes": [row.row_hash for row in rows],
        "lines": [row.line for row in rows],
        "accounts": [row.account_id for row in rows],
        "seqs": [f"{{{','.join(map(str, row.event_seqs))}}}" for row in rows],
    }
    uow.driver.execute(_RECORD_ROWS, {"tenant": uow.tenant, "import_id": identity, **columns})
    return number
