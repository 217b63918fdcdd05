"""Two tenants through one pooled connection: whatever one does, nothing of the other changes or is shown.

A state machine picks the acts, where they stop (commit, rollback, an error in the middle, a savepoint undone), and
who acts next on the same back end. What the other has is looked at by a superuser, before and after. Two negative
controls show that the machine would notice.
"""

from collections.abc import Callable, Iterator
from datetime import date
from enum import Enum
from types import SimpleNamespace
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from core.db.engine import TENANT_OPTION
from core.db.remember import Request, RequestKeyReused, remember
from core.db.roles import Role
from core.db.unit_of_work import TransactionBroken, UnitOfWork, reading, writing
from core.domain.errors import FiscError
from core.domain.events import Payment
from core.filing.accounts import find_accounts, lock_accounts
from core.filing.attachments import read_paper
from core.filing.events import events_of, facts, next_seq, record_events
from core.filing.find_filers import filers_named, find_filer
from core.filing.places import find_place, register_place
from core.filing.records import FilerDetails, PlaceDetails
from core.filing.register_filer import change_filer, register_filer
from core.filing.returns import return_as_filed
from tests.support.declared import declared_tables
from tests.support.postgres import Cluster
from tests.support.tenants import CLERK, Records, fill, new_tenant, opened_engine

pytestmark = [pytest.mark.database, pytest.mark.slow]

TABLES = sorted(table.fullname for table in declared_tables() if table.info["tenant"])
SNAPSHOT = " UNION ALL ".join(
    f"SELECT '{table}', md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {table} t"
    " WHERE tenant_id = %(tenant)s"
    for table in TABLES
)


class Stopped(Exception):
    """An error of our own in the middle of a transaction."""


class Leak(AssertionError):
    """Something of another tenant was changed or shown."""


def only(allowed: set[int], found, where: str) -> None:
    if not set(found) <= allowed:
        raise Leak(f"{where}: tenants {sorted(set(found) - allowed)} are shown")


class Ending(Enum):
    COMMIT = "commit"
    ROLLBACK = "rollback"
    OWN_ERROR = "an exception"
    DATABASE_ERROR = "an error of the database, then a commit"
    SAVEPOINT = "a savepoint undone, then commit"


# What one tenant does. `mine` and `theirs` are the records of the two; each act may use the other's ids.
Act = Callable[[UnitOfWork, Records, Records], None]
ACTS: dict[str, Act] = {}


def act(function: Act) -> Act:
    ACTS[function.__name__] = function
    return function


def refused(work: Callable[[], object]) -> None:
    """Nothing is found: the other's id is answered like one that never was."""
    with pytest.raises(FiscError):
        work()


@act
def registers_a_filer(uow, mine, theirs):
    register_filer(uow, FilerDetails("Bay Inn"), CLERK)


@act
def changes_its_filer(uow, mine, theirs):
    filer = find_filer(uow, mine.filer)
    change_filer(uow, filer.id, filer.version, FilerDetails("Other Name"), CLERK)


@act
def takes_a_payment(uow, mine, theirs):
    account = mine.accounts[0].id
    lock_accounts(uow, [account])
    known = facts(events_of(uow, [account])[account])
    record_events(uow, [(account, Payment(next_seq(known), CLERK.on, CLERK.on, 100))], "clerk")


@act
def answers_a_request(uow, mine, theirs):
    """Both tenants use the same login and key, with different bodies."""
    asked = Request.of("someone", "same-key", str(uow.tenant).encode())
    try:
        assert remember(uow, asked, lambda: {"tenant": uow.tenant}) == {"tenant": uow.tenant}
    except RequestKeyReused:
        pytest.fail("another tenant's key was seen")


@act
def forgets_where_in_a_select(uow, mine, theirs):
    for table in TABLES:
        found = uow.connection.execute(text(f"SELECT DISTINCT tenant_id FROM {table}")).scalars().all()
        only({uow.tenant}, found, table)


@act
def forgets_where_in_an_update(uow, mine, theirs):
    uow.connection.execute(text("UPDATE fisc.filers SET phone = phone || '1'"))
    uow.connection.execute(text("UPDATE fisc.period_accounts SET touched_at = now()"))
    uow.connection.execute(text("UPDATE fisc.counters SET last = last + 1"))


@act
def aims_at_the_other_by_where(uow, mine, theirs):
    changed = uow.connection.execute(text("UPDATE fisc.filers SET name = 'x' WHERE tenant_id <> :t"), {"t": uow.tenant})
    assert changed.rowcount == 0


@act
def asks_for_what_is_the_others(uow, mine, theirs):
    refused(lambda: find_filer(uow, theirs.filer))
    refused(lambda: find_place(uow, theirs.place))
    refused(lambda: find_accounts(uow, [theirs.accounts[0].id]))
    refused(lambda: lock_accounts(uow, [mine.accounts[0].id, theirs.accounts[0].id]))
    refused(lambda: return_as_filed(uow, theirs.filed))
    refused(lambda: read_paper(uow, theirs.paper))
    refused(lambda: register_place(uow, theirs.filer, PlaceDetails("x"), date(2026, 1, 1), [], CLERK))
    assert events_of(uow, [theirs.accounts[0].id]) == {theirs.accounts[0].id: ()}
    assert theirs.filer not in {filer.id for filer in filers_named(uow)}


@act
def writes_a_row_of_the_other(uow, mine, theirs):
    statement = text("INSERT INTO fisc.counters (tenant_id, name, last) VALUES (:t, 'sneaked', 1)")
    with pytest.raises(DBAPIError), uow.savepoint():
        uow.connection.execute(statement, {"t": theirs.tenant})


