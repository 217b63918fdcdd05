"""The ledger's tables. Private: whoever posts or reads goes through the modules beside this one.

A transfer repeats its entry's days and number of lines, and a foreign key holds them equal: so one covering index
answers every question of balance, and no line can be added to an entry that is complete.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, Integer, LargeBinary, SmallInteger, Text, Uuid, func
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import ARRAY

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

ACCOUNT_KINDS = ("asset", "liability", "equity", "revenue", "expense")

funds = tenant_table(
    "funds",
    Column("number", Text(collation="C"), nullable=False),
    Column("title", Text, nullable=False),
    belongs_to_tenant(),
    check("number_plain", "number ~ '^[0-9A-Za-z][0-9A-Za-z.-]{0,31}$'"),
    check("title_given", "title <> ''"),
    key=("number",),
    access=Access(insert=True, update=("title",)),
)

ledger_accounts = tenant_table(
    "ledger_accounts",
    Column("fund", Text(collation="C"), nullable=False),
    Column("number", Text(collation="C"), nullable=False),
    Column("title", Text, nullable=False),
    Column("kind", Text, nullable=False),
    # The fund on the other side of a due-to or due-from account, NULL for every other account.
    Column("due_fund", Text(collation="C")),
    Column("is_due", Boolean, nullable=False),
    references("fisc.funds", {"fund": "number"}),
    references("fisc.funds", {"due_fund": "number"}),
    unique("fund", "number", "is_due"),
    unique("fund", "due_fund", "kind"),
    one_of("kind", *ACCOUNT_KINDS),
    # Six more than a fund's: the number of a due account is made of it.
    check("number_plain", "number ~ '^[0-9A-Za-z][0-9A-Za-z.-]{0,37}$'"),
    check("title_given", "title <> ''"),
    check("due_names_its_fund", "is_due = (due_fund IS NOT NULL)"),
    check("due_between_two_funds", "due_fund <> fund"),
    check("due_is_owed_one_way", "NOT is_due OR kind IN ('asset', 'liability')"),
    key=("fund", "number"),
    access=Access(insert=True, update=("title",)),
)

entries = tenant_table(
    "entries",
    Column("id", Uuid, nullable=False),
    # The order of recording, whatever the clock did. One sequence for all tenants, so it is never shown outside.
    Column("seq", BigInteger, nullable=False, server_default=sql("nextval('fisc.entry_seq')")),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("effective_on", Date, nullable=False),
    Column("booked_on", Date, nullable=False),
    Column("recorded_on", Date, nullable=False),
    Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("period_account_id", Uuid),
    Column("event_seqs", ARRAY(Integer), nullable=False),
    Column("narrative", Text, nullable=False),
    Column("lines", SmallInteger, nullable=False),
    unique("key"),
    unique("seq"),
    unique("id", "lines", "effective_on", "booked_on", "recorded_on", name="uq_entries_header"),
    index("period_account_id", "seq", postgresql_where=sql("period_account_id IS NOT NULL")),
    check("key_short", "length(key) BETWEEN 1 AND 200"),
    check("kind_given", "kind <> ''"),
    check("has_lines", "lines > 0"),
    key=("id",),
    access=APPEND_ONLY,
)

transfers = tenant_table(
    "transfers",
    Column("entry_id", Uuid, nullable=False),
    Column("line", SmallInteger, nullable=False),
    Column("lines", SmallInteger, nullable=False),
    Column("effective_on", Date, nullable=False),
    Column("booked_on", Date, nullable=False),
    Column("recorded_on", Date, nullable=False),
    Column("fund", Text(collation="C"), nullable=False),
    Column("debit", Text(collation="C"), nullable=False),
    Column("credit", Text(collation="C"), nullable=False),
    Column("cents", BigInteger, nullable=False),
    # False unless the account is a due-to or due-from account: the foreign keys below hold them to the truth.
    Column("debit_is_due", Boolean, nullable=False, server_default=sql("false")),
    Column("credit_is_due", Boolean, nullable=False, server_default=sql("false")),
    # The line of the same entry that is the other leg between two funds.
    Column("twin", SmallInteger),
    Column("charge_kind", Text, nullable=False),
    Column("clause_id", Text, nullable=False),
    Column("section", Text, nullable=False),
    Column("rule_version", Text, nullable=False),
    Column("value_ids", ARRAY(Text), nullable=False),
    Column("computation", Text, nullable=False),
    references(
        "fisc.entries",
        {
            "entry_id": "id",
            "lines": "lines",
            "effective_on": "effective_on",
            "booked_on": "booked_on",
            "recorded_on": "recorded_on",
        },
        name="fk_transfers_header",
    ),
    references(
        "fisc.ledger_accounts",
        {"fund": "fund", "debit": "number", "debit_is_due": "is_due"},
        name="fk_transfers_debit",
    ),
    references(
        "fisc.ledger_accounts",
        {"fund": "fund", "credit": "number", "credit_is_due": "is_due"},
        name="fk_transfers_credit",
    ),
    references("fisc.transfers", {"entry_id": "entry_id", "twin": "line"}, name="fk_transfers_twin"),
    index(
        "fund",
        "debit",
        "effective_on",
        name="ix_transfers_debit",
        postgresql_include=["cents", "booked_on", "recorded_on"],
    ),
    index(
        "fund",
        "credit",
        "effective_on",
        name="ix_transfers_credit",
        postgresql_include=["cents", "booked_on", "recorded_on"],
    ),
    check("cents_positive", "cents > 0"),
    check("moves_between_two_accounts", "debit <> credit"),
    check("line_within_entry", "line BETWEEN 1 AND lines"),
    check("one_side_due", "NOT (debit_is_due AND credit_is_due)"),
    check("due_has_its_twin", "(debit_is_due OR credit_is_due) = (twin IS NOT NULL)"),
    check("twin_is_another", "twin <> line"),
    key=("entry_id", "line"),
    access=APPEND_ONLY,
)

closings = tenant_table(
    "closings",
    Column("through", Date, nullable=False),
    Column("reason", Text, nullable=False),
    Column("recorded_by", Text, nullable=False),
    Column("recorded_on", Date, nullable=False),
    Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("digest", LargeBinary, nullable=False),
    belongs_to_tenant(),
    check("digest_is_sha256", "octet_length(digest) = 32"),
    check("closed_when_it_is_over", "recorded_on > through"),
    key=("through",),
    access=APPEND_ONLY,
)

snapshots = tenant_table(
    "snapshots",
    Column("through", Date, nullable=False),
    Column("fund", Text(collation="C"), nullable=False),
    Column("account", Text(collation="C"), nullable=False),
    Column("debit_cents", BigInteger, nullable=False),
    Column("credit_cents", BigInteger, nullable=False),
    references("fisc.closings", {"through": "through"}),
    references("fisc.ledger_accounts", {"fund": "fund", "account": "number"}),
    check("cents_counted", "debit_cents >= 0 AND credit_cents >= 0"),
    key=("through", "fund", "account"),
    access=APPEND_ONLY,
)

seals = tenant_table(
    "seals",
    Column("position", BigInteger, nullable=False),
    Column("entry_id", Uuid, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("head", LargeBinary, nullable=False),
    Column("sealed_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    unique("entry_id"),
    unique("seq"),
    references("fisc.entries", {"entry_id": "id"}),
    check("position_counted", "position > 0"),
    check("hashes_are_sha256", "octet_length(digest) = 32 AND octet_length(head) = 32"),
    key=("position",),
    access=APPEND_ONLY,
)
