"""Code in the database: none of it runs with another's rights, and nothing that must hold rests on a trigger alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg

from core.db.catalog.rows import PATTERNS

# The one function that a trigger may call: a second lock beside a privilege that is not granted.
SECOND_LOCK = "fisc.refuse_change"


def wrong_functions(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A function with its owner's rights, one whose names depend on the caller's search path, or in odd languages."""
    rows = connection.execute(
        """
        SELECT p.oid::regprocedure::text, p.prosecdef, p.proleakproof, l.lanname,
        EXISTS (SELECT FROM unnest(p.proconfig) AS s (setting) WHERE s.setting LIKE 'search_path=%%')
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
        WHERE n.nspname ~ %(ours)s
        """,
        PATTERNS,
    )
    for function, definer, leakproof, language, pinned in rows:
        if definer:
            yield f"{function}: SECURITY DEFINER, so it shows what its owner sees"
        if leakproof:
            yield f"{function}: LEAKPROOF, so row security trusts it with rows of other tenants"
        if language not in ("sql", "plpgsql"):
            yield f"{function}: written in {language}"
        if not pinned:
            yield f"{function}: its search path is not pinned"


def wrong_triggers(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A trigger that is no second lock, one that is off, or a rule that rewrites statements."""
    rows = connection.execute(
        """
        SELECT c.oid::regclass::text, t.tgname, q.nspname || '.' || p.proname, t.tgenabled
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_namespace q ON q.oid = p.pronamespace
        WHERE n.nspname ~ %(ours)s AND (NOT t.tgisinternal OR t.tgenabled <> 'O')
        """,
        PATTERNS,
    )
    for table, trigger, function, enabled in rows:
        # A foreign key is kept by internal triggers, which are only looked at when one is off.
        if function != SECOND_LOCK and not function.startswith("pg_catalog.RI_FKey"):
            yield f"{table}: trigger {trigger} calls {function}; nothing may rest on a trigger"
        if enabled not in "OA":
            yield f"{table}: trigger {trigger} is off"
    rules = connection.execute(
        """
        SELECT c.oid::regclass::text, r.rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname ~ %(ours)s AND c.relkind NOT IN ('v', 'm')
        """,
        PATTERNS,
    )
    for table, rule in rules:
        yield f"{table}: rule {rule} rewrites statements"


def wrong_views(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """A view with its owner's rights, a materialised view, a foreign table."""
    rows = connection.execute(
        """
        SELECT c.oid::regclass::text, c.relkind,
        coalesce(c.reloptions, '{}') && ARRAY['security_invoker=true', 'security_invoker=on']
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname ~ %(ours)s AND c.relkind IN ('v', 'm', 'f')
        """,
        PATTERNS,
    )
    for view, kind, invoker in rows:
        if kind == "m":
            yield f"{view}: a materialised view has no row security"
        elif kind == "f":
            yield f"{view}: a foreign table lies outside the database"
        elif not invoker:
            yield f"{view}: a view without security_invoker shows what its owner sees"


def wrong_types(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """An enum or a range type of ours: text with a CHECK is right."""
    rows = connection.execute(
        """
        SELECT t.oid::regtype::text, t.typtype FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
        WHERE n.nspname ~ %(ours)s AND t.typtype IN ('e', 'r', 'd')
        """,
        PATTERNS,
    )
    for name, _ in rows:
        yield f"{name}: an enum, range or domain; text with a CHECK is right"
