"""Assessments: what was owed when it was posted, with everything that a replay needs."""

from alembic import op
from sqlalchemy import ARRAY, Column, Date, DateTime, Integer, Table, Text, Uuid, func
from sqlalchemy.dialects.postgresql import JSONB

from core.db.base import APPEND_ONLY, check, index, new_metadata, references, tenant_table
from core.db.migrate import create_tenant_table

revision = "0004_assessments"
down_revision = "0003_ledger"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_tenant_table(op, _assessments())


def _assessments() -> Table:
    return tenant_table(
        "assessments",
        Column("id", Uuid, nullable=False),
        Column("account_id", Uuid, nullable=False),
        Column("number", Integer, nullable=False),
        Column("as_of", Date, nullable=False),
        Column("event_seqs", ARRAY(Integer), nullable=False),
        Column("settings_seq", Integer, nullable=False),
        Column("value_ids", ARRAY(Text), nullable=False),
        Column("inputs", JSONB, nullable=False),
        Column("depends_on", ARRAY(Text), nullable=False),
        Column("plugin", Text, nullable=False),
        Column("plugin_version", Text, nullable=False),
        Column("statement", Text, nullable=False),
        Column("entry_id", Uuid),
        Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
        references("fisc.period_accounts", {"account_id": "id"}),
        references("fisc.entries", {"entry_id": "id"}),
        index("entry_id"),
        check("number_positive", "number > 0"),
        key=("account_id", "number"),
        access=APPEND_ONLY,
        metadata=new_metadata(),
    )
