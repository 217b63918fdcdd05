"""What the books promise against whoever has an SQL prompt as the application, or as the owner.

Nothing here goes through core.ledger.post: the statements are what an attacker, or a mistake, would type.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.roles import Role
from core.db.unit_of_work import in_transaction, writing
from core.db.url import Database
from core.ledger.accounts import due_from, due_to, open_due_accounts
from core.ledger.close import close_through
from core.ledger.errors import PeriodClosed
from core.ledger.findings import Wrong
from core.ledger.post import post
from tests.support.numbered_entries import (
    CASH,
    GENERAL,
    RECEIVABLE,
    REVENUE,
    ROOM_TAX,
    entry,
    open_books,
    post_numbered,
)
from tests.support.tenants import new_tenant

if TYPE_CHECKING:
    from tests.integration.ledger.conftest import Books

pytestmark = pytest.mark.database

DAY = date(2026, 3, 1)
CLERK = Recorded("clerk", date(2026, 7, 1))
SEALED = ("entries", "transfers", "closings", "snapshots", "seals")
HEADER = {
    "kind": "assessment",
    "effective_on": DAY,
    "booked_on": DAY,
    "recorded_on": DAY,
    "event_seqs": [],
    "narrative": "typed by hand",
}
LINE = {
    "effective_on": DAY,
    "booked_on": DAY,
    "recorded_on": DAY,
    "fund": ROOM_TAX,
    "debit": CASH,
    "credit": REVENUE,
    "cents": 100,
    "charge_kind": "tax",
    "clause_id": "",
    "section": "",
    "rule_version": "",
    "value_ids": [],
    "computation": "",
}


class Prompt:
    """An SQL prompt in the transaction of one tenant."""

    def __init__(self, connection: psycopg.Connection[Any], tenant: int) -> None:
        self.connection = connection
        self.tenant = tenant
        self.choose(tenant)

    def choose(self, tenant: int) -> None:
        self.connection.execute(f"SET LOCAL fisc.tenant = '{tenant:d}'")

    def run(self, statement: str, *values: object) -> psycopg.Cursor[Any]:
        return self.connection.execute(statement, values)

    def insert(self, table: str, **values: object) -> None:
        columns = ", ".join(values)
        places = ", ".join(["%s"] * len(values))
        self.run(f"INSERT INTO fisc.{table} ({columns}) VALUES ({places})", *values.values())

    def header(self, key: str = "by hand", lines: int = 1, **changed: object) -> UUID:
        entry_id = uuid4()
        row = {"tenant_id": self.tenant, "id": entry_id, "key": key, "lines": lines, **HEADER, **changed}
        self.insert("entries", **row)
        return entry_id

    def line(self, entry_id: UUID, line: int = 1, lines: int = 1, **changed: object) -> None:
        row = {"tenant_id": self.tenant, "entry_id": entry_id, "line": line, "lines": lines, **LINE, **changed}
        self.insert("transfers", **row)


@contextmanager
def prompt(database: Database, role: Role, tenant: int) -> Iterator[Prompt]:
    with database.connect(role) as connection:
        yield Prompt(connection, tenant)
        connection.rollback()


@pytest.fixture
def sql(database: Database, town: int) -> Iterator[Prompt]:
    """The application's prompt."""
    with prompt(database, Role.APP, town) as opened:
        yield opened


@pytest.fixture
def owner(database: Database, town: int) -> Iterator[Prompt]:
    """The owner's prompt."""
    with prompt(database, Role.OWNER, town) as opened:
        yield opened


@pytest.fixture
def other(app: Engine, host: Engine) -> int:
    """Another tenant with the same chart and an account of its own."""
    tenant = new_tenant(host, "beta").id
    in_transaction(app, tenant, open_books)
    return tenant


def test_what_is_right_is_let_in(sql: Prompt) -> None:
    sql.line(sql.header())
    sql.connection.commit()


