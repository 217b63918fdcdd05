"""How row security leaks, tried as the application role with SQL of one's own; the numbers are SECURITY.md's."""

import pytest
from psycopg import errors

from core.db.roles import Role
from core.db.unit_of_work import in_transaction
from core.filing.records import FilerDetails
from core.filing.register_filer import register_filer
from tests.support.declared import declared_tables
from tests.support.tenants import CLERK, fill, new_tenant, opened_engine

pytestmark = pytest.mark.database

TENANT_TABLES = [table.fullname for table in declared_tables() if table.info["tenant"]]


@pytest.fixture(scope="module")
def database(postgres, migrated_template):
    """One for all tests here: what they do is rolled back."""
    with postgres.database(migrated_template) as made:
        yield made


@pytest.fixture(scope="module")
def app(database):
    with opened_engine(database, Role.APP) as engine:
        yield engine


@pytest.fixture(scope="module")
def host(database):
    with opened_engine(database, Role.HOST) as engine:
        yield engine


@pytest.fixture(scope="module")
def two(app, host):
    """Two tenants with records of the same shape, by their ids."""
    alpha, beta = new_tenant(host, "alpha"), new_tenant(host, "beta")
    for tenant in (alpha, beta):
        in_transaction(app, tenant.id, lambda uow: fill(uow, "Lake House"))
    return alpha.id, beta.id


@pytest.fixture
def raw(database):
    with database.connect(Role.APP) as connection:
        yield connection
        connection.rollback()


def set_tenant(connection, tenant: int) -> None:
    connection.execute(f"SET LOCAL fisc.tenant = '{tenant}'")


def seen(connection) -> set[int]:
    return {row[0] for row in connection.execute("SELECT tenant_id FROM fisc.filers")}


class TestTheSettingLastsForATransactionAlone:  # 1, 2, 9
    def test_commit_ends_it(self, raw, two):
        set_tenant(raw, two[0])
        raw.commit()
        assert seen(raw) == set()

    def test_rollback_ends_it(self, raw, two):
        set_tenant(raw, two[0])
        raw.rollback()
        assert seen(raw) == set()

    def test_afterwards_it_reads_empty_and_still_matches_nothing(self, raw, two):
        set_tenant(raw, two[0])
        raw.commit()
        assert raw.execute("SELECT current_setting('fisc.tenant', true)").fetchone() == ("",)
        assert seen(raw) == set()

    def test_rollback_to_a_savepoint_undoes_a_setting_made_after_it(self, raw, two):
        set_tenant(raw, two[0])
        raw.execute("SAVEPOINT here")
        set_tenant(raw, two[1])
        raw.execute("ROLLBACK TO SAVEPOINT here")
        assert seen(raw) == {two[0]}

    def test_without_it_nothing_is_seen(self, raw, two):
        for table in TENANT_TABLES:
            assert raw.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table

    @pytest.mark.parametrize("junk", ["", "0", "-1", "999"])
    def test_no_such_tenant_sees_nothing(self, raw, two, junk):
        raw.execute(f"SET LOCAL fisc.tenant = '{junk}'")
        assert seen(raw) == set()


class TestOneTenantSeesAndTouchesOnlyItsOwn:
    @pytest.mark.parametrize("table", TENANT_TABLES)
    def test_every_row_of_every_table_is_its_own(self, raw, two, table):
        set_tenant(raw, two[0])
        assert raw.execute(f"SELECT count(*) FROM {table} WHERE tenant_id <> {two[0]}").fetchone() == (0,)

    def test_update_without_where_touches_no_other(self, raw, two):
        set_tenant(raw, two[0])
        assert raw.execute("UPDATE fisc.filers SET phone = '555'").rowcount == 1
        set_tenant(raw, two[1])
        assert raw.execute("SELECT count(*) FROM fisc.filers WHERE phone = '555'").fetchone() == (0,)

    def test_insert_for_another_is_refused(self, raw, two):
        set_tenant(raw, two[0])
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            raw.execute(
                f"INSERT INTO fisc.counters (tenant_id, name, last) VALUES ({two[1]}, 'sneaked', 1)",
            )

    def test_a_row_cannot_be_moved_to_another(self, raw, two):
        set_tenant(raw, two[0])
        with pytest.raises(errors.InsufficientPrivilege):
            raw.execute(f"UPDATE fisc.filers SET tenant_id = {two[1]}")

    def test_on_conflict_do_update_reaches_no_other(self, raw, two):
        set_tenant(raw, two[0])
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            raw.execute(
                f"INSERT INTO fisc.counters (tenant_id, name, last) VALUES ({two[1]}, 'filers', 1)"
                " ON CONFLICT (tenant_id, name) DO UPDATE SET last = 99"
            )

    def test_row_security_off_is_an_error_and_no_way_in(self, raw, two):
        set_tenant(raw, two[0])
        raw.execute("SET LOCAL row_security = off")
        with pytest.raises(errors.InsufficientPrivilege):
            raw.execute("SELECT * FROM fisc.filers")


