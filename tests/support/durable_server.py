"""A server that loses nothing, for the benchmarks: fsync on, as in production, in a folder that is gone afterwards.

FISC_TEST_PG_BIN names the bin folder of another PostgreSQL to measure on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from core.db import roles
from core.db.roles import Role
from core.db.server.lifecycle import Server, start
from core.db.url import Database
from core.services.database import upgrade
from tests.support.postgres import chosen_binaries


@contextmanager
def durable_server(**settings: str) -> Iterator[Server]:
    """A durable server with the roles of Fisc. `settings` are PostgreSQL's own."""
    with (
        TemporaryDirectory(prefix="fisc-bench-") as home,
        start(Path(home), binaries=chosen_binaries(), settings=settings, prepare=_make_roles) as server,
    ):
        yield server


def migrated(server: Server, name: str) -> Database:
    """A new database with all tables of Fisc."""
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        roles.create_database(connection, name)
    database = Database.on(server, name)
    upgrade(database)
    return database


def _make_roles(server: Server) -> None:
    passwords = server.set_passwords(*Role)
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        roles.create_missing(connection, passwords)
