"""Verifies the books: every seal from the first, the entries they cover, the heads outside, and what is unsealed.

What is found is answered, never raised. It reads as much as there is, but holds little of it, and the number of
statements depends on nothing but the number of closed periods.

What no proof can find: an entry that was changed, removed or added before it was sealed, so seal often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Row, Text, cast, func, select

from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork
from core.ledger.digest import (
    ENTRY_COLUMNS,
    FIRST_HEAD,
    TRANSFER_COLUMNS,
    Texts,
    as_text,
    entry_digest,
    link,
    prepare,
)
from core.ledger.findings import Finding, Findings, Wrong
from core.ledger.heads import Head, HeadsFile
from core.ledger.proofs import prove
from core.ledger.stream import stream
from core.ledger.tables import entries, seals, transfers

# A sealing passes over entries whose transactions are still open. None of ours stays open for so long.
LONGEST_TRANSACTION = timedelta(hours=1)
FIRST_UNSEALED = 20

_ID, _KEY, _LINES, _RECORDED_AT = (ENTRY_COLUMNS.index(name) for name in ("id", "key", "lines", "recorded_at"))
_CHAIN = (
    select(
        seals.c.position,
        seals.c.digest,
        seals.c.head,
        *as_text(seals, ("entry_id", "seq", "sealed_at")),
    )
    .where(of_tenant(seals))
    .order_by(seals.c.position)
)
# In the order of ids, which the keys of all three tables have: so they are merged, and nothing is sorted.
_COVERED = (
    select(
        seals.c.position,
        seals.c.digest,
        *as_text(seals, ("entry_id", "sealed_at")),
        *as_text(entries, ENTRY_COLUMNS),
        *as_text(transfers, TRANSFER_COLUMNS),
    )
    .select_from(
        seals.outerjoin(
            entries, (entries.c.tenant_id == seals.c.tenant_id) & (entries.c.id == seals.c.entry_id)
        ).outerjoin(
            transfers, (transfers.c.tenant_id == seals.c.tenant_id) & (transfers.c.entry_id == seals.c.entry_id)
        )
    )
    .where(of_tenant(seals))
    .order_by(seals.c.entry_id, transfers.c.line)
)
_HEADER = slice(4, 4 + len(ENTRY_COLUMNS))
_LINE = slice(_HEADER.stop, None)
_IS_SEALED = (
    select(seals.c.entry_id)
    .where(of_tenant(seals), seals.c.tenant_id == entries.c.tenant_id, seals.c.entry_id == entries.c.id)
    .exists()
)
_COUNTED = (
    select(func.count())
    .where(of_tenant(transfers), transfers.c.tenant_id == entries.c.tenant_id, transfers.c.entry_id == entries.c.id)
    .scalar_subquery()
)
_TAIL = (
    select(
        entries.c.key,
        entries.c.seq,
        cast(entries.c.recorded_at, Text).label("recorded_at"),
        entries.c.lines,
        _COUNTED.label("transfers"),
    )
    .where(of_tenant(entries), ~_IS_SEALED)
    .order_by(entries.c.seq)
)


@dataclass(frozen=True, slots=True)
class Tail:
    """The entries that are not sealed yet, which is no fault.

    `late` of them were recorded before one that is sealed: their transactions ended after the sealing, or somebody
    slipped them in. `first` holds the keys of the first of them.
    """

    count: int
    late: int
    first: tuple[str, ...]


class Verified(NamedTuple):
    """The answer. `head` is the chain's last, in hex; `unrecorded` counts the seals past the last head outside."""

    sealed: int
    head: str
    unrecorded: int
    tail: Tail
    findings: tuple[Finding, ...]
    further: int

    @property
    def broken(self) -> bool:
        """Whether anything is wrong. Entries not sealed yet, and heads not told outside yet, are nothing wrong."""
        return bool(self.findings)


def verify(uow: UnitOfWork, heads: HeadsFile | None) -> Verified:
    """Prove the books of one tenant, against the heads outside where they are given. Raises OSError for that file.

    It can run in a transaction that only reads, and while others post and seal.
    """
    # The heads first: a sealing that ends meanwhile adds to the chain what the file did not have yet, not the reverse.
    outside = heads.of_tenant(uow.tenant) if heads is not None else []
    prepare(uow)
    findings = Findings()
    chain = _Chain(uow.tenant, outside, findings)
    for row in stream(uow, _CHAIN):
        chain.prove(row)
    chain.end()
    for _, rows in groupby(stream(uow, _COVERED), key=itemgetter(0)):
        _prove_entry(list(rows), chain, findings)
    tail = _tail(uow, chain, findings)
    prove(uow, findings)
    unrecorded = chain.position - max((head.position for head in outside), default=0)
    return Verified(
        chain.count,
        chain.head.hex() if chain.count else "",
        max(unrecorded, 0) if heads is not None else 0,
        tail,
        tuple(findings.shown),
        findings.further,
    )


