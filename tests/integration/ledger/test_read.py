"""Reading the books: balances by the three days, statements, the journal, what is posted, closings proved again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, event

from core.contract.declarations import LedgerAccount
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.ledger.accounts import due_from, due_to, open_accounts
from core.ledger.close import close_through, closed_through, unproved_snapshots
from core.ledger.errors import AlreadyClosed, PeriodClosed
from core.ledger.post import Entry, Transfer, post, post_many
from core.ledger.read import (
    journal,
    journal_of,
    movements,
    posted_state,
    transfer_key,
    trial_balance,
)
from tests.support.numbered_entries import CASH, COST, GENERAL, RECEIVABLE, REVENUE, ROOM_TAX, entry, lend, open_books
from tests.support.tenants import new_tenant

pytestmark = pytest.mark.database

JANUARY, FEBRUARY, MARCH = date(2026, 1, 10), date(2026, 2, 10), date(2026, 3, 10)
YEAR_END = date(2026, 12, 31)
CLERK = Recorded("clerk", date(2027, 1, 10))


class Ledger:
    """Each call in a transaction of its own."""

    def __init__(self, engine: Engine, tenant: int) -> None:
        self.engine = engine
        self.tenant = tenant

    def write(self, work: Callable[[UnitOfWork], Any]) -> Any:
        return in_transaction(self.engine, self.tenant, work)

    def read(self, work: Callable[[UnitOfWork], Any]) -> Any:
        with reading(self.engine, self.tenant) as uow:
            return work(uow)

    def post(self, *entries: Entry) -> None:
        self.write(lambda uow: [post(uow, one) for one in entries])

    def balances(self, **asked: date) -> dict[str, int]:
        """Cents by account of the room tax's fund."""
        rows = self.read(lambda uow: trial_balance(uow, **asked))
        return {one.number: one.cents for one in rows if one.fund == ROOM_TAX and one.cents}

    def close(self, through: date, recorded: Recorded = CLERK) -> Any:
        return self.write(lambda uow: close_through(uow, through, "year end", recorded))


@pytest.fixture
def ledger(app: Engine, town: int) -> Ledger:
    return Ledger(app, town)


def moved(key: str, cents: int, effective: date, booked: date, recorded: date, **changed: Any) -> Entry:
    """An entry of one line from the revenue to the cash, with its three days."""
    line = Transfer(ROOM_TAX, CASH, REVENUE, cents, "tax", "T-1", "§ 1", computation=f"makes {cents}")
    return Entry(key, "payment", effective, booked, recorded, (line,), f"Payment {key}", **changed)


class TestTheTrialBalance:
    def test_is_zero_in_each_fund(self, ledger: Ledger) -> None:
        ledger.post(*[entry(number) for number in range(1, 30)])
        ledger.write(lend)
        sums: Counter[str] = Counter()
        for one in ledger.read(trial_balance):
            sums[one.fund] += one.cents
        assert sums == {GENERAL: 0, ROOM_TAX: 0}

    def test_lists_every_account_of_the_chart_in_order(self, ledger: Ledger) -> None:
        listed = [(one.fund, one.number) for one in ledger.read(trial_balance)]
        assert listed == sorted(listed)
        assert len(listed) == 6

    def test_shows_debits_and_credits_apart(self, ledger: Ledger) -> None:
        ledger.post(entry(1))
        (found,) = [one for one in ledger.read(trial_balance) if one.number == RECEIVABLE]
        assert (found.debit_cents, found.credit_cents, found.cents) == (107, 106, 1)

    def test_keeps_effective_booked_and_known_days_apart(self, ledger: Ledger) -> None:
        ledger.post(
            moved("a", 1, effective=JANUARY, booked=FEBRUARY, recorded=MARCH),
            moved("b", 10, effective=FEBRUARY, booked=MARCH, recorded=JANUARY),
            moved("c", 100, effective=MARCH, booked=JANUARY, recorded=FEBRUARY),
        )
        assert ledger.balances()[CASH] == 111
        assert ledger.balances(through=JANUARY)[CASH] == 1
        assert ledger.balances(through=FEBRUARY)[CASH] == 11
        assert ledger.balances(booked_through=JANUARY)[CASH] == 100
        assert ledger.balances(booked_through=FEBRUARY)[CASH] == 101
        assert ledger.balances(known_on=JANUARY)[CASH] == 10
        assert ledger.balances(known_on=FEBRUARY)[CASH] == 110
        assert ledger.balances(through=FEBRUARY, known_on=FEBRUARY)[CASH] == 10
        assert ledger.balances(through=JANUARY, known_on=FEBRUARY) == {}

    def test_counts_the_day_itself_and_not_the_next(self, ledger: Ledger) -> None:
        ledger.post(moved("a", 1, JANUARY, JANUARY, JANUARY))
        before = JANUARY - timedelta(days=1)
        for name in ("through", "booked_through", "known_on"):
            assert ledger.balances(**{name: JANUARY}) == {CASH: 1, REVENUE: -1}
            assert ledger.balances(**{name: before}) == {}

    def test_shows_nothing_of_another_tenant(self, ledger: Ledger, host: Engine) -> None:
        other = Ledger(ledger.engine, new_tenant(host, "beta").id)
        other.write(open_books)
        other.post(entry(1))
        assert ledger.balances() == {}


