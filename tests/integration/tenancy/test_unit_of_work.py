"""One transaction, one tenant: it rolls back unless committed, says so when it cannot, and is repeated where asked."""

import threading

import psycopg
import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError, InternalError

from core.db.engine import make_engine
from core.db.next_number import next_number
from core.db.roles import Role
from core.db.unit_of_work import TooBusy, TransactionBroken, in_transaction, reading, sqlstate, writing
from tests.support.tenants import new_tenant, opened_engine

pytestmark = pytest.mark.database

COUNT = text("SELECT coalesce(max(last), 0) FROM fisc.counters WHERE tenant_id = :tenant")


@pytest.fixture
def tenant(host) -> int:
    return new_tenant(host, "alpha").id


def counted(app, tenant: int) -> int:
    with reading(app, tenant) as uow:
        return uow.execute(COUNT).scalar_one()


def number_and_fail(uow) -> None:
    next_number(uow, "receipts")
    raise KeyError


def test_nothing_lasts_without_commit(app, tenant):
    with writing(app, tenant) as uow:
        next_number(uow, "receipts")
    assert counted(app, tenant) == 0


def test_what_is_committed_lasts(app, tenant):
    with writing(app, tenant) as uow:
        next_number(uow, "receipts")
        uow.commit()
    assert counted(app, tenant) == 1


def test_an_exception_rolls_back(app, tenant):
    with pytest.raises(KeyError), writing(app, tenant) as uow:
        number_and_fail(uow)
    assert counted(app, tenant) == 0


def test_a_savepoint_undone_leaves_the_rest(app, tenant):
    with writing(app, tenant) as uow:
        next_number(uow, "receipts")
        with pytest.raises(KeyError), uow.savepoint():
            number_and_fail(uow)
        uow.commit()
    assert counted(app, tenant) == 1


def test_a_commit_after_an_error_is_refused_and_not_silently_a_rollback(app, tenant):
    with writing(app, tenant) as uow:
        next_number(uow, "receipts")
        with pytest.raises(DBAPIError):
            uow.connection.execute(text("SELECT 1/0"))
        with pytest.raises(TransactionBroken, match="nothing was recorded"):
            uow.commit()
    assert counted(app, tenant) == 0


def test_reading_can_write_nothing(app, tenant):
    with pytest.raises(InternalError, match="read-only"), reading(app, tenant) as uow:
        next_number(uow, "receipts")


@pytest.mark.parametrize("tenant", ["1", 1.0, True, None, "1'; DROP TABLE fisc.filers --"])
def test_a_tenant_is_an_int_and_nothing_else(app, tenant):
    with pytest.raises(TypeError), writing(app, tenant):
        pass


@pytest.mark.parametrize("tenant", [0, -1, 2**31])
def test_a_tenant_is_within_bounds(app, tenant):
    with pytest.raises(ValueError, match="no tenant's id"), writing(app, tenant):
        pass


def test_reads_end_with_commit(app, tenant):
    ended = []
    event.listen(app, "commit", lambda connection: ended.append("commit"))
    event.listen(app, "rollback", lambda connection: ended.append("rollback"))
    with reading(app, tenant) as uow:
        uow.execute(COUNT)
    assert ended == ["commit"]


def test_the_setting_is_local_to_the_transaction(app, tenant):
    with writing(app, tenant) as uow:
        assert uow.connection.execute(text("SELECT current_setting('fisc.tenant')")).scalar_one() == str(tenant)
        uow.commit()
    with app.connect() as connection:
        assert connection.execute(text("SELECT current_setting('fisc.tenant', true)")).scalar_one() in (None, "")


