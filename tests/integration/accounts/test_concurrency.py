"""Acts recorded at once: as if one came after the other, each once, and never refused for the others' sake."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine

from core.db.roles import Role
from core.db.unit_of_work import TRIES, TooBusy, UnitOfWork, in_transaction, reading
from core.db.url import Database
from core.domain.errors import FiscError, Refused
from core.domain.events import Payment
from core.filing.accounts import lock_accounts
from core.filing.events import events_of, facts
from core.ledger.read import journal, journal_of, trial_balance
from core.services.accounts import record
from tests.support.tenants import opened_engine
from tests.support.towns import Town, a_payment, a_return, open_town

pytestmark = pytest.mark.database

FILED, PAID = date(2026, 5, 20), date(2026, 5, 22)


@pytest.fixture
def town(database: Database, host: Engine) -> Iterator[Town]:
    """A town whose first two accounts of 2026 have a late return, with a pool for sixteen at once."""
    with opened_engine(database, Role.APP, pool_size=16) as engine:
        opened = open_town(engine, host, "bay", "bayfield")
        for period in ("2026-Q1", "2025-Q4"):
            opened.act(FILED, (period, a_return(FILED, opened.accounts[period], 3_000_000)))
        yield opened


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Start them together; their answers in order. An error of one is raised."""
    start = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        start.wait(30)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def balances(town: Town) -> dict[tuple[str, str], int]:
    with reading(town.engine, town.tenant.id) as uow:
        return {(one.fund, one.number): one.cents for one in trial_balance(uow) if one.cents}


def payments(town: Town, period: str) -> list[tuple[int, int]]:
    """Seq and cents of each payment recorded on an account."""
    account = town.accounts[period].id
    with reading(town.engine, town.tenant.id) as uow:
        (recorded,) = events_of(uow, [account]).values()
    return [(fact.seq, fact.cents) for fact in facts(recorded) if isinstance(fact, Payment)]


def entries(town: Town, period: str) -> int:
    with reading(town.engine, town.tenant.id) as uow:
        return len(journal_of(uow, town.accounts[period].id))


class TestTwoPaymentsAtOnce:
    def test_are_both_applied_as_if_one_came_after_the_other(self, town: Town) -> None:
        pay = [
            partial(town.act, PAID, ("2026-Q1", a_payment(PAID, cents)), key=f"{cents}") for cents in (9_000, 11_000)
        ]
        answers = at_once(*pay)
        assert sorted(seq for seq, _ in payments(town, "2026-Q1")) == [2, 3]
        assert sorted(cents for _, cents in payments(town, "2026-Q1")) == [9_000, 11_000]
        # tax 1,950.00, fee 25.00, interest of 22 days 11.75; less the first payment, and less both
        left = sorted(answer["accounts"][0]["balance"] for answer in answers)
        first = {"1896.75", "1876.75"} & set(left)
        assert len(first) == 1
        assert "1786.75" in left
        found = balances(town)
        # fee 25.00 and interest 11.75 go to the general fund, the rest of the 200.00 to the tax
        assert (found["100", "11100"], found["210", "11100"]) == (3_675, 16_325)

    def test_leave_the_books_as_paying_in_turn_does(self, town: Town, host: Engine) -> None:
        amounts = [1_000 + 37 * number for number in range(8)]
        at_once(*[partial(town.act, PAID, ("2026-Q1", a_payment(PAID, cents)), key=f"{cents}") for cents in amounts])
        twin = open_town(town.engine, host, "twin", "bayfield")
        for period in ("2026-Q1", "2025-Q4"):
            twin.act(FILED, (period, a_return(FILED, twin.accounts[period], 3_000_000)))
        for cents in amounts:
            twin.act(PAID, ("2026-Q1", a_payment(PAID, cents)), key=f"{cents}")
        assert balances(town) == balances(twin)
        assert entries(town, "2026-Q1") == entries(twin, "2026-Q1")


