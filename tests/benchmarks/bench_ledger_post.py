"""Posting to the books with all guards on, next to bare psycopg running the same transaction on the same server.

Each way takes its turn in every round, so that a busy moment of the machine meets them all; ratios are of medians.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import NamedTuple

import psycopg
from sqlalchemy import Engine

from core.db.roles import Role
from core.db.unit_of_work import in_transaction
from core.db.uuid7 import uuid7
from core.ledger.post import Entry, post, post_many
from tests.benchmarks import Result
from tests.benchmarks.ledger_clients import Clients
from tests.benchmarks.ledger_samples import (
    as_batch,
    connected,
    entry,
    keys,
    ratio_of_medians,
    side,
    unguarded_tables,
    with_tenant,
)
from tests.support.durable_server import durable_server, migrated
from tests.support.tenants import opened_engine

ROUNDS = 40
EACH = 100
BATCH = 1_000
BATCHES = 15
CLIENTS = 8
EACH_CLIENT = 50

_FUNCTION = "SELECT id, seq FROM fisc.post(%s, %s)"
_ENTRY = """
    INSERT INTO bare.entries (tenant_id, id, key, kind, effective_on, booked_on, recorded_on, period_account_id,
        event_seqs, narrative, lines)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id, seq
"""
_LINES = """
    INSERT INTO bare.transfers (tenant_id, entry_id, line, lines, effective_on, booked_on, recorded_on, fund, debit,
        credit, cents, charge_kind, clause_id, section, rule_version, value_ids, computation)
    VALUES