class TestRepeating:
    def test_deadlocks_are_repeated_and_both_come_through(self, app, tenant):
        for name in ("a", "b"):
            in_transaction(app, tenant, lambda uow, name=name: next_number(uow, name))
        meeting = threading.Barrier(2, timeout=10)
        tries = []

        def crossing(first: str, second: str) -> None:
            def work(uow):
                tries.append(first)
                next_number(uow, first)
                if len(tries) <= 2:
                    meeting.wait()
                next_number(uow, second)

            in_transaction(app, tenant, work)

        threads = [threading.Thread(target=crossing, args=names) for names in (("a", "b"), ("b", "a"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(tries) == 3, "one of the two was repeated"
        assert counted(app, tenant) == 3

    def test_serialisation_failures_are_repeated(self, app, tenant):
        tries = []

        def work(uow):
            tries.append(1)
            if len(tries) < 3:
                uow.connection.execute(text("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$"))
            return next_number(uow, "receipts")

        assert in_transaction(app, tenant, work) == 1
        assert len(tries) == 3

    def test_the_drivers_own_errors_are_repeated_too(self, app, tenant):
        tries = []

        def work(uow):
            tries.append(1)
            if len(tries) < 2:
                uow.driver.execute("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40P01'; END $$")
            return next_number(uow, "receipts")

        assert in_transaction(app, tenant, work) == 1

    def test_it_gives_up_after_a_bounded_number_of_tries(self, app, tenant):
        tries = []

        def work(uow):
            tries.append(1)
            uow.connection.execute(text("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$"))

        with pytest.raises(TooBusy, match="nothing was recorded"):
            in_transaction(app, tenant, work, tries=3)
        assert len(tries) == 3

    def test_other_errors_are_not_repeated(self, app, tenant):
        tries = []

        def work(uow):
            tries.append(1)
            uow.connection.execute(text("SELECT 1/0"))

        with pytest.raises(DBAPIError):
            in_transaction(app, tenant, work)
        assert len(tries) == 1


class TestDeadConnections:
    """A back end dies when the server restarts or its administrator ends it."""

    @pytest.fixture
    def kill(self, postgres, database):
        def kill_all() -> None:
            with postgres.superuser(database) as superuser:
                superuser.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                    " WHERE usename = 'fisc_app' AND datname = current_database()"
                )

        return kill_all

    def test_those_in_the_pool_are_replaced_unseen(self, app, tenant, kill):
        with reading(app, tenant), reading(app, tenant), reading(app, tenant):
            pass
        kill()
        for _ in range(4):
            assert counted(app, tenant) == 0

    @pytest.mark.parametrize("raw", [False, True])
    def test_one_in_use_tells_of_its_death_and_not_of_a_failed_rollback(self, app, tenant, kill, raw):
        def go_on(uow) -> None:
            kill()
            uow.driver.execute("SELECT 1") if raw else uow.connection.execute(text("SELECT 1"))

        with pytest.raises((DBAPIError, psycopg.Error)) as failure, writing(app, tenant) as uow:
            go_on(uow)
        assert sqlstate(failure.value) == "57P01"
        assert counted(app, tenant) == 0

    def test_one_that_dies_before_the_commit_records_nothing(self, app, tenant, kill):
        def record(uow) -> None:
            next_number(uow, "receipts")
            kill()

        with pytest.raises((DBAPIError, psycopg.Error)):
            in_transaction(app, tenant, record)
        assert counted(app, tenant) == 0

    def test_a_server_that_lets_nobody_in_is_an_error_and_no_endless_loop(self, database, tenant):
        engine = make_engine(database.address(Role.APP) + "&options=-c%20no_such_setting%3D1")
        with pytest.raises((DBAPIError, psycopg.Error)), reading(engine, tenant):
            pass
        engine.dispose()

    def test_a_pool_gets_its_connections_back_whatever_happens(self, database, tenant, kill):
        with opened_engine(database, Role.APP, pool_size=1, pool_timeout=1) as engine:
            for _ in range(3):
                with pytest.raises((DBAPIError, psycopg.Error)):
                    in_transaction(engine, tenant, lambda uow: kill())
            assert counted(engine, tenant) == 0
