"""A PostgreSQL server for the tests: one a run, one migrated template, and a copy of it for each test.

FISC_TEST_PG_BIN names the bin folder of another PostgreSQL to run them on, such as
/usr/lib/postgresql/15/bin. fsync is off here and nowhere else; a commit still reaches the system's cache, so
what is committed survives the death of any process.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from core.db import roles
from core.db.roles import Role
from core.db.server.lifecycle import Server, start
from core.db.url import Database

TEMPLATE = "fisc_template"

Migrate = Callable[[Database], None]


def chosen_binaries() -> Path | None:
    """The bin folder to test with, None for the wheel's."""
    named = os.environ.get("FISC_TEST_PG_BIN")
    return Path(named) if named else None


class Cluster:
    """The server of this test run. Workers of pytest-xdist share it."""

    def __init__(self, home: Path) -> None:
        self._lock_file = home / "databases.lock"
        self._numbers = count(1)
        self.server = start(home, binaries=chosen_binaries(), durable=False, prepare=_make_roles)

    def template(self, build: Migrate, name: str = TEMPLATE) -> str:
        """The name of a database that `build` filled; built once a run, and appearing whole or not at all."""
        with self._one_at_a_time(), self._superuser() as connection:
            if not _exists(connection, name):
                unfinished = f"{name}_new"
                _drop(connection, unfinished)
                roles.create_database(connection, unfinished)
                build(Database.on(self.server, unfinished))
                rename = sql.SQL("ALTER DATABASE {} RENAME TO {}")
                connection.execute(rename.format(sql.Identifier(unfinished), sql.Identifier(name)))
        return name

    @contextmanager
    def database(self, template: str | None = None) -> Iterator[Database]:
        """A database of its own, empty or a copy of the template (20 to 50 ms), dropped at the end."""
        name = f"test_{os.getpid()}_{next(self._numbers)}"
        with self._one_at_a_time(), self._superuser() as connection:
            roles.create_database(connection, name, template)
        try:
            yield Database.on(self.server, name)
        finally:
            with self._superuser() as connection:
                _drop(connection, name)

    def superuser(self, database: Database) -> psycopg.Connection:
        """A superuser's connection to a test database, to play the attacker who has one."""
        name = psycopg.conninfo.conninfo_to_dict(database.address(Role.OWNER))["dbname"]
        return psycopg.connect(self.server.superuser_url(str(name)))

    def _superuser(self) -> psycopg.Connection:
        return psycopg.connect(self.server.superuser_url(), autocommit=True)

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        # Parallel copies of a template slow each other down to a crawl, and block each other on the template.
        with self._lock_file.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _make_roles(server: Server) -> None:
    passwords = server.set_passwords(*Role)
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        roles.create_missing(connection, passwords)


def _exists(connection: psycopg.Connection, name: str) -> bool:
    found = connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone()
    return found is not None


def _drop(connection: psycopg.Connection, name: str) -> None:
    connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The server of this test run."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    home = shared / "postgres-home"
    home.mkdir(exist_ok=True)
    cluster = Cluster(home)
    yield cluster
    cluster.server.stop()


@pytest.fixture(scope="session")
def migrate() -> Migrate:
    """How to fill the template. tests/conftest.py overrides it with the migrations."""
    return lambda database: None


@pytest.fixture(scope="session")
def migrated_template(postgres: Cluster, migrate: Migrate) -> str:
    """The name of the migrated template."""
    return postgres.template(migrate)


@pytest.fixture
def database(postgres: Cluster, migrated_template: str) -> Iterator[Database]:
    """A migrated, empty database for one test."""
    with postgres.database(migrated_template) as made:
        yield made
