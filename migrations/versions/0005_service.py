"""What the service needs: openings, payments, agreements, distributions, imports, daily runs, and two functions.

fisc.look locks period accounts and gives everything that an act on them is judged and assessed by; fisc.record
writes an act with its posting. Each is one statement, since every statement costs more than what it does.
"""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Integer,
    SmallInteger,
    Table,
    Text,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, ExcludeConstraint

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

revision = "0005_service"
down_revision = "0004_assessments"
branch_labels = None
depends_on = None

metadata = new_metadata()


def upgrade() -> None:
    # Equality of numbers and texts in an exclusion constraint. Nobody needs to look into the schema to be held by it.
    op.execute("CREATE SCHEMA extensions")
    op.execute("CREATE EXTENSION btree_gist SCHEMA extensions")
    # Who was allowed what, beside the answer that was given.
    op.execute("ALTER TABLE fisc.requests ADD COLUMN permission text NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE fisc.events DROP CONSTRAINT ck_events_kind_known")
    op.execute(
        "ALTER TABLE fisc.events ADD CONSTRAINT ck_events_kind_known CHECK (kind IN ('return_filed', 'estimate', "
        "'payment', 'payment_returned', 'voided', 'waiver', 'extension', 'notice', 'finding', 'refund'))"
    )
    create_tenant_table(op, _openings())
    create_tenant_table(op, _payments())
    create_tenant_table(op, _agreements())
    create_tenant_table(op, _distributions())
    create_tenant_table(op, _distribution_shares())
    create_tenant_table(op, _remittances())
    create_tenant_table(op, _remittance_payments())
    create_tenant_table(op, _imports())
    create_tenant_table(op, _imported_rows())
    create_tenant_table(op, _daily_runs())
    _look()
    _record()


def _look() -> None:
    op.execute("""
        CREATE FUNCTION fisc.look(tenant int, wanted uuid[], related boolean) RETURNS jsonb
        LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            ids uuid[];
        BEGIN
            -- First the locks, in the order of the ids, so that two transactions never wait in a circle. Where the law
            -- looks from one account to another, all of a place and tax are one lock.
            IF related THEN
                PERFORM FROM fisc.period_accounts a
                WHERE a.tenant_id = tenant AND EXISTS (SELECT FROM fisc.period_accounts w WHERE w.tenant_id = tenant
                    AND w.id = ANY(wanted) AND w.place_id = a.place_id AND w.tax = a.tax)
                ORDER BY a.id FOR NO KEY UPDATE;
            ELSE
                PERFORM FROM fisc.period_accounts a
                WHERE a.tenant_id = tenant AND a.id = ANY(wanted) ORDER BY a.id FOR NO KEY UPDATE;
            END IF;
            PERFORM pg_advisory_xact_lock_shared(5467003, tenant);
            -- Each statement from here on sees what was committed while the locks were waited for.
            IF related THEN
                ids := ARRAY(SELECT a.id FROM fisc.period_accounts a WHERE a.tenant_id = tenant
                    AND EXISTS (SELECT FROM fisc.period_accounts w WHERE w.tenant_id = tenant
                        AND w.id = ANY(wanted) AND w.place_id = a.place_id AND w.tax = a.tax));
            ELSE
                ids := wanted;
            END IF;
            RETURN jsonb_build_object(
                'tenant', (SELECT jsonb_build_array(t.key, t.plugin, t.closed_on)
                    FROM platform.tenants t WHERE t.id = tenant),
                'opened_on', (SELECT min(o.opened_on) FROM fisc.openings o WHERE o.tenant_id = tenant),
                'closed_through', (SELECT max(c.through) FROM fisc.closings c WHERE c.tenant_id = tenant),
                'settings', (SELECT jsonb_agg(jsonb_build_array(s.seq, s.id, s.kind, s.key, s.value_kind, s.value,
                    s.since, s.number, s.reason, s.withdraws, s.recorded_by, s.recorded_on) ORDER BY s.seq)::text
                    FROM fisc.settings s WHERE s.tenant_id = tenant),
                'accounts', (SELECT jsonb_agg(jsonb_build_array(a.id, a.filer_id, a.place_id, a.tax, a.period,
                    a.first_day, a.last_day) ORDER BY a.id)
                    FROM fisc.period_accounts a WHERE a.tenant_id = tenant AND a.id = ANY(ids)),
                'events', (SELECT jsonb_agg(jsonb_build_array(e.account_id, e.seq, e.kind, e.counts_on, e.voids_seq,
                    e.payload, e.recorded_on) ORDER BY e.account_id, e.seq)
                    FROM fisc.events e WHERE e.tenant_id = tenant AND e.account_id = ANY(ids)),
                'assessed', (SELECT jsonb_agg(to_jsonb(last) - 'tenant_id' - 'recorded_at') FROM (
                    SELECT DISTINCT ON (s.account_id) s.* FROM fisc.assessments s
                    WHERE s.tenant_id = tenant AND s.account_id = ANY(ids)
                    ORDER BY s.account_id, s.number DESC) last),
                'posted', (SELECT jsonb_agg(jsonb_build_array(p.period_account_id, p.fund, p.debit, p.credit,
                    p.charge_kind, p.clause_id, p.section, p.cents)) FROM (
                    SELECT n.period_account_id, t.fund, t.debit, t.credit, t.charge_kind, t.clause_id, t.section,
                        sum(t.cents) AS cents
                    FROM fisc.entries n JOIN fisc.transfers t ON t.tenant_id = n.tenant_id AND t.entry_id = n.id
                    WHERE n.tenant_id = tenant AND t.tenant_id = tenant AND n.period_account_id = ANY(ids)
                    GROUP BY 1, 2, 3, 4, 5, 6, 7) p)
            );
        END $$
    """)
    op.execute(f"GRANT EXECUTE ON FUNCTION fisc.look(int, uuid[], boolean) TO {Role.APP}")


