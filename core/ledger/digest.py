"""What a seal covers: the digest of an entry with its transfers, and the link that ties it to all seals before it.

Columns are covered by name, as PostgreSQL's own text, and a column that is NULL is left out. So a migration may add
a column, move one, or let a nullable one join the lists below, and every digest made before stays what it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from sqlalchemy import Label, Table, Text, cast

from core.db.unit_of_work import UnitOfWork

Texts = Sequence[str | None]

ENTRY_COLUMNS = (
    "tenant_id",
    "id",
    "seq",
    "key",
    "kind",
    "effective_on",
    "booked_on",
    "recorded_on",
    "recorded_at",
    "period_account_id",
    "event_seqs",
    "narrative",
    "lines",
)
TRANSFER_COLUMNS = (
    "tenant_id",
    "entry_id",
    "line",
    "lines",
    "effective_on",
    "booked_on",
    "recorded_on",
    "fund",
    "debit",
    "credit",
    "cents",
    "debit_is_due",
    "credit_is_due",
    "twin",
    "charge_kind",
    "clause_id",
    "section",
    "rule_version",
    "value_ids",
    "computation",
)
# The text of days and moments depends on the session. Python's dates would not do: they cannot hold all that
# PostgreSQL can, and a forged "infinity" has to be a finding and not an error.
#
# Sealing and verifying go through whole tables. Where a tenant is new and no statistics know it, the planner takes
# its tables for tiny and would compare every row with every other; without nested loops it cannot.
_SETTINGS = "SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL timezone = 'UTC'; SET LOCAL enable_nestloop = off"
FIRST_HEAD = bytes(32)

_ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def prepare(uow: UnitOfWork) -> None:
    """Set, for the rest of this transaction, how PostgreSQL writes days and moments and how it joins whole tables."""
    uow.driver.execute(_SETTINGS)


def as_text(table: Table, names: Iterable[str]) -> list[Label[str]]:
    """These columns of a table as text. `prepare` comes first."""
    return [cast(table.c[name], Text).label(f"{table.name}_{name}") for name in names]


def entry_digest(header: Texts, transfers: Iterable[Texts]) -> bytes:
    """SHA-256 of an entry: `header` in the order of ENTRY_COLUMNS, each transfer, by line, of TRANSFER_COLUMNS."""
    content = {
        "entry": _named(ENTRY_COLUMNS, header),
        "transfers": [_named(TRANSFER_COLUMNS, transfer) for transfer in transfers],
    }
    return hashlib.sha256(_ENCODE(content).encode()).digest()


def link(before: bytes, tenant: int, position: int, entry_id: str, seq: str, sealed_at: str, digest: bytes) -> bytes:
    """The head of the chain after one more seal: SHA-256 of the head before it and of all that the seal says."""
    content = [before.hex(), tenant, position, entry_id, seq, sealed_at, digest.hex()]
    return hashlib.sha256(_ENCODE(content).encode()).digest()


def _named(names: Sequence[str], values: Texts) -> dict[str, str]:
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}
