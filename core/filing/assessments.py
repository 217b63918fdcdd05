"""Assessments: what was owed on an account when it was posted, with everything that a replay needs. Never edited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Column, Date, DateTime, Integer, Row, Text, Uuid, bindparam, func, select, text
from sqlalchemy.dialects.postgresql import JSONB, distinct_on

from core.db.base import APPEND_ONLY, check, index, of_tenant, references, tenant_table
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7

assessments = tenant_table(
    "assessments",
    Column("id", Uuid, nullable=False),
    Column("account_id", Uuid, nullable=False),
    Column("number", Integer, nullable=False),
    Column("as_of", Date, nullable=False),
    Column("event_seqs", ARRAY(Integer), nullable=False),
    Column("settings_seq", Integer, nullable=False),
    Column("value_ids", ARRAY(Text), nullable=False),
    Column("inputs", JSONB, nullable=False),
    Column("depends_on", ARRAY(Text), nullable=False),
    Column("plugin", Text, nullable=False),
    Column("plugin_version", Text, nullable=False),
    Column("statement", Text, nullable=False),
    Column("entry_id", Uuid),
    Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    references("fisc.period_accounts", {"account_id": "id"}),
    references("fisc.entries", {"entry_id": "id"}),
    index("entry_id"),
    check("number_positive", "number > 0"),
    key=("account_id", "number"),
    access=APPEND_ONLY,
)


class Assessment(NamedTuple):
    """What was owed on `as_of`, as known from the events `event_seqs` and the settings up to `settings_seq`.

    `statement` is canonical JSON and is what a replay must give again, byte for byte. `inputs` are cents from other
    accounts by the day from which they were known, `value_ids` the law values used. `entry_id` is the ledger entry,
    None where nothing had to move.
    """

    id: UUID
    account_id: UUID
    number: int
    as_of: date
    event_seqs: tuple[int, ...]
    settings_seq: int
    value_ids: tuple[str, ...]
    inputs: Mapping[str, Mapping[str, int | None]]
    depends_on: tuple[str, ...]
    plugin: str
    plugin_version: str
    statement: str
    entry_id: UUID | None


_ALL = select(assessments).where(of_tenant(assessments)).order_by(assessments.c.account_id, assessments.c.number)
_OF_ACCOUNTS = _ALL.where(assessments.c.account_id == func.any(bindparam("ids", type_=ARRAY(Uuid))))
_LAST = (
    select(assessments)
    .where(of_tenant(assessments), assessments.c.account_id == func.any(bindparam("ids", type_=ARRAY(Uuid))))
    .ext(distinct_on(assessments.c.account_id))
    .order_by(assessments.c.account_id, assessments.c.number.desc())
)
_WRITTEN_TO = text("SELECT DISTINCT account_id FROM fisc.events WHERE tenant_id = :tenant")
_NOT_ASSESSED = text("""
    SELECT e.account_id
    FROM fisc.events e LEFT JOIN fisc.assessments a
      ON a.tenant_id = e.tenant_id AND a.account_id = e.account_id AND e.seq = ANY(a.event_seqs)
    WHERE e.tenant_id = :tenant
    GROUP BY e.account_id, e.seq HAVING count(a.number) = 0
""")
_OF_ENTRY = _ALL.where(assessments.c.entry_id == bindparam("entry"))


def record_assessments(uow: UnitOfWork, made: Iterable[Assessment]) -> None:
    """Keep assessments of accounts that are locked."""
    uow.insert(assessments, *[_as_row(one) for one in made])


def last_assessments(uow: UnitOfWork, accounts: Iterable[UUID]) -> dict[UUID, Assessment]:
    """The last assessment of each of these accounts that has one."""
    return {row.account_id: _assessment(row) for row in uow.rows(_LAST, ids=list(accounts))}


def assessments_of(uow: UnitOfWork, accounts: Iterable[UUID] | None = None) -> tuple[Assessment, ...]:
    """The assessments of these accounts (None: of all), by account, in the order in which they were made."""
    rows = uow.rows(_ALL) if accounts is None else uow.rows(_OF_ACCOUNTS, ids=list(accounts))
    return tuple(_assessment(row) for row in rows)


def accounts_written_to(uow: UnitOfWork) -> set[UUID]:
    """The accounts that have an event."""
    return {row.account_id for row in uow.rows(_WRITTEN_TO)}


def accounts_not_assessed(uow: UnitOfWork) -> set[UUID]:
    """The accounts with an event that no assessment knows."""
    return {row.account_id for row in uow.rows(_NOT_ASSESSED)}


def assessment_of_entry(uow: UnitOfWork, entry: UUID) -> Assessment | None:
    """The assessment that a ledger entry was posted from, None where the entry comes from something else."""
    row = uow.row(_OF_ENTRY, entry=entry)
    return _assessment(row) if row is not None else None


def assessment_of(columns: Mapping[str, Any]) -> Assessment:
    """The assessment whose columns JSON has."""
    return Assessment(
        UUID(columns["id"]),
        UUID(columns["account_id"]),
        columns["number"],
        date.fromisoformat(columns["as_of"]),
        tuple(columns["event_seqs"]),
        columns["settings_seq"],
        tuple(columns["value_ids"]),
        columns["inputs"],
        tuple(columns["depends_on"]),
        columns["plugin"],
        columns["plugin_version"],
        columns["statement"],
        UUID(columns["entry_id"]) if columns["entry_id"] is not None else None,
    )


def new_assessment_id() -> UUID:
    """An id for an assessment that is about to be made."""
    return uuid7()


def _as_row(one: Assessment) -> dict[str, Any]:
    return {
        **one._asdict(),
        "event_seqs": list(one.event_seqs),
        "value_ids": list(one.value_ids),
        "inputs": dict(one.inputs),
        "depends_on": list(one.depends_on),
    }


def _assessment(row: Row[Any]) -> Assessment:
    return Assessment(
        row.id,
        row.account_id,
        row.number,
        row.as_of,
        tuple(row.event_seqs),
        row.settings_seq,
        tuple(row.value_ids),
        row.inputs,
        tuple(row.depends_on),
        row.plugin,
        row.plugin_version,
        row.statement,
        row.entry_id,
    )
