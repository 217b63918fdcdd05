"""The tables of distributions: what was shared out with whom, what was to be paid, and what was paid."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, Integer, SmallInteger, Text, Uuid, func
from sqlalchemy.dialects.postgresql import ARRAY

from core.db.base import APPEND_ONLY, check, index, one_of, references, tenant_table, unique


def _recorded() -> tuple[Column[str], Column[object], Column[object]]:
    """By whom, on which day of the municipality's calendar, and at which moment of the server's clock."""
    return (
        Column("recorded_by", Text, nullable=False),
        Column("recorded_on", Date, nullable=False),
        Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    )


distributions = tenant_table(
    "distributions",
    Column("id", Uuid, nullable=False),
    Column("number", Integer, nullable=False),
    Column("tax", Text, nullable=False),
    Column("distributed_on", Date, nullable=False),
    Column("warnings", ARRAY(Text), nullable=False),
    Column("plugin", Text, nullable=False),
    Column("plugin_version", Text, nullable=False),
    Column("settings_seq", Integer, nullable=False),
    Column("entry_id", Uuid),
    *_recorded(),
    unique("number"),
    references("fisc.entries", {"entry_id": "id"}),
    index("entry_id"),
    key=("id",),
    access=APPEND_ONLY,
)

distribution_shares = tenant_table(
    "distribution_shares",
    Column("distribution_id", Uuid, nullable=False),
    Column("line", SmallInteger, nullable=False),
    Column("tax", Text, nullable=False),
    Column("period", Text, nullable=False),
    Column("payee", Text, nullable=False),
    Column("held", Boolean, nullable=False),
    # Tax collected for the period so far, the payee's part of it so far, and what that adds now (below 0: back).
    Column("base_cents", BigInteger, nullable=False),
    Column("so_far_cents", BigInteger, nullable=False),
    Column("now_cents", BigInteger, nullable=False),
    Column("agreement_id", Uuid),
    Column("clause_id", Text, nullable=False),
    Column("section", Text, nullable=False),
    Column("value_ids", ARRAY(Text), nullable=False),
    Column("computation", Text, nullable=False),
    unique("distribution_id", "period", "payee", "held"),
    references("fisc.distributions", {"distribution_id": "id"}),
    references("fisc.agreements", {"agreement_id": "id"}),
    index("tax", "period"),
    check("line_positive", "line > 0"),
    check("base_counted", "base_cents >= 0"),
    key=("distribution_id", "line"),
    access=APPEND_ONLY,
)

remittances = tenant_table(
    "remittances",
    Column("id", Uuid, nullable=False),
    Column("number", Integer, nullable=False),
    Column("distribution_id", Uuid, nullable=False),
    Column("payee", Text, nullable=False),
    # What this distribution adds, what stood before (below 0: still to be made good), and what is to be paid now.
    Column("share_cents", BigInteger, nullable=False),
    Column("brought_forward_cents", BigInteger, nullable=False),
    Column("payable_cents", BigInteger, nullable=False),
    *_recorded(),
    unique("number"),
    unique("distribution_id", "payee"),
    references("fisc.distributions", {"distribution_id": "id"}),
    check("payable_is_what_is_left", "payable_cents = greatest(0, share_cents + brought_forward_cents)"),
    key=("id",),
    access=APPEND_ONLY,
)

remittance_payments = tenant_table(
    "remittance_payments",
    Column("remittance_id", Uuid, nullable=False),
    Column("paid_on", Date, nullable=False),
    Column("method", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("entry_id", Uuid, nullable=False),
    *_recorded(),
    references("fisc.remittances", {"remittance_id": "id"}),
    references("fisc.entries", {"entry_id": "id"}),
    one_of("method", "check", "ach"),
    key=("remittance_id",),
    access=APPEND_ONLY,
)