class TestATransfer:
    def test_between_two_funds_has_no_place_to_be_written(self, sql: Prompt) -> None:
        """A row names one fund; an account of another fund is not found there."""
        with pytest.raises(errors.ForeignKeyViolation, match="fk_transfers_credit"):
            sql.line(sql.header(), fund=GENERAL, debit=CASH, credit=REVENUE)

    def test_with_another_tenants_account_is_refused(self, sql: Prompt, other: int) -> None:
        sql.choose(other)
        values = {"fund": ROOM_TAX, "number": "99999", "title": "Theirs", "kind": "asset", "is_due": False}
        sql.insert("ledger_accounts", tenant_id=other, **values)
        sql.connection.commit()
        sql.choose(sql.tenant)
        with pytest.raises(errors.ForeignKeyViolation, match="fk_transfers_debit"):
            sql.line(sql.header(), debit="99999")

    def test_in_another_tenants_entry_is_refused(self, sql: Prompt, other: int) -> None:
        sql.choose(other)
        theirs = sql.header(tenant_id=other)
        sql.choose(sql.tenant)
        with pytest.raises(errors.ForeignKeyViolation, match="fk_transfers_header"):
            sql.line(theirs)

    def test_for_another_tenant_is_refused(self, sql: Prompt, other: int) -> None:
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            sql.line(sql.header(), tenant_id=other)

    @pytest.mark.parametrize("cents", [0, -1, -(2**63)])
    def test_of_nothing_or_less_is_refused(self, sql: Prompt, cents: int) -> None:
        with pytest.raises(errors.CheckViolation, match="cents_positive"):
            sql.line(sql.header(), cents=cents)

    def test_of_no_amount_is_refused(self, sql: Prompt) -> None:
        with pytest.raises(errors.NotNullViolation):
            sql.line(sql.header(), cents=None)

    def test_from_an_account_to_itself_is_refused(self, sql: Prompt) -> None:
        with pytest.raises(errors.CheckViolation, match="moves_between_two_accounts"):
            sql.line(sql.header(), debit=CASH, credit=CASH)

    @pytest.mark.parametrize("day", ["effective_on", "booked_on", "recorded_on"])
    def test_with_another_day_than_its_entry_is_refused(self, sql: Prompt, day: str) -> None:
        with pytest.raises(errors.ForeignKeyViolation, match="fk_transfers_header"):
            sql.line(sql.header(), **{day: date(2026, 3, 2)})


class TestAnEntry:
    @pytest.mark.parametrize(("line", "lines"), [(3, 3), (3, 2), (0, 2), (-1, 2)])
    def test_that_is_complete_takes_no_further_line(self, app: Engine, sql: Prompt, line: int, lines: int) -> None:
        made = in_transaction(app, sql.tenant, lambda uow: post(uow, entry(59)))
        days = dict.fromkeys(("effective_on", "booked_on", "recorded_on"), entry(59).booked_on)
        with pytest.raises((errors.ForeignKeyViolation, errors.CheckViolation)):
            sql.line(made.id, line, lines, **days)

    def test_has_each_line_once(self, app: Engine, sql: Prompt) -> None:
        made = in_transaction(app, sql.tenant, lambda uow: post(uow, entry(59)))
        with pytest.raises(errors.UniqueViolation):
            sql.line(made.id, 2, 2)

    @pytest.mark.parametrize("lines", [0, -1])
    def test_of_no_lines_is_refused(self, sql: Prompt, lines: int) -> None:
        with pytest.raises(errors.CheckViolation, match="has_lines"):
            sql.header(lines=lines)

    def test_under_a_key_of_another_is_refused(self, app: Engine, sql: Prompt) -> None:
        in_transaction(app, sql.tenant, lambda uow: post(uow, entry(1)))
        with pytest.raises(errors.UniqueViolation, match="uq_entries"):
            sql.header(key="entry-1")

    def test_under_a_key_of_another_tenants_is_let_in(self, app: Engine, sql: Prompt, other: int) -> None:
        """Else the key would tell what the other has."""
        in_transaction(app, other, lambda uow: post(uow, entry(1)))
        sql.line(sql.header(key="entry-1"))

    def test_for_another_tenant_is_refused(self, sql: Prompt, other: int) -> None:
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            sql.header(tenant_id=other)

    def test_for_another_tenant_is_refused_by_the_function_too(self, sql: Prompt, other: int) -> None:
        one = '[{"id": "00000000-0000-7000-8000-000000000001", "key": "k", "kind": "x", "effective_on": "2026-01-01",'
        one += '"booked_on": "2026-01-01", "recorded_on": "2026-01-01", "event_seqs": [], "narrative": "", "lines": 1,'
        one += '"transfers": []}]'
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            sql.run("SELECT * FROM fisc.post(%s, %s)", other, one)


