"""Who owns what and who may do what. fisc_app owns nothing; nobody is granted more than the tables declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import psycopg
from sqlalchemy import Table

from core.db import roles
from core.db.base import Access
from core.db.catalog.rows import PATTERNS, SHARED_SEQUENCES
from core.db.roles import Role

# What is recorded there is never changed, whatever a declaration says.
NEVER_CHANGED = {
    "fisc.assessments",
    "fisc.attachments",
    "fisc.closings",
    "fisc.daily_runs",
    "fisc.distribution_shares",
    "fisc.distributions",
    "fisc.entries",
    "fisc.events",
    "fisc.imported_rows",
    "fisc.imports",
    "fisc.openings",
    "fisc.payments",
    "fisc.place_facts",
    "fisc.remittance_payments",
    "fisc.remittances",
    "fisc.returns",
    "fisc.revisions",
    "fisc.seals",
    "fisc.settings",
    "fisc.snapshots",
    "fisc.transfers",
}
ONLY_COLUMN = {"fisc.period_accounts": "touched_at", "fisc.requests": "answer"}
_EVER_GRANTED = {"SELECT", "INSERT", "UPDATE", "DELETE"}

Grant = tuple[str, str, str, str | None]

# Table, grantee, privilege, column (None: all), with grant option. The owner's own rights are left out.
_TABLE_GRANTS = """
    SELECT n.nspname || '.' || c.relname, coalesce(pg_get_userbyid(nullif(g.grantee, 0)), 'PUBLIC'),
    g.privilege_type, NULL::name, g.is_grantable, c.relkind
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, aclexplode(c.relacl) g
    WHERE n.nspname ~ %(ours)s AND g.grantee <> c.relowner
    UNION ALL
    SELECT n.nspname || '.' || c.relname, coalesce(pg_get_userbyid(nullif(g.grantee, 0)), 'PUBLIC'),
    g.privilege_type, a.attname, g.is_grantable, c.relkind
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid,
    aclexplode(a.attacl) g WHERE n.nspname ~ %(ours)s AND g.grantee <> c.relowner
    """


def wrong_owners(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Anything of ours that fisc_owner does not own."""
    rows = connection.execute(
        """
        SELECT c.oid::regclass::text, pg_get_userbyid(c.relowner) FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname ~ %(ours)s
        UNION ALL SELECT p.oid::regprocedure::text, pg_get_userbyid(p.proowner) FROM pg_proc p
        JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname ~ %(ours)s
        UNION ALL SELECT n.nspname, pg_get_userbyid(n.nspowner) FROM pg_namespace n
        WHERE n.nspname ~ %(ours)s AND n.nspname <> 'public'
        """,
        PATTERNS,
    )
    for name, owner in rows:
        if owner != Role.OWNER:
            yield f"{name}: owned by {owner}, not by {Role.OWNER}"


