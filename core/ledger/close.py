"""Closes the books through a day, with a snapshot of every account that can be proved again from the entries."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from typing import Any

import psycopg
from sqlalchemy import bindparam, func, select
from sqlalchemy.exc import DBAPIError

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.ledger.errors import AlreadyClosed, PeriodClosed
from core.ledger.read import Balance, trial_balance
from core.ledger.tables import closings, snapshots

_THROUGH = select(func.max(closings.c.through)).where(of_tenant(closings))
_CLOSINGS = select(closings).where(of_tenant(closings)).order_by(closings.c.through)
_SNAPSHOT = (
    select(snapshots)
    .where(of_tenant(snapshots), snapshots.c.through == bindparam("through"))
    .order_by(snapshots.c.fund, snapshots.c.account)
)
_HOLD = "SELECT fisc.hold_posting()"


def closed_through(uow: UnitOfWork) -> date | None:
    """The last day of the books that is closed, None while none is."""
    row = uow.row(_THROUGH)
    return row[0] if row is not None else None


def require_open(uow: UnitOfWork, day: date) -> None:
    """The books are open on a day, and stay so until this transaction ends. Raises PeriodClosed."""
    row = uow.driver.execute("SELECT fisc.closed_through()::text").fetchone()
    closed = row[0] if row is not None else "-infinity"
    if closed != "-infinity" and date.fromisoformat(closed) >= day:
        raise PeriodClosed(f"the books are closed through {closed}: record this on a later day, with its own day")


def close_through(uow: UnitOfWork, through: date, reason: str, recorded: Recorded) -> tuple[Balance, ...]:
    """Close the books through a day: nothing is booked there any more. Answers the balances of the snapshot.

    It waits for every posting at work and then holds posting until the transaction ends. Raises AlreadyClosed.
    """
    uow.driver.execute(_HOLD)
    closed = closed_through(uow)
    if closed is not None and closed >= through:
        raise AlreadyClosed(f"the books are closed through {closed}: name a later day than that")
    balances = _moved(trial_balance(uow, booked_through=through))
    values = {"through": through, "reason": reason, "digest": snapshot_digest(through, balances)}
    try:
        uow.insert(closings, {**values, **recorded.columns()})
        uow.insert(snapshots, *[_row(through, balance) for balance in balances])
    except (DBAPIError, psycopg.Error) as error:
        if "closed_when_it_is_over" in str(error):
            raise AlreadyClosed(f"{through} is not over on {recorded.on}: close the books on a later day") from error
        raise
    return balances


def unproved_snapshots(uow: UnitOfWork) -> list[str]:
    """What the entries do not prove: a message for each closing whose snapshot or digest they do not give again."""
    findings = []
    for closing in uow.rows(_CLOSINGS):
        now = _moved(trial_balance(uow, booked_through=closing.through))
        if bytes(closing.digest) != snapshot_digest(closing.through, now):
            findings.append(f"the closing through {closing.through} is not what the entries give")
        stored = [
            (row.fund, row.account, row.debit_cents, row.credit_cents)
            for row in uow.rows(_SNAPSHOT, through=closing.through)
        ]
        if stored != [(one.fund, one.number, one.debit_cents, one.credit_cents) for one in now]:
            findings.append(f"the snapshot through {closing.through} is not what the entries give")
    return findings


def snapshot_digest(through: date, balances: Sequence[Balance]) -> bytes:
    """SHA-256 over the day and every balance of a snapshot, in the order of fund and account."""
    lines = [f"{one.fund}\t{one.number}\t{one.debit_cents}\t{one.credit_cents}" for one in balances]
    return hashlib.sha256("\n".join([through.isoformat(), *lines]).encode()).digest()


def _moved(balances: Sequence[Balance]) -> tuple[Balance, ...]:
    """Accounts on which something moved: one that is opened after the closing does not change the snapshot."""
    return tuple(one for one in balances if one.debit_cents or one.credit_cents)


def _row(through: date, one: Balance) -> dict[str, Any]:
    return {
        "through": through,
        "fund": one.fund,
        "account": one.number,
        "debit_cents": one.debit_cents,
        "credit_cents": one.credit_cents,
    }
