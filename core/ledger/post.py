"""Posts entries: the only writer of the books. One statement for an entry or a batch, idempotent by key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from core.db.unit_of_work import UnitOfWork, constraint_name, sqlstate
from core.db.uuid7 import uuid7
from core.ledger.accounts import due_from, due_to, open_due_accounts
from core.ledger.errors import EntryKeyReused, LedgerAccountUnknown, NotAnEntry, PeriodClosed

_POST = "SELECT id, seq FROM fisc.post(%s, %s)"
_BY_KEY = """
    SELECT e.key, e.id, e.seq, e.kind, e.effective_on, e.booked_on, e.recorded_on, e.period_account_id, e.event_seqs,
           e.narrative, t.fund, t.debit, t.credit, t.cents, t.twin, t.charge_kind, t.clause_id, t.section,
           t.rule_version, t.value_ids, t.computation
    FROM fisc.entries e LEFT JOIN fisc.transfers t ON t.tenant_id = e.tenant_id AND t.entry_id = e.id
    WHERE e.tenant_id = %s AND e.key = ANY(%s) ORDER BY e.key, t.line
"""
_LARGEST_CENTS = 2**63 - 1
_UNKNOWN_ACCOUNT = {"fk_transfers_debit", "fk_transfers_credit"}
_ROW_REFUSED_BY_POLICY = "42501"
_CHECK_FAILED = "23514"
_BAD_VALUE = "22"  # the class of SQLSTATE: a text with a NUL, a number too large for its column
_NULL = "null"


class Transfer(NamedTuple):
    """A positive amount in cents from the account `credit` to the account `debit` of one fund, and what it rests on.

    `twin` is the line of the same entry that is the other leg between two funds; `between_funds` alone sets it.
    """

    fund: str
    debit: str
    credit: str
    cents: int
    charge_kind: str = ""
    clause_id: str = ""
    section: str = ""
    rule_version: str = ""
    value_ids: tuple[str, ...] = ()
    computation: str = ""
    twin: int | None = None


class Entry(NamedTuple):
    """One act in the books. `effective_on` is the day it counts for, `booked_on` the day of the books it lies in.

    `key` names the entry for ever within the tenant: posting it again answers the entry that is there.
    """

    key: str
    kind: str
    effective_on: date
    booked_on: date
    recorded_on: date
    transfers: tuple[Transfer, ...]
    narrative: str = ""
    period_account_id: UUID | None = None
    event_seqs: tuple[int, ...] = ()


class PostedEntry(NamedTuple):
    """An entry in the books: its id, and its place in the order of recording."""

    id: UUID
    seq: int


def post(uow: UnitOfWork, entry: Entry) -> PostedEntry:
    """Post one entry. Raises NotAnEntry, LedgerAccountUnknown, PeriodClosed, EntryKeyReused.

    After a refusal by the database nothing of the transaction is left to commit.
    """
    return post_many(uow, (entry,))[0]


def post_many(uow: UnitOfWork, entries: Sequence[Entry]) -> tuple[PostedEntry, ...]:
    """Post a batch in one statement, all or nothing, and answer in its order. Raises what `post` raises."""
    for entry in entries:
        _check(entry)
        if any(transfer.twin is not None for transfer in entry.transfers):
            raise NotAnEntry(f"entry {entry.key!r}: between_funds alone writes both legs between two funds")
    return _post(uow, entries)


def _post(uow: UnitOfWork, entries: Sequence[Entry]) -> tuple[PostedEntry, ...]:
    by_key: dict[str, Entry] = {}
    for entry in entries:
        if by_key.setdefault(entry.key, entry) != entry:
            raise EntryKeyReused(f"the key {entry.key!r} stands twice in one batch, for two entries")
    # Ordered by key, so that two batches with the same keys never wait for one another in a circle.
    ids = {key: uuid7() for key in sorted(by_key)}
    batch = f"[{','.join([_as_json(ids[key], by_key[key]) for key in ids])}]"
    # Only new entries come back; a key that is in the books already is passed over, and looked up.
    new = {row[0]: PostedEntry(row[0], row[1]) for row in _run(uow, batch)}
    posted = {key: new[entry_id] for key, entry_id in ids.items() if entry_id in new}
    before = [entry for key, entry in by_key.items() if key not in posted]
    if before:
        posted.update(_posted_before(uow, before))
    return tuple([posted[entry.key] for entry in entries])


def between_funds(
    uow: UnitOfWork, entry: Entry, *, lender: str, borrower: str, cash: tuple[str, str], cents: int
) -> PostedEntry:
    """Lend cash from one fund to another, both legs in one entry: due from the borrower, due to the lender.

    `cash` holds the numbers of the cash accounts of lender and borrower; `cents` is positive. The legs follow the
    transfers that `entry` has. Raises what `post` raises.
    """
    if lender == borrower:
        raise NotAnEntry(f"entry {entry.key!r}: fund {lender} lends to itself")
    if any(transfer.twin is not None for transfer in entry.transfers):
        raise NotAnEntry(f"entry {entry.key!r}: one loan between funds an entry")
    line = len(entry.transfers) + 1
    legs = (
        Transfer(lender, due_from(lender, borrower), cash[0], cents, "due_from", twin=line + 1),
        Transfer(borrower, cash[1], due_to(borrower, lender), cents, "due_to", twin=line),
    )
    whole = entry._replace(transfers=(*entry.transfers, *legs))
    _check(whole)
    open_due_accounts(uow, lender, borrower)
    return _post(uow, (whole,))[0]


def _check(entry: Entry) -> None:
    if not entry.transfers:
        raise NotAnEntry(f"entry {entry.key!r} has no transfer")
    for line, transfer in enumerate(entry.transfers, start=1):
        cents = transfer.cents
        if type(cents) is not int or not 0 < cents <= _LARGEST_CENTS:
            raise NotAnEntry(f"entry {entry.key!r}, line {line}: {cents!r} is no positive amount in whole cents")
        if transfer.debit == transfer.credit:
            raise NotAnEntry(f"entry {entry.key!r}, line {line}: {transfer.debit} moves to itself")


def with_ids(entries: Sequence[Entry]) -> tuple[tuple[UUID, ...], str]:
    """New ids for entries, and the batch as fisc.post takes it, for a statement that posts beside other things.

    Raises NotAnEntry. `refusals_of_the_books` translates what that statement raises.
    """
    for entry in entries:
        _check(entry)
    ids = tuple(uuid7() for _ in entries)
    return ids, f"[{','.join([_as_json(one, entry) for one, entry in zip(ids, entries, strict=True)])}]"


def _run(uow: UnitOfWork, batch: str) -> Sequence[tuple[UUID, int]]:
    with refusals_of_the_books():
        return uow.driver.execute(_POST, (uow.tenant, batch)).fetchall()


@contextmanager
def refusals_of_the_books() -> Iterator[None]:
    """Names what the database refuses. Raises LedgerAccountUnknown, PeriodClosed, NotAnEntry."""
    try:
        yield
    except psycopg.Error as error:
        if constraint_name(error) in _UNKNOWN_ACCOUNT:
            raise LedgerAccountUnknown(
                "a transfer names a fund or an account that is not in the chart, or not in that fund: open it first"
            ) from error
        if sqlstate(error) == _ROW_REFUSED_BY_POLICY and "booked_in_an_open_period" in str(error):
            raise PeriodClosed("the books are closed for the day of this entry: book it on a later day") from error
        state = sqlstate(error) or ""
        if state == _CHECK_FAILED or state.startswith(_BAD_VALUE):
            raise NotAnEntry(f"the books cannot hold this entry: {error.diag.message_primary}") from error
        raise


def _posted_before(uow: UnitOfWork, entries: Iterable[Entry]) -> dict[str, PostedEntry]:
    """Entries whose keys are in the books. Raises EntryKeyReused for one with another content."""
    wanted = {entry.key: entry for entry in entries}
    headers: dict[str, tuple[PostedEntry, Sequence[Any]]] = {}
    lines: dict[str, list[Transfer]] = {}
    rows = uow.driver.execute(_BY_KEY, (uow.tenant, list(wanted))).fetchall()
    for (
        key,
        entry_id,
        seq,
        *header,
        fund,
        debit,
        credit,
        cents,
        twin,
        kind,
        clause,
        section,
        version,
        values,
        words,
    ) in rows:
        headers[key] = PostedEntry(entry_id, seq), header
        moved = lines.setdefault(key, [])
        if cents is not None:  # None where somebody inserted a header alone, which is another entry than ours
            moved.append(
                Transfer(fund, debit, credit, cents, kind, clause, section, version, tuple(values), words, twin)
            )
    for key, (_, header) in headers.items():
        if _entry(key, header, lines[key]) != wanted[key]:
            raise EntryKeyReused(f"the key {key!r} was used for another entry: give this one a key of its own")
    return {key: posted for key, (posted, _) in headers.items()}


def _entry(key: str, header: Sequence[Any], lines: Sequence[Transfer]) -> Entry:
    kind, effective_on, booked_on, recorded_on, account, event_seqs, narrative = header
    return Entry(key, kind, effective_on, booked_on, recorded_on, tuple(lines), narrative, account, tuple(event_seqs))


# The JSON is written out and not built of dictionaries for json.dumps, which takes twice as long for a batch.


def _as_json(entry_id: UUID, entry: Entry) -> str:
    key, kind, effective_on, booked_on, recorded_on, transfers, narrative, account, event_seqs = entry
    lines = ",".join([_line(line, transfer) for line, transfer in enumerate(transfers, start=1)])
    return (
        f'{{"id":"{entry_id}","key":{_quoted(key)},"kind":{_quoted(kind)},"effective_on":"{effective_on.isoformat()}",'
        f'"booked_on":"{booked_on.isoformat()}","recorded_on":"{recorded_on.isoformat()}",'
        f'"period_account_id":{_NULL if account is None else _quoted(str(account))},'
        f'"event_seqs":[{",".join(map(str, event_seqs))}],"narrative":{_quoted(narrative)},"lines":{len(transfers)},'
        f'"transfers":[{lines}]}}'
    )


def _line(line: int, transfer: Transfer) -> str:
    fund, debit, credit, cents, kind, clause_id, section, rule_version, value_ids, computation, twin = transfer
    # Which side is the due account follows from the leg; the foreign keys hold it to the truth.
    debit_is_due = "true" if twin is not None and kind == "due_from" else "false"
    credit_is_due = "true" if twin is not None and kind == "due_to" else "false"
    return (
        f'{{"line":{line},"fund":{_quoted(fund)},"debit":{_quoted(debit)},"credit":{_quoted(credit)},"cents":{cents},'
        f'"debit_is_due":{debit_is_due},"credit_is_due":{credit_is_due},"twin":{_NULL if twin is None else twin},'
        f'"charge_kind":{_quoted(kind)},"clause_id":{_quoted(clause_id)},"section":{_quoted(section)},'
        f'"rule_version":{_quoted(rule_version)},"value_ids":[{",".join(map(_quoted, value_ids))}],'
        f'"computation":{_quoted(computation)}}}'
    )
