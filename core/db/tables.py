"""What every floor writes beside its own rows: requests already answered, and the counters of receipts and the like."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, DateTime, Text, func
from sqlalchemy.dialects.postgresql import JSON

from core.db.base import Access, check, tenant_table

requests = tenant_table(
    "requests",
    Column("login", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("body_hash", Text, nullable=False),
    # json and not jsonb: the answer is given again letter for letter.
    Column("answer", JSON(none_as_null=True)),
    Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    # What the sender was allowed: with key and answer the record of who did what.
    Column("permission", Text, nullable=False, server_default=""),
    check("key_short", "length(key) BETWEEN 1 AND 200"),
    check("body_hash_is_sha256", "body_hash ~ '^[0-9a-f]{64}$'"),
    key=("login", "key"),
    access=Access(insert=True, update=("answer",)),
)

counters = tenant_table(
    "counters",
    Column("name", Text, nullable=False),
    Column("last", BigInteger, nullable=False),
    check("last_positive", "last > 0"),
    key=("name",),
    access=Access(insert=True, update=("last",)),
)
