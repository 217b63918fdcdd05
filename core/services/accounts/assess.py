"""What accounts owe as of a day, and the entries that bring the books there. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from typing import NamedTuple
from uuid import UUID

from core.db.recorded import Recorded
from core.domain.errors import ResolutionMissing, ValueNotInForce
from core.domain.fold import Statement
from core.filing.assessments import Assessment, new_assessment_id
from core.ledger.difference import Move, difference
from core.ledger.post import Entry, Transfer
from core.ledger.read import transfer_key
from core.services.accounts.canonical import canonical, depends_on, value_ids
from core.services.accounts.load import LoadedAccount
from core.services.accounts.look import Looked
from core.services.accounts.state import Line, desired_state

KIND = "assessment"


class Assessed(NamedTuple):
    """What is to be written: assessments, and for those on which something moves the entry, by account.

    `statements` has every account that could be assessed, `waiting` a message for each that lacks a resolution.
    """

    statements: dict[UUID, Statement]
    waiting: dict[UUID, str]
    assessments: tuple[Assessment, ...]
    entries: dict[UUID, Entry]


def assess(looked: Looked, as_of: date, recorded: Recorded) -> Assessed:
    """What the accounts asked for, and those that look back to them, owe as of a day.

    An account that was written to, or posted, for a later day is assessed as of that day, so that nothing known goes
    out of the books again. What is in the books already is not assessed anew.
    """
    statements: dict[UUID, Statement] = {}
    waiting: dict[UUID, str] = {}
    assessments: list[Assessment] = []
    entries: dict[UUID, Entry] = {}
    for account_id, account in looked.touched.items():
        before = looked.assessed.get(account_id)
        try:
            day = max(as_of, account.last_recorded, before.as_of if before is not None else date.min)
            statement = statements[account_id] = account.statement(day)
        except (ResolutionMissing, ValueNotInForce) as error:
            waiting[account_id] = str(error)
            continue
        assessment = _assessment(account, statement, looked.settings_seq, 1 if before is None else before.number + 1)
        lines = desired_state(statement, looked.municipality.chart(account.record.tax), assessment.plugin_version)
        moves = difference(looked.posted[account_id], signed(lines.values()))
        if not moves and before is not None and _same_but_for_the_day(before, statement, assessment):
            continue
        assessments.append(assessment)
        if moves:
            entries[account_id] = _entry(account, statement, assessment, lines, moves, recorded)
    return Assessed(statements, waiting, tuple(assessments), entries)


def signed(lines: Iterable[Line]) -> dict[str, int]:
    """The lines in cents by the ledger's own key, which names two accounts the same way round whatever moves."""
    state: dict[str, int] = {}
    for line in lines:
        key, sign = _key(line)
        state[key] = state.get(key, 0) + sign * line.cents
    return state


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
        transfers=tuple([_transfer(move, by_key.get(move.key), assessment) for move in moves]),
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
