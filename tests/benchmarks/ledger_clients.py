"""Clients that post at the same time, each a process with a connection of its own."""

import time
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier

from core.db.engine import make_engine
from core.db.unit_of_work import in_transaction
from core.ledger.post import post
from tests.benchmarks.ledger_samples import Side, entry, keys

_SPAWN = get_context("spawn")


class Clients:
    """Processes that wait to be told what to post; they end with the block."""

    def __init__(self, address: str, tenant: int, count: int) -> None:
        self._barrier = _SPAWN.Barrier(count)
        self._pipes: list[Connection] = []
        self._processes = []
        for number in range(count):
            ours, theirs = _SPAWN.Pipe()
            arguments = (address, tenant, number, theirs, self._barrier)
            self._pipes.append(ours)
            self._processes.append(_SPAWN.Process(target=_serve, args=arguments, daemon=True))

    def __enter__(self) -> "Clients":
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *error: object) -> None:
        for pipe in self._pipes:
            pipe.send(None)
        for process in self._processes:
            process.join(timeout=10)

    def post(self, sides: Sequence[Side], each: int) -> float:
        """Seconds from the first client's start to the last one's end, each posting to accounts of its own."""
        for pipe, accounts in zip(self._pipes, sides, strict=True):
            pipe.send((accounts, each))
        spans = [pipe.recv() for pipe in self._pipes]
        return max(end for _, end in spans) - min(start for start, _ in spans)


def _serve(address: str, tenant: int, number: int, pipe: Connection, barrier: Barrier) -> None:
    engine = make_engine(address, pool_size=1)
    fresh = keys(f"client-{number}")
    while (order := pipe.recv()) is not None:
        accounts, each = order
        entries = [entry(next(fresh), accounts) for _ in range(each)]
        barrier.wait()
        start = time.perf_counter()
        for one in entries:
            in_transaction(engine, tenant, lambda uow, one=one: post(uow, one))
        pipe.send((start, time.perf_counter()))
    engine.dispose()
