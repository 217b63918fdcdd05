"""The ledger: funds, accounts, entries of transfers, closed periods, seals, and the functions that post."""

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
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import ARRAY

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
from core.db.roles import Role

revision = "0003_ledger"
down_revision = "0002_filing"
branch_labels = None
depends_on = None

metadata = new_metadata()


def upgrade() -> None:
    op.execute("CREATE SEQUENCE fisc.entry_seq AS bigint")
    op.execute(f"GRANT USAGE ON SEQUENCE fisc.entry_seq TO {Role.APP}")
    create_tenant_table(op, _funds())
    create_tenant_table(op, _ledger_accounts())
    create_tenant_table(op, _entries())
    create_tenant_table(op, _transfers())
    create_tenant_table(op, _closings())
    create_tenant_table(op, _snapshots())
    create_tenant_table(op, _seals())
    _keep_account_kinds()
    _close_periods()
    _post()


def _keep_account_kinds() -> None:
    # What an account is decides the meaning of all that was ever posted to it; only its title may change.
    op.execute(
        "CREATE TRIGGER refuse_change BEFORE UPDATE OF tenant_id, fund, number, kind, due_fund, is_due OR DELETE OR "
        "TRUNCATE ON fisc.ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION fisc.refuse_change()"
    )


def _close_periods() -> None:
    """No entry is booked in a closed period, whoever inserts it: posting shares a lock, closing holds it alone.

    Row security asks both questions once a statement. A policy and not a trigger, for a distributed database.
    """
    op.execute("""
        CREATE FUNCTION fisc.closed_through() RETURNS date
        LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            tenant CONSTANT int := nullif(current_setting('fisc.tenant', true), '')::int;
        BEGIN
            -- An older snapshot would not show a closing that was committed while we waited for the lock.
            IF current_setting('transaction_isolation') <> 'read committed' THEN
                RAISE EXCEPTION 'the ledger is written in READ COMMITTED alone' USING ERRCODE = 'feature_not_supported';
            END IF;
            PERFORM pg_advisory_xact_lock_shared(5467003, tenant);
            RETURN (SELECT coalesce(max(c.through), '-infinity') FROM fisc.closings c WHERE c.tenant_id = tenant);
        END $$
    """)
    op.execute("""
        CREATE FUNCTION fisc.hold_posting() RETURNS boolean
        LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            PERFORM pg_advisory_xact_lock(5467003, nullif(current_setting('fisc.tenant', true), '')::int);
            RETURN true;
        END $$
    """)
    op.execute(f"GRANT EXECUTE ON FUNCTION fisc.closed_through(), fisc.hold_posting() TO {Role.APP}")
    op.execute(
        "CREATE POLICY booked_in_an_open_period ON fisc.entries AS RESTRICTIVE FOR INSERT "
        "WITH CHECK (booked_on > (SELECT fisc.closed_through()))"
    )
    op.execute(
        "CREATE POLICY closed_while_nobody_posts ON fisc.closings AS RESTRICTIVE FOR INSERT "
        "WITH CHECK ((SELECT fisc.hold_posting()))"
    )


