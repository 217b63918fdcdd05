"""Posting: once for each key, all or nothing, refused by name, in the order of recording."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from core.contract.declarations import LedgerAccount
from core.db.recorded import Recorded
from core.db.roles import Role
from core.db.unit_of_work import TransactionBroken, in_transaction, reading, writing
from core.db.url import Database
from core.ledger.accounts import due_from, due_to, open_accounts
from core.ledger.close import close_through
from core.ledger.errors import EntryKeyReused, LedgerAccountUnknown, NotAnEntry, PeriodClosed
from core.ledger.post import Entry, PostedEntry, between_funds, post, post_many
from core.ledger.read import journal, trial_balance
from tests.support.numbered_entries import CASH, GENERAL, RECEIVABLE, REVENUE, ROOM_TAX, entry, lend, open_books
from tests.support.tenants import new_tenant, opened_engine

pytestmark = pytest.mark.database

MOVED = entry(1).transfers[0]
CLERK = Recorded("clerk", date(2027, 1, 10))


class Ledger:
    """Post and read, each in a transaction of its own."""

    def __init__(self, engine: Engine, tenant: int) -> None:
        self.engine = engine
        self.tenant = tenant

    def post(self, *entries: Entry) -> tuple[PostedEntry, ...]:
        return in_transaction(self.engine, self.tenant, lambda uow: post_many(uow, entries))

    def close(self, through: date) -> None:
        in_transaction(self.engine, self.tenant, lambda uow: close_through(uow, through, "year end", CLERK))

    def journal(self) -> list[Entry]:
        with reading(self.engine, self.tenant) as uow:
            return [one.entry for one in journal(uow)]

    def keys(self) -> list[str]:
        return [one.key for one in self.journal()]

    def balances(self) -> dict[tuple[str, str], int]:
        with reading(self.engine, self.tenant) as uow:
            return {(one.fund, one.number): one.cents for one in trial_balance(uow) if one.cents}


@pytest.fixture
def ledger(app: Engine, town: int) -> Ledger:
    return Ledger(app, town)


def with_line(**changed: Any) -> Entry:
    """An entry of one line, changed."""
    return entry(1)._replace(transfers=(MOVED._replace(**changed),))


class TestAKey:
    def test_posted_again_answers_the_entry_that_is_there(self, ledger: Ledger) -> None:
        first = ledger.post(entry(1))
        assert ledger.post(entry(1)) == first
        assert ledger.keys() == ["entry-1"]

    def test_posted_again_in_the_same_transaction_answers_it_too(self, ledger: Ledger) -> None:
        with writing(ledger.engine, ledger.tenant) as uow:
            assert post(uow, entry(1)) == post(uow, entry(1))

    @pytest.mark.parametrize(
        "changed",
        [
            {"kind": "payment"},
            {"effective_on": date(2025, 1, 1)},
            {"booked_on": date(2027, 1, 1)},
            {"recorded_on": date(2027, 1, 1)},
            {"narrative": "another"},
            {"period_account_id": UUID(int=7)},
            {"event_seqs": (1, 2, 3)},
            {"event_seqs": ()},
            {"transfers": entry(1).transfers[:1]},
            {"transfers": entry(1).transfers[::-1]},
            {"transfers": (*entry(1).transfers, MOVED)},
        ],
        ids=lambda changed: "-".join(changed),
    )
    def test_with_another_content_is_refused(self, ledger: Ledger, changed: dict[str, Any]) -> None:
        ledger.post(entry(1))
        with pytest.raises(EntryKeyReused, match="entry-1"):
            ledger.post(entry(1)._replace(**changed))
        assert ledger.journal() == [entry(1)]

    @pytest.mark.parametrize(
        "changed",
        [
            {"cents": 108},
            {"debit": CASH},
            {"credit": CASH},
            {"charge_kind": "fee"},
            {"clause_id": "T-9"},
            {"section": "§ 9"},
            {"rule_version": "2"},
            {"value_ids": ("v-2",)},
            {"computation": "another"},
        ],
        ids=lambda changed: "-".join(changed),
    )
    def test_with_another_line_is_refused(self, ledger: Ledger, changed: dict[str, Any]) -> None:
        ledger.post(with_line())
        with pytest.raises(EntryKeyReused):
            ledger.post(with_line(**changed))
        assert ledger.journal() == [with_line()]

    def test_of_another_tenant_is_another_entry(self, ledger: Ledger, host: Engine) -> None:
        other = new_tenant(host, "beta").id
        in_transaction(ledger.engine, other, open_books)
        theirs = Ledger(ledger.engine, other)
        assert ledger.post(entry(1)) != theirs.post(with_line(cents=5))
        assert theirs.balances() == {(ROOM_TAX, RECEIVABLE): 5, (ROOM_TAX, REVENUE): -5}

    def test_that_was_refused_can_be_used_for_the_mended_entry(self, ledger: Ledger) -> None:
        with pytest.raises(LedgerAccountUnknown):
            ledger.post(with_line(debit="nowhere"))
        ledger.post(entry(1))
        assert ledger.journal() == [entry(1)]

    def test_of_a_header_somebody_inserted_alone_is_another_entry(self, ledger: Ledger) -> None:
        with writing(ledger.engine, ledger.tenant) as uow:
            uow.driver.execute(
                "INSERT INTO fisc.entries (tenant_id, id, key, kind, effective_on, booked_on, recorded_on, event_seqs,"
                " narrative, lines) VALUES (%s, %s, 'entry-1', 'x', '2026-01-02', '2026-01-02', '2026-01-02', '{}',"
                " '', 1)",
                [ledger.tenant, uuid4()],
            )
            uow.commit()
        with pytest.raises(EntryKeyReused):
            ledger.post(entry(1))

    def test_sent_by_sixteen_at_once_is_one_entry_and_one_answer(self, database: Database, ledger: Ledger) -> None:
        start = threading.Barrier(16)

        def send(_: int) -> tuple[PostedEntry, ...]:
            start.wait(30)
            return in_transaction(engine, ledger.tenant, lambda uow: post_many(uow, [entry(1), entry(2)]))

        with opened_engine(database, Role.APP, pool_size=16) as engine, ThreadPoolExecutor(16) as pool:
            answers = set(pool.map(send, range(16)))
        assert len(answers) == 1
        assert ledger.keys() == ["entry-1", "entry-2"]

    def test_is_free_again_when_whoever_used_it_rolls_back(self, database: Database, ledger: Ledger) -> None:
        with writing(ledger.engine, ledger.tenant) as first, ThreadPoolExecutor(1) as pool:
            post(first, with_line(cents=1))
            waiting = pool.submit(ledger.post, entry(1))
            time.sleep(0.1)
            assert not waiting.done()
            first.connection.rollback()
            waiting.result(30)
        assert ledger.journal() == [entry(1)]


class TestABatch:
    def test_is_answered_in_its_order(self, ledger: Ledger) -> None:
        given = [entry(number) for number in (5, 1, 3)]
        answers = ledger.post(*given)
        assert answers == tuple(ledger.post(one)[0] for one in given)

    def test_of_nothing_is_nothing(self, ledger: Ledger) -> None:
        assert ledger.post() == ()

    def test_with_a_key_twice_and_the_same_content_posts_it_once(self, ledger: Ledger) -> None:
        first, other, again = ledger.post(entry(1), entry(2), entry(1))
        assert first == again != other
        assert ledger.keys() == ["entry-1", "entry-2"]

    def test_with_a_key_twice_and_another_content_is_refused(self, ledger: Ledger) -> None:
        with pytest.raises(EntryKeyReused, match="twice in one batch"):
            ledger.post(entry(1), with_line(cents=5))
        assert ledger.keys() == []

    @pytest.mark.parametrize(
        ("bad", "refusal"),
        [
            (entry(2)._replace(transfers=(MOVED._replace(credit="nowhere"),)), LedgerAccountUnknown),
            (entry(2)._replace(booked_on=date(2025, 12, 31)), PeriodClosed),
            (entry(2)._replace(transfers=()), NotAnEntry),
            (entry(9)._replace(narrative="another"), EntryKeyReused),
        ],
        ids=lambda value: getattr(value, "__name__", ""),
    )
    def test_with_one_that_is_refused_posts_none(self, ledger: Ledger, bad: Entry, refusal: type[Exception]) -> None:
        ledger.post(entry(9))
        ledger.close(date(2025, 12, 31))
        with pytest.raises(refusal):
            ledger.post(entry(1), bad, entry(3))
        assert ledger.keys() == ["entry-9"]

    def test_with_some_that_are_there_posts_the_rest(self, ledger: Ledger) -> None:
        (there,) = ledger.post(entry(2))
        answers = ledger.post(entry(1), entry(2), entry(3))
        assert answers[1] == there
        assert sorted(ledger.keys()) == ["entry-1", "entry-2", "entry-3"]

    def test_sent_by_eight_at_once_in_any_order_waits_in_no_circle(self, database: Database, ledger: Ledger) -> None:
        entries = [entry(number) for number in range(1, 41)]

        def send(number: int) -> set[PostedEntry]:
            turned = entries[number * 5 :] + entries[: number * 5]
            batch = turned if number % 2 else turned[::-1]
            return set(in_transaction(engine, ledger.tenant, lambda uow: post_many(uow, batch), tries=1))

        with opened_engine(database, Role.APP, pool_size=8) as engine, ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(send, range(8)))
        assert answers == [answers[0]] * 8
        assert len(ledger.keys()) == 40


class TestARefusal:
    @pytest.mark.parametrize("cents", [0, -1, 1.0, True, "1", None, 2**63])
    def test_of_what_is_no_positive_amount_in_whole_cents(self, ledger: Ledger, cents: object) -> None:
        with pytest.raises(NotAnEntry, match="line 1"):
            ledger.post(with_line(cents=cents))

    def test_of_a_cent_of_imbalance_has_no_way_to_arise(self, ledger: Ledger) -> None:
        """A transfer has one amount for both of its accounts."""
        ledger.post(entry(1), entry(2))
        assert sum(ledger.balances().values()) == 0

    def test_of_a_move_to_itself(self, ledger: Ledger) -> None:
        with pytest.raises(NotAnEntry, match="moves to itself"):
            ledger.post(with_line(credit=RECEIVABLE))

    @pytest.mark.parametrize(
        "changed", [{"debit": "nowhere"}, {"credit": "nowhere"}, {"fund": "nowhere"}, {"fund": GENERAL}, {"fund": ""}]
    )
    def test_of_an_account_that_is_not_in_that_fund(self, ledger: Ledger, changed: dict[str, str]) -> None:
        with pytest.raises(LedgerAccountUnknown, match="open it first"):
            ledger.post(with_line(**changed))

    @pytest.mark.parametrize(
        "changed",
        [
            {"key": ""},
            {"key": "x" * 201},
            {"kind": ""},
            {"narrative": "a NUL \x00 in it"},
            {"key": "\x00"},
            {"narrative": "half a pair \ud800"},
            {"event_seqs": (2**31,)},
            {"transfers": (MOVED,) * 32_768},
        ],
        ids=["no key", "a long key", "no kind", "NUL", "NUL key", "surrogate", "seq", "lines"],
    )
    def test_of_what_the_books_cannot_hold(self, ledger: Ledger, changed: dict[str, Any]) -> None:
        with pytest.raises(NotAnEntry):
            ledger.post(entry(1)._replace(**changed))
        assert ledger.keys() == []

    def test_leaves_nothing_of_the_transaction_to_commit(self, ledger: Ledger) -> None:
        with writing(ledger.engine, ledger.tenant) as uow:
            post(uow, entry(1))
            with pytest.raises(LedgerAccountUnknown):
                post(uow, with_line(debit="nowhere")._replace(key="other"))
            with pytest.raises(TransactionBroken):
                uow.commit()
        assert ledger.keys() == []

    def test_within_a_savepoint_leaves_the_rest(self, ledger: Ledger) -> None:
        with writing(ledger.engine, ledger.tenant) as uow:
            post(uow, entry(1))
            with pytest.raises(LedgerAccountUnknown), uow.savepoint():
                post(uow, with_line(debit="nowhere")._replace(key="other"))
            uow.commit()
        assert ledger.keys() == ["entry-1"]

    def test_of_a_day_in_a_closed_period(self, ledger: Ledger) -> None:
        ledger.close(date(2026, 1, 31))
        with pytest.raises(PeriodClosed, match="later day"):
            ledger.post(entry(30))
        ledger.post(entry(31))
        assert ledger.keys() == ["entry-31"]

    def test_is_not_of_what_was_posted_before_its_period_closed(self, ledger: Ledger) -> None:
        first = ledger.post(entry(1), entry(2))
        ledger.close(date(2026, 1, 31))
        assert ledger.post(entry(1), entry(2)) == first

    def test_is_not_of_what_counts_for_a_closed_day_and_is_booked_later(self, ledger: Ledger) -> None:
        ledger.close(date(2026, 1, 31))
        ledger.post(entry(1)._replace(booked_on=date(2026, 2, 1)))
        assert ledger.keys() == ["entry-1"]


class TestWhatIsPosted:
    def test_is_read_back_to_the_letter(self, ledger: Ledger) -> None:
        awkward = "§ 54-19(B), 5% \\ \" ' \n\t {1,2} NULL \u2028 \U0001f3e8 é"
        account = uuid4()
        given = Entry(
            awkward[:200],
            awkward,
            date.min,
            date.max,
            date(2024, 2, 29),
            (MOVED._replace(cents=2**63 - 1, section=awkward, value_ids=(awkward, "", "NULL"), computation=awkward),),
            awkward,
            account,
            (3, 1, 2, 2**31 - 1),
        )
        ledger.post(given)
        assert ledger.journal() == [given]

    def test_keeps_its_order_of_recording_when_the_clock_steps_back(self, ledger: Ledger) -> None:
        days = [date(2026, 6, 3), date(2026, 6, 1), date(2026, 6, 2)]
        keys = [f"{number}-{day}" for number, day in zip((3, 2, 1), days, strict=True)]
        seqs = [
            ledger.post(entry(1)._replace(key=key, recorded_on=day, booked_on=day, effective_on=day))[0].seq
            for key, day in zip(keys, days, strict=True)
        ]
        assert seqs == sorted(seqs)
        assert ledger.keys() == keys

    def test_can_add_up_to_more_than_one_amount_can_be(self, ledger: Ledger) -> None:
        large = [with_line(cents=2**63 - 1)._replace(key=key) for key in ("a", "b")]
        ledger.post(*large)
        assert ledger.balances()[ROOM_TAX, REVENUE] == -2 * (2**63 - 1)

    def test_takes_one_statement(self, ledger: Ledger) -> None:
        executed: list[str] = []
        with writing(ledger.engine, ledger.tenant) as uow:
            real = uow.driver.execute

            def counted(statement: str, *values: object) -> object:
                executed.append(statement)
                return real(statement, *values)

            uow.driver.execute = counted  # type: ignore[method-assign,assignment]
            try:
                post_many(uow, [entry(number) for number in range(1, 50)])
            finally:
                del uow.driver.execute
        assert len(executed) == 1


class TestFirstPosters:
    def test_a_hundred_at_once_to_a_new_account_are_all_booked(self, database: Database, ledger: Ledger) -> None:
        """Each opens the account because it saw none, and each posts."""
        new = LedgerAccount("777", "12345", "New", "asset")
        cash = LedgerAccount("777", CASH, "Cash", "asset")
        start = threading.Barrier(40)

        def first(number: int) -> None:
            if number < 40:
                start.wait(60)

            def work(uow: Any) -> None:
                open_accounts(uow, [("777", "New fund")], [cash, new])
                post(uow, with_line(fund="777", debit=CASH, credit="12345", cents=number + 1)._replace(key=f"{number}"))

            in_transaction(engine, ledger.tenant, work)

        with opened_engine(database, Role.APP, pool_size=40) as engine, ThreadPoolExecutor(40) as pool:
            list(pool.map(first, range(100)))
        assert ledger.balances() == {("777", CASH): 5_050, ("777", "12345"): -5_050}

    def test_twenty_lend_at_once_between_funds_that_never_did(self, database: Database, ledger: Ledger) -> None:
        def first(number: int) -> None:
            lender, borrower = (GENERAL, ROOM_TAX) if number % 2 else (ROOM_TAX, GENERAL)
            given = entry(0)._replace(key=f"loan-{number}", transfers=())

            def work(uow: Any) -> None:
                between_funds(uow, given, lender=lender, borrower=borrower, cash=(CASH, CASH), cents=100)

            in_transaction(engine, ledger.tenant, work)

        with opened_engine(database, Role.APP, pool_size=20) as engine, ThreadPoolExecutor(20) as pool:
            list(pool.map(first, range(20)))
        found = ledger.balances()
        assert found[GENERAL, due_from(GENERAL, ROOM_TAX)] == found[ROOM_TAX, due_from(ROOM_TAX, GENERAL)] == 1_000
        assert found[ROOM_TAX, due_to(ROOM_TAX, GENERAL)] == found[GENERAL, due_to(GENERAL, ROOM_TAX)] == -1_000


class TestBetweenFunds:
    def test_both_legs_are_booked_in_one_entry(self, ledger: Ledger) -> None:
        in_transaction(ledger.engine, ledger.tenant, lend)
        assert ledger.balances() == {
            (GENERAL, CASH): -5_000,
            (GENERAL, due_from(GENERAL, ROOM_TAX)): 5_000,
            (ROOM_TAX, CASH): 5_000,
            (ROOM_TAX, due_to(ROOM_TAX, GENERAL)): -5_000,
        }
        (made,) = ledger.journal()
        assert [moved.twin for moved in made.transfers] == [2, 1]

    def test_the_same_loan_again_is_the_same_entry(self, ledger: Ledger) -> None:
        first = in_transaction(ledger.engine, ledger.tenant, lend)
        assert in_transaction(ledger.engine, ledger.tenant, lend) == first

    def test_another_amount_under_the_key_is_refused(self, ledger: Ledger) -> None:
        in_transaction(ledger.engine, ledger.tenant, lend)
        with pytest.raises(EntryKeyReused):
            in_transaction(ledger.engine, ledger.tenant, lambda uow: lend(uow, cents=1))

    def test_the_legs_follow_what_the_entry_has(self, ledger: Ledger) -> None:
        def work(uow: Any) -> PostedEntry:
            return between_funds(uow, entry(1), lender=GENERAL, borrower=ROOM_TAX, cash=(CASH, CASH), cents=5)

        in_transaction(ledger.engine, ledger.tenant, work)
        (made,) = ledger.journal()
        assert made.transfers[:2] == entry(1).transfers
        assert [moved.twin for moved in made.transfers] == [None, None, 4, 3]

    @pytest.mark.parametrize(
        ("changed", "refusal"),
        [
            ({"borrower": GENERAL}, NotAnEntry),
            ({"borrower": "999"}, LedgerAccountUnknown),
            ({"lender": "999"}, LedgerAccountUnknown),
            ({"cash": ("nowhere", CASH)}, LedgerAccountUnknown),
            ({"cash": (CASH, due_to(ROOM_TAX, GENERAL))}, NotAnEntry),
            ({"cents": 0}, NotAnEntry),
        ],
        ids=["itself", "no such borrower", "no such lender", "no such cash", "cash that is due", "nothing"],
    )
    def test_is_refused_by_name(self, ledger: Ledger, changed: dict[str, Any], refusal: type[Exception]) -> None:
        loan = {"lender": GENERAL, "borrower": ROOM_TAX, "cash": (CASH, CASH), "cents": 100, **changed}
        with pytest.raises(refusal):
            in_transaction(ledger.engine, ledger.tenant, lambda uow: between_funds(uow, entry(1), **loan))
        assert ledger.keys() == []

    def test_funds_with_the_longest_numbers_can_lend(self, ledger: Ledger) -> None:
        one, two = "1" * 32, "2" * 32

        def work(uow: Any) -> None:
            accounts = [LedgerAccount(fund, CASH, "Cash", "asset") for fund in (one, two)]
            open_accounts(uow, [(one, "One"), (two, "Two")], accounts)
            between_funds(uow, entry(1), lender=one, borrower=two, cash=(CASH, CASH), cents=7)

        in_transaction(ledger.engine, ledger.tenant, work)
        assert ledger.balances()[one, due_from(one, two)] == 7

    def test_a_twin_is_no_business_of_posts(self, ledger: Ledger) -> None:
        in_transaction(ledger.engine, ledger.tenant, lend)
        (loan,) = ledger.journal()
        with pytest.raises(NotAnEntry, match="between_funds"):
            ledger.post(loan._replace(key="another"))

    def test_a_due_account_is_none_of_posts(self, ledger: Ledger) -> None:
        in_transaction(ledger.engine, ledger.tenant, lend)
        with pytest.raises(LedgerAccountUnknown):
            ledger.post(with_line(debit=CASH, credit=due_to(ROOM_TAX, GENERAL)))


class TestTheChart:
    def test_an_account_that_is_there_stays_as_it_is(self, ledger: Ledger) -> None:
        other = LedgerAccount(ROOM_TAX, CASH, "Another title", "expense")
        in_transaction(ledger.engine, ledger.tenant, lambda uow: open_accounts(uow, [(ROOM_TAX, "Another")], [other]))
        with reading(ledger.engine, ledger.tenant) as uow:
            (found,) = [one for one in trial_balance(uow) if (one.fund, one.number) == (ROOM_TAX, CASH)]
        assert (found.title, found.kind) == ("Cash", "asset")

    def test_an_account_of_a_fund_that_is_not_there_is_refused(self, ledger: Ledger) -> None:
        lost = replace(LedgerAccount(ROOM_TAX, "1", "x", "asset"), fund="999")
        with pytest.raises(LedgerAccountUnknown, match="999"):
            in_transaction(ledger.engine, ledger.tenant, lambda uow: open_accounts(uow, [], [lost]))