class TestAStatement:
    def test_lists_what_moved_to_and_from_an_account(self, ledger: Ledger) -> None:
        ledger.post(entry(1), entry(2))
        found = ledger.read(lambda uow: movements(uow, ROOM_TAX, RECEIVABLE))
        assert [(one.key, one.other, one.cents) for one in found] == [
            ("entry-1", REVENUE, 107),
            ("entry-1", CASH, -106),
            ("entry-2", REVENUE, 114),
            ("entry-2", CASH, -113),
        ]
        assert (found[0].narrative, found[0].clause_id, found[0].section, found[0].computation) == (
            "Return 1",
            "T-1",
            "§ 1(a), 2",
            "100.00 × 5% = 5",
        )

    def test_is_ordered_by_the_day_it_counts_for_and_then_by_recording(self, ledger: Ledger) -> None:
        for key, day in (("z", FEBRUARY), ("y", JANUARY), ("x", JANUARY)):
            ledger.post(moved(key, 1, day, MARCH, MARCH))
        found = ledger.read(lambda uow: movements(uow, ROOM_TAX, CASH))
        assert [one.key for one in found] == ["y", "x", "z"]

    def test_is_of_the_days_asked_for_as_known_on_a_day(self, ledger: Ledger) -> None:
        ledger.post(
            moved("a", 1, JANUARY, JANUARY, MARCH),
            moved("b", 10, FEBRUARY, FEBRUARY, FEBRUARY),
            moved("c", 100, MARCH, MARCH, JANUARY),
        )

        def keys(*days: date, known_on: date = date.max) -> list[str]:
            return [one.key for one in ledger.read(lambda uow: movements(uow, ROOM_TAX, CASH, *days, known_on))]

        assert keys(date.min, date.max) == ["a", "b", "c"]
        assert keys(FEBRUARY, MARCH) == ["b", "c"]
        assert keys(FEBRUARY, FEBRUARY) == ["b"]
        assert keys(date.min, date.max, known_on=FEBRUARY) == ["b", "c"]

    def test_sums_to_the_balance(self, ledger: Ledger) -> None:
        ledger.post(*[entry(number) for number in range(20)])
        ledger.write(lend)
        for one in ledger.read(trial_balance):
            listed = ledger.read(lambda uow, one=one: movements(uow, one.fund, one.number))
            assert sum(line.cents for line in listed) == one.cents

    def test_of_the_same_number_in_another_fund_is_another(self, ledger: Ledger) -> None:
        ledger.post(entry(1))
        assert ledger.read(lambda uow: movements(uow, GENERAL, CASH)) == ()


