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
    SmallInteger,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, ExcludeConstraint

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


def _recorded() -> tuple[Column[str], Column[object], Column[object]]:
    """By whom, on which day of the municipality's calendar, and at which moment of the server's clock."""
    return (
        Column("recorded_by", Text, nullable=False),
        Column("recorded_on", Date, nullable=False),
        Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
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

openings = tenant_table(
    "openings",
    Column("seq", SmallInteger, nullable=False),
    Column("opened_on", Date, nullable=False),
    *_recorded(),
    belongs_to_tenant(),
    check("opened_once", "seq = 1"),
    key=("seq",),
    access=APPEND_ONLY,
)

agreements = tenant_table(
    "agreements",
    Column("id", Uuid, nullable=False),
    Column("number", Text, nullable=False),
    Column("payee", Text, nullable=False),
    Column("share", Text, nullable=False),
    Column("first_day", Date, nullable=False),
    Column("last_day", Date, nullable=False),
    Column("longest_months", SmallInteger, nullable=False),
    Column("clause_id", Text, nullable=False),
    Column("section", Text, nullable=False),
    *_recorded(),
    Column("withdrawn_on", Date),
    Column("withdrawn_by", Text),
    Column("withdrawal_reason", Text),
    belongs_to_tenant(),
    check("number_given", "number <> ''"),
    check("share_of_one", "share ~ '^(0[.][0-9]{1,12}|[01])$'"),
    check("ends_after_it_begins", "last_day >= first_day"),
    check("term_not_too_long", "last_day < first_day + longest_months * interval '1 month'"),
    check("withdrawal_whole", "num_nonnulls(withdrawn_on, withdrawn_by, withdrawal_reason) IN (0, 3)"),
    check("withdrawal_reasoned", "withdrawal_reason <> ''"),
    ExcludeConstraint(
        ("tenant_id", "="),
        ("payee", "="),
        (text("daterange(first_day, last_day, '[]')"), "&&"),
        where="withdrawn_on IS NULL",
        name="ex_agreements_no_overlap",
    ),
    key=("id",),
    access=Access(insert=True, update=("withdrawn_on", "withdrawn_by", "withdrawal_reason")),
)

daily_runs = tenant_table(
    "daily_runs",
    Column("day", Date, nullable=False),
    Column("report", JSONB, nullable=False),
    *_recorded(),
    belongs_to_tenant(),
    check("report_is_object", "jsonb_typeof(report) = 'object'"),
    key=("day",),
    access=APPEND_ONLY,
)
