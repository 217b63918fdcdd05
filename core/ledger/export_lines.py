"""What both exports read: the accounts of the chart under their names, and the entries in the order of recording."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ARRAY, Row, Uuid, any_, bindparam, select

from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork
from core.ledger.errors import LedgerAccountUnknown
from core.ledger.naming import account_name
from core.ledger.stream import parts, stream
from core.ledger.tables import entries, ledger_accounts, transfers

_CHART = select(ledger_accounts).where(of_tenant(ledger_accounts)).order_by("fund", "number")
_HEADERS = (
    select(
        entries.c.id,
        entries.c.key,
        entries.c.kind,
        entries.c.effective_on,
        entries.c.booked_on,
        entries.c.recorded_on,
        entries.c.narrative,
    )
    .where(of_tenant(entries))
    .order_by(entries.c.seq)
)
_TRANSFERS = (
    select(
        transfers.c.entry_id,
        transfers.c.fund,
        transfers.c.debit,
        transfers.c.credit,
        transfers.c.cents,
        transfers.c.charge_kind,
        transfers.c.clause_id,
        transfers.c.section,
        transfers.c.rule_version,
        transfers.c.computation,
    )
    .where(of_tenant(transfers), transfers.c.entry_id == any_(bindparam("ids", type_=ARRAY(Uuid))))
    .order_by(transfers.c.entry_id, transfers.c.line)
)


class Account(NamedTuple):
    """An account of the chart under its name in the export."""

    name: str
    title: str


class Posting(NamedTuple):
    """One side of a transfer, in cents: above zero to the account, below from it. `tags` hold no empty text."""

    account: str
    cents: int
    tags: dict[str, str]


Chart = dict[tuple[str, str], Account]


def chart(uow: UnitOfWork) -> Chart:
    """Every account by fund and number, in that order."""
    return {
        (row.fund, row.number): Account(account_name(row.kind, row.fund, row.number), row.title)
        for row in uow.rows(_CHART)
    }


def posted(uow: UnitOfWork) -> Iterator[tuple[Row[Any], list[Row[Any]]]]:
    """Every entry, header and transfers, in the order of recording. Holds a part of them in memory at a time."""
    for headers in parts(stream(uow, _HEADERS)):
        rows = uow.rows(_TRANSFERS, ids=[header.id for header in headers])
        lines = {entry_id: list(group) for entry_id, group in groupby(rows, key=attrgetter("entry_id"))}
        for header in headers:
            yield header, lines.get(header.id, [])


def postings(accounts: Chart, transfer: Row[Any]) -> tuple[Posting, Posting]:
    """Both sides of a transfer. Raises LedgerAccountUnknown where the chart lacks an account."""
    tags = {
        "charge": transfer.charge_kind,
        "clause": transfer.clause_id,
        "section": transfer.section,
        "rule": transfer.rule_version,
        "computation": transfer.computation,
    }
    given = {name: value for name, value in tags.items() if value}
    return (
        Posting(_named(accounts, transfer.fund, transfer.debit), transfer.cents, given),
        Posting(_named(accounts, transfer.fund, transfer.credit), -transfer.cents, given),
    )


def _named(accounts: Chart, fund: str, number: str) -> str:
    account = accounts.get((fund, number))
    if account is None:
        raise LedgerAccountUnknown(f"account {number} of fund {fund} is not in the chart: run `fisc ledger verify`")
    return account.name