def _record() -> None:
    op.execute("""
        CREATE FUNCTION fisc.record(tenant int, batch jsonb)
        RETURNS TABLE (returns_before bigint, payments_before bigint)
        LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            returns_given CONSTANT int := jsonb_array_length(batch->'returns');
            payments_given CONSTANT int := jsonb_array_length(batch->'payments');
            entries_given CONSTANT int := jsonb_array_length(batch->'entries');
            new_entries int := 0;
        BEGIN
            INSERT INTO fisc.events (tenant_id, account_id, seq, id, kind, counts_on, voids_seq, payload,
                recorded_by, recorded_on)
            SELECT tenant, e.account_id, e.seq, e.id, e.kind, e.counts_on, e.voids_seq, e.payload,
                e.recorded_by, e.recorded_on
            FROM jsonb_to_recordset(batch->'events') AS e (account_id uuid, seq int, id uuid, kind text,
                counts_on date, voids_seq int, payload jsonb, recorded_by text, recorded_on date);
            IF returns_given > 0 THEN
                INSERT INTO fisc.counters AS c (tenant_id, name, last) VALUES (tenant, 'returns', returns_given)
                ON CONFLICT (tenant_id, name) DO UPDATE SET last = c.last + excluded.last
                RETURNING c.last - returns_given INTO returns_before;
                INSERT INTO fisc.returns (tenant_id, id, number, account_id, event_seq, submission, channel,
                    received_on, plugin, plugin_version, recorded_by, recorded_on)
                -- The form travels as a text, since jsonb would not keep it letter for letter.
                SELECT tenant, r.id, returns_before + r.place, r.account_id, r.event_seq, r.submission::json,
                    r.channel, r.received_on, r.plugin, r.plugin_version, r.recorded_by, r.recorded_on
                FROM jsonb_to_recordset(batch->'returns') AS r (id uuid, place int, account_id uuid, event_seq int,
                    submission text, channel text, received_on date, plugin text, plugin_version text,
                    recorded_by text, recorded_on date);
            END IF;
            IF payments_given > 0 THEN
                INSERT INTO fisc.counters AS c (tenant_id, name, last) VALUES (tenant, 'payments', payments_given)
                ON CONFLICT (tenant_id, name) DO UPDATE SET last = c.last + excluded.last
                RETURNING c.last - payments_given INTO payments_before;
                INSERT INTO fisc.payments (tenant_id, id, number, account_id, event_seq, method, reference, received_on,
                    moved_from, recorded_by, recorded_on)
                SELECT tenant, p.id, payments_before + p.place, p.account_id, p.event_seq, p.method, p.reference,
                    p.received_on, p.moved_from, p.recorded_by, p.recorded_on
                FROM jsonb_to_recordset(batch->'payments') AS p (id uuid, place int, account_id uuid, event_seq int,
                    method text, reference text, received_on date, moved_from uuid, recorded_by text,
                    recorded_on date);
            END IF;
            IF entries_given > 0 THEN
                SELECT count(*) INTO new_entries FROM fisc.post(tenant, batch->'entries');
                IF new_entries <> entries_given THEN
                    RAISE EXCEPTION 'an entry of these was posted before' USING ERRCODE = 'unique_violation';
                END IF;
            END IF;
            INSERT INTO fisc.assessments (tenant_id, id, account_id, number, as_of, event_seqs, settings_seq, value_ids,
                inputs, depends_on, plugin, plugin_version, statement, entry_id)
            SELECT tenant, s.id, s.account_id, s.number, s.as_of, s.event_seqs, s.settings_seq, s.value_ids,
                s.inputs, s.depends_on, s.plugin, s.plugin_version, s.statement, s.entry_id
            FROM jsonb_to_recordset(batch->'assessments') AS s (id uuid, account_id uuid, number int, as_of date,
                event_seqs int[], settings_seq int, value_ids text[], inputs jsonb, depends_on text[], plugin text,
                plugin_version text, statement text, entry_id uuid);
            RETURN NEXT;
        END $$
    """)
    op.execute(f"GRANT EXECUTE ON FUNCTION fisc.record(int, jsonb) TO {Role.APP}")


def _recorded() -> tuple[Column, ...]:
    return (
        Column("recorded_by", Text, nullable=False),
        Column("recorded_on", Date, nullable=False),
        Column("recorded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    )


def _openings() -> Table:
    return tenant_table(
        "openings",
        Column("seq", SmallInteger, nullable=False),
        Column("opened_on", Date, nullable=False),
        *_recorded(),
        belongs_to_tenant(),
        check("opened_once", "seq = 1"),
        key=("seq",),
        access=APPEND_ONLY,
        metadata=metadata,
    )


def _payments() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _agreements() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _distributions() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _distribution_shares() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _remittances() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _remittance_payments() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _imports() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _imported_rows() -> Table:
    return tenant_table(
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
        metadata=metadata,
    )


def _daily_runs() -> Table:
    return tenant_table(
        "daily_runs",
        Column("day", Date, nullable=False),
        Column("report", JSONB, nullable=False),
        *_recorded(),
        belongs_to_tenant(),
        check("report_is_object", "jsonb_typeof(report) = 'object'"),
        key=("day",),
        access=APPEND_ONLY,
        metadata=metadata,
    )
