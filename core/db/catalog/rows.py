"""Row security, the tenant's column, and what a column may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg

# Tenants' rows are in the schema `fisc` and in one for each plugin. Every query of the catalog gets these patterns.
PATTERNS = {"tenants": "^(fisc$|plugin_)", "ours": "^(fisc$|platform$|public$|plugin_)"}

# How PostgreSQL 15 to 18 write core.db.migrate.POLICY back.
_POLICY = (
    "(tenant_id = ( SELECT (NULLIF(current_setting('fisc.tenant'::text, true), ''::text))::integer AS \"nullif\"))"
)

_MINE = "(login_id = ( SELECT (NULLIF(current_setting('fisc.login'::text, true), ''::text))::uuid AS \"nullif\"))"
# Name, every command, permissive, to the application, to the host, what is seen, what may be written.
_MEMBERSHIP_POLICIES = [
    ["host", True, True, False, True, "true", "true"],
    ["member", True, True, True, False, f"({_MINE} OR {_POLICY})", f"({_POLICY} AND (role = 'filer'::text))"],
]

# Each with the reason why what it would tell is told to nobody.
SHARED_SEQUENCES: dict[str, str] = {
    "fisc.entry_seq": "the order of entries; it leaves core.ledger for nobody, and the application cannot read it",
}


def unexpected_schemas(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A schema that no rule looks into, or a table in the schema where PostgreSQL puts what has no name.

    The schema `extensions` holds what comes with PostgreSQL and nothing of ours; nobody may look into it.
    """
    schemas = connection.execute(
        """
        SELECT n.nspname FROM pg_namespace n WHERE n.nspname !~ %(ours)s AND n.nspname <> 'information_schema'
        AND n.nspname !~ '^pg_' AND NOT (n.nspname = 'extensions' AND n.nspacl IS NULL AND NOT EXISTS (
          SELECT FROM pg_class c WHERE c.relnamespace = n.oid))
        """,
        PATTERNS,
    )
    for (schema,) in schemas:
        yield f"{schema}: a schema that is not Fisc's"
    stray = connection.execute(
        """
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = to_regnamespace('public') AND c.relkind NOT IN ('i', 'c')
        """
    )
    for (name,) in stray:
        yield f"public.{name}: nothing belongs in the schema public"


def unsecured_tables(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A table of tenants' rows without row security, or one whose owner passes it by."""
    rows = connection.execute(
        """
        SELECT c.oid::regclass::text, c.relrowsecurity, c.relforcerowsecurity,
        (SELECT a.attname = 'tenant_id' AND a.attnotnull AND a.atttypid = 'int4'::regtype
           FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = 1)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname ~ %(tenants)s AND c.relkind IN ('r', 'p', 'f')
        """,
        PATTERNS,
    )
    for table, enabled, forced, tenant_first in rows:
        if not enabled:
            yield f"{table}: row security is not enabled"
        if not forced:
            yield f"{table}: row security is not forced, so the owner sees every tenant"
        if not tenant_first:
            yield f"{table}: its first column is not tenant_id integer NOT NULL"


def wrong_policies(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Not exactly one permissive policy, for every command and role, on the tenant. Restrictive ones only narrow."""
    rows = connection.execute(
        """
        SELECT c.oid::regclass::text, coalesce(jsonb_agg(jsonb_build_array(p.polname, p.polcmd = '*',
        p.polroles = '{0}', pg_get_expr(p.polqual, c.oid), pg_get_expr(p.polwithcheck, c.oid)))
        FILTER (WHERE p.polpermissive), '[]')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_policy p ON p.polrelid = c.oid
        WHERE n.nspname ~ %(tenants)s AND c.relkind IN ('r', 'p', 'f') GROUP BY c.oid
        """,
        PATTERNS,
    )
    for table, policies in rows:
        if len(policies) != 1:
            names = ", ".join(policy[0] for policy in policies) or "none"
            yield f"{table}: one permissive policy is right, it has {names}"
        for name, every_command, every_role, using, checked in policies:
            if not every_command or not every_role:
                yield f"{table}: policy {name} is not for every command and every role"
            if using != _POLICY or checked != _POLICY:
                yield f"{table}: policy {name} asks something other than the tenant"


def wrong_membership_policies(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Memberships span tenants, so row security there shows a login its own and a municipality its people's.

    The application may write those of a municipality's filers alone: nobody is made staff or host by it.
    """
    row = connection.execute(
        """
        SELECT c.relrowsecurity AND c.relforcerowsecurity,
        (SELECT jsonb_agg(jsonb_build_array(p.polname, p.polcmd = '*', p.polpermissive,
            p.polroles = ARRAY[to_regrole('fisc_app')::oid], p.polroles = ARRAY[to_regrole('fisc_host')::oid],
            pg_get_expr(p.polqual, c.oid), pg_get_expr(p.polwithcheck, c.oid)) ORDER BY p.polname)
            FROM pg_policy p WHERE p.polrelid = c.oid)
        FROM pg_class c WHERE c.oid = to_regclass('platform.memberships')
        """
    ).fetchone()
    if row is None:
        return
    if not row[0]:
        yield "platform.memberships: row security is not enabled and forced"
    if row[1] != _MEMBERSHIP_POLICIES:
        yield "platform.memberships: its policies are not those of a login and of a municipality"


def wrong_columns(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A type whose operators row security keeps from the index, money that is not bigint, a time without a zone."""
    rows = connection.execute(
        """
        SELECT c.oid::regclass::text, a.attname, format_type(a.atttypid, NULL), t.typtype, a.attidentity
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_type t ON t.oid = a.atttypid
        WHERE n.nspname ~ %(tenants)s AND c.relkind IN ('r', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped
        """,
        PATTERNS,
    )
    inexact = {"numeric", "real", "double precision", "money"}
    for table, column, kind, type_type, identity in rows:
        where = f"{table}.{column}"
        if type_type in "ed":
            yield f"{where}: {kind} is an enum or a domain; text with a CHECK is right"
        if kind.removesuffix("[]") in inexact:
            yield f"{where}: {kind} is not for money; bigint cents are right"
        if kind == "timestamp without time zone":
            yield f"{where}: a time without its zone"
        if (column == "cents" or column.endswith("_cents")) and kind != "bigint":
            yield f"{where}: cents are bigint, not {kind}"
        if identity:
            yield f"{where}: an identity counts all tenants together and tells each how busy the others are"


def relatives(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A partition or a child table: it inherits rows, and neither policies nor the secrecy of its statistics."""
    rows = connection.execute(
        """
        SELECT i.inhrelid::regclass::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname ~ %(ours)s AND c.relkind NOT IN ('i', 'I')
        """,
        PATTERNS,
    )
    for (table,) in rows:
        yield f"{table}: a partition or child does not inherit the policy of its parent"


def sequences(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A sequence beside tenants' rows, which counts all tenants together, or one whose state can be read."""
    rows = connection.execute(
        """
        SELECT n.nspname || '.' || c.relname, has_sequence_privilege('fisc_app', c.oid, 'SELECT')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname ~ %(tenants)s AND c.relkind = 'S'
        """,
        PATTERNS,
    )
    for name, readable in rows:
        if name not in SHARED_SEQUENCES:
            yield f"{name}: a sequence counts all tenants together and tells each how busy the others are"
        elif readable:
            yield f"{name}: the application can read where the sequence stands"
