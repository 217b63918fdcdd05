"""What the database itself says about its tables, keys, policies, functions and grants, held against the rules.

Each rule is a function from a connection to findings, a sentence each; none is good. They read the catalog and
nothing else, so that they hold for a plugin's tables and for a restored copy too. No rule believes what a
migration meant to do.

    rows.py    row security, columns, inheritance
    keys.py    keys, foreign keys, indexes
    code.py    functions, triggers, views, types
    grants.py  owners, schemas, and who may do what
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import psycopg
from sqlalchemy import Table

from core.db.catalog import code, grants, keys, rows

Rule = Callable[[psycopg.Connection[Any]], Iterable[str]]

RULES: tuple[Rule, ...] = (
    rows.unexpected_schemas,
    rows.unsecured_tables,
    rows.wrong_policies,
    rows.wrong_membership_policies,
    rows.wrong_columns,
    rows.relatives,
    rows.sequences,
    keys.wrong_keys,
    keys.wrong_indexes,
    keys.wrong_foreign_keys,
    code.wrong_functions,
    code.wrong_triggers,
    code.wrong_views,
    code.wrong_types,
    grants.wrong_owners,
    grants.wrong_schema_grants,
    grants.wrong_table_grants,
    grants.wrong_function_grants,
    grants.wrong_defaults,
    grants.wrong_roles,
)


def findings(connection: psycopg.Connection[Any], declared: Iterable[Table]) -> list[str]:
    """Everything that breaks a rule, or that is granted otherwise than the tables declare. Empty if all is well."""
    broken = [finding for rule in RULES for finding in rule(connection)]
    return sorted({*broken, *grants.other_than_declared(connection, declared)})