@act
def pays_into_an_account_of_the_other(uow, mine, theirs):
    with pytest.raises(FiscError), uow.savepoint():
        record_events(uow, [(theirs.accounts[1].id, Payment(1, CLERK.on, CLERK.on, 100))], "clerk")


class TwoTenants(RuleBasedStateMachine):
    """One machine, one pool of one connection, two tenants made anew for each run."""

    ground: ClassVar[SimpleNamespace]

    @initialize()
    def start(self) -> None:
        number = next(self.ground.numbers)
        self.records: dict[int, Records] = {}
        for name in ("alpha", "beta"):
            tenant = new_tenant(self.ground.host, f"{name}-{number}").id
            with writing(self.ground.app, tenant) as uow:
                self.records[tenant] = fill(uow, name)
                uow.commit()
        self.backend = self.ground.app.connect().connection
        self.backend.close()

    @rule(first=st.booleans(), acts=st.lists(st.sampled_from(sorted(ACTS)), max_size=4), ending=st.sampled_from(Ending))
    def acts_in_a_transaction(self, first: bool, acts: list[str], ending: Ending) -> None:
        mine, theirs = sorted(self.records, reverse=not first)
        before_mine, before_theirs = self.snapshot(mine), self.snapshot(theirs)
        try:
            with writing(self.ground.app, mine) as uow:
                self.perform(uow, acts, ending, self.records[mine], self.records[theirs])
        except (Stopped, TransactionBroken):
            assert ending in (Ending.OWN_ERROR, Ending.DATABASE_ERROR)
        self.unchanged(theirs, before_theirs)
        if ending is not Ending.COMMIT:
            self.unchanged(mine, before_mine)

    def perform(self, uow, acts: list[str], ending: Ending, mine: Records, theirs: Records) -> None:
        self.look(uow)
        if ending is Ending.SAVEPOINT:
            point = uow.connection.begin_nested()
        for name in acts:
            ACTS[name](uow, mine, theirs)
            self.look(uow)
        if ending is Ending.SAVEPOINT:
            point.rollback()
            self.look(uow)
        elif ending is Ending.OWN_ERROR:
            raise Stopped
        elif ending is Ending.DATABASE_ERROR:
            with pytest.raises(DBAPIError):
                uow.connection.execute(text("SELECT 1/0"))
        if ending is not Ending.ROLLBACK:
            uow.commit()

    @rule(first=st.booleans())
    def reads(self, first: bool) -> None:
        mine, theirs = sorted(self.records, reverse=not first)
        before = self.snapshot(theirs)
        with reading(self.ground.app, mine) as uow:
            self.look(uow)
            asks = ACTS["forgets_where_in_a_select"]
            asks(uow, self.records[mine], self.records[theirs])
        self.unchanged(theirs, before)

    @rule()
    def looks_without_a_tenant(self) -> None:
        """The back end that served somebody a moment ago remembers nobody."""
        with self.ground.app.connect() as connection:
            for table in TABLES:
                only(set(), connection.execute(text(f"SELECT tenant_id FROM {table}")).scalars(), table)

    def look(self, uow: UnitOfWork) -> None:
        """The same back end all the time, and one's own rows alone."""
        self.ground.backends.add(uow.connection.execute(text("SELECT pg_backend_pid()")).scalar_one())
        seen = uow.connection.execute(text("SELECT DISTINCT tenant_id FROM fisc.filers")).scalars().all()
        assert seen, "its own are seen"
        only({uow.tenant}, seen, "fisc.filers")

    def unchanged(self, tenant: int, before: list[tuple[str, str]]) -> None:
        after = self.snapshot(tenant)
        if after != before:
            raise Leak(f"changed: {[one[0] for one, other in zip(after, before, strict=True) if one != other]}")

    def snapshot(self, tenant: int) -> list[tuple[str, str]]:
        return self.ground.superuser.execute(SNAPSHOT, {"tenant": tenant}).fetchall()


def session_setting(connection) -> None:
    """What must not be done: the tenant set on the session."""
    tenant = connection.get_execution_options().get(TENANT_OPTION)
    if tenant is not None:
        connection.connection.driver_connection.execute(f"SET fisc.tenant = '{tenant}'")


@pytest.fixture
def ground(postgres: Cluster, migrated_template: str) -> Iterator[SimpleNamespace]:
    with (
        postgres.database(migrated_template) as database,
        opened_engine(database, Role.APP, pool_size=1) as app,
        opened_engine(database, Role.HOST) as host,
        postgres.superuser(database) as superuser,
    ):
        superuser.autocommit = True
        yield SimpleNamespace(app=app, host=host, superuser=superuser, numbers=iter(range(10**9)), backends=set())


def run(ground: SimpleNamespace, *, examples: int) -> None:
    machine = type("Machine", (TwoTenants,), {"ground": ground})
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=12, suppress_health_check=checks)
    )


def test_nothing_of_the_other_changes_or_is_shown(ground):
    run(ground, examples=40)
    assert len(ground.backends) == 1, "all of it went through one back end"


def test_the_machine_notices_a_setting_on_the_session(ground):
    event.listen(ground.app, "begin", session_setting)
    assert leak_in(ground)


def test_the_machine_notices_a_second_policy(ground):
    ground.superuser.execute("CREATE POLICY also ON fisc.counters USING (true)")
    assert leak_in(ground)


def leak_in(ground: SimpleNamespace) -> bool:
    """Whether a run finds a leak, alone or among other failures."""
    try:
        run(ground, examples=40)
    except Leak:
        return True
    except BaseExceptionGroup as several:
        return several.subgroup(Leak) is not None
    return False
