"""The four database roles. They belong to the whole server; several databases of Fisc share them.

`fisc_owner` migrates and owns the schemas, `fisc_app` serves the tenants and owns nothing, `fisc_host` sees
the schema `platform` alone, `fisc_backup` reads everything in order to dump it. What a role may do inside the
schemas is granted by the migrations, beside the tables; here are the roles and the right to enter a database.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import LiteralString

from psycopg import Connection, sql

from core.db.server.errors import RolesNotReady


class Role(StrEnum):
    """A database role; the value is its name on the server."""

    OWNER = "fisc_owner"
    APP = "fisc_app"
    HOST = "fisc_host"
    BACKUP = "fisc_backup"


_PLAIN: LiteralString = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION"
_ENTERING = (Role.APP, Role.HOST, Role.BACKUP)


def create_statements(role: Role) -> list[sql.Composed]:
    """The SQL that makes a role, without a password."""
    bypass: LiteralString = "BYPASSRLS" if role is Role.BACKUP else "NOBYPASSRLS"
    name = sql.Identifier(role)
    made = [sql.SQL("CREATE ROLE {} {} {}").format(name, sql.SQL(_PLAIN), sql.SQL(bypass))]
    if role is Role.BACKUP:
        made.append(sql.SQL("GRANT pg_read_all_data TO {}").format(name))
        made.append(sql.SQL("ALTER ROLE {} SET default_transaction_read_only = on").format(name))
    return made


def database_statements(database: str) -> list[sql.Composed]:
    """The SQL by which only the roles of Fisc may enter a database; none may make temporary tables."""
    names = sql.SQL(", ").join(map(sql.Identifier, _ENTERING))
    return [
        sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(sql.Identifier(database)),
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(database), names),
    ]


def missing(connection: Connection) -> list[Role]:
    """The roles that the server does not have."""
    found = connection.execute("SELECT rolname FROM pg_roles WHERE rolname = ANY(%s)", [list(Role)]).fetchall()
    return [role for role in Role if (role.value,) not in found]


def create_missing(connection: Connection, passwords: Mapping[str, str]) -> None:
    """Make the roles that are missing. Only their SCRAM verifiers travel, so no password can reach a log.

    The connection is a superuser's.
    """
    with connection.transaction():
        for role in missing(connection):
            for statement in create_statements(role):
                connection.execute(statement)
            verifier = connection.pgconn.encrypt_password(
                passwords[role].encode(), role.encode(), b"scram-sha-256"
            ).decode()
            connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(verifier)))


def create_database(connection: Connection, database: str, template: str | None = None) -> None:
    """Make a database that fisc_owner owns, empty or as a copy of another, and let the roles in.

    The connection is a superuser's, in autocommit.
    """
    connection.execute(
        # wal_log copies a small template in a few milliseconds; the other way forces two checkpoints.
        sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY wal_log").format(
            sql.Identifier(database), sql.Identifier(Role.OWNER), sql.Identifier(template or "template1")
        )
    )
    for statement in database_statements(database):
        connection.execute(statement)


_ATTRIBUTES = """
    SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolreplication,
           (SELECT coalesce(array_agg(g.rolname ORDER BY g.rolname), '{}') FROM pg_auth_members m
              JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid),
           EXISTS (SELECT FROM pg_shdepend d WHERE d.refclassid = 'pg_authid'::regclass
                      AND d.refobjid = r.oid AND d.deptype = 'o')
      FROM pg_roles r WHERE rolname = ANY(%s)
"""


def faults(connection: Connection) -> list[str]:
    """What is wrong with the roles on this server, a sentence each; empty if nothing is."""
    rows = {row[0]: row[1:] for row in connection.execute(_ATTRIBUTES, [list(Role)])}
    found: list[str] = []
    for role in Role:
        if role.value in rows:
            found += _faults_of(role, *rows[role.value])
        else:
            found.append(f"{role} does not exist")
    return found


def _faults_of(
    role: Role,
    superuser: bool,
    bypasses: bool,
    creates_roles: bool,
    replicates: bool,
    member_of: list[str],
    owns: bool,
) -> Iterable[str]:
    allowed = {"pg_read_all_data"} if role is Role.BACKUP else set()
    if superuser:
        yield f"{role} is a superuser, and must not be"
    if bypasses and role is not Role.BACKUP:
        yield f"{role} bypasses row security, and must not"
    if role is Role.BACKUP and not bypasses:
        yield f"{role} does not bypass row security, so its dumps would lack rows"
    if role is Role.BACKUP and "pg_read_all_data" not in member_of:
        yield f"{role} is not a member of pg_read_all_data, so its dumps would fail"
    if creates_roles or replicates:
        yield f"{role} may create roles or replicate, and must not"
    if role is not Role.OWNER and owns:
        yield f"{role} owns objects, and must own none"
    if role is not Role.OWNER and set(member_of) - allowed:
        yield f"{role} is a member of {', '.join(sorted(set(member_of) - allowed))}, and must not be"


def require_ready(connection: Connection) -> None:
    """Raise RolesNotReady unless all four roles are there and may exactly what Fisc relies on."""
    wrong = faults(connection)
    if wrong:
        raise RolesNotReady(
            f"The database roles are not as Fisc needs them: {'; '.join(wrong)}. Have the server's "
            f"administrator run the SQL that docs/host.md (The database) describes."
        )


def script(connection: Connection, database: str) -> str:
    """SQL for psql, to be run by an administrator: the roles that are missing, the database if it is missing.

    The connection is anybody's on that server.
    """
    absent = missing(connection)
    lines = ["-- Run with psql as a superuser of the server. \\password asks for each new role's password."]
    for role in absent:
        lines += [statement.as_string(connection) + ";" for statement in create_statements(role)]
        lines.append(f"\\password {role}")
    if connection.execute("SELECT FROM pg_database WHERE datname = %s", [database]).fetchone() is None:
        made = sql.SQL(
            "CREATE DATABASE {} OWNER {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'"
        )
        lines.append(made.format(sql.Identifier(database), sql.Identifier(Role.OWNER)).as_string(connection) + ";")
    lines += [statement.as_string(connection) + ";" for statement in database_statements(database)]
    return "\n".join(lines) + "\n"
