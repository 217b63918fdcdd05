"""Reads the books: what is posted for period accounts, the journal, balances, the trial balance. Nothing is stored.

Each read is a fixed number of statements, and each says the tenant beside row security.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, BigInteger, Date, Row, Text, Uuid, bindparam, cast, func, literal, select, text, union_all

from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork
from core.ledger.post import Entry, PostedEntry, Transfer
from core.ledger.tables import entries, ledger_accounts, transfers

LAST_DAY = date.max
_ZERO = cast(literal(0), BigInteger)


class Balance(NamedTuple):
    """An account of the chart with what was moved to it (debit) and from it (credit), in cents."""

    fund: str
    number: str
    title: str
    kind: str
    debit_cents: int
    credit_cents: int

    @property
    def cents(self) -> int:
        """Debits less credits: above zero for what is owned or spent, below for what is owed or earned."""
        return self.debit_cents - self.credit_cents


class JournalEntry(NamedTuple):
    """An entry as posted."""

    posted: PostedEntry
    entry: Entry


class Movement(NamedTuple):
    """One line of an account's statement, in cents; above zero to the account, below from it."""

    effective_on: date
    booked_on: date
    seq: int
    key: str
    narrative: str
    other: str
    cents: int
    clause_id: str
    section: str
    computation: str


_IN_TIME = (
    of_tenant(transfers),
    transfers.c.effective_on <= bindparam("effective", type_=Date),
    transfers.c.recorded_on <= bindparam("known", type_=Date),
    transfers.c.booked_on <= bindparam("booked", type_=Date),
)
_SIDES = union_all(
    select(
        transfers.c.fund,
        transfers.c.debit.label("number"),
        func.sum(transfers.c.cents).label("up"),
        _ZERO.label("down"),
    )
    .where(*_IN_TIME)
    .group_by(transfers.c.fund, transfers.c.debit),
    select(transfers.c.fund, transfers.c.credit, _ZERO, func.sum(transfers.c.cents))
    .where(*_IN_TIME)
    .group_by(transfers.c.fund, transfers.c.credit),
).subquery("sides")
_TRIAL_BALANCE = (
    select(
        ledger_accounts.c.fund,
        ledger_accounts.c.number,
        ledger_accounts.c.title,
        ledger_accounts.c.kind,
        func.coalesce(func.sum(_SIDES.c.up), 0).label("debit_cents"),
        func.coalesce(func.sum(_SIDES.c.down), 0).label("credit_cents"),
    )
    .select_from(
        ledger_accounts.outerjoin(
            _SIDES, (_SIDES.c.fund == ledger_accounts.c.fund) & (_SIDES.c.number == ledger_accounts.c.number)
        )
    )
    .where(of_tenant(ledger_accounts))
    .group_by(ledger_accounts.c.fund, ledger_accounts.c.number, ledger_accounts.c.title, ledger_accounts.c.kind)
    .order_by(ledger_accounts.c.fund, ledger_accounts.c.number)
)
_POSTED = text("""
    SELECT e.period_account_id, t.fund, t.debit, t.credit, t.charge_kind, t.clause_id, t.section,
           sum(t.cents) AS cents
    FROM fisc.entries e JOIN fisc.transfers t ON t.tenant_id = e.tenant_id AND t.entry_id = e.id
    WHERE e.tenant_id = :tenant AND t.tenant_id = :tenant AND e.period_account_id = ANY(:ids)
    GROUP BY 1, 2, 3, 4, 5, 6, 7
""").bindparams(bindparam("ids", type_=ARRAY(Uuid)))
_JOURNAL = (
    select(entries, transfers)
    .join_from(
        entries, transfers, (transfers.c.tenant_id == entries.c.tenant_id) & (transfers.c.entry_id == entries.c.id)
    )
    .where(of_tenant(entries), of_tenant(transfers))
    .order_by(entries.c.seq, transfers.c.line)
)
_JOURNAL_OF_ACCOUNT = _JOURNAL.where(entries.c.period_account_id == bindparam("account", type_=Uuid))
_JOURNAL_OF_DAYS = _JOURNAL.where(
    entries.c.booked_on.between(bindparam("first", type_=Date), bindparam("last", type_=Date))
)
_MOVEMENTS = text("""
    SELECT t.effective_on, t.booked_on, e.seq, e.key, e.narrative, t.other, t.cents, t.clause_id, t.section,
           t.computation
    FROM (
        SELECT tenant_id, entry_id, line, effective_on, booked_on, recorded_on, credit AS other, cents, clause_id,
               section, computation
        FROM fisc.transfers WHERE tenant_id = :tenant AND fund = :fund AND debit = :number
        UNION ALL
        SELECT tenant_id, entry_id, line, effective_on, booked_on, recorded_on, debit, -cents, clause_id, section,
               computation
        FROM fisc.transfers WHERE tenant_id = :tenant AND fund = :fund AND credit = :number
    ) t JOIN fisc.entries e ON e.tenant_id = t.tenant_id AND e.id = t.entry_id
    WHERE e.tenant_id = :tenant AND t.effective_on BETWEEN :first AND :last AND t.recorded_on <= :known
    ORDER BY t.effective_on, e.seq, t.line
""").bindparams(bindparam("fund", type_=Text), bindparam("number", type_=Text))


