"""The live catalog keeps the rules of tenancy, and every rule notices when it is broken.

Each mutation is one thing that a careless migration, or a hurried hand at the prompt, could do. It is made as a
superuser, the findings must name it, and it is rolled back.
"""

from collections.abc import Iterator

import psycopg
import pytest
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext

from core.db.catalog import RULES, findings
from core.db.migrate import POLICY, create_tenant_table
from core.db.roles import Role
from core.db.url import Database
from core.services.database import upgrade
from tests.support.declared import declared_tables
from tests.support.postgres import Cluster
from tests.support.tenants import opened_engine

pytestmark = pytest.mark.database


@pytest.fixture(scope="module")
def migrated(postgres: Cluster, migrated_template: str) -> Iterator[Database]:
    with postgres.database(migrated_template) as made:
        yield made


@pytest.fixture
def catalog(postgres: Cluster, migrated: Database) -> Iterator[psycopg.Connection]:
    with postgres.superuser(migrated) as connection:
        yield connection
        connection.rollback()


def test_the_catalog_keeps_every_rule(catalog):
    assert findings(catalog, declared_tables()) == []


def test_the_owner_finds_the_same(migrated):
    with migrated.connect(Role.OWNER) as connection:
        assert findings(connection, declared_tables()) == []


SHAPE = """
    SELECT format('%s.%s %s %s %s %s', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
                  a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attcollation::regcollation)
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE c.relnamespace = 'fisc'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT format('%s: %s %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
      FROM pg_constraint k WHERE k.connamespace = 'fisc'::regnamespace AND k.contype <> 'n'
    UNION ALL
    SELECT indexdef FROM pg_indexes WHERE schemaname = 'fisc'
"""


def test_the_migrations_made_what_the_tables_declare(postgres, migrated):
    """The tables are declared twice, for use and, once and for all, in the migration; they may not drift apart."""
    tables = [table for table in declared_tables() if table.info["tenant"]]
    with postgres.database() as fresh:
        upgrade(fresh, to="0001_platform")
        with opened_engine(fresh, Role.OWNER) as engine, engine.begin() as connection:
            op = Operations(MigrationContext.configure(connection))
            connection.exec_driver_sql("CREATE SEQUENCE fisc.entry_seq AS bigint")
            connection.exec_driver_sql("CREATE SCHEMA extensions")
            connection.exec_driver_sql("CREATE EXTENSION btree_gist SCHEMA extensions")
            for table in tables:
                create_tenant_table(op, table)
        with postgres.superuser(fresh) as one, postgres.superuser(migrated) as other:
            declared = {row[0] for row in one.execute(SHAPE)}
            made = {row[0] for row in other.execute(SHAPE)}
    assert sorted(declared - made) == []
    assert sorted(made - declared) == []


SAMPLE = (
    "CREATE TABLE fisc.sample (tenant_id int NOT NULL, id uuid NOT NULL, {column} PRIMARY KEY ({key})); "
    "ALTER TABLE fisc.sample OWNER TO fisc_owner, ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; "
    f"CREATE POLICY tenant ON fisc.sample USING ({POLICY}) WITH CHECK ({POLICY})"
)


def sample(column: str = "", key: str = "tenant_id, id", after: str = "") -> str:
    """A table that keeps every rule but the one of the mutation (and that is declared nowhere)."""
    return SAMPLE.format(column=column and f"{column},", key=key) + (f"; {after}" if after else "")


FUNCTION = "CREATE FUNCTION fisc.f() RETURNS int LANGUAGE {} {} AS {}"