class TestADueAccount:
    @pytest.fixture(autouse=True)
    def lent(self, app: Engine, town: int) -> None:
        in_transaction(app, town, lambda uow: open_due_accounts(uow, GENERAL, ROOM_TAX))

    def test_is_not_found_as_an_ordinary_one(self, sql: Prompt) -> None:
        with pytest.raises(errors.ForeignKeyViolation, match="fk_transfers_credit"):
            sql.line(sql.header(), credit=due_to(ROOM_TAX, GENERAL))

    def test_takes_no_line_without_a_twin(self, sql: Prompt) -> None:
        with pytest.raises(errors.CheckViolation, match="due_has_its_twin"):
            sql.line(sql.header(), credit=due_to(ROOM_TAX, GENERAL), credit_is_due=True)

    def test_takes_no_line_whose_twin_is_not_there(self, sql: Prompt) -> None:
        with pytest.raises(errors.ForeignKeyViolation, match="fk_transfers_twin"):
            sql.line(sql.header(lines=2), 1, 2, credit=due_to(ROOM_TAX, GENERAL), credit_is_due=True, twin=2)

    def test_takes_no_line_that_is_its_own_twin(self, sql: Prompt) -> None:
        with pytest.raises(errors.CheckViolation, match="twin_is_another"):
            sql.line(sql.header(), credit=due_to(ROOM_TAX, GENERAL), credit_is_due=True, twin=1)

    def test_takes_no_twin_of_another_entry(self, sql: Prompt) -> None:
        sql.line(sql.header("other", lines=2), 2, 2)
        with pytest.raises(errors.ForeignKeyViolation, match="fk_transfers_twin"):
            sql.line(sql.header(lines=2), 1, 2, credit=due_to(ROOM_TAX, GENERAL), credit_is_due=True, twin=2)

    def test_is_no_ordinary_account_that_is_called_due(self, sql: Prompt) -> None:
        made = sql.header(lines=2)
        sql.line(made, 2, 2)
        with pytest.raises(errors.ForeignKeyViolation, match="fk_transfers_credit"):
            sql.line(made, 1, 2, credit=REVENUE, credit_is_due=True, twin=2)

    def test_stands_on_one_side_alone(self, sql: Prompt) -> None:
        sides = {"debit": due_from(GENERAL, ROOM_TAX), "credit": "other", "debit_is_due": True, "credit_is_due": True}
        with pytest.raises(errors.CheckViolation, match="one_side_due"):
            sql.line(sql.header(lines=2), 1, 2, fund=GENERAL, twin=2, **sides)

    @pytest.mark.parametrize(
        ("changed", "check"),
        [
            ({"due_fund": ROOM_TAX}, "due_between_two_funds"),
            ({"kind": "revenue"}, "due_is_owed_one_way"),
            ({"is_due": False}, "due_names_its_fund"),
            ({"due_fund": None}, "due_names_its_fund"),
        ],
    )
    def test_is_between_two_funds_and_owed_one_way(self, sql: Prompt, changed: dict[str, Any], check: str) -> None:
        row = {"fund": ROOM_TAX, "number": "x", "title": "x", "kind": "asset", "due_fund": GENERAL, "is_due": True}
        with pytest.raises(errors.CheckViolation, match=check):
            sql.insert("ledger_accounts", **{"tenant_id": sql.tenant, **row, **changed})


class TestVerifyFinds:
    """What no key can refuse, since it is about several rows, is found before it is sealed."""

    def test_an_entry_that_lacks_a_line(self, books: Books, sql: Prompt) -> None:
        sql.line(sql.header(lines=2), 1, 2)
        sql.connection.commit()
        assert books.wrong() == {(Wrong.LINES, "by hand")}

    def test_an_entry_of_a_header_alone(self, books: Books, sql: Prompt) -> None:
        sql.header()
        sql.connection.commit()
        assert books.wrong() == {(Wrong.LINES, "by hand")}

    @pytest.mark.parametrize(
        "twin",
        [
            {},
            {"fund": GENERAL, "debit": due_from(GENERAL, ROOM_TAX), "debit_is_due": True, "twin": 1, "cents": 101},
        ],
        ids=["an ordinary line", "a leg of another amount"],
    )
    def test_a_leg_between_funds_with_a_false_twin(self, app, books: Books, sql: Prompt, twin: dict[str, Any]) -> None:
        in_transaction(app, books.tenant, lambda uow: open_due_accounts(uow, GENERAL, ROOM_TAX))
        made = sql.header(lines=2)
        columns = ", ".join(("tenant_id", "entry_id", "line", "lines", *LINE, "debit_is_due", "credit_is_due", "twin"))
        leg = {**LINE, "debit_is_due": False, "credit_is_due": False, "twin": None}
        first = {**leg, "credit": due_to(ROOM_TAX, GENERAL), "credit_is_due": True, "twin": 2}
        second = {**leg, **twin, "credit": CASH if twin else REVENUE}
        rows = [[sql.tenant, made, line, 2, *one.values()] for line, one in ((1, first), (2, second))]
        places = ", ".join(["%s"] * len(rows[0]))
        statement = f"INSERT INTO fisc.transfers ({columns}) VALUES ({places}), ({places})"
        sql.run(statement, *rows[0], *rows[1])
        sql.connection.commit()
        assert (Wrong.UNPAIRED, "by hand") in books.wrong()


