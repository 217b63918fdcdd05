"""Bring the database's schema up to date, and say where it stands."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

import core
from core.db.base import PLATFORM_SCHEMA
from core.db.engine import make_engine
from core.db.roles import Role
from core.db.server.errors import DatabaseServerError as DatabaseNotUsable
from core.db.url import Database, make_anew, open_database

__all__ = [
    "DatabaseNotUsable",
    "current",
    "expected",
    "make_anew",
    "migrations_config",
    "upgrade",
    "upgrade_installation",
]

MIGRATIONS = Path(core.__path__[0]).parent / "migrations"


def upgrade(database: Database, *, branches: tuple[Path, ...] = (), to: str = "heads") -> tuple[str, ...]:
    """Run what is missing up to `to`, as fisc_owner, and answer with the revisions reached.

    `branches` are folders with the migrations of plugins. Raises AddressMissing, DatabaseUnreachable.
    """
    config = migrations_config(branches)
    config.attributes["address"] = database.address(Role.OWNER)
    command.upgrade(config, to)
    engine = make_engine(database.address(Role.OWNER), pool_size=1)
    try:
        return current(engine)
    finally:
        engine.dispose()


def upgrade_installation(
    *, branches: tuple[Path, ...] = (), environ: Mapping[str, str] = os.environ
) -> tuple[str, ...]:
    """`upgrade` for the database of this installation, which it finds, starts if need be, and lets go."""
    with open_database(environ) as database:
        return upgrade(database, branches=branches)


def current(engine: Engine) -> tuple[str, ...]:
    """The revisions that the database is at, one for each branch; empty before the first migration."""
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table_schema": PLATFORM_SCHEMA})
        return tuple(sorted(context.get_current_heads()))


def expected(branches: tuple[Path, ...] = ()) -> tuple[str, ...]:
    """The revisions that this version of Fisc needs."""
    return tuple(sorted(ScriptDirectory.from_config(migrations_config(branches)).get_heads()))


def migrations_config(branches: tuple[Path, ...] = ()) -> Config:
    """Alembic's configuration: core's migrations, and a folder for each branch."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    folders = [MIGRATIONS / "versions", *branches]
    config.set_main_option("version_locations", "\n".join(str(folder).replace("%", "%%") for folder in folders))
    config.set_main_option("path_separator", "newline")
    return config