class TestTheOwner:  # 3
    def test_sees_nothing_without_a_tenant(self, database, two):
        with database.connect(Role.OWNER) as owner:
            assert seen(owner) == set()

    def test_sees_one_tenant_with_it(self, database, two):
        with database.connect(Role.OWNER) as owner:
            set_tenant(owner, two[1])
            assert seen(owner) == {two[1]}

    @pytest.mark.parametrize("table", [t.fullname for t in declared_tables() if t.info["access"].sealed])
    @pytest.mark.parametrize(
        "statement", ["UPDATE {} SET tenant_id = tenant_id", "DELETE FROM {}", "TRUNCATE {} CASCADE"]
    )
    def test_is_refused_where_nothing_is_ever_changed(self, database, two, table, statement):
        with database.connect(Role.OWNER) as owner:
            set_tenant(owner, two[0])
            with pytest.raises(errors.RestrictViolation, match="refused"):
                owner.execute(statement.format(table))


class TestStatisticsAndViews:  # 4
    def test_statistics_show_no_values_of_others(self, database, raw, two, postgres):
        with postgres.superuser(database) as superuser:
            superuser.execute("ANALYZE")
            superuser.commit()
        set_tenant(raw, two[0])
        shown = raw.execute("SELECT count(*) FROM pg_stats WHERE schemaname = 'fisc'").fetchone()
        assert shown == (0,)

    def test_a_leaking_function_sees_no_row_of_another(self, raw, two):
        """It runs after the policy, however cheap it claims to be."""
        set_tenant(raw, two[0])
        raw.execute("SELECT set_config('fisc.noted', '', true)")
        raw.execute(
            "SELECT count(*) FROM fisc.filers f WHERE"
            " set_config('fisc.noted', current_setting('fisc.noted') || f.tenant_id || ' ', true) <> ''"
        )
        assert raw.execute("SELECT current_setting('fisc.noted')").fetchone() == (f"{two[0]} ",)


class TestKeysAreNoOracle:  # 5
    def test_the_same_id_in_two_tenants_is_no_conflict(self, raw, app, two):
        set_tenant(raw, two[1])
        (theirs,) = raw.execute("SELECT id FROM fisc.filers").fetchone()
        set_tenant(raw, two[0])
        columns = "name, search_name, address, email, phone, recorded_by, recorded_on"
        made = raw.execute(
            f"INSERT INTO fisc.filers (tenant_id, id, number, version, {columns})"
            f" SELECT {two[0]}, %s, 77, 1, {columns} FROM fisc.filers LIMIT 1",
            [theirs],
        )
        assert made.rowcount == 1

    def test_a_foreign_key_does_not_find_another_tenants_row(self, raw, two):
        set_tenant(raw, two[1])
        (theirs,) = raw.execute("SELECT id FROM fisc.filers").fetchone()
        set_tenant(raw, two[0])
        raw.execute("SAVEPOINT here")
        messages = []
        for target in (theirs, "00000000-0000-7000-8000-000000000000"):
            with pytest.raises(errors.ForeignKeyViolation) as refused:
                raw.execute(
                    "INSERT INTO fisc.places (tenant_id, id, filer_id, number, version, name, address, furnished_by,"
                    " private_benefit, recorded_by, recorded_on)"
                    f" VALUES ({two[0]}, gen_random_uuid(), %s, 9, 1, 'x', '', '', true, '', '2026-01-01')",
                    [target],
                )
            messages.append(str(refused.value).replace(str(target), "…"))
            raw.execute("ROLLBACK TO SAVEPOINT here")
        assert messages[0] == messages[1], "a foreign id and one that never was must look alike"