class TestTheJournal:
    def test_gives_the_entries_as_posted_in_the_order_of_recording(self, ledger: Ledger) -> None:
        given = [entry(number) for number in (3, 1, 2)]
        ledger.post(*given)
        ledger.write(lend)
        found = list(ledger.read(journal))
        assert [one.entry for one in found[:3]] == given
        assert found[3].entry.key == "loan"
        seqs = [one.posted.seq for one in found]
        assert seqs == sorted(set(seqs))

    def test_is_of_the_days_on_which_it_was_booked(self, ledger: Ledger) -> None:
        ledger.post(moved("a", 1, MARCH, JANUARY, MARCH), moved("b", 1, JANUARY, FEBRUARY, JANUARY))
        for days, keys in (((JANUARY, JANUARY), ["a"]), ((FEBRUARY, MARCH), ["b"]), ((JANUARY, FEBRUARY), ["a", "b"])):
            assert [one.entry.key for one in ledger.read(lambda uow, days=days: journal(uow, *days))] == keys

    def test_of_a_period_account_has_its_entries_alone(self, ledger: Ledger) -> None:
        mine, other = UUID(int=1), UUID(int=2)
        ledger.post(
            moved("a", 1, JANUARY, JANUARY, JANUARY, period_account_id=mine),
            moved("b", 1, JANUARY, JANUARY, JANUARY, period_account_id=other),
            moved("c", 1, JANUARY, JANUARY, JANUARY),
        )
        assert [one.entry.key for one in ledger.read(lambda uow: journal_of(uow, mine))] == ["a"]

    def test_of_an_entry_with_many_lines_has_each_in_its_place(self, ledger: Ledger) -> None:
        lines = tuple(Transfer(ROOM_TAX, CASH, REVENUE, number) for number in range(1, 2_001))
        given = entry(1)._replace(transfers=lines)
        ledger.post(given)
        assert [one.entry for one in ledger.read(journal)] == [given]


class TestWhatIsPosted:
    def state(self, ledger: Ledger, *accounts: UUID) -> dict[UUID, dict[str, int]]:
        return ledger.read(lambda uow: posted_state(uow, accounts))

    def test_nets_a_line_with_the_one_that_takes_it_back(self, ledger: Ledger) -> None:
        account = UUID(int=1)
        up = moved("up", 500, JANUARY, JANUARY, JANUARY, period_account_id=account)
        line = up.transfers[0]
        back = up._replace(key="back", transfers=(line._replace(debit=REVENUE, credit=CASH, cents=200),))
        ledger.post(up, back)
        key, sign = transfer_key(ROOM_TAX, CASH, REVENUE, "tax", "T-1", "§ 1")
        assert self.state(ledger, account) == {account: {key: sign * 300}}

    def test_keeps_funds_kinds_clauses_and_sections_apart(self, ledger: Ledger) -> None:
        account = UUID(int=1)
        one = moved("a", 1, JANUARY, JANUARY, JANUARY, period_account_id=account)
        line = one.transfers[0]
        changes = ({}, {"charge_kind": "fee"}, {"clause_id": "T-2"}, {"section": "§ 2"}, {"debit": COST})
        ledger.post(one._replace(transfers=tuple(line._replace(**changed) for changed in changes)))
        (state,) = self.state(ledger, account).values()
        assert sorted(map(abs, state.values())) == [1] * 5

    def test_is_nothing_where_nothing_is_posted_and_asks_for_each_account(self, ledger: Ledger) -> None:
        mine, other = UUID(int=1), UUID(int=2)
        ledger.post(moved("b", 1, JANUARY, JANUARY, JANUARY, period_account_id=other))
        assert self.state(ledger, mine) == {mine: {}}
        assert set(self.state(ledger, mine, other)) == {mine, other}
        assert self.state(ledger) == {}

    def test_the_name_is_the_same_whichever_way_it_moves(self) -> None:
        one, up = transfer_key("f", "a", "b", "k", "c", "s")
        other, down = transfer_key("f", "b", "a", "k", "c", "s")
        assert (one, up) == (other, -down)