class _Chain:
    """Follows the chain of seals from the first to the last."""

    def __init__(self, tenant: int, outside: Sequence[Head], findings: Findings) -> None:
        self.tenant = tenant
        self.findings = findings
        self.count = self.position = self.highest_seq = 0
        self.head = FIRST_HEAD
        self.sealed_at = ""
        # For the time of each sealing, the time of the one before it: one item for each sealing that found something.
        self.sealing_before: dict[str, str] = {}
        self._outside: dict[int, set[str]] = {}
        for head in outside:
            self._outside.setdefault(head.position, set()).add(head.head)

    def prove(self, seal: Sequence[Any]) -> None:
        """The next seal: that it follows from the one before, and that the file outside knows no other."""
        position, digest, head, entry_id, seq, sealed_at = seal
        if sealed_at != self.sealed_at:
            self.sealing_before[sealed_at], self.sealed_at = self.sealed_at, sealed_at
        name = f"seal {position}"
        if position != self.position + 1:
            # The one after a gap hangs on a seal that nobody has, so its link can't be proved.
            self.findings.add(Wrong.SEAL_MISSING, name, f"the seal before it is {self.position}: some are missing")
        elif link(self.head, self.tenant, position, entry_id, seq, sealed_at, digest) != head:
            self.findings.add(Wrong.SEAL_CHANGED, name, f"it does not follow from the one before (entry {entry_id})")
        if self._outside.pop(position, {head.hex()}) != {head.hex()}:
            self.findings.add(Wrong.OTHER_CHAIN, name, "the file of heads has another head for it")
        self.count += 1
        self.position, self.head, self.highest_seq = position, head, max(self.highest_seq, int(seq))

    def end(self) -> None:
        """After the last seal: heads that are left over are of seals that are not there."""
        if self._outside:
            last = max(self._outside)
            message = f"the file of heads knows {last} seals, the chain has {self.position}"
            wrong = Wrong.CHAIN_CUT if last > self.position else Wrong.SEAL_MISSING
            self.findings.add(wrong, f"seal {last}", message)


def _prove_entry(rows: list[Row[Any]], chain: _Chain, findings: Findings) -> None:
    """The entry of a seal, from its rows: one for each transfer, or one without."""
    position, digest, entry_id, sealed_at = rows[0][: _HEADER.start]
    header: Texts = rows[0][_HEADER]
    # Where there is no transfer, its tenant is NULL too.
    lines = [row[_LINE] for row in rows if row[_LINE.start] is not None]
    if header[_ID] is None:
        findings.add(Wrong.MISSING, f"{entry_id} (seal {position})", "it was sealed and is not there")
        return
    key = str(header[_KEY])
    if entry_digest(header, lines) != digest:
        findings.add(Wrong.CHANGED, key, f"{entry_id} is not what seal {position} covers")
    _prove_lines(findings, key, str(header[_LINES]), len(lines))
    _prove_age(findings, key, str(header[_RECORDED_AT]), chain.sealing_before.get(sealed_at, ""))


def _prove_age(findings: Findings, key: str, recorded_at: str, sealing: str) -> None:
    """An entry that says it is older than a sealing that passed over it. `sealing` is "" where there was none."""
    recorded, passed = _moment(recorded_at), _moment(sealing)
    if passed is not None and (recorded is None or recorded < passed - LONGEST_TRANSACTION):
        message = f"it says it was recorded at {recorded_at}, but the sealing of {sealing} did not find it"
        findings.add(Wrong.BACKDATED, key, message)


def _prove_lines(findings: Findings, key: str, said: str, counted: int) -> None:
    if said != str(counted):
        findings.add(Wrong.LINES, key, f"it has {counted} of its {said} transfers")


def _tail(uow: UnitOfWork, chain: _Chain, findings: Findings) -> Tail:
    count = late = 0
    first: list[str] = []
    for row in stream(uow, _TAIL):
        count += 1
        late += row.seq < chain.highest_seq
        if len(first) < FIRST_UNSEALED:
            first.append(row.key)
        _prove_lines(findings, row.key, str(row.lines), row.transfers)
        _prove_age(findings, row.key, row.recorded_at, chain.sealed_at)
    return Tail(count, late, tuple(first))


def _moment(written: str) -> datetime | None:
    """A moment as PostgreSQL writes it, None where Python has none such ("infinity", or no text at all)."""
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None
