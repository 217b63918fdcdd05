"""The directory of tenants, and what each has set for itself."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    Identity,
    Integer,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    Uuid,
    func,
)

from core.db.base import (
    APPEND_ONLY,
    READ_ONLY,
    Access,
    belongs_to_tenant,
    check,
    index,
    one_of,
    platform_table,
    references,
    tenant_table,
    unique,
)

tenants = platform_table(
    "tenants",
    Column("id", Integer, Identity(always=True), nullable=False),
    Column("key", Text, nullable=False),
    Column("plugin", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("time_zone", Text, nullable=False),
    Column("closed_on", Date),
    Column("added_by", Text, nullable=False),
    Column("added_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    PrimaryKeyConstraint("id"),
    UniqueConstraint("key"),
    check("id_positive", "id > 0"),
    check("key_plain", "key ~ '^[a-z][a-z0-9-]{0,62}$'"),
    check("name_given", "name <> ''"),
    app=READ_ONLY,
    host=Access(insert=True, update=("name", "time_zone", "closed_on")),
)

# Resolutions and readings. A row is never changed: a later one supersedes it from its day, and one recorded in
# error is withdrawn by another row, so that what was known on a day stays known.
settings = tenant_table(
    "settings",
    Column("seq", Integer, nullable=False),
    Column("id", Uuid, nullable=False),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("value_kind", Text),
    Column("value", Text),
    Column("since", Date),
    Column("number", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("withdraws", Integer),
    Column("recorded_by", Text, nullable=False),
    Column("recorded_on", Date, nullable=False),
    Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    unique("id"),
    unique("withdraws"),
    belongs_to_tenant(),
    references("fisc.settings", {"withdraws": "seq"}),
    one_of("kind", "resolution", "reading", "withdrawal"),
    one_of("value_kind", "whole", "fraction", "flag", "text"),
    check("resolution_numbered", "kind <> 'resolution' OR number <> ''"),
    check("reasoned", "kind = 'resolution' OR reason <> ''"),
    check("withdrawal_names_one", "(kind = 'withdrawal') = (withdraws IS NOT NULL)"),
    check(
        "value_unless_withdrawal",
        "num_nonnulls(value_kind, value, since) = CASE kind WHEN 'withdrawal' THEN 0 ELSE 3 END",
    ),
    key=("seq",),
    access=APPEND_ONLY,
)

# The switch of a module: on or off, the newest row holds.
switches = tenant_table(
    "switches",
    Column("seq", Integer, nullable=False),
    Column("module", Text, nullable=False),
    Column("is_on", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("recorded_by", Text, nullable=False),
    Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    belongs_to_tenant(),
    index("module", "seq"),
    key=("seq",),
    access=APPEND_ONLY,
)
