"""Reads of the books of a median tenant: in a large database of many tenants, next to a small one of few.

The median tenant has the same books in both; the first tenant, the largest, holds half of all transfers in the large
database and nearly all in the small one. FISC_BENCH_FULL=1 takes the full size, 1 to 10 million transfers and 10 to
1,000 tenants, which needs about 10 GB of disk and six minutes; otherwise it is a fifth of that in all.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from statistics import median
from typing import NamedTuple

from sqlalchemy import ARRAY, Engine, Row, Text, bindparam, event, text

from core.db.roles import Role
from core.db.server.lifecycle import Server
from core.db.unit_of_work import UnitOfWork, reading
from core.ledger.read import movements, posted_state, trial_balance
from tests.benchmarks import Result
from tests.benchmarks.ledger_load import ACCOUNTS, CASH, FUND, RECEIVABLE, Size, load, period_account
from tests.support.durable_server import durable_server, migrated
from tests.support.tenants import opened_engine

SCALE = 1.0 if os.environ.get("FISC_BENCH_FULL") else 0.2
# The median tenant has the same share of the small database at every scale, so its rows lie as far apart.
SMALL = Size(int(1_000_000 * SCALE), 10, int(5_000 * SCALE))
LARGE = Size(int(10_000_000 * SCALE), int(1_000 * SCALE), int(5_000 * SCALE))
MEDIAN_TENANT = 7
LARGEST_TENANT = 1
ROUNDS = 60

# The ledger has no such list yet. This is what one needs: period accounts that owe something on a day.
_OVERDUE = text("""
    SELECT e.period_account_id, sum(CASE WHEN t.debit = ANY(:receivable) THEN t.cents ELSE -t.cents END) AS cents
    FROM fisc.entries e JOIN fisc.transfers t ON t.tenant_id = e.tenant_id AND t.entry_id = e.id
    WHERE e.tenant_id = :tenant AND t.tenant_id = :tenant AND e.period_account_id IS NOT NULL
      AND e.effective_on <= :on AND (t.debit = ANY(:receivable) OR t.credit = ANY(:receivable))
    GROUP BY e.period_account_id
    HAVING sum(CASE WHEN t.debit = ANY(:receivable) THEN t.cents ELSE -t.cents END) > 0
""").bindparams(bindparam("receivable", type_=ARRAY(Text)))

Read = Callable[[UnitOfWork], object]


class Books(NamedTuple):
    """A loaded database."""

    engine: Engine
    size: Size


def bench_reads() -> Iterator[Result]:
    with ExitStack() as stack:
        server = stack.enter_context(durable_server(max_wal_size="4GB", shared_buffers="512MB"))
        small, large = (stack.enter_context(loaded(server, size)) for size in (SMALL, LARGE))
        assert answers_agree(small, large)
        for name, read in reads(MEDIAN_TENANT).items():
            yield from _compared(name, read, small, large)
        for name, read in reads(LARGEST_TENANT).items():
            took = [milliseconds(large.engine, LARGEST_TENANT, read) for _ in range(3)]
            yield Result(f"{name}, the largest tenant of {large.size}", median(took), "ms")


@contextmanager
def loaded(server: Server, size: Size) -> Iterator[Books]:
    name = f"fisc_{size.transfers}"
    database = migrated(server, name)
    load(server.superuser_url(name), size)
    with opened_engine(database, Role.APP) as engine:
        yield Books(engine, size)


def reads(tenant: int) -> dict[str, Read]:
    """What is measured. Accounts and days are those of one filer, or of one quarter."""
    filers = [period_account(tenant, number) for number in range(1, 13)]
    first, last = date(2025, 1, 1), date(2025, 3, 31)
    return {
        "trial balance": trial_balance,
        "statement of cash, a quarter": lambda uow: movements(uow, FUND, CASH, first, last),
        "statement of a receivable, all": lambda uow: movements(uow, FUND, RECEIVABLE[1]),
        "posted state of 12 accounts": lambda uow: posted_state(uow, filers),
        "overdue list": lambda uow: overdue(uow, date(2026, 6, 30)),
    }


def overdue(uow: UnitOfWork, on: date) -> Sequence[Row]:
    return uow.rows(_OVERDUE, on=on, receivable=list(RECEIVABLE))


def answers_agree(small: Books, large: Books) -> bool:
    """Whether the median tenant's books are the same in both, and not empty."""
    answers = []
    for books in (small, large):
        with reading(books.engine, MEDIAN_TENANT) as uow:
            answers.append((trial_balance(uow), len(overdue(uow, date.max))))
    return answers[0] == answers[1] and len(answers[0][0]) == ACCOUNTS and answers[0][1] > 0


def milliseconds(engine: Engine, tenant: int, read: Read) -> float:
    start = time.perf_counter()
    with reading(engine, tenant) as uow:
        read(uow)
    return (time.perf_counter() - start) * 1e3


def statements(engine: Engine, tenant: int, read: Read) -> int:
    """How many statements a read sends, besides those of its transaction."""
    sent: list[str] = []

    def note(_connection, _cursor, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        milliseconds(engine, tenant, read)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    return len(sent)


def _compared(name: str, read: Read, small: Books, large: Books) -> Iterator[Result]:
    pairs = [
        (milliseconds(small.engine, MEDIAN_TENANT, read), milliseconds(large.engine, MEDIAN_TENANT, read))
        for _ in range(ROUNDS + 5)
    ][5:]
    floor, measured = (median(times) for times in zip(*pairs, strict=True))
    yield Result(f"{name}, {large.size}", measured, "ms", floor=floor)
    yield Result(f"{name}, of {small.size}", measured / floor, "times", at_most=1.5)
    sent = max(statements(books.engine, tenant, read) for books in (small, large) for tenant in (1, MEDIAN_TENANT))
    yield Result(f"{name}, statements", sent, "sent", at_most=1)