""" + ", ".join(["(" + ", ".join(["%s"] * 17) + ")"] * 3)


class Took(NamedTuple):
    """Seconds by the clock, and seconds of processor of this process."""

    wall: float
    cpu: float


Way = Callable[[Sequence[Entry]], Callable[[], object]]  # given entries, what is to be timed


def bench_one_client() -> Iterator[Result]:
    took = one_client()
    rates = {name: EACH / median(one.wall for one in times) for name, times in took.items()}
    yield Result("entries posted, one client", rates["post"], "a second", floor=rates["function"])
    yield Result("one entry, client", _cpu(took["post"], EACH), "us of CPU", floor=_cpu(took["function"], EACH))
    yield Result("posting, of bare psycopg", rates["post"] / rates["function"], "of bare", at_least=0.6)
    yield Result("posting, of plain INSERTs without guards", rates["post"] / rates["inserts"], "of bare")


def bench_without_waiting_for_the_disk() -> Iterator[Result]:
    """No target: it shows what the disk hides above. Production waits for it."""
    took = one_client(synchronous_commit="off")
    rates = {name: EACH / median(one.wall for one in times) for name, times in took.items()}
    yield Result("entries posted, not waiting for the disk", rates["post"], "a second", floor=rates["function"])


def bench_batches() -> Iterator[Result]:
    with durable_server() as server:
        database = migrated(server, "fisc")
        tenant = with_tenant(database, [side()])
        with opened_engine(database, Role.APP) as app, connected(database.address(Role.APP)) as bare:
            ways = {
                "post": partial(batch_by_fisc, app, tenant),
                "function": partial(batch_by_function, bare, tenant),
            }
            took = in_turns(ways, BATCH, BATCHES)
    rates = {name: BATCH / median(one.wall for one in times) for name, times in took.items()}
    yield Result("entries posted in batches of 1,000", rates["post"], "a second", floor=rates["function"])
    yield Result(
        "batches of 1,000, client", _cpu(took["post"], BATCH), "us of CPU", floor=_cpu(took["function"], BATCH)
    )
    yield Result("batches of 1,000, of the bare batch", rates["post"] / rates["function"], "of bare", at_least=0.8)


def bench_hot_account() -> Iterator[Result]:
    sides = [side(), *(side(f"-{number}") for number in range(CLIENTS))]
    with durable_server() as server:
        database = migrated(server, "fisc")
        tenant = with_tenant(database, sides)
        with Clients(database.address(Role.APP), tenant, CLIENTS) as clients:
            hot: list[float] = []
            many: list[float] = []
            for turn in range(ROUNDS + 2):
                pair = clients.post([sides[0]] * CLIENTS, EACH_CLIENT), clients.post(sides[1:], EACH_CLIENT)
                if turn >= 2:
                    hot.append(pair[0])
                    many.append(pair[1])
    each = CLIENTS * EACH_CLIENT
    rate, floor = each / median(hot), each / median(many)
    yield Result("entries posted, eight clients, one cash account", rate, "a second", floor=floor)
    yield Result("one cash account, of many", ratio_of_medians(hot, many), "of many", at_least=0.8)


def one_client(**settings: str) -> dict[str, list[Took]]:
    """What each way took, on a server with these settings."""
    with durable_server(**settings) as server:
        database = migrated(server, "fisc")
        unguarded_tables(server, "fisc")
        tenant = with_tenant(database, [side()])
        with opened_engine(database, Role.APP) as app, connected(database.address(Role.APP)) as bare:
            ways = {
                "post": partial(by_fisc, app, tenant),
                "function": partial(by_function, bare, tenant),
                "inserts": partial(by_inserts, bare, tenant),
            }
            return in_turns(ways, EACH, ROUNDS)


def by_fisc(engine: Engine, tenant: int, entries: Sequence[Entry]) -> Callable[[], object]:
    def work() -> None:
        for one in entries:
            in_transaction(engine, tenant, lambda uow, one=one: post(uow, one))

    return work


def batch_by_fisc(engine: Engine, tenant: int, entries: Sequence[Entry]) -> Callable[[], object]:
    return lambda: in_transaction(engine, tenant, lambda uow: post_many(uow, entries))


def by_function(bare: psycopg.Connection, tenant: int, entries: Sequence[Entry]) -> Callable[[], object]:
    batches = [as_batch([one]) for one in entries]

    def work() -> None:
        for batch in batches:
            call(bare, tenant, batch)

    return work


def batch_by_function(bare: psycopg.Connection, tenant: int, entries: Sequence[Entry]) -> Callable[[], object]:
    batch = as_batch(entries)
    return lambda: call(bare, tenant, batch)


def call(bare: psycopg.Connection, tenant: int, batch: str) -> None:
    bare.execute(f"BEGIN; SET LOCAL fisc.tenant = '{tenant}'")
    bare.execute(_FUNCTION, (tenant, batch)).fetchall()
    bare.execute("COMMIT")


def by_inserts(bare: psycopg.Connection, tenant: int, entries: Sequence[Entry]) -> Callable[[], object]:
    rows = [_rows(tenant, one) for one in entries]

    def work() -> None:
        for header, lines in rows:
            bare.execute(f"BEGIN; SET LOCAL fisc.tenant = '{tenant}'")
            bare.execute(_ENTRY, header).fetchall()
            bare.execute(_LINES, lines)
            bare.execute("COMMIT")

    return work


def in_turns(ways: dict[str, Way], each: int, rounds: int) -> dict[str, list[Took]]:
    """Time `rounds` turns of each way with entries of its own. Two turns before that are for warming up."""
    took: dict[str, list[Took]] = {name: [] for name in ways}
    fresh = keys("entry")
    for turn in range(rounds + 2):
        for name, way in ways.items():
            time_taken = timed(way([entry(next(fresh), side()) for _ in range(each)]))
            if turn >= 2:
                took[name].append(time_taken)
    return took


def timed(work: Callable[[], object]) -> Took:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Took(time.perf_counter() - wall, time.process_time() - cpu)


def _cpu(times: Sequence[Took], each: int) -> float:
    return median(one.cpu for one in times) / each * 1e6


def _rows(tenant: int, one: Entry) -> tuple[list, list]:
    entry_id, count = uuid7(), len(one.transfers)
    days = [one.effective_on, one.booked_on, one.recorded_on]
    header = [tenant, entry_id, one.key, one.kind, *days, one.period_account_id, list(one.event_seqs), one.narrative]
    lines: list = []
    for number, moved in enumerate(one.transfers, start=1):
        lines += [tenant, entry_id, number, count, *days, moved.fund, moved.debit, moved.credit, moved.cents]
        lines += [moved.charge_kind, moved.clause_id, moved.section, moved.rule_version, list(moved.value_ids)]
        lines.append(moved.computation)
    return [*header, count], lines
