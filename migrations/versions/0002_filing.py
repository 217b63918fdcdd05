"""Requests, counters, settings, and the records of filing."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    Uuid,
    func,
)
from sqlalchemy.dialects.postgresql import JSON, JSONB

from core.db.base import (
    APPEND_ONLY,
    Access,
    belongs_to_tenant,
    check,
    index,
    new_metadata,
    one_of,
    references,
    tenant_table,
    unique,
)
from core.db.migrate import create_tenant_table

revision = "0002_filing"
down_revision = "0001_platform"
branch_labels = None
depends_on = None

metadata = new_metadata()


def upgrade() -> None:
    create_tenant_table(op, _requests())
    create_tenant_table(op, _counters())
    create_tenant_table(op, _settings())
    create_tenant_table(op, _switches())
    create_tenant_table(op, _filers())
    create_tenant_table(op, _places())
    create_tenant_table(op, _revisions())
    create_tenant_table(op, _place_taxes())
    create_tenant_table(op, _place_facts())
    create_tenant_table(op, _period_accounts())
    create_tenant_table(op, _events())
    create_tenant_table(op, _returns())
    create_tenant_table(op, _attachments())
    # An answer, once given, stands: a second policy, which can only narrow, shows it to no UPDATE any more.
    op.execute(
        "CREATE POLICY answered_once ON fisc.requests AS RESTRICTIVE FOR UPDATE "
        "USING (answer IS NULL) WITH CHECK (true)"
    )


def _recorded() -> tuple[Column, ...]:
    return (
        Column("recorded_by", Text, nullable=False),
        Column("recorded_on", Date, nullable=False),
        Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    )


def _requests() -> Table:
    return tenant_table(
        "requests",
        Column("login", Text, nullable=False),
        Column("key", Text, nullable=False),
        Column("body_hash", Text, nullable=False),
        Column("answer", JSON(none_as_null=True)),
        Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
        check("key_short", "length(key) BETWEEN 1 AND 200"),
        check("body_hash_is_sha256", "body_hash ~ '^[0-9a-f]{64}$'"),
        key=("login", "key"),
        access=Access(insert=True, update=("answer",)),
        metadata=metadata,
    )


def _counters() -> Table:
    return tenant_table(
        "counters",
        Column("name", Text, nullable=False),
        Column("last", BigInteger, nullable=False),
        check("last_positive", "last > 0"),
        key=("name",),
        access=Access(insert=True, update=("last",)),
        metadata=metadata,
    )


def _settings() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _switches() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _filers() -> Table:
    return tenant_table(
        "filers",
        Column("id", Uuid, nullable=False),
        Column("number", Integer, nullable=False),
        Column("version", Integer, nullable=False),
        Column("name", Text, nullable=False),
        Column("search_name", Text(collation="C"), nullable=False),
        Column("address", Text, nullable=False),
        Column("email", Text, nullable=False),
        Column("phone", Text, nullable=False),
        Column("year_end_month", SmallInteger),
        *_recorded(),
        unique("number"),
        belongs_to_tenant(),
        index("search_name"),
        check("name_given", "name <> ''"),
        check("year_end_is_a_month", "year_end_month BETWEEN 1 AND 12"),
        key=("id",),
        access=Access(
            insert=True, update=("version", "name", "search_name", "address", "email", "phone", "year_end_month")
        ),
        metadata=metadata,
    )


def _places() -> Table:
    return tenant_table(
        "places",
        Column("id", Uuid, nullable=False),
        Column("filer_id", Uuid, nullable=False),
        Column("number", Integer, nullable=False),
        Column("version", Integer, nullable=False),
        Column("name", Text, nullable=False),
        Column("address", Text, nullable=False),
        Column("furnished_by", Text, nullable=False),
        Column("private_benefit", Boolean, nullable=False),
        *_recorded(),
        unique("number"),
        unique("id", "filer_id"),
        references("fisc.filers", {"filer_id": "id"}),
        index("filer_id"),
        check("name_given", "name <> ''"),
        key=("id",),
        access=Access(insert=True, update=("version", "name", "address", "furnished_by", "private_benefit")),
        metadata=metadata,
    )


def _revisions() -> Table:
    return tenant_table(
        "revisions",
        Column("record", Text, nullable=False),
        Column("record_id", Uuid, nullable=False),
        Column("version", Integer, nullable=False),
        Column("content", JSONB, nullable=False),
        *_recorded(),
        one_of("record", "filer", "place"),
        key=("record", "record_id", "version"),
        access=APPEND_ONLY,
        metadata=metadata,
    )


def _place_taxes() -> Table:
    return tenant_table(
        "place_taxes",
        Column("place_id", Uuid, nullable=False),
        Column("tax", Text, nullable=False),
        Column("since", Date, nullable=False),
        *_recorded(),
        references("fisc.places", {"place_id": "id"}),
        key=("place_id", "tax"),
        access=APPEND_ONLY,
        metadata=metadata,
    )


def _place_facts() -> Table:
    return tenant_table(
        "place_facts",
        Column("place_id", Uuid, nullable=False),
        Column("seq", Integer, nullable=False),
        Column("kind", Text, nullable=False),
        Column("first_day", Date),
        Column("last_day", Date),
        Column("withdraws", Integer),
        Column("reason", Text, nullable=False),
        *_recorded(),
        unique("place_id", "withdraws"),
        references("fisc.places", {"place_id": "id"}),
        references("fisc.place_facts", {"place_id": "place_id", "withdraws": "seq"}),
        one_of("kind", "opening", "seasonal_closure", "closing", "withdrawal"),
        check("withdrawal_names_one", "(kind = 'withdrawal') = (withdraws IS NOT NULL)"),
        check("dated_unless_withdrawal", "(kind = 'withdrawal') = (first_day IS NULL)"),
        check("closure_ends", "(kind = 'seasonal_closure') = (last_day IS NOT NULL)"),
        check("ends_after_it_begins", "last_day >= first_day"),
        key=("place_id", "seq"),
        access=APPEND_ONLY,
        metadata=metadata,
    )


def _period_accounts() -> Table:
    return tenant_table(
        "period_accounts",
        Column("id", Uuid, nullable=False),
        Column("filer_id", Uuid, nullable=False),
        Column("place_id", Uuid, nullable=False),
        Column("tax", Text, nullable=False),
        Column("period", Text, nullable=False),
        Column("first_day", Date, nullable=False),
        Column("last_day", Date, nullable=False),
        Column("touched_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
        unique("place_id", "tax", "period"),
        references("fisc.places", {"place_id": "id", "filer_id": "filer_id"}),
        index("filer_id"),
        index("tax", "last_day"),
        check("ends_after_it_begins", "last_day >= first_day"),
        key=("id",),
        access=Access(insert=True, update=("touched_at",)),
        metadata=metadata,
    )


def _events() -> Table:
    return tenant_table(
        "events",
        Column("account_id", Uuid, nullable=False),
        Column("seq", Integer, nullable=False),
        Column("id", Uuid, nullable=False),
        Column("kind", Text, nullable=False),
        Column("counts_on", Date, nullable=False),
        Column("voids_seq", Integer),
        Column("payload", JSONB, nullable=False),
        *_recorded(),
        unique("id"),
        unique("account_id", "voids_seq"),
        references("fisc.period_accounts", {"account_id": "id"}),
        references("fisc.events", {"account_id": "account_id", "voids_seq": "seq"}),
        one_of(
            "kind",
            "return_filed",
            "estimate",
            "payment",
            "payment_returned",
            "voided",
            "waiver",
            "extension",
            "notice",
            "finding",
        ),
        check("seq_positive", "seq > 0"),
        check("voids_an_earlier_one", "voids_seq < seq"),
        check("voids_if_of_that_kind", "(kind IN ('payment_returned', 'voided')) = (voids_seq IS NOT NULL)"),
        check("recorded_when_it_has_happened", "recorded_on >= counts_on"),
        check("payload_is_object", "jsonb_typeof(payload) = 'object'"),
        key=("account_id", "seq"),
        access=APPEND_ONLY,
        metadata=metadata,
    )


def _returns() -> Table:
    return tenant_table(
        "returns",
        Column("id", Uuid, nullable=False),
        Column("number", Integer, nullable=False),
        Column("account_id", Uuid, nullable=False),
        Column("event_seq", Integer, nullable=False),
        Column("submission", JSON, nullable=False),
        Column("channel", Text, nullable=False),
        Column("received_on", Date, nullable=False),
        Column("plugin", Text, nullable=False),
        Column("plugin_version", Text, nullable=False),
        *_recorded(),
        unique("number"),
        unique("account_id", "event_seq"),
        references("fisc.events", {"account_id": "account_id", "event_seq": "seq"}),
        one_of("channel", "portal", "api", "paper", "import"),
        key=("id",),
        access=APPEND_ONLY,
        metadata=metadata,
    )


def _attachments() -> Table:
    return tenant_table(
        "attachments",
        Column("id", Uuid, nullable=False),
        Column("filer_id", Uuid, nullable=False),
        Column("return_id", Uuid),
        Column("name", Text, nullable=False),
        Column("declared_type", Text, nullable=False),
        Column("sniffed_type", Text, nullable=False),
        Column("size_bytes", Integer, nullable=False),
        Column("sha256", Text, nullable=False),
        Column("content", LargeBinary, nullable=False),
        *_recorded(),
        references("fisc.filers", {"filer_id": "id"}),
        references("fisc.returns", {"return_id": "id"}),
        index("filer_id"),
        index("return_id"),
        check("size_true", "size_bytes = octet_length(content) AND size_bytes BETWEEN 1 AND 20971520"),
        check("sha256_true", "sha256 = encode(sha256(content), 'hex')"),
        key=("id",),
        access=APPEND_ONLY,
        metadata=metadata,
    )