class TestNothingPostedIsChanged:
    @pytest.mark.parametrize("table", SEALED)
    @pytest.mark.parametrize("statement", ["UPDATE {} SET tenant_id = tenant_id", "DELETE FROM {}", "TRUNCATE {}"])
    def test_by_the_application_for_lack_of_privilege(self, sql: Prompt, table: str, statement: str) -> None:
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied"):
            sql.run(statement.format(f"fisc.{table}"))

    @pytest.mark.parametrize("table", SEALED)
    @pytest.mark.parametrize(
        "statement", ["UPDATE {} SET tenant_id = tenant_id", "DELETE FROM {}", "TRUNCATE {} CASCADE"]
    )
    def test_by_the_owner_for_the_second_lock(self, owner: Prompt, table: str, statement: str) -> None:
        with pytest.raises(errors.RestrictViolation, match="refused"):
            owner.run(statement.format(f"fisc.{table}"))

    @pytest.mark.parametrize("change", ["kind = 'expense'", "number = 'x'", "fund = '100'", "is_due = true"])
    def test_by_another_meaning_of_an_account(self, sql: Prompt, owner: Prompt, change: str) -> None:
        statement = f"UPDATE fisc.ledger_accounts SET {change} WHERE number = '{REVENUE}'"
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied"):
            sql.run(statement)
        with pytest.raises(errors.RestrictViolation, match="refused"):
            owner.run(statement)

    def test_and_an_account_may_have_another_title(self, sql: Prompt) -> None:
        changed = sql.run("UPDATE fisc.ledger_accounts SET title = 'Rooms' WHERE number = %s", REVENUE)
        assert changed.rowcount == 1

    def test_by_on_conflict_do_update(self, app: Engine, sql: Prompt) -> None:
        in_transaction(app, sql.tenant, lambda uow: post(uow, entry(1)))
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied"):
            sql.run(
                "INSERT INTO fisc.entries SELECT * FROM fisc.entries"
                " ON CONFLICT (tenant_id, key) DO UPDATE SET narrative = 'another'"
            )


class TestAClosedPeriod:
    @pytest.fixture(autouse=True)
    def closed(self, app: Engine, town: int) -> None:
        in_transaction(app, town, lambda uow: close_through(uow, DAY, "month end", CLERK))

    @pytest.mark.parametrize("day", [DAY, date(2025, 1, 1), "-infinity"])
    def test_takes_no_entry_by_hand(self, sql: Prompt, day: object) -> None:
        with pytest.raises(errors.InsufficientPrivilege, match="booked_in_an_open_period"):
            sql.header(booked_on=day)

    def test_leaves_the_day_after_open(self, sql: Prompt) -> None:
        sql.header(booked_on=date(2026, 3, 2))

    def test_of_one_tenant_leaves_anothers_open(self, database: Database, other: int) -> None:
        with prompt(database, Role.APP, other) as theirs:
            theirs.header()

    def test_takes_an_entry_that_counts_for_a_day_in_it_and_is_booked_later(self, sql: Prompt) -> None:
        later = {"booked_on": date(2026, 3, 2), "recorded_on": date(2026, 3, 2)}
        sql.line(sql.header(**later), **later)

    def test_cannot_be_reopened(self, sql: Prompt) -> None:
        with pytest.raises(errors.InsufficientPrivilege):
            sql.run("DELETE FROM fisc.closings")

    @pytest.mark.parametrize("isolation", ["REPEATABLE READ", "SERIALIZABLE"])
    def test_is_not_overlooked_with_an_old_snapshot(self, database: Database, town: int, isolation: str) -> None:
        with database.connect(Role.APP) as connection:
            connection.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}")
            stale = Prompt(connection, town)
            with pytest.raises(errors.FeatureNotSupported, match="READ COMMITTED"):
                stale.header(booked_on=date(2026, 3, 2))


def waits(postgres, database: Database) -> bool:
    """Whether somebody waits for the lock between posting and closing."""
    with postgres.superuser(database) as watcher:
        found = watcher.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 5467003 AND NOT granted"
        ).fetchone()
    return found is not None and found[0] > 0


@contextmanager
def beside(work: Callable[[], object]) -> Iterator[list[object]]:
    """Run `work` in a thread; the list holds its answer, or its error, once the block is left."""
    answers: list[object] = []

    def run() -> None:
        try:
            answers.append(work())
        except Exception as error:
            answers.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield answers
    thread.join(30)
    assert not thread.is_alive()


