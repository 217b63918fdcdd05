"""Posting while everything around it is killed: nothing acknowledged is lost, nothing is posted twice.

Eight clients post under keys of their own and send again whatever was not acknowledged. Meanwhile clients, back ends
and the postmaster are killed at random. The negative control runs the same with `synchronous_commit` off, and has to
lose entries that were acknowledged, else the test would show nothing.

FISC_KILL_POSTINGS sets how much each client posts, 1000 for the full size.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from core.db import roles
from core.db.roles import Role
from core.db.server.lifecycle import Server, start
from core.db.unit_of_work import in_transaction, reading
from core.db.url import Database
from core.ledger.read import journal, trial_balance
from core.services.database import upgrade
from tests.support.numbered_entries import open_books
from tests.support.postgres import chosen_binaries
from tests.support.posting_client import acknowledged, balances_after, entries_of
from tests.support.server_processes import ROOT, gone_within
from tests.support.tenants import new_tenant, opened_engine

pytestmark = [pytest.mark.database, pytest.mark.slow]

CLIENTS = [f"client-{number}" for number in range(8)]
POSTINGS = int(os.environ.get("FISC_KILL_POSTINGS", "60"))
PAUSE_SECONDS = max(0.01, 4.0 / POSTINGS)
UNTIL_NEXT_KILL_SECONDS = 0.25
# Only so that a hang ends: how long it takes is no promise.
LONGEST_SECONDS = 300 + 0.5 * POSTINGS
FORGETFUL = {"synchronous_commit": "off", "wal_writer_delay": "10s", "wal_writer_flush_after": "1GB"}
CONTROL_CLIENTS, CONTROL_POSTINGS, CONTROL_TRIES = CLIENTS[:2], 40, 8
NAME = "fisc"


class Books:
    """A town's books on a server of their own, and the clients that post to them."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.settings = settings
        self.clients: dict[str, subprocess.Popen[bytes]] = {}
        self.server = self._start(first=True)
        with psycopg.connect(self.server.superuser_url(), autocommit=True) as connection:
            roles.create_database(connection, NAME)
        upgrade(self.database)
        with opened_engine(self.database, Role.HOST) as host, opened_engine(self.database, Role.APP) as app:
            self.tenant = new_tenant(host, "alpha").id
            in_transaction(app, self.tenant, open_books)
        with psycopg.connect(self.server.superuser_url(), autocommit=True) as connection:
            connection.execute("CHECKPOINT")  # so that the tables themselves outlive a server that forgets
        self._tell_address()

    @property
    def database(self) -> Database:
        return Database.on(self.server, NAME)

    def restart(self) -> None:
        """Start the server on the same data after its death."""
        self.server.stop()
        self.server = self._start()
        self._tell_address()

    def send(self, name: str, postings: int, pause_seconds: float) -> None:
        """Let a client begin, or go on where it was killed."""
        words = [self.folder, name, self.tenant, postings, pause_seconds]
        self.clients[name] = subprocess.Popen(
            [sys.executable, "-m", "tests.support.posting_client", *map(str, words)], cwd=ROOT
        )

    def acknowledged_keys(self, names: list[str]) -> list[str]:
        """Keys of the entries that were acknowledged."""
        return [
            entry.key
            for name in names
            for number in acknowledged(self.folder, name)
            for entry in entries_of(name, number)
        ]

    def kept_keys(self) -> Counter[str]:
        """How often each key is in the books."""
        with opened_engine(self.database, Role.APP) as app, reading(app, self.tenant) as uow:
            return Counter(one.entry.key for one in journal(uow))

    def back_ends(self) -> list[int]:
        """The process ids of the clients' back ends."""
        with psycopg.connect(self.server.superuser_url()) as connection:
            found = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE usename = 'fisc_app' AND backend_type = 'client backend'"
            ).fetchall()
        return [pid for (pid,) in found]

    def end(self) -> None:
        for client in self.clients.values():
            client.kill()
            client.wait()
        self.server.stop()

    def _start(self, *, first: bool = False) -> Server:
        prepare = _make_roles if first else None
        return start(self.home, binaries=chosen_binaries(), settings=self.settings, durable=True, prepare=prepare)

    def _tell_address(self) -> None:
        new = self.folder / "address.new"
        new.write_text(self.database.address(Role.APP))
        new.rename(self.folder / "address")


def _make_roles(server: Server) -> None:
    passwords = server.set_passwords(*Role)
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        roles.create_missing(connection, passwords)


@contextmanager
def books_on_their_own_server(folder: Path, settings: Mapping[str, str]) -> Iterator[Books]:
    books = Books(folder, settings)
    try:
        yield books
    finally:
        books.end()
        assert gone_within(books.home, 10) == {}