def wrong_schema_grants(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Looking into schemas: the application into all of ours, the host into `platform` alone; nobody creates."""
    rows = connection.execute(
        """
        SELECT n.nspname, coalesce(pg_get_userbyid(nullif(g.grantee, 0)), 'PUBLIC'), g.privilege_type, g.is_grantable
        FROM pg_namespace n, aclexplode(n.nspacl) g
        WHERE n.nspname ~ %(ours)s AND g.grantee <> n.nspowner
        """,
        PATTERNS,
    )
    for schema, grantee, privilege, grantable in rows:
        allowed: set[str] = {Role.APP, Role.HOST} if schema == "platform" else {Role.APP}
        if schema == "public":
            allowed = {"PUBLIC"}  # as PostgreSQL makes it; nothing of ours is in it
        if grantee not in allowed or privilege != "USAGE" or grantable:
            yield f"{schema}: {privilege} on the schema is granted to {grantee}"


def wrong_table_grants(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """What is never granted on a table, a view or a sequence, whatever is declared."""
    for table, grantee, privilege, column, grantable, kind in connection.execute(_TABLE_GRANTS, PATTERNS):
        where = f"{table}: {privilege}" + (f" ({column})" if column else "")
        if grantee not in (Role.APP, Role.HOST) or (grantee == Role.HOST and not table.startswith("platform.")):
            yield f"{where} is granted to {grantee}"
        if grantable:
            yield f"{where} is granted to {grantee} to pass on"
        if kind == "S":
            if table not in SHARED_SEQUENCES or privilege != "USAGE":
                yield f"{where} on a sequence is granted to {grantee}"
            continue
        if privilege not in _EVER_GRANTED:
            yield f"{where} is granted to {grantee}, and to nobody should be"
        if kind in "pm":
            yield f"{where} is granted to {grantee} on a partitioned table or materialised view"
        if table in NEVER_CHANGED and privilege in ("UPDATE", "DELETE"):
            yield f"{where} is granted to {grantee} where nothing is ever changed"
        if table in ONLY_COLUMN and privilege in ("UPDATE", "DELETE") and column != ONLY_COLUMN[table]:
            yield f"{where} is granted to {grantee} where only {ONLY_COLUMN[table]} may be updated"


def wrong_function_grants(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A function that everybody, or anybody but the application and the host, may execute."""
    rows = connection.execute(
        """
        SELECT p.oid::regprocedure::text, coalesce(pg_get_userbyid(nullif(g.grantee, 0)), 'PUBLIC'), g.is_grantable
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace,
        aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
        WHERE n.nspname ~ %(ours)s AND g.grantee <> p.proowner
        """,
        PATTERNS,
    )
    for function, grantee, grantable in rows:
        if grantee not in (Role.APP, Role.HOST) or grantable:
            yield f"{function}: {grantee} may execute it"


def wrong_defaults(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A grant that every future table or function would get unseen, and a database that everybody may enter."""
    rows = connection.execute(
        """
        SELECT d.defaclobjtype, coalesce(pg_get_userbyid(nullif(g.grantee, 0)), 'PUBLIC')
        FROM pg_default_acl d, aclexplode(d.defaclacl) g WHERE g.grantee <> d.defaclrole
        """
    )
    for kind, grantee in rows:
        yield f"default privileges: every new object of kind {kind} is granted to {grantee}"
    entering = connection.execute(
        """
        SELECT coalesce(pg_get_userbyid(nullif(g.grantee, 0)), 'PUBLIC'), g.privilege_type
        FROM pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) g
        WHERE d.datname = current_database() AND g.grantee <> d.datdba
        """
    )
    for grantee, privilege in entering:
        if grantee not in (Role.APP, Role.HOST, Role.BACKUP) or privilege != "CONNECT":
            yield f"the database: {privilege} is granted to {grantee}"


def wrong_roles(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A role of Fisc that may more than it should on the whole server."""
    yield from roles.faults(connection)


def other_than_declared(connection: psycopg.Connection[Any], declared: Iterable[Table]) -> Iterator[str]:
    """A table that nobody declared, one that is not there, and every grant that differs from its declaration."""
    tables = {table.fullname: table for table in declared}
    live = connection.execute(
        """
        SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname ~ %(ours)s AND c.relkind IN ('r', 'p', 'f')
        """,
        PATTERNS,
    )
    there = {name for (name,) in live} - {"platform.alembic_version"}
    for name in sorted(there ^ tables.keys()):
        yield f"{name}: the table is declared nowhere" if name in there else f"{name}: the table is not there"
    granted = {row[:4] for row in connection.execute(_TABLE_GRANTS, PATTERNS) if row[0] in tables}
    for table, grantee, privilege, column in granted ^ _declared_grants(tables.values()):
        what = f"{privilege}{f' ({column})' if column else ''} for {grantee}"
        if (table, grantee, privilege, column) in granted:
            yield f"{table}: {what} is granted and not declared"
        elif table in there:
            yield f"{table}: {what} is declared and not granted"
    yield from _unlocked(connection, tables.values())


def _declared_grants(tables: Iterable[Table]) -> set[Grant]:
    wanted: set[Grant] = set()
    for table in tables:
        wanted |= _grants(table.fullname, Role.APP, table.info["access"])
        if "host" in table.info:
            wanted |= _grants(table.fullname, Role.HOST, table.info["host"])
    return wanted


def _grants(table: str, role: Role, access: Access) -> set[Grant]:
    wanted: set[Grant] = {(table, role, "SELECT", None)}
    if access.insert:
        wanted.add((table, role, "INSERT", None))
    if access.delete:
        wanted.add((table, role, "DELETE", None))
    return wanted | {(table, role, "UPDATE", column) for column in access.update}


def _unlocked(connection: psycopg.Connection[Any], tables: Iterable[Table]) -> Iterator[str]:
    """A sealed table without its second lock, for each of UPDATE, DELETE and TRUNCATE."""
    locked = connection.execute(
        """
        SELECT n.nspname || '.' || c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        -- A statement trigger (bit 0 off) before (2) delete (8), update (16) and truncate (32), of all columns.
        WHERE t.tgfoid = to_regproc('fisc.refuse_change') AND t.tgtype = 2 + 8 + 16 + 32 AND t.tgattr = ''
        AND t.tgenabled IN ('O', 'A')
        """
    )
    names = {name for (name,) in locked}
    for table in tables:
        if table.info["access"].sealed and table.fullname not in names:
            yield f"{table.fullname}: its second lock is missing"