class TestWhatTheApplicationMayNot:  # 6
    @pytest.mark.parametrize("table", TENANT_TABLES)
    @pytest.mark.parametrize(
        "statement", ["TRUNCATE {}", "ALTER TABLE {} NO FORCE ROW LEVEL SECURITY", "DROP TABLE {}"]
    )
    def test_truncate_alter_or_drop(self, raw, two, table, statement):
        with pytest.raises(errors.InsufficientPrivilege):
            raw.execute(statement.format(table))

    @pytest.mark.parametrize("table", ["events", "returns", "settings", "attachments", "place_facts", "revisions"])
    @pytest.mark.parametrize("statement", ["UPDATE fisc.{} SET recorded_by = 'me'", "DELETE FROM fisc.{}"])
    def test_change_what_is_recorded(self, raw, two, table, statement):
        set_tenant(raw, two[0])
        with pytest.raises(errors.InsufficientPrivilege):
            raw.execute(statement.format(table))

    def test_change_anything_of_an_account_but_when_it_was_touched(self, raw, two):
        set_tenant(raw, two[0])
        assert raw.execute("UPDATE fisc.period_accounts SET touched_at = now()").rowcount == 2
        with pytest.raises(errors.InsufficientPrivilege):
            raw.execute("UPDATE fisc.period_accounts SET period = '2026-Q4'")

    @pytest.mark.parametrize(
        "statement",
        [
            "CREATE TABLE fisc.mine (id int)",
            "CREATE TABLE public.mine (id int)",
            "CREATE TEMP TABLE mine (id int)",
            "CREATE FUNCTION fisc.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "CREATE POLICY mine ON fisc.filers USING (true)",
            "SET ROLE fisc_owner",
            "SET SESSION AUTHORIZATION fisc_owner",
            "INSERT INTO platform.tenants (key, plugin, name, time_zone, added_by) VALUES ('x', 'y', 'z', 'UTC', '')",
            "UPDATE platform.tenants SET name = 'mine'",
            "COPY fisc.filers TO PROGRAM 'cat'",
        ],
    )
    def test_make_or_become(self, raw, two, statement):
        with pytest.raises(errors.InsufficientPrivilege):
            raw.execute(statement)

    def test_it_can_set_the_tenant_itself_so_no_sql_is_built_from_strings(self, raw, two):
        """Not a promise but its limit: row security is a floor, and whoever injects SQL stands on it."""
        set_tenant(raw, two[0])
        set_tenant(raw, two[1])
        assert seen(raw) == {two[1]}


class TestTheHostAndTheBackup:
    @pytest.mark.parametrize("table", TENANT_TABLES)
    def test_the_host_cannot_look_into_tenants_rows(self, database, two, table):
        with database.connect(Role.HOST) as host, pytest.raises(errors.InsufficientPrivilege):
            host.execute(f"SELECT FROM {table}")

    def test_the_host_sees_the_directory(self, database, two):
        with database.connect(Role.HOST) as host:
            ids = {row[0] for row in host.execute("SELECT id FROM platform.tenants")}
            assert ids >= set(two)

    def test_the_host_removes_no_tenant(self, database, two):
        with database.connect(Role.HOST) as host, pytest.raises(errors.InsufficientPrivilege):
            host.execute("DELETE FROM platform.tenants")

    def test_the_backup_reads_every_tenant(self, database, two):  # 7
        with database.connect(Role.BACKUP) as backup:
            assert seen(backup) >= set(two)

    def test_the_backup_writes_nothing(self, database, two):
        with database.connect(Role.BACKUP, autocommit=True) as backup:
            backup.execute("SET default_transaction_read_only = off")
            with pytest.raises(errors.InsufficientPrivilege):
                backup.execute("UPDATE fisc.filers SET phone = '1'")


def test_numbers_of_one_tenant_do_not_tell_of_another(app, host):  # 7
    busy, quiet = new_tenant(host, "busy"), new_tenant(host, "quiet")
    details = FilerDetails("Bay Inn")
    for _ in range(3):
        in_transaction(app, busy.id, lambda uow: register_filer(uow, details, CLERK))
    assert in_transaction(app, quiet.id, lambda uow: register_filer(uow, details, CLERK)).number == 1
