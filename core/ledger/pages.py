"""Reads the books in pages: the journal, what moved on an account, and how far they are sealed.

An entry's place in the order is kept inside: outside a page ends at the entry's id.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Date, Integer, Text, Uuid, bindparam, text

from core.db.unit_of_work import UnitOfWork
from core.ledger.errors import LedgerError
from core.ledger.post import Entry, PostedEntry, Transfer
from core.ledger.read import JournalEntry

# The entries of a page are chosen first, so that each comes with all of its transfers.
_JOURNAL = text("""
    SELECT e.id, e.seq, e.key, e.kind, e.effective_on, e.booked_on, e.recorded_on, e.narrative, e.period_account_id,
           e.event_seqs, t.line, t.fund, t.debit, t.credit, t.cents, t.charge_kind, t.clause_id, t.section,
           t.rule_version, t.value_ids, t.computation, t.twin
    FROM (SELECT * FROM fisc.entries
          WHERE tenant_id = :tenant AND booked_on BETWEEN :first AND :last
            AND (:after IS NULL OR seq > (SELECT seq FROM fisc.entries WHERE tenant_id = :tenant AND id = :after))
          ORDER BY seq LIMIT :most) e
    JOIN fisc.transfers t ON t.tenant_id = :tenant AND t.entry_id = e.id
    ORDER BY e.seq, t.line
""").bindparams(
    bindparam("first", type_=Date),
    bindparam("last", type_=Date),
    bindparam("after", type_=Uuid),
    bindparam("most", type_=Integer),
)
_ACCOUNT = text("""
    SELECT fund, number, title, kind FROM fisc.ledger_accounts
    WHERE tenant_id = :tenant AND fund = :fund AND number = :number
""").bindparams(bindparam("fund", type_=Text), bindparam("number", type_=Text))
_MOVEMENTS = text("""
    SELECT t.effective_on, t.booked_on, t.entry_id, t.line, e.narrative, t.other, t.cents, t.clause_id, t.section,
           t.computation
    FROM (
        SELECT entry_id, line, effective_on, booked_on, recorded_on, credit AS other, cents, clause_id, section,
               computation
        FROM fisc.transfers WHERE tenant_id = :tenant AND fund = :fund AND debit = :number
        UNION ALL
        SELECT entry_id, line, effective_on, booked_on, recorded_on, debit, -cents, clause_id, section, computation
        FROM fisc.transfers WHERE tenant_id = :tenant AND fund = :fund AND credit = :number
    ) t JOIN fisc.entries e ON e.tenant_id = :tenant AND e.id = t.entry_id
    WHERE t.effective_on BETWEEN :first AND :last AND t.recorded_on <= :known
      AND (:after IS NULL OR (t.effective_on, e.seq, t.line)
           > (:day, (SELECT seq FROM fisc.entries WHERE tenant_id = :tenant AND id = :after), :line))
    ORDER BY t.effective_on, e.seq, t.line LIMIT :most
""").bindparams(
    bindparam("fund", type_=Text),
    bindparam("number", type_=Text),
    bindparam("first", type_=Date),
    bindparam("last", type_=Date),
    bindparam("known", type_=Date),
    bindparam("day", type_=Date),
    bindparam("after", type_=Uuid),
    bindparam("line", type_=Integer),
    bindparam("most", type_=Integer),
)
_SEALED = text("""
    SELECT (SELECT count(*) FROM fisc.entries WHERE tenant_id = :tenant) AS entries,
           s.position, encode(s.head, 'hex') AS head, s.sealed_at
    FROM (SELECT 1) one LEFT JOIN (
        SELECT position, head, sealed_at FROM fisc.seals WHERE tenant_id = :tenant ORDER BY position DESC LIMIT 1
    ) s ON true
""")


class ChartAccountUnknown(LedgerError):
    """The chart of this municipality has no account with this number in this fund."""


class ChartAccount(NamedTuple):
    """An account of the chart."""

    fund: str
    number: str
    title: str
    kind: str


class MovementLine(NamedTuple):
    """One line of an account's statement, in cents; above zero to the account, below from it. `other` is the account
    on the other side.
    """

    effective_on: date
    booked_on: date
    entry_id: UUID
    line: int
    narrative: str
    other: str
    cents: int
    clause_id: str
    section: str
    computation: str


class SealedSoFar(NamedTuple):
    """How many entries there are, how many of them are sealed, the head of the chain in hex, and since when it is."""

    entries: int
    sealed: int
    head: str | None
    sealed_at: str | None


def journal_page(uow: UnitOfWork, first: date, last: date, after: UUID | None, most: int) -> tuple[JournalEntry, ...]:
    """At most `most` entries booked from a day to a day, after the entry with this id, in the order of recording."""
    return tuple(_entries(uow.rows(_JOURNAL, first=first, last=last, after=after, most=most)))


def chart_account(uow: UnitOfWork, fund: str, number: str) -> ChartAccount:
    """The account of the chart with this number. Raises ChartAccountUnknown."""
    row = uow.row(_ACCOUNT, fund=fund, number=number)
    if row is None:
        raise ChartAccountUnknown(f"the chart has no account {number} in fund {fund}")
    return ChartAccount._make(row)


def movements_page(
    uow: UnitOfWork,
    account: ChartAccount,
    first: date,
    last: date,
    known_on: date,
    after: tuple[date, UUID, int] | None,
    most: int,
) -> tuple[MovementLine, ...]:
    """At most `most` lines of an account's statement from a day to a day, as known on a day, after the line `after`:
    its day, its entry and its number there.
    """
    day, entry, line = after if after is not None else (None, None, None)
    rows = uow.rows(
        _MOVEMENTS,
        fund=account.fund,
        number=account.number,
        first=first,
        last=last,
        known=known_on,
        day=day,
        after=entry,
        line=line,
        most=most,
    )
    return tuple(MovementLine._make(row) for row in rows)


def sealed_so_far(uow: UnitOfWork) -> SealedSoFar:
    """How far the books are sealed. Whether a seal is broken `verify` says, which reads them all."""
    row = uow.row(_SEALED)
    assert row is not None
    moment = row.sealed_at.isoformat() if row.sealed_at is not None else None
    return SealedSoFar(row.entries, row.position or 0, row.head, moment)


def _entries(rows: Any) -> Iterator[JournalEntry]:
    lines: list[Any] = []
    for row in rows:
        if lines and lines[0].id != row.id:
            yield _entry(lines)
            lines = []
        lines.append(row)
    if lines:
        yield _entry(lines)


def _entry(rows: list[Any]) -> JournalEntry:
    head = rows[0]
    moved = tuple(
        Transfer(
            **{name: getattr(row, name) for name in Transfer._fields if name != "value_ids"},
            value_ids=tuple(row.value_ids),
        )
        for row in rows
    )
    return JournalEntry(
        PostedEntry(head.id, head.seq),
        Entry(
            head.key,
            head.kind,
            head.effective_on,
            head.booked_on,
            head.recorded_on,
            moved,
            head.narrative,
            head.period_account_id,
            tuple(head.event_seqs),
        ),
    )