MUTATIONS: dict[str, tuple[str, str]] = {
    # row security
    "drop a policy": ("DROP POLICY tenant ON fisc.events", "fisc.events: one permissive policy is right, it has none"),
    "drop FORCE": ("ALTER TABLE fisc.events NO FORCE ROW LEVEL SECURITY", "fisc.events: row security is not forced"),
    "disable row security": ("ALTER TABLE fisc.filers DISABLE ROW LEVEL SECURITY", "fisc.filers: row security is not"),
    "a second permissive policy": (
        "CREATE POLICY also ON fisc.filers USING (true)",
        "fisc.filers: one permissive policy is right, it has",
    ),
    "memberships shown to all": (
        "ALTER POLICY member ON platform.memberships USING (true)",
        "platform.memberships: its policies are not those",
    ),
    "staff made by the application": (
        f"ALTER POLICY member ON platform.memberships WITH CHECK ({POLICY})",
        "platform.memberships: its policies are not those",
    ),
    "memberships unforced": (
        "ALTER TABLE platform.memberships NO FORCE ROW LEVEL SECURITY",
        "platform.memberships: row security is not enabled and forced",
    ),
    "a policy for reading only": (
        f"DROP POLICY tenant ON fisc.filers; CREATE POLICY tenant ON fisc.filers FOR SELECT USING ({POLICY})",
        "fisc.filers: policy tenant is not for every command",
    ),
    "a policy for one role": (
        "ALTER POLICY tenant ON fisc.filers TO fisc_app",
        "fisc.filers: policy tenant is not for every command and every role",
    ),
    "a policy that asks nothing": (
        "ALTER POLICY tenant ON fisc.filers USING (true)",
        "fisc.filers: policy tenant asks",
    ),
    "a policy that checks nothing": (
        "ALTER POLICY tenant ON fisc.filers WITH CHECK (true)",
        "fisc.filers: policy tenant asks",
    ),
    "a policy without nullif": (
        "ALTER POLICY tenant ON fisc.filers USING (tenant_id = current_setting('fisc.tenant', true)::int)",
        "fisc.filers: policy tenant asks",
    ),
    "a table without policy": (
        "CREATE TABLE fisc.bare (tenant_id int NOT NULL, id uuid, PRIMARY KEY (tenant_id, id))",
        "fisc.bare: row security is not enabled",
    ),
    "a table without tenant": ("CREATE TABLE fisc.bare (id int PRIMARY KEY)", "fisc.bare: its first column is not"),
    "a table of a plugin without policy": (
        "CREATE SCHEMA plugin_x; "
        "CREATE TABLE plugin_x.bare (tenant_id int NOT NULL, id uuid, PRIMARY KEY (tenant_id, id))",
        "plugin_x.bare: row security is not enabled",
    ),
    "an undeclared table": (sample(), "fisc.sample: the table is declared nowhere"),
    "a nullable tenant": (
        "ALTER TABLE fisc.events DROP CONSTRAINT pk_events CASCADE; "
        "ALTER TABLE fisc.events ALTER tenant_id DROP NOT NULL",
        "fisc.events: its first column is not tenant_id integer NOT NULL",
    ),
    "a table elsewhere": ("CREATE TABLE public.notes (id int PRIMARY KEY)", "public.notes: nothing belongs"),
    "a schema elsewhere": ("CREATE SCHEMA side", "side: a schema that is not Fisc's"),
    "a partition": (
        "CREATE TABLE fisc.parts (tenant_id int NOT NULL, PRIMARY KEY (tenant_id)) PARTITION BY HASH (tenant_id); "
        "CREATE TABLE fisc.part0 PARTITION OF fisc.parts FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
        "fisc.part0: a partition or child does not inherit",
    ),
    "a granted partitioned table": (
        "CREATE TABLE fisc.parts (tenant_id int NOT NULL, PRIMARY KEY (tenant_id)) PARTITION BY HASH (tenant_id); "
        "GRANT SELECT ON fisc.parts TO fisc_app",
        "fisc.parts: SELECT is granted to fisc_app on a partitioned table",
    ),
    "a child table": ("CREATE TABLE fisc.child () INHERITS (fisc.events)", "fisc.child: a partition or child"),
    # keys
    "the tenant out of a primary key": (
        sample(key="id"),
        "fisc.sample: key fisc.sample_pkey does not begin with tenant_id",
    ),
    "the tenant second in a key": (sample(key="id, tenant_id"), "fisc.sample_pkey does not begin with tenant_id"),
    "the tenant out of a unique key": (
        "ALTER TABLE fisc.filers ADD CONSTRAINT global UNIQUE (number)",
        "fisc.filers: key fisc.global does not begin with tenant_id",
    ),
    "a unique index without the tenant": (
        "CREATE UNIQUE INDEX global ON fisc.filers (number) WHERE number > 0",
        "fisc.filers: key fisc.global does not begin with tenant_id",
    ),
    "an exclusion without the tenant": (
        "ALTER TABLE fisc.places ADD CONSTRAINT once EXCLUDE (number WITH =)",
        "fisc.places: key fisc.once does not begin with tenant_id",
    ),
    "no primary key": ("ALTER TABLE fisc.switches DROP CONSTRAINT pk_switches", "fisc.switches: it has no primary key"),
    "an index without the tenant": (
        "CREATE INDEX slow ON fisc.filers (name)",
        "fisc.slow: the index does not begin with tenant_id",
    ),
    "an index on a type that leaks": (
        "CREATE INDEX slow ON fisc.events (tenant_id, payload)",
        "fisc.slow: comparisons of jsonb are not leakproof",
    ),
    "an index on an expression": (
        "CREATE INDEX slow ON fisc.filers (tenant_id, lower(name))",
        "fisc.slow: row security uses plain btree columns only",
    ),
    "a foreign key without the tenant": (
        sample(
            after="ALTER TABLE fisc.filers ADD CONSTRAINT one UNIQUE (id); "
            "ALTER TABLE fisc.sample ADD CONSTRAINT ref FOREIGN KEY (id) REFERENCES fisc.filers (id)"
        ),
        "fisc.sample: foreign key ref does not begin with tenant_id on both sides",
    ),
    "a foreign key to another's tenant column": (
        sample(
            column="filer_id uuid, t2 int NOT NULL",
            after="ALTER TABLE fisc.sample ADD CONSTRAINT ref "
            "FOREIGN KEY (t2, filer_id) REFERENCES fisc.filers (tenant_id, id)",
        ),
        "fisc.sample: foreign key ref does not begin with tenant_id on both sides",
    ),
    "a foreign key from platform into tenants' rows": (
        "ALTER TABLE platform.tenants ADD COLUMN boss uuid, ADD CONSTRAINT boss FOREIGN KEY (id, boss) "
        "REFERENCES fisc.filers (tenant_id, id)",
        "platform.tenants: foreign key boss reaches from platform.tenants into tenants' rows",
    ),
    "a foreign key out of the tenant": (
        sample(
            column="key text",
            after="ALTER TABLE fisc.sample ADD CONSTRAINT ref FOREIGN KEY (key) REFERENCES platform.tenants (key)",
        ),
        "fisc.sample: foreign key ref leaves the tenant for platform.tenants",
    ),
    "a foreign key that deletes": (
        sample(
            after="ALTER TABLE fisc.sample ADD CONSTRAINT ref FOREIGN KEY (tenant_id, id) "
            "REFERENCES fisc.filers (tenant_id, id) ON DELETE CASCADE"
        ),
        "fisc.sample: foreign key ref changes rows by itself",
    ),
    "a foreign key that was never checked": (
        sample(
            after="ALTER TABLE fisc.sample ADD CONSTRAINT ref FOREIGN KEY (tenant_id, id) "
            "REFERENCES fisc.filers (tenant_id, id) NOT VALID"
        ),
        "fisc.sample: foreign key ref was never checked",
    ),
    # columns and types
    "money as numeric": (sample("paid_cents numeric"), "fisc.sample.paid_cents: numeric is not for money"),
    "cents as integer": (sample("cents int"), "fisc.sample.cents: cents are bigint, not integer"),
    "a time without zone": (sample("at timestamp"), "fisc.sample.at: a time without its zone"),
    "an identity": (sample("n int GENERATED ALWAYS AS IDENTITY"), "fisc.sample.n: an identity counts all tenants"),
    "a sequence": ("CREATE SEQUENCE fisc.receipts", "fisc.receipts: a sequence counts all tenants together"),
    "an enum": ("CREATE TYPE fisc.mood AS ENUM ('good')", "fisc.mood: an enum"),
    # code
    "a definer function": (FUNCTION.format("sql", "SECURITY DEFINER", "'SELECT 1'"), "fisc.f(): SECURITY DEFINER"),
    "a function without search path": (FUNCTION.format("sql", "", "'SELECT 1'"), "fisc.f(): its search path is not"),
    "a leakproof function": (FUNCTION.format("sql", "LEAKPROOF", "'SELECT 1'"), "fisc.f(): LEAKPROOF"),
    "a function for everybody": (
        FUNCTION.format("sql", "", "'SELECT 1'") + "; GRANT EXECUTE ON FUNCTION fisc.f() TO PUBLIC",
        "fisc.f(): PUBLIC may execute it",
    ),
    "a promise by trigger alone": (
        "CREATE FUNCTION fisc.t() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; "
        "CREATE TRIGGER balance BEFORE INSERT ON fisc.events FOR EACH ROW EXECUTE FUNCTION fisc.t()",
        "fisc.events: trigger balance calls fisc.t",
    ),
    "a second lock dropped": ("DROP TRIGGER refuse_change ON fisc.events", "fisc.events: its second lock is missing"),
    "a second lock off": (
        "ALTER TABLE fisc.events DISABLE TRIGGER refuse_change",
        "fisc.events: trigger refuse_change is off",
    ),
    "foreign keys off": ("ALTER TABLE fisc.events DISABLE TRIGGER ALL", "is off"),
    "a rule": (
        "CREATE RULE quiet AS ON DELETE TO fisc.filers DO INSTEAD NOTHING",
        "fisc.filers: rule quiet rewrites statements",
    ),
    "a view without security_invoker": (
        "CREATE VIEW fisc.everything AS SELECT * FROM fisc.filers",
        "fisc.everything: a view without security_invoker",
    ),
    "a materialised view": (
        "CREATE MATERIALIZED VIEW fisc.totals AS SELECT count(*) FROM fisc.filers",
        "fisc.totals: a materialised view has no row security",
    ),
    # grants and owners
    "UPDATE on events": ("GRANT UPDATE ON fisc.events TO fisc_app", "fisc.events: UPDATE is granted to fisc_app where"),
    "UPDATE on one column of settings": (
        "GRANT UPDATE (value) ON fisc.settings TO fisc_app",
        "fisc.settings: UPDATE (value) is granted to fisc_app where nothing is ever changed",
    ),
    "DELETE on attachments": ("GRANT DELETE ON fisc.attachments TO fisc_app", "fisc.attachments: DELETE is granted"),
    "UPDATE on another column of accounts": (
        "GRANT UPDATE (period) ON fisc.period_accounts TO fisc_app",
        "fisc.period_accounts: UPDATE (period) is granted to fisc_app where only touched_at",
    ),
    "DELETE that is not declared": (
        "GRANT DELETE ON fisc.filers TO fisc_app",
        "fisc.filers: DELETE for fisc_app is granted and not declared",
    ),
    "TRUNCATE": ("GRANT TRUNCATE ON fisc.filers TO fisc_app", "fisc.filers: TRUNCATE is granted to fisc_app, and to"),
    "REFERENCES": (
        "GRANT REFERENCES ON fisc.filers TO fisc_app",
        "fisc.filers: REFERENCES is granted to fisc_app, and",
    ),
    "TRIGGER": ("GRANT TRIGGER ON fisc.filers TO fisc_app", "fisc.filers: TRIGGER is granted to fisc_app, and to"),
    "a grant to everybody": ("GRANT SELECT ON fisc.filers TO PUBLIC", "fisc.filers: SELECT is granted to PUBLIC"),
    "a grant to the host": ("GRANT SELECT ON fisc.filers TO fisc_host", "fisc.filers: SELECT is granted to fisc_host"),
    "a grant to pass on": (
        "GRANT SELECT ON fisc.filers TO fisc_app WITH GRANT OPTION",
        "fisc.filers: SELECT is granted to fisc_app to pass on",
    ),
    "a grant taken away": (
        "REVOKE INSERT ON fisc.events FROM fisc_app",
        "fisc.events: INSERT for fisc_app is declared and not granted",
    ),
    "the host into tenants' rows": ("GRANT USAGE ON SCHEMA fisc TO fisc_host", "fisc: USAGE on the schema is granted"),
    "the application creates": ("GRANT CREATE ON SCHEMA fisc TO fisc_app", "fisc: CREATE on the schema is granted"),
    "everybody creates in public": (
        "GRANT CREATE ON SCHEMA public TO PUBLIC",
        "public: CREATE on the schema is granted",
    ),
    "a default grant": (
        "ALTER DEFAULT PRIVILEGES FOR ROLE fisc_owner IN SCHEMA fisc GRANT SELECT ON TABLES TO fisc_app",
        "default privileges: every new object",
    ),
    "everybody enters": (
        "DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO PUBLIC', current_database()); END $$",
        "the database: CONNECT is granted to PUBLIC",
    ),
    "the application owns": ("ALTER TABLE fisc.filers OWNER TO fisc_app", "fisc.filers: owned by fisc_app"),
    "the application bypasses": ("ALTER ROLE fisc_app BYPASSRLS", "fisc_app bypasses row security"),
    "the application is the owner's member": ("GRANT fisc_owner TO fisc_app", "fisc_app is a member of fisc_owner"),
    "a dropped table": ("DROP TABLE fisc.switches", "fisc.switches: the table is not there"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_catalog_test_goes_red(catalog, name):
    mutation, expected = MUTATIONS[name]
    catalog.execute(mutation)
    found = findings(catalog, declared_tables())
    assert any(expected in finding for finding in found), found


def test_every_rule_goes_red_for_some_mutation(postgres, migrated):
    """A rule that nothing can break proves nothing."""
    silent = set(RULES)
    with postgres.superuser(migrated) as connection:
        for mutation, _ in MUTATIONS.values():
            connection.execute(mutation)
            silent -= {rule for rule in silent if any(rule(connection))}
            connection.rollback()
    assert silent == set()
