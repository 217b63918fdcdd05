"""What the ledger benchmarks post: entries of three lines, the chart they need, and the same without Fisc's code."""

import json
from collections.abc import Iterator, Sequence
from datetime import date
from statistics import median
from typing import NamedTuple

import psycopg
from sqlalchemy import Engine

from core.contract.declarations import LedgerAccount
from core.db.roles import Role
from core.db.server.lifecycle import Server
from core.db.unit_of_work import in_transaction
from core.db.url import Database
from core.db.uuid7 import uuid7
from core.ledger.accounts import open_accounts
from core.ledger.post import Entry, Transfer
from tests.support.tenants import new_tenant, opened_engine

FUND = "210"
DAY = date(2026, 4, 30)
CASH = "11100"
LINES = (("tax", "12410", "41210"), ("interest", "12480-01", "41800-01"), ("late_filing_fee", "12480-02", "41800-02"))
WORDS = "5.5% of $12,345.67 is $679.01, of which the seller keeps nothing"


class Side(NamedTuple):
    """The accounts that one entry moves: cash, and a receivable for each line."""

    cash: str
    receivable: tuple[str, ...]


def side(suffix: str = "") -> Side:
    """The accounts of one client, whose numbers end with `suffix`."""
    return Side(CASH + suffix, tuple(receivable + suffix for _, receivable, _ in LINES))


def entry(key: str, accounts: Side) -> Entry:
    """A payment of three charges, each line citing its law: every line moves the cash account."""
    moved = tuple(
        Transfer(
            FUND, accounts.cash, number, 67_901, kind, f"bayfield-{kind}", "9.04(2)(a)", "2026.1", ("rate-1",), WORDS
        )
        for (kind, _, _), number in zip(LINES, accounts.receivable, strict=True)
    )
    return Entry(key, "payment", DAY, DAY, DAY, moved, "Payment of the first quarter", uuid7(), (1, 2))


def open_chart(engine: Engine, tenant: int, sides: Sequence[Side]) -> None:
    """Enter these accounts in the chart of a tenant."""
    numbers = {number for one in sides for number in (one.cash, *one.receivable)}
    chart = [LedgerAccount(FUND, number, f"Account {number}", "asset") for number in numbers]
    in_transaction(engine, tenant, lambda uow: open_accounts(uow, [(FUND, "Room tax fund")], chart))


def with_tenant(database: Database, sides: Sequence[Side]) -> int:
    """The id of a new tenant that has these accounts."""
    with opened_engine(database, Role.HOST) as host, opened_engine(database, Role.APP) as app:
        tenant = new_tenant(host, "bayfield").id
        open_chart(app, tenant, sides)
    return tenant


def as_batch(entries: Sequence[Entry]) -> str:
    """The argument of fisc.post, written down independently of core.ledger.post."""
    return json.dumps([_as_dict(one) for one in entries])


def _as_dict(one: Entry) -> dict:
    header = {name: value for name, value in one._asdict().items() if name != "transfers"}
    days = {name: value.isoformat() for name, value in header.items() if isinstance(value, date)}
    ids = {"id": str(uuid7()), "period_account_id": str(one.period_account_id), "lines": len(one.transfers)}
    no_dues = {"debit_is_due": False, "credit_is_due": False}
    moved = [{**line._asdict(), "line": number, **no_dues} for number, line in enumerate(one.transfers, start=1)]
    return {**header, **days, **ids, "transfers": moved}


def unguarded_tables(server: Server, database: str) -> None:
    """Schema `bare`: the two tables with their indexes, and without row security, foreign keys and checks."""
    with psycopg.connect(server.superuser_url(database), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA bare")
        for table in ("entries", "transfers"):
            connection.execute(f"CREATE TABLE bare.{table} (LIKE fisc.{table} INCLUDING DEFAULTS INCLUDING INDEXES)")
        connection.execute(f"GRANT USAGE ON SCHEMA bare TO {Role.APP}")
        connection.execute(f"GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA bare TO {Role.APP}")


def connected(address: str) -> psycopg.Connection:
    """A connection that leaves BEGIN and COMMIT to whoever uses it."""
    return psycopg.connect(address, autocommit=True)


def keys(prefix: str) -> Iterator[str]:
    """Keys that nobody used."""
    number = 0
    while True:
        number += 1
        yield f"{prefix}-{number}"


def ratio_of_medians(some: Sequence[float], others: Sequence[float]) -> float:
    """Seconds of others by seconds of some: above 1 where `some` are faster."""
    return median(others) / median(some)