def until(condition: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(1_000):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it did not come to pass within ten seconds")


class TestClosingAndPostingAtOnce:
    def test_a_closing_waits_for_who_is_posting_and_counts_it(self, app, postgres, database, town) -> None:
        with writing(app, town) as uow:
            post_numbered(uow, 1)
            closing = beside(
                lambda: in_transaction(app, town, lambda inner: close_through(inner, DAY, "month end", CLERK))
            )
            with closing as answers:
                until(lambda: waits(postgres, database))
                assert answers == []
                uow.commit()
        (balances,) = answers
        assert {one.number: one.cents for one in balances} == {RECEIVABLE: 1, REVENUE: -107, CASH: 106}

    def test_who_comes_to_post_while_a_closing_is_at_work_is_refused(self, app, postgres, database, town) -> None:
        with writing(app, town) as uow:
            close_through(uow, DAY, "month end", CLERK)
            with beside(lambda: in_transaction(app, town, lambda inner: post_numbered(inner, 1))) as answers:
                until(lambda: waits(postgres, database))
                uow.commit()
        assert isinstance(answers[0], PeriodClosed)

    def test_a_closing_by_hand_waits_too(self, app, postgres, database, town, sql: Prompt) -> None:
        row = {"tenant_id": town, "through": DAY, "reason": "by hand", "digest": bytes(32), **CLERK.columns()}
        with writing(app, town) as uow:
            post_numbered(uow, 1)
            with beside(lambda: sql.insert("closings", **row)) as answers:
                until(lambda: waits(postgres, database))
                uow.commit()
        assert answers == [None]

    def test_what_was_posted_while_a_closing_made_us_wait_is_answered(self, app, postgres, database, town) -> None:
        """The same key is sent again while its first transaction is at work and a closing waits for that one."""

        def again() -> object:
            return in_transaction(app, town, lambda inner: post_numbered(inner, 1))

        def close() -> object:
            return in_transaction(app, town, lambda inner: close_through(inner, DAY, "month end", CLERK))

        with writing(app, town) as uow:
            first = post_numbered(uow, 1)
            with beside(close):
                until(lambda: waits(postgres, database))
                with beside(again) as answers:
                    until(lambda: waiting(postgres, database) == 2)
                    uow.commit()
        assert answers == [first]


def waiting(postgres, database: Database) -> int:
    """How many wait for a lock."""
    with postgres.superuser(database) as watcher:
        found = watcher.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").fetchone()
    return int(found[0]) if found is not None else 0


class TestTheFunctions:
    NAMES = ("post", "closed_through", "hold_posting", "refuse_change")

    def test_lend_nobody_the_owners_rights(self, sql: Prompt) -> None:
        found = sql.run("SELECT proname FROM pg_proc WHERE pronamespace = 'fisc'::regnamespace AND prosecdef")
        assert found.fetchall() == []

    def test_look_for_names_in_a_fixed_place(self, sql: Prompt) -> None:
        found = sql.run("SELECT proname, proconfig FROM pg_proc WHERE pronamespace = 'fisc'::regnamespace").fetchall()
        assert set(self.NAMES) <= {name for name, _ in found}
        assert {tuple(settings or ()) for _, settings in found} == {("search_path=pg_catalog, pg_temp",)}

    def test_post_is_for_the_application_alone(self, sql: Prompt) -> None:
        found = sql.run(
            "SELECT rolname FROM pg_roles WHERE NOT rolsuper AND rolname LIKE 'fisc%%'"
            " AND has_function_privilege(rolname, 'fisc.post(int, jsonb)', 'EXECUTE')"
        ).fetchall()
        assert {name for (name,) in found} == {"fisc_app", "fisc_owner"}

    @pytest.mark.parametrize(
        "statement",
        [
            "CREATE TEMP TABLE closings (tenant_id int, through date)",
            "CREATE TABLE fisc.mine ()",
            "CREATE FUNCTION fisc.closed_through(int) RETURNS date LANGUAGE sql AS 'SELECT NULL::date'",
        ],
    )
    def test_have_nothing_of_the_applications_own_beside_them(self, sql: Prompt, statement: str) -> None:
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied"):
            sql.run(statement)

    def test_are_not_led_astray_by_a_search_path(self, app: Engine, town: int) -> None:
        with writing(app, town) as uow:
            close_through(uow, DAY, "month end", CLERK)
            uow.driver.execute("SET LOCAL search_path = ''")
            with pytest.raises(PeriodClosed):
                post_numbered(uow, 1)
