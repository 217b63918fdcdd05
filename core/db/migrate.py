"""What migrations call to make a table: with its row security, its grants and its second lock, or not at all.

All of it runs as fisc_owner. FORCE shows the owner nothing without a tenant, so a data migration goes tenant by
tenant (`each_tenant`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from alembic.operations import Operations
from sqlalchemy import Connection, ForeignKeyConstraint, Table, text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.schema import CreateIndex, CreateTable

from core.db.base import Access
from core.db.roles import Role

# Once per statement (the select), and NULL, which matches no row, where no tenant is set: after a transaction the
# setting reads '' and not NULL.
POLICY = "tenant_id = (select nullif(current_setting('fisc.tenant', true), '')::int)"
POLICY_NAME = "tenant"
SECOND_LOCK = "refuse_change"

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_QUOTE = PGDialect_psycopg().identifier_preparer  # type: ignore[no-untyped-call]


def create_tenant_table(op: Operations, table: Table) -> None:
    """Make a tenant table, with forced row security, its one policy, and what fisc_app may do.

    Foreign keys are added afterwards, each by an ALTER TABLE, because a distributed database wants them so.
    """
    if not table.info.get("tenant"):
        raise ValueError(f"{table.fullname} is not declared as a tenant table")
    named = qualified(table.schema, table.name)
    _create(op, table)
    op.execute(f"ALTER TABLE {named} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {named} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY {POLICY_NAME} ON {named} USING ({POLICY}) WITH CHECK ({POLICY})")
    grant(op, table, Role.APP, table.info["access"])
    if table.info["access"].sealed:
        add_second_lock(op, table)


def create_platform_table(op: Operations, table: Table) -> None:
    """Make a table of the schema `platform`, with what fisc_app and fisc_host may do."""
    _create(op, table)
    grant(op, table, Role.APP, table.info["access"])
    grant(op, table, Role.HOST, table.info["host"])


def create_schema(op: Operations, schema: str, *roles: Role) -> None:
    """Make a schema that these roles may look into. Nobody but the owner can create anything in it."""
    named = _checked(schema)
    op.execute(f"CREATE SCHEMA IF NOT EXISTS {named}")
    for role in roles:
        op.execute(f"GRANT USAGE ON SCHEMA {named} TO {role}")


def grant(op: Operations, table: Table, role: Role, access: Access) -> None:
    """Let a role read the table and do what `access` says. Never TRUNCATE, REFERENCES or TRIGGER."""
    named = qualified(table.schema, table.name)
    verbs = ["SELECT", *(["INSERT"] if access.insert else []), *(["DELETE"] if access.delete else [])]
    op.execute(f"GRANT {', '.join(verbs)} ON {named} TO {role}")
    if access.update:
        columns = ", ".join(_checked(table.c[column].name) for column in access.update)
        op.execute(f"GRANT UPDATE ({columns}) ON {named} TO {role}")


def add_second_lock(op: Operations, table: Table) -> None:
    """Refuse UPDATE, DELETE and TRUNCATE to everybody, the owner included.

    It guards against an honest mistake at the owner's prompt. Against the application the missing privilege does,
    so a distributed database, which has no triggers, loses nothing that must hold.
    """
    op.execute(
        f"CREATE TRIGGER {SECOND_LOCK} BEFORE UPDATE OR DELETE OR TRUNCATE ON {qualified(table.schema, table.name)} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION fisc.{SECOND_LOCK}()"
    )


def each_tenant(connection: Connection) -> Iterator[int]:
    """Each tenant's id in turn, with row security set to it for the length of one turn of the loop.

    For data migrations: `for tenant in each_tenant(op.get_bind()): op.execute(…)`.
    """
    tenants: Sequence[int] = connection.scalars(text("SELECT id FROM platform.tenants ORDER BY id")).all()
    try:
        for tenant in tenants:
            connection.exec_driver_sql(f"SET LOCAL fisc.tenant = '{tenant:d}'")
            yield tenant
    finally:
        # An error in the loop has already aborted the transaction, and with it the setting.
        if not connection.invalidated and _usable(connection):
            connection.exec_driver_sql("SET LOCAL fisc.tenant = ''")


def qualified(schema: str | None, name: str) -> str:
    """A name with its schema, quoted where need be. Raises ValueError for a name that is not plain."""
    return f"{_checked(schema or '')}.{_checked(name)}"


def _create(op: Operations, table: Table) -> None:
    op.execute(CreateTable(table, include_foreign_key_constraints=[]))
    for made in sorted(table.indexes, key=lambda one: str(one.name)):
        op.execute(CreateIndex(made))
    for key in sorted(table.foreign_key_constraints, key=lambda one: tuple(one.column_keys)):
        _add_foreign_key(op, table, key)


def _add_foreign_key(op: Operations, table: Table, key: ForeignKeyConstraint) -> None:
    # Written out rather than left to SQLAlchemy, which would need the other table's definition at hand.
    target = key.elements[0].target_fullname.rpartition(".")[0]
    theirs = [element.target_fullname.rpartition(".")[2] for element in key.elements]
    schema, _, name = target.partition(".")
    later = " DEFERRABLE INITIALLY DEFERRED" if key.deferrable else ""
    op.execute(
        f"ALTER TABLE {qualified(table.schema, table.name)} ADD CONSTRAINT {_QUOTE.format_constraint(key)} "
        f"FOREIGN KEY ({', '.join(map(_checked, key.column_keys))}) "
        f"REFERENCES {qualified(schema, name)} ({', '.join(map(_checked, theirs))}){later}"
    )


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no plain lower-case name")
    return str(_QUOTE.quote(name))


def _usable(connection: Connection) -> bool:
    driver = connection.connection.driver_connection
    return driver is not None and driver.info.transaction_status.name != "INERROR"
