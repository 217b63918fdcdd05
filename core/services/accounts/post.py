"""Posts period accounts: one entry for the difference between what is owed and what is in the books."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple
from uuid import UUID

from core.contract.declarations import Chart, LedgerAccount
from core.contract.municipality import OpenMunicipality
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.domain.errors import ResolutionMissing, ValueNotInForce
from core.domain.fold import Statement
from core.filing.assessments import Assessment, last_assessments, new_assessment_id, record_assessments
from core.ledger.accounts import open_accounts
from core.ledger.difference import Move, difference
from core.ledger.post import Entry, Transfer, post_many
from core.ledger.read import posted_state, transfer_key
from core.services.accounts.canonical import canonical, depends_on, value_ids
from core.services.accounts.load import LoadedAccount, load_accounts
from core.services.accounts.state import Line, desired_state

KIND = "assessment"


@dataclass(frozen=True, slots=True)
class Locked:
    """Accounts that are locked, those locked with them that look back to them, and the law read under the locks.

    `settings_seq` is the last setting in that law.
    """

    municipality: OpenMunicipality
    settings_seq: int
    ids: set[UUID]
    looking_back: set[UUID]


class Posted(NamedTuple):
    """What became of an account: its balance in cents and the entry, or the act for which its posting waits.

    `entry_id` is None where nothing had to move. `waiting` is a message for the treasurer, None where it is posted.
    """

    account_id: UUID
    balance_cents: int | None
    entry_id: UUID | None
    waiting: str | None


def open_books(uow: UnitOfWork, municipality: OpenMunicipality) -> None:
    """Enter the funds and accounts of every tax of a municipality in the chart; what is there stays."""
    for tax in municipality.taxes:
        chart = municipality.chart(tax)
        open_accounts(uow, chart.funds, _accounts(chart))


def post_accounts(uow: UnitOfWork, locked: Locked, as_of: date, recorded: Recorded) -> tuple[Posted, ...]:
    """Post what is owed as of a day on these accounts and those that look back to them, all of them locked.

    An account that was written to, or posted, for a later day is posted as of that day, so that nothing known goes
    out of the books again; one that looks back and has no event of its own is left alone. Posting the same state
    twice moves nothing. What lacks a resolution is left as it is and says which act it waits for. Raises
    PeriodClosed where the books of the day of recording are closed.
    """
    ids = locked.ids | locked.looking_back
    loaded = {
        account_id: account
        for account_id, account in load_accounts(uow, locked.municipality, ids).items()
        if account_id in locked.ids or account.events
    }
    last = last_assessments(uow, loaded)
    statements: dict[UUID, Statement] = {}
    waiting: dict[UUID, str] = {}
    for account_id, account in loaded.items():
        assessed = last[account_id].as_of if account_id in last else date.min
        try:
            statements[account_id] = account.statement(max(as_of, account.last_recorded, assessed))
        except (ResolutionMissing, ValueNotInForce) as error:
            waiting[account_id] = str(error)
    entry_ids = _post(uow, locked, loaded, statements, last, recorded)
    return tuple(
        Posted(
            account_id,
            statements[account_id].balance if account_id in statements else None,
            entry_ids.get(account_id),
            waiting.get(account_id),
        )
        for account_id in loaded
    )


def _post(
    uow: UnitOfWork,
    locked: Locked,
    loaded: dict[UUID, LoadedAccount],
    statements: dict[UUID, Statement],
    last: dict[UUID, Assessment],
    recorded: Recorded,
) -> dict[UUID, UUID]:
    """Posts the differences and keeps the assessments. Answers the entry of each account on which something moved."""
    posted = posted_state(uow, statements)
    entries: dict[UUID, Entry] = {}
    made: list[Assessment] = []
    for account_id, statement in statements.items():
        account, before = loaded[account_id], last.get(account_id)
        assessment = _assessment(account, statement, locked.settings_seq, 1 if before is None else before.number + 1)
        lines = desired_state(statement, locked.municipality.chart(account.record.tax), assessment.plugin_version)
        moves = difference(posted[account_id], signed(lines))
        if not moves and before is not None and _same_but_for_the_day(before, statement, assessment):
            continue
        made.append(assessment)
        if moves:
            entries[account_id] = _entry(account, statement, assessment, lines, moves, recorded)
    results = post_many(uow, tuple(entries.values())) if entries else ()
    entry_ids = {account_id: one.id for account_id, one in zip(entries, results, strict=True)}
    record_assessments(uow, [one._replace(entry_id=entry_ids.get(one.account_id)) for one in made])
    return entry_ids


def _same_but_for_the_day(before: Assessment, statement: Statement, assessment: Assessment) -> bool:
    """Whether nothing is new since the last assessment, which then stands for this day as well."""
    if before.event_seqs != assessment.event_seqs or before.plugin_version != assessment.plugin_version:
        return False
    return before.statement == canonical(replace(statement, as_of=before.as_of))


def _assessment(account: LoadedAccount, statement: Statement, settings_seq: int, number: int) -> Assessment:
    declared = account.municipality.declared
    known = tuple(event.seq for event in account.events if event.recorded <= statement.as_of)
    return Assessment(
        new_assessment_id(),
        account.record.id,
        number,
        statement.as_of,
        known,
        settings_seq,
        value_ids(statement),
        {day.isoformat(): dict(inputs) for day, inputs in account.inputs_by_day if day <= statement.as_of},
        depends_on(statement),
        declared.key,
        declared.version,
        canonical(statement),
        None,
    )


def signed(lines: dict[str, Line]) -> dict[str, int]:
    """The lines in cents by the ledger's own key, which names two accounts the same way round whatever moves."""
    state: dict[str, int] = {}
    for line in lines.values():
        key, sign = _key(line)
        state[key] = state.get(key, 0) + sign * line.cents
    return state


def _key(line: Line) -> tuple[str, int]:
    return transfer_key(line.fund, line.debit, line.credit, line.kind, *line.clause)


def _entry(
    account: LoadedAccount,
    statement: Statement,
    assessment: Assessment,
    lines: dict[str, Line],
    moves: tuple[Move, ...],
    recorded: Recorded,
) -> Entry:
    by_key = {_key(line)[0]: line for line in lines.values()}
    record = account.record
    return Entry(
        key=f"{KIND}:{record.id}:{assessment.number}",
        kind=KIND,
        effective_on=statement.as_of,
        booked_on=recorded.on,
        recorded_on=recorded.on,
        transfers=tuple(_transfer(move, by_key.get(move.key), assessment) for move in moves),
        narrative=f"{account.municipality.taxes[record.tax].title} {record.period.key} as of {statement.as_of}",
        period_account_id=record.id,
        event_seqs=assessment.event_seqs,
    )


def _transfer(move: Move, line: Line | None, assessment: Assessment) -> Transfer:
    """The transfer of one move; a line that is owed no longer is taken back."""
    fund, first, second, kind, clause_id, section = move.key.split("|")
    debit, credit = (first, second) if move.up else (second, first)
    return Transfer(
        fund,
        debit,
        credit,
        move.cents,
        kind,
        clause_id,
        section,
        assessment.plugin_version,
        line.value_ids if line is not None else (),
        line.computation if line is not None else "no longer owed: taken back",
    )


def _accounts(chart: Chart) -> Iterator[LedgerAccount]:
    yield from chart.cash.values()
    yield from chart.receivable.values()
    yield from chart.revenue.values()
    yield from chart.payable.values()
    yield from chart.transfers_in.values()
    yield from (chart.credits, chart.refund_interest, chart.distributed, chart.held)