class Killer:
    """Kills one thing after another, in an order that is random and fixed."""

    def __init__(self, books: Books) -> None:
        self.books = books
        self.random = random.Random(2026)
        self.killed: Counter[str] = Counter()
        self.ways = {
            "client": self.client,
            "back end, terminated": self.terminate_back_end,
            "back end, SIGKILL": self.kill_back_end,
            "postmaster, SIGKILL": lambda: self.postmaster(signal.SIGKILL),
            "postmaster, SIGQUIT": lambda: self.postmaster(signal.SIGQUIT),
        }
        self.next: list[str] = []

    def kill_something(self) -> None:
        """The next of the ways, each once in a random order, and so on."""
        if not self.next:
            self.next = self.random.sample(list(self.ways), len(self.ways))
        way = self.next.pop()
        # A back end may end, or the server be in recovery, between our look and our blow.
        with suppress(psycopg.OperationalError, ProcessLookupError):
            if self.ways[way]():
                self.killed[way] += 1

    def client(self) -> bool:
        running = [name for name, client in self.books.clients.items() if client.poll() is None]
        if not running:
            return False
        name = self.random.choice(running)
        self.books.clients[name].kill()
        self.books.clients[name].wait()
        self.books.send(name, POSTINGS, PAUSE_SECONDS)
        return True

    def terminate_back_end(self) -> bool:
        found = self.books.back_ends()
        if found:
            with psycopg.connect(self.books.server.superuser_url(), autocommit=True) as connection:
                connection.execute("SELECT pg_terminate_backend(%s)", [self.random.choice(found)])
        return bool(found)

    def kill_back_end(self) -> bool:
        found = self.books.back_ends()
        if found:
            os.kill(self.random.choice(found), signal.SIGKILL)
        return bool(found)

    def postmaster(self, how: signal.Signals) -> bool:
        os.kill(self.books.server.pid, how)
        self.books.restart()
        return True


def test_nothing_acknowledged_is_lost_and_nothing_is_posted_twice(tmp_path: Path) -> None:
    with books_on_their_own_server(tmp_path, {}) as books:
        killer = Killer(books)
        for name in CLIENTS:
            books.send(name, POSTINGS, PAUSE_SECONDS)
        began = time.monotonic()
        while any(client.poll() is None for client in books.clients.values()):
            time.sleep(UNTIL_NEXT_KILL_SECONDS)
            killer.kill_something()
            assert time.monotonic() - began < LONGEST_SECONDS, f"the clients do not come to an end: {killer.killed}"
        assert {name: client.returncode for name, client in books.clients.items()} == dict.fromkeys(CLIENTS, 0)
        # The last blow falls when everything is acknowledged.
        killer.postmaster(signal.SIGKILL)
        took = time.monotonic() - began
        said, kept = books.acknowledged_keys(CLIENTS), books.kept_keys()
        print(f"{len(said)} entries, {sum(killer.killed.values())} killed in {took:.1f} s: {dict(killer.killed)}")
        assert min(killer.killed[way] for way in killer.ways) > 0, f"not everything was killed: {killer.killed}"
        assert len(said) == len(set(said))
        assert set(said) - kept.keys() == set()
        assert kept == Counter(said)
        _assert_books_are_whole(books)


def _assert_books_are_whole(books: Books) -> None:
    """Each entry has its lines, each fund is at zero, and the balances are those of everything posted once."""
    with opened_engine(books.database, Role.APP) as app, reading(app, books.tenant) as uow:
        balances = trial_balance(uow)
        short = uow.driver.execute(
            "SELECT e.key FROM fisc.entries e LEFT JOIN fisc.transfers t ON t.entry_id = e.id"
            " GROUP BY e.tenant_id, e.id HAVING count(t.line) <> e.lines"
        ).fetchall()
    assert short == []
    funds: Counter[str] = Counter()
    for one in balances:
        funds[one.fund] += one.cents
    assert set(funds.values()) == {0}
    found = {(one.fund, one.number): one.cents for one in balances if one.cents}
    assert found == balances_after(CLIENTS, POSTINGS)


def test_without_synchronous_commit_it_would_lose_what_was_acknowledged(tmp_path: Path) -> None:
    """The negative control: the same check on a server that acknowledges before it has written."""
    with books_on_their_own_server(tmp_path, FORGETFUL) as books:
        for tried in range(1, CONTROL_TRIES + 1):
            for name in CONTROL_CLIENTS:
                books.send(name, CONTROL_POSTINGS * tried, 0.0)
            for name in CONTROL_CLIENTS:
                assert books.clients[name].wait(60) == 0
            os.kill(books.server.pid, signal.SIGKILL)
            books.restart()
            said = set(books.acknowledged_keys(CONTROL_CLIENTS))
            lost = said - books.kept_keys().keys()
            if lost:
                print(f"{len(lost)} of {len(said)} acknowledged entries lost, at try {tried}")
                return
    pytest.fail("nothing was lost with synchronous_commit=off, so the kill test would not notice a loss")
