"""Keys ignore row security, so each has the tenant in it; then they tell nothing, and the schema can be distributed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg

from core.db.catalog.rows import PATTERNS

# Whose comparisons are leakproof, so that a query under row security may use the index.
# A membership joins a login, which spans municipalities, to a filer of one: to it and its tenant together.
MEMBERS = ("platform.memberships", ["tenant_id", "filer_id"], ["tenant_id", "id"])
_INDEXABLE = {"integer", "smallint", "bigint", "text", "uuid", "date", "timestamp with time zone", "boolean"}


def wrong_keys(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A table without a primary key, or a primary, unique or exclusion key that does not begin with the tenant."""
    rows = connection.execute(
        """
        SELECT c.oid::regclass::text, i.indexrelid::regclass::text, a.attname
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_index i ON i.indrelid = c.oid AND (i.indisprimary OR i.indisunique OR i.indisexclusion)
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
        WHERE n.nspname ~ %(tenants)s AND c.relkind IN ('r', 'p')
        """,
        PATTERNS,
    )
    for table, index, first in rows:
        if index is None:
            yield f"{table}: it has no key"
        elif first != "tenant_id":
            yield f"{table}: key {index} does not begin with tenant_id, so it tells of other tenants' rows"
    keyless = connection.execute(
        """
        SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname ~ %(ours)s AND c.relkind IN ('r', 'p')
        AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p')
        """,
        PATTERNS,
    )
    for (table,) in keyless:
        yield f"{table}: it has no primary key"


def wrong_indexes(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """An index that does not begin with the tenant, is not valid, or that row security would leave unused."""
    rows = connection.execute(
        """
        SELECT i.indexrelid::regclass::text, m.amname, i.indisvalid, i.indexprs IS NOT NULL, i.indisexclusion,
        (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum = i.indkey[0]),
        (SELECT array_agg(format_type(a.atttypid, NULL)) FROM pg_attribute a
          WHERE a.attrelid = i.indrelid AND a.attnum = ANY((i.indkey::int2[])[0:i.indnkeyatts - 1]))
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
        WHERE n.nspname ~ %(tenants)s
        """,
        PATTERNS,
    )
    for index, method, valid, expressions, excludes, first, types in rows:
        if first != "tenant_id":
            yield f"{index}: the index does not begin with tenant_id"
        if not valid:
            yield f"{index}: the index is not valid"
        if excludes:  # it is there to refuse rows, not to find them
            continue
        if method != "btree" or expressions:
            yield f"{index}: row security uses plain btree columns only"
        for kind in sorted(set(types or ()) - _INDEXABLE):
            yield f"{index}: comparisons of {kind} are not leakproof, so row security leaves the index unused"


def wrong_foreign_keys(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A foreign key that could join two tenants, that leaves the tenant, that changes rows, or was never checked.

    From a tenant's table it goes to another one, tenant to tenant first; or to the directory, by the tenant alone.
    """
    rows = connection.execute(
        """
        SELECT k.conname, k.conrelid::regclass::text, k.confrelid::regclass::text,
        n.nspname ~ %(tenants)s, m.nspname ~ %(tenants)s, k.convalidated,
        k.confdeltype IN ('a', 'r') AND k.confupdtype IN ('a', 'r'),
        (SELECT array_agg(a.attname ORDER BY o.place) FROM unnest(k.conkey) WITH ORDINALITY AS o (number, place)
          JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = o.number),
        (SELECT array_agg(a.attname ORDER BY o.place) FROM unnest(k.confkey) WITH ORDINALITY AS o (number, place)
          JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = o.number)
        FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_class d ON d.oid = k.confrelid JOIN pg_namespace m ON m.oid = d.relnamespace
        WHERE k.contype = 'f' AND n.nspname ~ %(ours)s
        """,
        PATTERNS,
    )
    for name, table, target, from_tenant, to_tenant, validated, passive, ours, theirs in rows:
        where = f"{table}: foreign key {name}"
        if not validated:
            yield f"{where} was never checked against the rows that are there"
        if not passive:
            yield f"{where} changes rows by itself, with the owner's rights"
        if from_tenant and to_tenant:
            if ours[0] != "tenant_id" or theirs[0] != "tenant_id":
                yield f"{where} does not begin with tenant_id on both sides, so it can join two tenants"
        elif from_tenant and (target, ours, theirs) != ("platform.tenants", ["tenant_id"], ["id"]):
            yield f"{where} leaves the tenant for {target}"
        elif to_tenant and (table, ours, theirs) != MEMBERS:
            yield f"{where} reaches from {table} into tenants' rows"
