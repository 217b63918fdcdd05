"""Seals what is posted: a chain of hashes, one seal for each committed entry, in the order of sealing.

Which entries are not sealed yet is asked of the seals and not of a high-water mark: a transaction that drew a low
`seq` may commit after a higher one was sealed, and is then sealed later, further along the chain.

The head goes to the file after the commit, never before: a head that no chain has is what tells of a truncation, so
it must not come from a crash. A crash between the two leaves seals that the file does not know yet. `verify` counts
them, and the next sealing adds the head that is missing, also if it finds nothing new to seal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy import ARRAY, BigInteger, Text, Uuid, any_, bindparam, cast, func, select

from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork
from core.ledger.digest import ENTRY_COLUMNS, FIRST_HEAD, TRANSFER_COLUMNS, as_text, entry_digest, link, prepare
from core.ledger.errors import LedgerError
from core.ledger.heads import Head, HeadsFile
from core.ledger.stream import parts, stream
from core.ledger.tables import entries, seals, transfers

# The first number names this lock among Fisc's advisory locks; the second is the tenant.
_LOCK = "SELECT pg_advisory_xact_lock(5467004, %s)"
_NOW = select(cast(func.now(), Text))
_LAST = (
    select(seals.c.position, seals.c.head, cast(seals.c.sealed_at, Text).label("sealed_at"))
    .where(of_tenant(seals))
    .order_by(seals.c.position.desc())
    .limit(1)
)
# By seq, which both tables have in an index: finding the few new entries reads no row of the old ones.
_UNSEALED = (
    select(entries.c.seq)
    .where(
        of_tenant(entries),
        ~select(seals.c.seq)
        .where(of_tenant(seals), seals.c.tenant_id == entries.c.tenant_id, seals.c.seq == entries.c.seq)
        .exists(),
    )
    .order_by(entries.c.seq)
)
_HEADERS = (
    select(*as_text(entries, ENTRY_COLUMNS))
    .where(of_tenant(entries), entries.c.seq == any_(bindparam("seqs", type_=ARRAY(BigInteger))))
    .order_by(entries.c.seq)
)
_TRANSFERS = (
    select(*as_text(transfers, TRANSFER_COLUMNS))
    .where(of_tenant(transfers), transfers.c.entry_id == any_(bindparam("ids", type_=ARRAY(Uuid))))
    .order_by(transfers.c.entry_id, transfers.c.line)
)
_ID, _SEQ = ENTRY_COLUMNS.index("id"), ENTRY_COLUMNS.index("seq")
_ENTRY_ID = TRANSFER_COLUMNS.index("entry_id")
_INSERT = """
    INSERT INTO fisc.seals (tenant_id, position, entry_id, seq, digest, head, sealed_at)
    SELECT %s, s.position, s.entry_id, s.seq, s.digest, s.head, %s::timestamptz
    FROM unnest(%s::bigint[], %s::uuid[], %s::bigint[], %s::bytea[], %s::bytea[])
        AS s (position, entry_id, seq, digest, head)
"""


class SealingBlocked(LedgerError):
    """An entry that looks unsealed has a seal: its id or its seq was changed behind the ledger's back."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a sealing did: how many entries it added, how many seals the chain has now, and its head in hex."""

    count: int
    position: int
    head: str


class _End(NamedTuple):
    """The end of the chain: its last position, the head there, and when it was sealed. Position 0 is no seal yet."""

    position: int
    head: bytes
    sealed_at: str


class _Seal(NamedTuple):
    position: int
    entry_id: str
    seq: str
    digest: bytes
    head: bytes


def seal(uow: UnitOfWork, heads: HeadsFile | None) -> Sealed:
    """Seal every committed entry that has no seal, COMMIT, and add the new head to the file outside.

    One sealing of a tenant at a time; posting does not wait for it. Nothing else belongs into this transaction.
    Raises SealingBlocked; and OSError where the file cannot be written: the seals last then, and the next sealing
    adds the head.
    """
    uow.driver.execute(_LOCK, (uow.tenant,))
    prepare(uow)
    before = end = _last(uow)
    now = str(uow.connection.scalar(_NOW))
    for seqs in parts(row.seq for row in stream(uow, _UNSEALED)):
        batch = list(_chained(uow, end, now, seqs))
        _insert(uow, batch, now)
        end = _End(batch[-1].position, batch[-1].head, now)
    uow.commit()
    if heads is not None:
        _tell(heads, uow.tenant, end)
    return Sealed(end.position - before.position, end.position, end.head.hex())


def _chained(uow: UnitOfWork, end: _End, now: str, seqs: list[int]) -> Iterator[_Seal]:
    """The next seals of the chain, for the entries of these seqs."""
    headers = uow.rows(_HEADERS, seqs=seqs)
    rows = uow.rows(_TRANSFERS, ids=[UUID(header[_ID]) for header in headers])
    lines = {entry_id: list(group) for entry_id, group in groupby(rows, key=itemgetter(_ENTRY_ID))}
    head = end.head
    for position, header in enumerate(headers, start=end.position + 1):
        entry_id, seq = header[_ID], header[_SEQ]
        digest = entry_digest(header, lines.get(entry_id, ()))
        head = link(head, uow.tenant, position, entry_id, seq, now, digest)
        yield _Seal(position, entry_id, seq, digest, head)


def _insert(uow: UnitOfWork, batch: list[_Seal], now: str) -> None:
    columns = [list(column) for column in zip(*batch, strict=True)]
    try:
        uow.driver.execute(_INSERT, (uow.tenant, now, *columns))
    except psycopg.errors.UniqueViolation as error:
        raise SealingBlocked("an entry was changed after it was sealed: `fisc ledger verify` names it") from error


def _last(uow: UnitOfWork) -> _End:
    row = uow.row(_LAST)
    return _End(0, FIRST_HEAD, "") if row is None else _End(row.position, bytes(row.head), row.sealed_at)


def _tell(heads: HeadsFile, tenant: int, end: _End) -> None:
    head = Head(end.sealed_at[:10], tenant, end.position, end.head.hex())
    if end.position and head not in heads.of_tenant(tenant):
        heads.append(head)