class TestOneRequestSentSixteenTimesAtOnce:
    def test_is_one_event_one_entry_and_one_answer(self, town: Town) -> None:
        before = entries(town, "2026-Q1")
        pay = partial(town.act, PAID, ("2026-Q1", a_payment(PAID, 5_000)), key="one")
        answers = at_once(*[pay] * 16)
        assert answers == [answers[0]] * 16
        assert payments(town, "2026-Q1") == [(2, 5_000)]
        assert entries(town, "2026-Q1") == before + 1

    def test_and_refused_can_be_mended_and_sent_again(self, town: Town) -> None:
        bad = partial(town.act, PAID, ("2026-Q1", a_payment(date(2026, 5, 23), 5_000)), key="one")

        def refused() -> None:
            with pytest.raises(Refused):
                bad()

        at_once(*[refused] * 16)
        assert payments(town, "2026-Q1") == []
        good = partial(town.act, PAID, ("2026-Q1", a_payment(PAID, 5_000)), key="one")
        answers = at_once(*[good] * 16)
        assert answers == [answers[0]] * 16
        assert payments(town, "2026-Q1") == [(2, 5_000)]


class TestTwoRequestsForTheSameAccounts:
    def test_in_opposite_order_wait_in_no_circle(self, town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without a single repetition: a deadlock would come out as TooBusy."""
        monkeypatch.setattr(record, "in_transaction", partial(in_transaction, tries=1))
        periods = ["2026-Q1", "2025-Q4"]

        def pay(number: int) -> None:
            ordered = periods if number % 2 else periods[::-1]
            town.act(PAID, *[(period, a_payment(PAID, 100)) for period in ordered], key=f"{number}")

        at_once(*[partial(pay, number) for number in range(12)])
        for period in periods:
            assert payments(town, period) == [(seq, 100) for seq in range(2, 14)]


class TestWhatPostgresqlAsksToRepeat:
    def test_a_deadlock_is_repeated_and_nobody_sees_it(self, town: Town) -> None:
        """Two that lock one account and then the other, each the other way round, which no verb of ours does."""
        ids = [town.accounts[period].id for period in ("2026-Q1", "2025-Q4")]
        met = threading.Barrier(2)
        tries: list[UUID] = []

        def cross(first: UUID, second: UUID) -> str:
            def work(uow: UnitOfWork) -> str:
                tries.append(first)
                lock_accounts(uow, [first])
                with suppress(threading.BrokenBarrierError):
                    met.wait(2)
                lock_accounts(uow, [second])
                return "done"

            return in_transaction(town.engine, town.tenant.id, work)

        assert at_once(partial(cross, *ids), partial(cross, *ids[::-1])) == ["done", "done"]
        assert len(tries) == 3

    @pytest.mark.parametrize("state", ["40001", "40P01"])
    def test_it_is_repeated_until_it_succeeds(self, town: Town, state: str) -> None:
        tries: list[int] = []

        def work(uow: UnitOfWork) -> int:
            tries.append(1)
            if len(tries) < TRIES:
                uow.driver.execute(f"DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '{state}'; END $$")
            return len(list(journal(uow)))

        assert in_transaction(town.engine, town.tenant.id, work) == 2
        assert len(tries) == TRIES

    def test_after_too_many_tries_it_is_said_to_be_busy_and_is_no_refusal(self, town: Town) -> None:
        def work(uow: UnitOfWork) -> None:
            uow.driver.execute("DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$")

        with pytest.raises(TooBusy, match="send the request again") as busy:
            in_transaction(town.engine, town.tenant.id, work)
        assert isinstance(busy.value, FiscError)
        assert not isinstance(busy.value, Refused)

    def test_a_serialisation_failure_within_an_act_is_not_shown(
        self, town: Town, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real, failed = record.keep, []

        def keep(uow: UnitOfWork, *args: Any) -> Any:
            answer = real(uow, *args)
            if not failed:
                failed.append(1)
                uow.driver.execute("DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$")
            return answer

        monkeypatch.setattr(record, "keep", keep)
        town.act(PAID, ("2026-Q1", a_payment(PAID, 5_000)), key="one")
        assert failed
        assert payments(town, "2026-Q1") == [(2, 5_000)]