def trial_balance(
    uow: UnitOfWork, through: date = LAST_DAY, known_on: date = LAST_DAY, booked_through: date = LAST_DAY
) -> tuple[Balance, ...]:
    """Every account with its debits and credits effective through a day, as known on a day, in one statement.

    The debits of each fund equal its credits; the database lets nothing else be posted.
    """
    rows = uow.rows(_TRIAL_BALANCE, effective=through, known=known_on, booked=booked_through)
    # A sum may be larger than a column can be: one entry of the largest amount must not end all reading.
    return tuple(
        Balance(row.fund, row.number, row.title, row.kind, int(row.debit_cents), int(row.credit_cents)) for row in rows
    )


def posted_state(uow: UnitOfWork, accounts: Iterable[UUID]) -> dict[UUID, dict[str, int]]:
    """What is posted for each of these period accounts, net, in cents by key of `transfer_key`, in one statement."""
    ids = list(accounts)
    state: dict[UUID, dict[str, int]] = {account: {} for account in ids}
    for row in uow.rows(_POSTED, ids=ids):
        key, sign = transfer_key(row.fund, row.debit, row.credit, row.charge_kind, row.clause_id, row.section)
        known = state[row.period_account_id]
        known[key] = known.get(key, 0) + sign * int(row.cents)
    return state


def transfer_key(fund: str, debit: str, credit: str, kind: str, clause_id: str, section: str) -> tuple[str, int]:
    """One name for money between two accounts, whichever way it goes, and the sign of this way."""
    first, second, sign = (debit, credit, 1) if debit < credit else (credit, debit, -1)
    return "|".join((fund, first, second, kind, clause_id, section)), sign


def journal(uow: UnitOfWork, first: date = date.min, last: date = LAST_DAY) -> Iterator[JournalEntry]:
    """The entries booked from a day to a day, in the order of recording."""
    return _entries(uow.rows(_JOURNAL_OF_DAYS, first=first, last=last))


def journal_of(uow: UnitOfWork, account: UUID) -> tuple[JournalEntry, ...]:
    """The entries of a period account, in the order of recording."""
    return tuple(_entries(uow.rows(_JOURNAL_OF_ACCOUNT, account=account)))


def movements(
    uow: UnitOfWork, fund: str, number: str, first: date = date.min, last: date = LAST_DAY, known_on: date = LAST_DAY
) -> tuple[Movement, ...]:
    """What moved on one account of the chart from a day to a day, as known on a day, in one statement."""
    rows = uow.rows(_MOVEMENTS, fund=fund, number=number, first=first, last=last, known=known_on)
    return tuple(Movement._make(row) for row in rows)


def _entries(rows: Sequence[Row[Any]]) -> Iterator[JournalEntry]:
    mappings = (row._mapping for row in rows)
    for (entry_id, seq), lines in groupby(mappings, lambda values: (values[entries.c.id], values[entries.c.seq])):
        listed = list(lines)
        entry = _entry(listed[0], tuple(_transfer(values) for values in listed))
        yield JournalEntry(PostedEntry(entry_id, seq), entry)


def _transfer(values: Any) -> Transfer:
    fields = {name: values[transfers.c[name]] for name in Transfer._fields}
    return Transfer(**{**fields, "value_ids": tuple(fields["value_ids"])})


def _entry(values: Any, moved: tuple[Transfer, ...]) -> Entry:
    return Entry(
        values[entries.c.key],
        values[entries.c.kind],
        values[entries.c.effective_on],
        values[entries.c.booked_on],
        values[entries.c.recorded_on],
        moved,
        values[entries.c.narrative],
        values[entries.c.period_account_id],
        tuple(values[entries.c.event_seqs]),
    )
