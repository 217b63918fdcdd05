"""The tables of filing. What was recorded is never changed, except for names and addresses, whose versions are kept."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Date, DateTime, Integer, LargeBinary, SmallInteger, Text, Uuid, func
from sqlalchemy.dialects.postgresql import ARRAY, JSON, JSONB

from core.db.base import (
    APPEND_ONLY,
    Access,
    belongs_to_tenant,
    check,
    index,
    one_of,
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


filers = tenant_table(
    "filers",
    Column("id", Uuid, nullable=False),
    Column("number", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("name", Text, nullable=False),
    # Lower case, no accents: LIKE and lower() are not leakproof, so a search compares this column by < and >.
    Column("search_name", Text(collation="C"), nullable=False),
    Column("address", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("phone", Text, nullable=False),
    # The month in which the filer's year ends; elected with the first return, NULL until then.
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
)

places = tenant_table(
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
)

# Each version of a filer and of a place, as it stood.
revisions = tenant_table(
    "revisions",
    Column("record", Text, nullable=False),
    Column("record_id", Uuid, nullable=False),
    Column("version", Integer, nullable=False),
    Column("content", JSONB, nullable=False),
    *_recorded(),
    one_of("record", "filer", "place"),
    key=("record", "record_id", "version"),
    access=APPEND_ONLY,
)

# From when on a place owes which tax, for as long as it is open.
place_taxes = tenant_table(
    "place_taxes",
    Column("place_id", Uuid, nullable=False),
    Column("tax", Text, nullable=False),
    Column("since", Date, nullable=False),
    *_recorded(),
    references("fisc.places", {"place_id": "id"}),
    key=("place_id", "tax"),
    access=APPEND_ONLY,
)

# Openings, seasonal closures and closings; both days are inside. One recorded in error is withdrawn by another row.
place_facts = tenant_table(
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
)

# One filer, place, tax and period. The row is what every act locks; `touched_at` is there to be locked by.
period_accounts = tenant_table(
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
)

# What happened on an account. `seq` is the order of recording; `counts_on` the day it counts for.
events = tenant_table(
    "events",
    Column("account_id", Uuid, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("id", Uuid, nullable=False),
    Column("kind", Text, nullable=False),
    Column("counts_on", Date, nullable=False),
    # The payment that this event makes void, so that no payment can come back twice.
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
        "refund",
    ),
    check("seq_positive", "seq > 0"),
    check("voids_an_earlier_one", "voids_seq < seq"),
    check("voids_if_of_that_kind", "(kind IN ('payment_returned', 'voided')) = (voids_seq IS NOT NULL)"),
    check("recorded_when_it_has_happened", "recorded_on >= counts_on"),
    check("payload_is_object", "jsonb_typeof(payload) = 'object'"),
    key=("account_id", "seq"),
    access=APPEND_ONLY,
)

# A return as it was filed, letter for letter: json keeps the order and the spelling, jsonb does not.
returns = tenant_table(
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
)

# Papers that came with a return or from a filer. Bytes are kept and given back, never opened or executed.
attachments = tenant_table(
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
)

payments = tenant_table(
    "payments",
    Column("id", Uuid, nullable=False),
    Column("number", Integer, nullable=False),
    Column("account_id", Uuid, nullable=False),
    Column("event_seq", Integer, nullable=False),
    Column("method", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("received_on", Date, nullable=False),
    Column("moved_from", Uuid),
    *_recorded(),
    unique("number"),
    unique("account_id", "event_seq"),
    unique("moved_from"),
    references("fisc.events", {"account_id": "account_id", "event_seq": "seq"}),
    references("fisc.payments", {"moved_from": "id"}),
    one_of("method", "check", "cash", "ach", "card", "marketplace"),
    key=("id",),
    access=APPEND_ONLY,
)

imports = tenant_table(
    "imports",
    Column("id", Uuid, nullable=False),
    Column("number", Integer, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("rows_read", Integer, nullable=False),
    Column("rows_recorded", Integer, nullable=False),
    *_recorded(),
    unique("number"),
    belongs_to_tenant(),
    check("sha256_plain", "sha256 ~ '^[0-9a-f]{64}$'"),
    check("rows_counted", "rows_read >= rows_recorded AND rows_recorded >= 0"),
    key=("id",),
    access=APPEND_ONLY,
)

imported_rows = tenant_table(
    "imported_rows",
    # What the row says, hashed: the same row of another file, or of the same one again, is the same row.
    Column("row_hash", Text, nullable=False),
    Column("import_id", Uuid, nullable=False),
    Column("line", Integer, nullable=False),
    Column("account_id", Uuid, nullable=False),
    Column("event_seqs", ARRAY(Integer), nullable=False),
    references("fisc.imports", {"import_id": "id"}),
    references("fisc.period_accounts", {"account_id": "id"}),
    index("import_id", "line"),
    check("row_hash_plain", "row_hash ~ '^[0-9a-f]{64}$'"),
    key=("row_hash",),
    access=APPEND_ONLY,
)
