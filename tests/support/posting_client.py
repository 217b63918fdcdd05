"""A client that posts numbered entries until all are acknowledged, whatever is killed around it.

`python -m tests.support.posting_client FOLDER NAME TENANT POSTINGS PAUSE`: FOLDER/address holds the database's
address, which changes when the server is started anew. An acknowledged number is added to FOLDER/NAME.acknowledged
and synchronised to the disk before the next is posted. A client that was killed goes on after the last one there, so
it posts again, under the same key, what may or may not have been committed.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from datetime import date
from pathlib import Path

import psycopg
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from core.db.engine import make_engine
from core.db.unit_of_work import TooBusy, TransactionBroken, UnitOfWork, in_transaction, sqlstate
from core.ledger.accounts import due_from, due_to
from core.ledger.post import Entry, Transfer, between_funds, post_many
from tests.support.numbered_entries import CASH, GENERAL, RECEIVABLE, REVENUE, ROOM_TAX

DAY = date(2026, 3, 1)
# Connection lost, server shutting down or starting, back end terminated; and no SQLSTATE where the socket broke.
OUTAGE = ("08", "57", "53")


def entries_of(name: str, number: int) -> tuple[Entry, ...]:
    """What a client posts as its number-th act: mostly one entry, now and then a batch of three or a loan."""
    if number % 10 == 0:
        return (_entry(f"{name}-{number}", ()),)
    keys = [f"{name}-{number}"] if number % 7 else [f"{name}-{number}{part}" for part in "abc"]
    return tuple(_entry(key, _transfers(number)) for key in keys)


def loan_of(number: int) -> int:
    """Cents that the number-th act lends from the general fund, 0 where it is no loan."""
    return number if number % 10 == 0 else 0


def balances_after(names: list[str], postings: int) -> dict[tuple[str, str], int]:
    """What each account holds once every act of every client is in the books exactly once, by plain addition."""
    cents: Counter[tuple[str, str]] = Counter()
    for name in names:
        for number in range(1, postings + 1):
            for entry in entries_of(name, number):
                for moved in entry.transfers:
                    cents[moved.fund, moved.debit] += moved.cents
                    cents[moved.fund, moved.credit] -= moved.cents
            lent = loan_of(number)
            cents[GENERAL, CASH] -= lent
            cents[GENERAL, due_from(GENERAL, ROOM_TAX)] += lent
            cents[ROOM_TAX, CASH] += lent
            cents[ROOM_TAX, due_to(ROOM_TAX, GENERAL)] -= lent
    return {place: held for place, held in cents.items() if held}


def acknowledged(folder: Path, name: str) -> list[int]:
    """The numbers that a client had acknowledged. A last line cut short by a kill does not count."""
    file = folder / f"{name}.acknowledged"
    whole = file.read_text().rpartition("\n")[0] if file.exists() else ""
    return [int(line) for line in whole.split()]


def post_all(folder: Path, name: str, tenant: int, postings: int, pause_seconds: float) -> None:
    """Post what is not yet acknowledged, in order, each until it succeeds."""
    done = acknowledged(folder, name)
    file = folder / f"{name}.acknowledged"
    file.write_text("".join(f"{number}\n" for number in done))
    engine: Engine | None = None
    address = ""
    with file.open("a") as acknowledgements:
        for number in range(len(done) + 1, postings + 1):
            while True:
                now = (folder / "address").read_text()
                if engine is None or now != address:
                    engine, address = make_engine(now, pool_size=1), now
                if _posted(engine, tenant, name, number):
                    break
                time.sleep(0.02)
            acknowledgements.write(f"{number}\n")
            acknowledgements.flush()
            os.fsync(acknowledgements.fileno())
            time.sleep(random.uniform(0, 2 * pause_seconds))


def _posted(engine: Engine, tenant: int, name: str, number: int) -> bool:
    """Whether the act was committed for all we know. False after an outage, when it may have been or not."""

    def work(uow: UnitOfWork) -> None:
        entries = entries_of(name, number)
        if loan_of(number):
            (entry,) = entries
            between_funds(uow, entry, lender=GENERAL, borrower=ROOM_TAX, cash=(CASH, CASH), cents=loan_of(number))
        else:
            post_many(uow, entries)

    try:
        in_transaction(engine, tenant, work)
    except (psycopg.Error, SQLAlchemyError, TransactionBroken, TooBusy) as error:
        state = sqlstate(error) if isinstance(error, psycopg.Error | DBAPIError) else None
        if state is not None and not state.startswith(OUTAGE):
            raise
        engine.dispose()
        return False
    return True


def _entry(key: str, transfers: tuple[Transfer, ...]) -> Entry:
    return Entry(key, "payment", DAY, DAY, DAY, transfers, f"Posting {key}")


def _transfers(number: int) -> tuple[Transfer, ...]:
    return (
        Transfer(ROOM_TAX, RECEIVABLE, REVENUE, 1_000 + number, "tax", computation="some words and figures"),
        Transfer(ROOM_TAX, CASH, RECEIVABLE, number, "payment"),
    )


if __name__ == "__main__":
    _, where, called, of_tenant, how_many, pause = sys.argv
    post_all(Path(where), called, int(of_tenant), int(how_many), float(pause))
