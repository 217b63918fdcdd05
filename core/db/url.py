"""Where the database is: at the configured address, else on the server that comes with Fisc.

| variable | meaning |
| --- | --- |
| FISC_DATABASE_URL | the address for fisc_owner, who migrates |
| FISC_APP_DATABASE_URL, FISC_HOST_DATABASE_URL, FISC_BACKUP_DATABASE_URL | the same for the other roles |
| FISC_HOME | where Fisc keeps its data otherwise; ~/.local/share/fisc |
| FISC_PG_BIN | the bin folder of the PostgreSQL to run there, instead of the wheel's |
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from core.db import roles
from core.db.roles import Role
from core.db.server.errors import AddressMissing, DatabaseUnreachable, ServerTooOld
from core.db.server.lifecycle import Server, start
from core.db.server.version import Version, require_patched

DATABASE = "fisc"
VARIABLES = {
    Role.OWNER: "FISC_DATABASE_URL",
    Role.APP: "FISC_APP_DATABASE_URL",
    Role.HOST: "FISC_HOST_DATABASE_URL",
    Role.BACKUP: "FISC_BACKUP_DATABASE_URL",
}
CONNECT_SECONDS = 10


def home(environ: Mapping[str, str] = os.environ) -> Path:
    """Where Fisc keeps its data: FISC_HOME, else ~/.local/share/fisc."""
    named = environ.get("FISC_HOME")
    return Path(named).expanduser() if named else Path.home() / ".local" / "share" / "fisc"


class Database:
    """One database: an address for each role, and the server if it is our own."""

    def __init__(self, addresses: Mapping[Role, str], server: Server | None = None) -> None:
        self._addresses = dict(addresses)
        self.server = server

    @classmethod
    def on(cls, server: Server, name: str) -> "Database":
        """A database on a server of ours. It does not own the lease: close the server yourself."""
        return cls({role: server.url(role, name) for role in Role})

    def address(self, role: Role) -> str:
        """What psycopg.connect and pg_dump take, password included. Raises AddressMissing."""
        try:
            return self._addresses[role]
        except KeyError:
            raise AddressMissing(f"No address is known for the database role {role}. Set {VARIABLES[role]}.") from None

    def connect(self, role: Role, **options: Any) -> psycopg.Connection:
        """A new connection as this role. Raises AddressMissing, DatabaseUnreachable."""
        return _connect(self.address(role), **options)

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of our own server, if there is one; it stops when nobody else uses it."""
        if self.server is not None:
            self.server.stop()


def open_database(environ: Mapping[str, str] = os.environ) -> Database:
    """The database of this installation, its server started if it is our own.

    Keep the answer and close it at the end: our own server runs as long as somebody keeps it.
    Raises a subclass of DatabaseServerError.
    """
    given = addresses(environ)
    if not given:
        server = start(home(environ), environ=environ, prepare=_prepare)
        return Database(Database.on(server, DATABASE)._addresses, server)
    with _connect(next(iter(given.values()))) as connection:
        require_usable(connection, environ)
    return Database(given)


def make_anew(home: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Throw away the database on the server of our own under this home, whoever uses it, and make an empty one.

    The server's own data stay where they are, which may be outside the home. Raises a subclass of
    DatabaseServerError.
    """
    with (
        start(home, environ=environ, prepare=_prepare) as server,
        psycopg.connect(server.superuser_url(), autocommit=True) as connection,
    ):
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(DATABASE)))
        roles.create_database(connection, DATABASE)


def addresses(environ: Mapping[str, str]) -> dict[Role, str]:
    """The configured addresses by role; empty if none is configured.

    With the owner's alone, the others are the same without the password, which libpq then looks for in
    ~/.pgpass. A web worker should get FISC_APP_DATABASE_URL and not the owner's.
    """
    # SQLAlchemy's way of writing the scheme is common in such variables, and libpq rejects it.
    given = {
        role: environ[name].replace("postgresql+psycopg://", "postgresql://", 1)
        for role, name in VARIABLES.items()
        if environ.get(name)
    }
    if Role.OWNER not in given:
        return given
    parts = {key: value for key, value in _parse(given[Role.OWNER]).items() if key != "password"}
    derived = {role: make_conninfo("", **(parts | {"user": str(role)})) for role in Role}
    return derived | given


def _parse(address: str) -> dict[str, Any]:
    try:
        return dict(conninfo_to_dict(address))
    except psycopg.ProgrammingError:
        # Not the text of the error: it may quote the password.
        raise DatabaseUnreachable(
            "FISC_DATABASE_URL is not an address that PostgreSQL understands. Write it as "
            "postgresql://fisc_owner:password@host:5432/fisc, with special characters percent-encoded."
        ) from None


def _connect(address: str, **options: Any) -> psycopg.Connection:
    parts = _parse(address)
    options.setdefault("connect_timeout", parts.get("connect_timeout", CONNECT_SECONDS))
    try:
        return psycopg.connect(address, **options)
    except psycopg.OperationalError as error:
        raise DatabaseUnreachable(
            f"No connection to database {parts.get('dbname', '')!r} as {parts.get('user', '')!r}: "
            f"{str(error).strip()}\nSee that the server runs, that the address and the password are right, "
            f"and that pg_hba.conf lets this role in."
        ) from error


def require_usable(connection: psycopg.Connection, environ: Mapping[str, str]) -> None:
    """Raise ServerTooOld, or DatabaseUnreachable if the database does not keep its text in UTF-8."""
    row = connection.execute(
        "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), current_database()"
    ).fetchone()
    if row is None:
        raise ServerTooOld("The server does not tell its version.")
    require_patched(Version.from_number(row[0]), environ)
    if row[1] != "UTF8":
        raise DatabaseUnreachable(
            f"Database {row[2]!r} keeps its text in {row[1]}; Fisc needs UTF8. Make it anew with "
            f"ENCODING 'UTF8' TEMPLATE template0."
        )


def _prepare(server: Server) -> None:
    """Make the roles and the database on a server of our own; each step does nothing if it is done."""
    passwords = server.set_passwords(*Role)
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        roles.create_missing(connection, passwords)
        found = connection.execute("SELECT datacl FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
        if found is None:
            roles.create_database(connection, DATABASE)
        elif found[0] is None:  # we were interrupted between making it and letting the roles in
            for statement in roles.database_statements(DATABASE):
                connection.execute(statement)
