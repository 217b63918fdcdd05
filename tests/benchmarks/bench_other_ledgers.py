"""Posting next to two other Python ledgers, each through its documented calls, on the same durable server.

They are installed for the length of the benchmark into a folder of their own, and left out, with a line that says so,
where that cannot be done. An entry of theirs has four legs, one on cash and three on receivables; ours has three
transfers between the same accounts, which is six. Both post it whole, checked and committed before the next.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psycopg

from core.db.roles import Role
from core.db.unit_of_work import in_transaction
from core.ledger.post import post
from tests.benchmarks import Result
from tests.benchmarks.ledger_samples import entry, keys, side, with_tenant
from tests.support.durable_server import durable_server, migrated
from tests.support.tenants import opened_engine

ROUNDS = 15
SECONDS = 0.4  # short, so that a busy moment of the disk meets both
INSTALL_SECONDS = 300
SCRIPTS = Path(__file__).parent / "others"


class Other(NamedTuple):
    """Another ledger. `packages` is what pip installs; `alone` leaves out what else the package asks for."""

    name: str
    script: str
    packages: tuple[str, ...]
    alone: tuple[str, ...] = ()


OTHERS = (
    Other("django-ledger 0.8.5", "django_ledger_posts.py", ("django-ledger==0.8.5", "psycopg[binary]==3.3.9")),
    # It asks for a driver of MySQL too, which needs MySQL's headers to build and is not used here.
    Other(
        "python-accounting 2.0.0",
        "python_accounting_posts.py",
        ("sqlalchemy==2.1.9", "psycopg2-binary==2.9.13", "python-dateutil==2.9.0.post0"),
        alone=("python-accounting==2.0.0",),
    ),
)

Turn = Callable[[], tuple[float, float]]  # entries a second, and microseconds of the client's processor for one


def bench_other_ledgers() -> Iterator[Result]:
    with TemporaryDirectory(prefix="fisc-others-") as folder, ExitStack() as stack:
        pythons = {other: installed(other, Path(folder) / other.script) for other in OTHERS}
        server = stack.enter_context(durable_server())
        ours = stack.enter_context(fisc(server))
        for other, python in pythons.items():
            if python is None:
                yield Result(f"{other.name} cannot be installed here: skipped", 0, "")
                continue
            url = _database(server, other.script.removesuffix(".py"))
            with posting(python, other, url) as theirs:
                yield from _compared(other, ours, theirs)


def installed(other: Other, folder: Path) -> Path | None:
    """The interpreter of a new environment with this ledger in it, None where it cannot be had."""
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps = [[sys.executable, "-m", "venv", str(folder)], [*pip, *other.packages]]
    if other.alone:
        steps.append([*pip, "--no-deps", *other.alone])
    try:
        for step in steps:
            subprocess.run(step, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return python


@contextmanager
def fisc(server) -> Iterator[Turn]:
    database = migrated(server, "fisc")
    tenant = with_tenant(database, [side()])
    fresh = keys("entry")
    with opened_engine(database, Role.APP) as app:

        def turn() -> tuple[float, float]:
            done, wall, cpu = 0, time.perf_counter(), time.process_time()
            while time.perf_counter() < wall + SECONDS:
                one = entry(next(fresh), side())
                in_transaction(app, tenant, lambda uow: post(uow, one))  # noqa: B023 (it runs at once)
                done += 1
            return done / (time.perf_counter() - wall), (time.process_time() - cpu) / done * 1e6

        yield turn


@contextmanager
def posting(python: Path, other: Other, url: str) -> Iterator[Turn]:
    """Another ledger in a process of its own, set up and waiting for its turns."""
    command = [str(python), "-W", "ignore", str(SCRIPTS / other.script), url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def turn() -> tuple[float, float]:
            print(SECONDS, file=process.stdin, flush=True)
            done, wall, cpu = map(float, process.stdout.readline().split())
            return done / wall, cpu / done * 1e6

        yield turn
        process.stdin.close()


def _compared(other: Other, ours: Turn, theirs: Turn) -> Iterator[Result]:
    turns = [(ours(), theirs()) for _ in range(ROUNDS + 1)][1:]
    our_rate, our_cpu = (median(figures) for figures in zip(*(pair[0] for pair in turns), strict=True))
    rate, cpu = (median(figures) for figures in zip(*(pair[1] for pair in turns), strict=True))
    yield Result(f"entries posted by {other.name}", rate, "a second")
    yield Result("entries posted by Fisc beside it", our_rate, "a second", floor=rate)
    yield Result(f"one entry by {other.name}, client", cpu, "us of CPU", floor=our_cpu)
    yield Result(f"Fisc, of {other.name}", our_rate / rate, "times", at_least=10)


def _database(server, name: str) -> str:
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.superuser_url(name)