def _post() -> None:
    """Insert entries with their transfers and answer those that are new; a key already used is passed over."""
    op.execute("""
        CREATE FUNCTION fisc.post(tenant int, batch jsonb)
        RETURNS TABLE (id uuid, seq bigint)
        LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
        #variable_conflict use_column
        BEGIN
            -- The lock comes before the look at the keys: an entry that was posted while a closing made us wait is
            -- seen, and is not refused as one booked in a closed period.
            PERFORM pg_advisory_xact_lock_shared(5467003, tenant);
            RETURN QUERY
            WITH given AS MATERIALIZED (
                SELECT e.* FROM jsonb_to_recordset(batch) AS e (
                    id uuid, key text, kind text, effective_on date, booked_on date, recorded_on date,
                    period_account_id uuid, event_seqs int[], narrative text, lines smallint, transfers jsonb)
            ), posted AS (
                INSERT INTO fisc.entries AS e (tenant_id, id, key, kind, effective_on, booked_on, recorded_on,
                    period_account_id, event_seqs, narrative, lines)
                SELECT tenant, g.id, g.key, g.kind, g.effective_on, g.booked_on, g.recorded_on,
                    g.period_account_id, g.event_seqs, g.narrative, g.lines
                FROM given g
                -- Asked first, so that what was posted before its period closed is not refused when sent again. As
                -- a value, since the planner would make a join of NOT EXISTS and read the whole table for one key.
                WHERE (SELECT p.id FROM fisc.entries p WHERE p.tenant_id = tenant AND p.key = g.key) IS NULL
                ON CONFLICT (tenant_id, key) DO NOTHING
                RETURNING e.id, e.seq
            ), moved AS (
                INSERT INTO fisc.transfers (tenant_id, entry_id, line, lines, effective_on, booked_on, recorded_on,
                    fund, debit, credit, cents, debit_is_due, credit_is_due, twin,
                    charge_kind, clause_id, section, rule_version, value_ids, computation)
                SELECT tenant, p.id, t.line, g.lines, g.effective_on, g.booked_on, g.recorded_on,
                    t.fund, t.debit, t.credit, t.cents, t.debit_is_due, t.credit_is_due, t.twin,
                    t.charge_kind, t.clause_id, t.section, t.rule_version, t.value_ids, t.computation
                FROM posted p JOIN given g ON g.id = p.id
                CROSS JOIN LATERAL jsonb_to_recordset(g.transfers) AS t (
                    line smallint, fund text, debit text, credit text, cents bigint,
                    debit_is_due boolean, credit_is_due boolean, twin smallint, charge_kind text, clause_id text,
                    section text, rule_version text, value_ids text[], computation text)
            )
            SELECT p.id, p.seq FROM posted p;
        END $$
    """)
    op.execute(f"GRANT EXECUTE ON FUNCTION fisc.post(int, jsonb) TO {Role.APP}")


def _funds() -> Table:
    return tenant_table(
        "funds",
        Column("number", Text(collation="C"), nullable=False),
        Column("title", Text, nullable=False),
        belongs_to_tenant(),
        check("number_plain", "number ~ '^[0-9A-Za-z][0-9A-Za-z.-]{0,31}$'"),
        check("title_given", "title <> ''"),
        key=("number",),
        access=Access(insert=True, update=("title",)),
        metadata=metadata,
    )


def _ledger_accounts() -> Table:
    return tenant_table(
        "ledger_accounts",
        Column("fund", Text(collation="C"), nullable=False),
        Column("number", Text(collation="C"), nullable=False),
        Column("title", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("due_fund", Text(collation="C")),
        Column("is_due", Boolean, nullable=False),
        references("fisc.funds", {"fund": "number"}),
        references("fisc.funds", {"due_fund": "number"}),
        unique("fund", "number", "is_due"),
        unique("fund", "due_fund", "kind"),
        one_of("kind", "asset", "liability", "equity", "revenue", "expense"),
        # Six more than a fund's: the number of a due account is made of it.
        check("number_plain", "number ~ '^[0-9A-Za-z][0-9A-Za-z.-]{0,37}$'"),
        check("title_given", "title <> ''"),
        check("due_names_its_fund", "is_due = (due_fund IS NOT NULL)"),
        check("due_between_two_funds", "due_fund <> fund"),
        check("due_is_owed_one_way", "NOT is_due OR kind IN ('asset', 'liability')"),
        key=("fund", "number"),
        access=Access(insert=True, update=("title",)),
        metadata=metadata,
    )


def _entries() -> Table:
    return tenant_table(
        "entries",
        Column("id", Uuid, nullable=False),
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
        metadata=metadata,
    )


def _transfers() -> Table:
    return tenant_table(
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
        Column("debit_is_due", Boolean, nullable=False, server_default=sql("false")),
        Column("credit_is_due", Boolean, nullable=False, server_default=sql("false")),
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
        metadata=metadata,
    )


def _closings() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _snapshots() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _seals() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )
