"""The ledger against one that is a list in memory: the same acts, the same refusals, the same books.

A state machine opens funds and accounts, posts entries and batches, good and bad, lends, closes and sends again. The
oracle knows nothing of SQL and shares no arithmetic with core.ledger: it walks through all lines for every question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import Engine

from core.contract.declarations import LedgerAccount
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.ledger.accounts import open_accounts
from core.ledger.close import close_through, closed_through, unproved_snapshots
from core.ledger.errors import (
    AlreadyClosed,
    EntryKeyReused,
    LedgerAccountUnknown,
    LedgerError,
    NotAnEntry,
    PeriodClosed,
)
from core.ledger.post import Entry, PostedEntry, Transfer, between_funds, post_many
from core.ledger.read import journal, movements, posted_state, transfer_key, trial_balance
from tests.support.tenants import new_tenant

pytestmark = [pytest.mark.database, pytest.mark.slow]

FIRST = date(2026, 1, 1)
FUNDS = ("100", "210", "300")
NUMBERS = ("a", "b", "c", "d")
LARGEST = 2**63 - 1


class Line(NamedTuple):
    """A line in the oracle's list."""

    effective: date
    booked: date
    recorded: date
    fund: str
    debit: str
    credit: str
    cents: int


class Memory:
    """The books as they should be."""

    def __init__(self) -> None:
        self.chart: set[tuple[str, str]] = set()
        self.funds: set[str] = set()
        self.entries: dict[str, Entry] = {}
        self.closed: date | None = None

    def open(self, fund: str, number: str) -> None:
        self.funds.add(fund)
        self.chart.add((fund, number))

    def refusal(self, entries: list[Entry]) -> type[LedgerError] | None:
        """Why a batch is refused, the first of the reasons in the order in which they are looked at."""
        if any(not one.transfers or any(map(self._senseless, one.transfers)) for one in entries):
            return NotAnEntry
        if any(one != other for one in entries for other in entries if one.key == other.key):
            return EntryKeyReused
        new = [one for one in entries if one.key not in self.entries]
        if any(self.closed is not None and one.booked_on <= self.closed for one in new):
            return PeriodClosed
        if any(not self._known(line) for one in new for line in one.transfers):
            return LedgerAccountUnknown
        if any(self.entries[one.key] != one for one in entries if one.key in self.entries):
            return EntryKeyReused
        return None

    def keep(self, entries: list[Entry]) -> None:
        self.entries.update({one.key: one for one in entries})

    def lines(self) -> Iterator[Line]:
        for one in self.entries.values():
            for moved in one.transfers:
                days = one.effective_on, one.booked_on, one.recorded_on
                yield Line(*days, moved.fund, moved.debit, moved.credit, moved.cents)

    def balances(self, effective: date, known: date, booked: date) -> dict[tuple[str, str], tuple[int, int]]:
        """Debits and credits of each account."""
        found = dict.fromkeys(self.chart, (0, 0))
        for line in self.lines():
            if line.effective <= effective and line.recorded <= known and line.booked <= booked:
                up, down = found[line.fund, line.debit]
                found[line.fund, line.debit] = up + line.cents, down
                up, down = found[line.fund, line.credit]
                found[line.fund, line.credit] = up, down + line.cents
        return found

    @staticmethod
    def _senseless(line: Transfer) -> bool:
        return not 1 <= line.cents <= LARGEST or line.debit == line.credit

    def _known(self, line: Transfer) -> bool:
        return {(line.fund, line.debit), (line.fund, line.credit)} <= self.chart


DAYS = st.integers(0, 30).map(lambda days: FIRST + timedelta(days=days))
CENTS = st.one_of(st.integers(1, 10_000), st.sampled_from([0, -1, LARGEST, LARGEST + 1, 10**15]))
LINES = st.builds(
    Transfer,
    fund=st.sampled_from(FUNDS),
    debit=st.sampled_from(NUMBERS),
    credit=st.sampled_from(NUMBERS),
    cents=CENTS,
    charge_kind=st.sampled_from(["tax", "fee"]),
    clause_id=st.sampled_from(["", "T-1"]),
    section=st.just("§ 1"),
    rule_version=st.just("1"),
    value_ids=st.just(()),
    twin=st.none(),
    computation=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5),
)
LINES_OF_ANY_ACCOUNT = st.builds(
    lambda fund, pair, cents: Transfer(fund, *pair, cents, "tax"),
    st.sampled_from(FUNDS),
    st.permutations(NUMBERS).map(lambda numbers: numbers[:2]),
    st.integers(1, 10_000),
)
GOOD_LINES = st.builds(
    lambda fund, pair, cents: Transfer(fund, *pair, cents, "tax"),
    st.sampled_from(FUNDS[:2]),
    st.permutations(NUMBERS[:3]).map(lambda numbers: numbers[:2]),
    st.integers(1, 10_000),
)


def entries(lines: st.SearchStrategy[Transfer], smallest: int) -> st.SearchStrategy[Entry]:
    return st.builds(
        Entry,
        key=st.integers(1, 400).map(str),
        kind=st.just("assessment"),
        effective_on=DAYS,
        booked_on=DAYS,
        recorded_on=DAYS,
        transfers=st.lists(lines, min_size=smallest, max_size=4).map(tuple),
        narrative=st.sampled_from(["", "Return"]),
        period_account_id=st.sampled_from([None, UUID(int=1), UUID(int=2)]),
        event_seqs=st.sampled_from([(), (1,), (2, 1)]),
    )


class Compared(RuleBasedStateMachine):
    """Each act is done to both. The engine and a new tenant are given by the subclass that the test makes."""

    engine: Engine
    next_tenant: Callable[[], int]
    seen: Counter[str]

    @initialize()
    def begin(self) -> None:
        self.tenant = type(self).next_tenant()
        self.memory = Memory()
        self.posted: dict[str, PostedEntry] = {}
        for fund in FUNDS[:2]:
            for number in NUMBERS[:3]:
                self.open(fund, number)

    @rule(fund=st.sampled_from(FUNDS), number=st.sampled_from(NUMBERS))
    def open(self, fund: str, number: str) -> None:
        account = LedgerAccount(fund, number, f"Account {number}", "asset")
        self.both(lambda uow: open_accounts(uow, [(fund, f"Fund {fund}")], [account]), None, "open")
        self.memory.open(fund, number)

    @rule(batch=st.lists(entries(GOOD_LINES, 1), min_size=1, max_size=4))
    def post(self, batch: list[Entry]) -> None:
        self.post_both(batch, "post")

    @rule(batch=st.lists(entries(LINES_OF_ANY_ACCOUNT | LINES, 0), max_size=3))
    def post_anything(self, batch: list[Entry]) -> None:
        self.post_both(batch, "post anything")

    @rule(data=st.data(), changed=st.booleans())
    def send_again(self, data: st.DataObject, changed: bool) -> None:
        known = [one for one in self.memory.entries.values() if all(line.twin is None for line in one.transfers)]
        if known:
            again = data.draw(st.sampled_from(known))
            if changed:
                again = again._replace(effective_on=again.effective_on + timedelta(days=1))
            self.post_both([again], "send again")

    @rule(key=st.integers(1, 400).map(str), pair=st.permutations(FUNDS), cents=st.integers(1, 10_000) | CENTS, day=DAYS)
    def lend(self, key: str, pair: list[str], cents: int, day: date) -> None:
        lender, borrower = pair[:2]
        given = Entry(key, "loan", day, day, day, ())
        legs = (
            Transfer(lender, f"15000-{borrower}", "a", cents, "due_from", twin=2),
            Transfer(borrower, "a", f"25000-{lender}", cents, "due_to", twin=1),
        )
        whole = given._replace(transfers=legs)
        due = {(line.fund, number) for line in legs for number in (line.debit, line.credit) if number != "a"}
        before = set(self.memory.chart)
        if {lender, borrower} <= self.memory.funds:
            self.memory.chart |= due
        refusal = self.memory.refusal([whole])
        if not {lender, borrower} <= self.memory.funds and refusal is not NotAnEntry:
            refusal = LedgerAccountUnknown  # the due accounts are opened before anything is posted

        def work(uow: UnitOfWork) -> PostedEntry:
            return between_funds(uow, given, lender=lender, borrower=borrower, cash=("a", "a"), cents=cents)

        answer = self.both(work, refusal, "lend")
        if refusal is None:
            self.remember([whole], (answer,))
        else:
            self.memory.chart = before

    @rule(day=st.integers(-3, 12).map(lambda days: FIRST + timedelta(days=days)), on=st.integers(0, 14))
    def close(self, day: date, on: int) -> None:
        closed = self.memory.closed
        recorded_on = FIRST + timedelta(days=on)
        refused = (closed is not None and closed >= day) or recorded_on <= day
        refusal = AlreadyClosed if refused or self._too_much_for_a_snapshot(day) else None
        if refusal is not None and not refused:
            return  # sums that a snapshot cannot hold are no matter of this test
        self.both(lambda uow: close_through(uow, day, "closed", Recorded("clerk", recorded_on)), refusal, "close")
        if refusal is None:
            self.memory.closed = day

    @rule(effective=DAYS, known=DAYS, booked=DAYS)
    def ask_for_balances(self, effective: date, known: date, booked: date) -> None:
        with reading(self.engine, self.tenant) as uow:
            rows = trial_balance(uow, effective, known, booked)
        found = {(one.fund, one.number): (one.debit_cents, one.credit_cents) for one in rows}
        assert found == self.memory.balances(effective, known, booked)

    @rule(fund=st.sampled_from(FUNDS), number=st.sampled_from(NUMBERS), days=st.tuples(DAYS, DAYS, DAYS))
    def ask_for_a_statement(self, fund: str, number: str, days: tuple[date, date, date]) -> None:
        first, last, known = days
        with reading(self.engine, self.tenant) as uow:
            found = [(one.effective_on, one.cents) for one in movements(uow, fund, number, first, last, known)]
        expected = [
            (line.effective, line.cents if line.debit == number else -line.cents)
            for line in self.memory.lines()
            if line.fund == fund and number in (line.debit, line.credit)
            if first <= line.effective <= last and line.recorded <= known
        ]
        assert Counter(found) == Counter(expected)
        assert [day for day, _ in found] == sorted(day for day, _ in expected)

    @invariant()
    def the_books_are_the_same(self) -> None:
        if not hasattr(self, "tenant"):
            return
        ids = {one.period_account_id for one in self.memory.entries.values()} - {None}
        with reading(self.engine, self.tenant) as uow:
            found = list(journal(uow))
            rows = trial_balance(uow)
            state = posted_state(uow, ids)
            assert closed_through(uow) == self.memory.closed
            assert unproved_snapshots(uow) == []
        assert {one.entry.key: one.entry for one in found} == self.memory.entries
        assert {one.entry.key: one.posted for one in found} == self.posted
        assert [one.posted.seq for one in found] == sorted(one.posted.seq for one in found)
        assert dict.fromkeys(self.memory.funds, 0) == _by_fund(rows)
        balances = {(one.fund, one.number): (one.debit_cents, one.credit_cents) for one in rows}
        assert balances == self.memory.balances(date.max, date.max, date.max)
        assert {account: _nonzero(kept) for account, kept in state.items()} == self._posted_state(ids)

    def post_both(self, batch: list[Entry], what: str) -> None:
        refusal = self.memory.refusal(batch)
        answers = self.both(lambda uow: post_many(uow, batch), refusal, what)
        if refusal is None:
            self.remember(batch, answers)

    def remember(self, batch: list[Entry], answers: tuple[PostedEntry, ...]) -> None:
        self.memory.keep(batch)
        for one, answer in zip(batch, answers, strict=True):
            assert self.posted.setdefault(one.key, answer) == answer

    def both(self, work: Callable[[UnitOfWork], Any], refusal: type[LedgerError] | None, what: str) -> Any:
        """Do it to the ledger, which has to refuse as the oracle says, and to nothing else."""
        self.seen[f"{what}: {refusal.__name__ if refusal else 'done'}"] += 1
        if refusal is None:
            return in_transaction(self.engine, self.tenant, work)
        with pytest.raises(refusal):
            in_transaction(self.engine, self.tenant, work)
        return None

    def _too_much_for_a_snapshot(self, day: date) -> bool:
        balances = self.memory.balances(date.max, date.max, day)
        return any(max(sides) > LARGEST for sides in balances.values())

    def _posted_state(self, ids: set[Any]) -> dict[Any, dict[str, int]]:
        state: dict[Any, Counter[str]] = {account: Counter() for account in ids}
        for one in self.memory.entries.values():
            for line in one.transfers:
                if one.period_account_id is not None:
                    place = (line.fund, line.debit, line.credit, line.charge_kind, line.clause_id, line.section)
                    key, sign = transfer_key(*place)
                    state[one.period_account_id][key] += sign * line.cents
        return {account: _nonzero(kept) for account, kept in state.items()}


def _by_fund(rows: tuple[Any, ...]) -> dict[str, int]:
    funds: Counter[str] = Counter()
    for one in rows:
        funds[one.fund] += one.cents
    return dict(funds)


def _nonzero(state: dict[str, int] | Counter[str]) -> dict[str, int]:
    return {key: cents for key, cents in state.items() if cents}


def test_it_does_what_a_list_in_memory_does(app: Engine, host: Engine) -> None:
    made = iter(range(1_000_000))
    seen: Counter[str] = Counter()

    class Machine(Compared):
        engine = app
        next_tenant = staticmethod(lambda: new_tenant(host, f"town-{next(made)}").id)

    Machine.seen = seen
    searching = settings.get_current_profile_name() == "search"
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=500 if searching else 80,
            stateful_step_count=25,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
    for what in (
        "post: done",
        "post: PeriodClosed",
        "post: EntryKeyReused",
        "post anything: NotAnEntry",
        "post anything: LedgerAccountUnknown",
        "send again: done",
        "send again: EntryKeyReused",
        "lend: done",
        "lend: NotAnEntry",
        "lend: LedgerAccountUnknown",
        "close: done",
        "close: AlreadyClosed",
    ):
        assert seen[what], f"the machine never came to this: {what}; it came to {dict(seen)}"
    print(dict(seen))