class TestAClosing:
    def test_refuses_what_is_booked_in_the_closed_year(self, ledger: Ledger) -> None:
        ledger.close(YEAR_END)
        with pytest.raises(PeriodClosed):
            ledger.post(moved("late", 1, MARCH, YEAR_END, CLERK.on))
        ledger.post(moved("late", 1, MARCH, CLERK.on, CLERK.on))
        assert ledger.balances() == {CASH: 1, REVENUE: -1}

    def test_says_through_which_day(self, ledger: Ledger) -> None:
        assert ledger.read(closed_through) is None
        ledger.close(JANUARY)
        ledger.close(MARCH)
        assert ledger.read(closed_through) == MARCH

    def test_answers_the_balances_and_keeps_them(self, ledger: Ledger) -> None:
        ledger.post(moved("in", 7, JANUARY, JANUARY, JANUARY), moved("after", 1, JANUARY, MARCH, JANUARY))
        answered = ledger.close(FEBRUARY)
        assert {(one.number, one.cents) for one in answered} == {(CASH, 7), (REVENUE, -7)}
        assert ledger.read(unproved_snapshots) == []

    def test_is_proved_again_after_more_was_posted(self, ledger: Ledger) -> None:
        ledger.post(entry(1), entry(40), entry(80))
        ledger.close(date(2026, 1, 31))
        ledger.close(date(2026, 2, 28))
        ledger.post(moved("late", 1, JANUARY, MARCH, MARCH), entry(100))
        assert ledger.read(unproved_snapshots) == []

    def test_is_proved_again_after_an_account_is_opened_late(self, ledger: Ledger) -> None:
        ledger.post(entry(1))
        ledger.close(date(2026, 1, 31))

        def work(uow: UnitOfWork) -> None:
            open_accounts(uow, [("999", "Late")], [LedgerAccount("999", "1", "Late", "asset")])
            open_accounts(uow, [], [LedgerAccount(ROOM_TAX, "0", "First in the order", "asset")])
            line = Transfer(ROOM_TAX, "0", REVENUE, 5)
            post(uow, moved("late", 1, JANUARY, MARCH, MARCH)._replace(transfers=(line,)))

        ledger.write(work)
        assert ledger.read(unproved_snapshots) == []

    def test_with_nothing_booked_is_proved_too(self, ledger: Ledger) -> None:
        assert ledger.close(JANUARY) == ()
        assert ledger.read(unproved_snapshots) == []

    def test_that_was_made_up_is_found(self, ledger: Ledger) -> None:
        ledger.post(entry(1))
        row = {"tenant_id": ledger.tenant, "through": FEBRUARY, "reason": "", "digest": bytes(32), **CLERK.columns()}
        columns = ", ".join(row)
        statement = f"INSERT INTO fisc.closings ({columns}) VALUES ({', '.join(['%s'] * len(row))})"
        ledger.write(lambda uow: uow.driver.execute(statement, list(row.values())))
        assert len(ledger.read(unproved_snapshots)) == 2

    def test_with_a_snapshot_added_to_later_is_found(self, ledger: Ledger) -> None:
        ledger.close(FEBRUARY)
        statement = "INSERT INTO fisc.snapshots VALUES (%s, %s, %s, %s, 5, 5)"
        ledger.write(lambda uow: uow.driver.execute(statement, [ledger.tenant, FEBRUARY, ROOM_TAX, CASH]))
        (found,) = ledger.read(unproved_snapshots)
        assert "the snapshot" in found

    @pytest.mark.parametrize("through", [FEBRUARY, JANUARY])
    def test_of_a_day_that_is_closed_is_refused(self, ledger: Ledger, through: date) -> None:
        ledger.close(FEBRUARY)
        with pytest.raises(AlreadyClosed, match="later day"):
            ledger.close(through)

    @pytest.mark.parametrize("on", [MARCH, FEBRUARY])
    def test_of_a_day_that_is_not_over_is_refused(self, ledger: Ledger, on: date) -> None:
        with pytest.raises(AlreadyClosed, match="not over"):
            ledger.close(MARCH, Recorded("clerk", on))
        assert ledger.read(closed_through) is None


class TestEachRead:
    @pytest.mark.parametrize(
        "read",
        [
            trial_balance,
            lambda uow: movements(uow, ROOM_TAX, CASH),
            lambda uow: list(journal(uow)),
            lambda uow: posted_state(uow, [UUID(int=number) for number in range(1, 30)]),
        ],
        ids=["trial_balance", "movements", "journal", "posted_state"],
    )
    def test_is_one_statement_however_much_there_is(self, ledger: Ledger, read: Callable[[UnitOfWork], Any]) -> None:
        account = {"period_account_id": UUID(int=1)}
        ledger.write(lambda uow: post_many(uow, [entry(number)._replace(**account) for number in range(1, 60)]))
        statements: list[str] = []

        def note(connection: Any, cursor: Any, statement: str, *others: Any) -> None:
            statements.append(statement)

        event.listen(ledger.engine, "before_cursor_execute", note)
        try:
            ledger.read(read)
        finally:
            event.remove(ledger.engine, "before_cursor_execute", note)
        assert len(statements) == 1

    def test_works_while_a_loan_is_in_the_books(self, ledger: Ledger) -> None:
        ledger.write(lend)
        (found,) = ledger.read(lambda uow: movements(uow, GENERAL, due_from(GENERAL, ROOM_TAX)))
        assert (found.other, found.cents) == (CASH, 5_000)
        (found,) = ledger.read(lambda uow: movements(uow, ROOM_TAX, due_to(ROOM_TAX, GENERAL)))
        assert (found.other, found.cents) == (CASH, -5_000)
