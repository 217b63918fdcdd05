"""Tables: how they are named, and the one way to declare a table whose rows belong to tenants.

A tenant table has `tenant_id` first in its primary key, in every unique key, every foreign key and every index.
So keys and foreign keys cannot tell one tenant about another (they ignore row security), and the schema can be
distributed by tenant as it is. core.db.migrate makes such a table in the database; the catalog test proves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
    bindparam,
)
from sqlalchemy.schema import SchemaItem

TENANT_SCHEMA = "fisc"
PLATFORM_SCHEMA = "platform"
TENANT = "tenant_id"

NAMING = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}


def new_metadata() -> MetaData:
    """Metadata with the naming rule of the house. A migration makes its own, so that it never changes again."""
    return MetaData(naming_convention=NAMING)


metadata = new_metadata()


@dataclass(frozen=True, slots=True)
class Access:
    """What the role fisc_app may do to a table besides reading: insert, update these columns, delete.

    `sealed`: rows are never changed by anyone. A trigger refuses it to the owner too, as a second lock; what must
    hold rests on the missing privilege.
    """

    insert: bool = False
    update: tuple[str, ...] = ()
    delete: bool = False
    sealed: bool = False

    def __post_init__(self) -> None:
        if self.sealed and (self.update or self.delete):
            raise ValueError("a sealed table is neither updated nor deleted from")


READ_ONLY = Access()
APPEND_ONLY = Access(insert=True, sealed=True)


def tenant_table(
    name: str,
    *items: SchemaItem,
    key: Sequence[str],
    access: Access,
    schema: str = TENANT_SCHEMA,
    metadata: MetaData = metadata,
) -> Table:
    """A table whose rows belong to tenants: `tenant_id` first, primary key (tenant_id, *key).

    `items` are columns, `unique`, `references`, `index` and `check`; `access` is what the application may do.
    """
    return Table(
        name,
        metadata,
        Column(TENANT, Integer, nullable=False),
        *items,
        PrimaryKeyConstraint(TENANT, *key),
        schema=schema,
        info={"access": access, "tenant": True},
    )


def platform_table(name: str, *items: SchemaItem, app: Access, host: Access, metadata: MetaData = metadata) -> Table:
    """A table of what spans tenants. Both the application and the host read it; `app` and `host` say what else."""
    return Table(name, metadata, *items, schema=PLATFORM_SCHEMA, info={"access": app, "host": host, "tenant": False})


def unique(*columns: str, **options: Any) -> UniqueConstraint:
    """A unique key within a tenant."""
    return UniqueConstraint(TENANT, *columns, **options)


def index(*columns: str, name: str | None = None, **options: Any) -> Index:
    """An index within a tenant. A covering one says postgresql_include=[…]."""
    return Index(name, TENANT, *columns, **options)


def of_tenant(table: Table) -> ColumnElement[bool]:
    """The predicate that every statement carries beside row security; UnitOfWork gives the parameter `tenant`."""
    return table.c[TENANT] == bindparam("tenant", type_=Integer)


def check(name: str, condition: str) -> CheckConstraint:
    """A condition on a row; `name` says what it promises."""
    return CheckConstraint(condition, name=name)


def one_of(column: str, *values: str) -> CheckConstraint:
    """A column of known words. Not an enum: its operators are not leakproof, so row security would skip its index."""
    if any("'" in value for value in values):
        raise ValueError(f"a word with an apostrophe cannot stand in a check: {values}")
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def references(target: str, columns: dict[str, str], **options: Any) -> ForeignKeyConstraint:
    """A foreign key within a tenant: `target` is "schema.table", `columns` maps our column to the target's."""
    return ForeignKeyConstraint(
        [TENANT, *columns], [f"{target}.{TENANT}", *(f"{target}.{theirs}" for theirs in columns.values())], **options
    )


def belongs_to_tenant() -> ForeignKeyConstraint:
    """The tenant exists. Only for roots such as filers and funds: on a busy table it would lock the tenant's row."""
    return ForeignKeyConstraint([TENANT], [f"{PLATFORM_SCHEMA}.tenants.id"])
