"""Sharing out what was collected: on the cumulative base, so that what comes back is taken back."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from decimal import Decimal
from itertools import count
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from core.db.recorded import Recorded
from core.db.remember import Request
from core.db.roles import Role
from core.db.unit_of_work import reading, writing
from core.db.url import Database
from core.domain.errors import Refused
from core.domain.shares import Agreement
from core.filing.accounts import lock_accounts
from core.ledger.distributions import RemittancePaid
from core.ledger.read import trial_balance
from core.services.sharing.agreements import add_agreement, list_agreements, take_back_agreement
from core.services.sharing.remittances import advice, distributions, pay_remittance
from core.services.sharing.share_out import distribute, preview
from tests.support.towns import Town, a_payment, a_return, came_back, open_town

pytestmark = pytest.mark.database
NUMBERS = count(1)
CHAMBER = "Bayfield Chamber of Commerce"


def share_out(town: Town, on: date, *periods: str) -> dict[tuple[str, str, bool], int]:
    """Distributes on a day. Answers what was shared now, in cents by period, payee and held."""
    request = Request.of("treasurer", f"share {next(NUMBERS)}", b"")
    number = distribute(town.engine, town.tenant, request, "room_tax", periods or None, Recorded("t", on))["number"]
    made = distributions(town.engine, town.tenant)
    lines = made[number - 1].lines if number is not None else ()
    return {(line.period, line.payee, line.held): line.now_cents for line in lines}


def agree(town: Town, first: date, last: date, share: str = "0.75", number: str = "") -> str:
    terms = Agreement(number or f"A-{next(NUMBERS)}", CHAMBER, Decimal(share), first, last)
    request = Request.of("treasurer", f"agree {next(NUMBERS)}", repr(terms).encode())
    answer = add_agreement(town.engine, town.tenant, request, terms, Recorded("t", date(2026, 1, 2)))
    return str(answer["id"])


def pay(town: Town, period: str, on: date, receipts: int, cents: int) -> None:
    account = town.accounts[period]
    town.act(on, (period, a_return(on, account, receipts)), (period, a_payment(on, cents)))


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def mon(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "mon", "montello")


@pytest.fixture
def fox(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "fox", "fox_cities_village")


def test_tax_is_shared_as_the_ordinance_says_to_the_cent(mon: Town) -> None:
    # 4.5% of $3,333.33 = $149.99985, so $150.00; 75% = $112.50, the rest $37.50.
    pay(mon, "2026-Q1", date(2026, 4, 20), 333_333, 15_000)
    shared = share_out(mon, date(2026, 5, 4))
    assert shared == {
        ("2026-Q1", "Commission of the zone", False): 11_250,
        ("2026-Q1", "General fund", False): 3_750,
    }


def test_what_an_amendment_takes_back_is_clawed_back_and_netted(fox: Town) -> None:
    first, second = fox.accounts["2026-Q1"], fox.accounts["2026-Q2"]
    fox.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), first, 1_000_000)))
    owed = balance(fox, "2026-Q1")
    fox.act(date(2026, 4, 21), ("2026-Q1", a_payment(date(2026, 4, 21), owed)))
    before = share_out(fox, date(2026, 5, 4))
    own = (owed * 5 + 50) // 100  # 5%, half a cent up
    bureau = "Fox Cities Convention and Tourist Bureau"
    assert before == {("2026-Q1", "General fund", False): own, ("2026-Q1", bureau, False): owed - own}
    # Half of it was not taxable after all: half of the tax is a credit, and no tax collected any more.
    fox.act(date(2026, 6, 2), ("2026-Q1", a_return(date(2026, 6, 2), first, 500_000)))
    fox.act(date(2026, 7, 20), ("2026-Q2", a_return(date(2026, 7, 20), second, 1_000_000)))
    fox.act(date(2026, 7, 21), ("2026-Q2", a_payment(date(2026, 7, 21), owed)))
    after = share_out(fox, date(2026, 8, 3))
    half = owed // 2
    own_half = (half * 5 + 50) // 100
    assert after[("2026-Q1", bureau, False)] == (half - own_half) - (owed - own)
    assert after[("2026-Q2", bureau, False)] == owed - own
    made = distributions(fox.engine, fox.tenant)[1]
    assert [one.share_cents for one in made.remittances] == [
        after[("2026-Q1", bureau, False)] + after[("2026-Q2", bureau, False)]
    ]
    told = "\n".join(advice(fox.engine, fox.tenant, made.remittances[0].number).as_text())
    assert "taken back" in told
    assert "§ 18-2(B)" in told


def test_a_payment_that_comes_back_is_carried_until_the_payee_has_made_it_good(mon: Town) -> None:
    pay(mon, "2026-Q1", date(2026, 4, 20), 1_000_000, 45_000)
    share_out(mon, date(2026, 5, 4))
    mon.act(date(2026, 5, 11), ("2026-Q1", came_back(date(2026, 5, 11), 2, date(2026, 4, 20), 45_000)))
    back = share_out(mon, date(2026, 6, 2))
    assert back == {
        ("2026-Q1", "Commission of the zone", False): -33_750,
        ("2026-Q1", "General fund", False): -11_250,
    }
    second = distributions(mon.engine, mon.tenant)[1].remittances[0]
    assert (second.share_cents, second.brought_forward_cents, second.payable_cents) == (-33_750, 0, 0)
    # The next quarter brings $1,350.00 of tax, of which 75% are $1,012.50, less the $337.50 that stand.
    pay(mon, "2026-Q2", date(2026, 7, 20), 3_000_000, 135_000)
    share_out(mon, date(2026, 8, 4), "2026-Q2")
    third = distributions(mon.engine, mon.tenant)[2].remittances[0]
    assert (third.share_cents, third.brought_forward_cents, third.payable_cents) == (101_250, -33_750, 67_500)


def test_without_an_agreement_the_share_is_held_and_with_one_it_is_paid(bay: Town) -> None:
    # 6.5% of $10,000.00 = $650.00.
    pay(bay, "2026-Q1", date(2026, 4, 20), 1_000_000, 65_000)
    assert share_out(bay, date(2026, 5, 4)) == {("2026-Q1", CHAMBER, True): 65_000}
    assert any("agreement" in text for text in distributions(bay.engine, bay.tenant)[0].warnings)
    agree(bay, date(2026, 1, 1), date(2026, 12, 31))
    assert share_out(bay, date(2026, 6, 2)) == {
        ("2026-Q1", CHAMBER, True): -65_000,
        ("2026-Q1", CHAMBER, False): 48_750,
        ("2026-Q1", "General fund", False): 16_250,
    }


def test_a_period_stays_under_the_agreement_of_its_last_day(bay: Town) -> None:
    agree(bay, date(2025, 1, 1), date(2025, 12, 31), "0.75")
    agree(bay, date(2026, 1, 1), date(2026, 12, 31), "0.70")
    pay(bay, "2025-Q4", date(2026, 1, 20), 1_000_000, 65_000)
    assert share_out(bay, date(2026, 2, 3))[("2025-Q4", CHAMBER, False)] == 48_750
    # Amended in the year of the next agreement: 6.5% of $8,000.00 = $520.00, of which 75% = $390.00.
    bay.act(date(2026, 3, 2), ("2025-Q4", a_return(date(2026, 3, 2), bay.accounts["2025-Q4"], 800_000)))
    assert share_out(bay, date(2026, 3, 3))[("2025-Q4", CHAMBER, False)] == 39_000 - 48_750


def test_two_agreements_that_share_a_day_are_refused_by_name(bay: Town) -> None:
    agree(bay, date(2026, 1, 1), date(2026, 12, 31), number="2026-1")
    with pytest.raises(Refused, match="shares days with agreement 2026-1"):
        agree(bay, date(2026, 12, 31), date(2027, 6, 30))


def test_of_two_recorded_at_once_that_share_a_day_one_is_refused(bay: Town) -> None:
    def attempt(_: int) -> bool:
        try:
            agree(bay, date(2026, 1, 1), date(2026, 12, 31))
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(attempt, range(4))) == 1
    assert len(list_agreements(bay.engine, bay.tenant)) == 1


def test_an_agreement_runs_for_a_year_at_most(bay: Town) -> None:
    agree(bay, date(2026, 1, 1), date(2026, 12, 31))
    with pytest.raises(Refused, match=r"at most 12 months \(§ 54-19\(B\)\)"):
        agree(bay, date(2027, 1, 1), date(2028, 1, 1))


def test_where_the_ordinance_shares_no_agreement_is_recorded(mon: Town) -> None:
    with pytest.raises(Refused, match="by its ordinance"):
        agree(mon, date(2026, 1, 1), date(2026, 12, 31))


def test_the_share_of_an_agreement_cannot_be_changed_at_the_prompt(bay: Town, database: Database) -> None:
    agree(bay, date(2026, 1, 1), date(2026, 12, 31))
    with database.connect(Role.APP) as connection:
        connection.execute(f"SET LOCAL fisc.tenant = '{bay.tenant.id}'")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("UPDATE fisc.agreements SET share = '0.5'")


def test_an_agreement_is_withdrawn_only_while_nothing_was_shared_under_it(bay: Town) -> None:
    wrong = agree(bay, date(2025, 1, 1), date(2025, 12, 31))
    request = Request.of("t", "wrong", b"")
    take_back_agreement(bay.engine, bay.tenant, request, UUID(wrong), "typed twice", Recorded("t", date(2026, 1, 3)))
    used = agree(bay, date(2026, 1, 1), date(2026, 12, 31))
    pay(bay, "2026-Q1", date(2026, 4, 20), 1_000_000, 65_000)
    share_out(bay, date(2026, 5, 4))
    request = Request.of("t", "used", b"")
    with pytest.raises(Refused, match="locked for its term"):
        take_back_agreement(bay.engine, bay.tenant, request, UUID(used), "changed", Recorded("t", date(2026, 5, 5)))


def test_a_withdrawal_waits_for_the_distribution_at_work_and_finds_what_it_shared(bay: Town) -> None:
    used = agree(bay, date(2026, 1, 1), date(2026, 12, 31))
    pay(bay, "2026-Q1", date(2026, 4, 20), 1_000_000, 65_000)

    def withdraw() -> None:
        request, recorded = Request.of("t", "used", b""), Recorded("t", date(2026, 5, 5))
        take_back_agreement(bay.engine, bay.tenant, request, UUID(used), "changed", recorded)

    with ThreadPoolExecutor(2) as pool:
        with writing(bay.engine, bay.tenant.id) as holding:  # keeps the distribution at work
            lock_accounts(holding, [bay.accounts["2026-Q1"].id])
            sharing = pool.submit(share_out, bay, date(2026, 5, 4))
            until_waiting(bay, "transactionid")
            withdrawing = pool.submit(withdraw)
            until_waiting(bay, "advisory")
        assert sharing.result(timeout=20)["2026-Q1", CHAMBER, False] == 48_750
        with pytest.raises(Refused, match="locked for its term"):
            withdrawing.result(timeout=20)


def until_waiting(town: Town, kind: str) -> None:
    """Returns once somebody waits for a lock of this kind."""
    asked = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = :kind")
    with town.engine.connect() as watching:
        for _ in range(500):
            if watching.execute(asked, {"kind": kind}).scalar():
                return
            time.sleep(0.01)
    pytest.fail(f"nobody waits for a lock of kind {kind}")


def test_a_preview_shows_what_is_then_posted_and_leaves_nothing(mon: Town) -> None:
    pay(mon, "2026-Q1", date(2026, 4, 20), 1_000_000, 45_000)
    with reading(mon.engine, mon.tenant.id) as uow:
        books = trial_balance(uow)
    shown = preview(mon.engine, mon.tenant, "room_tax", None, Recorded("t", date(2026, 5, 4)))
    with reading(mon.engine, mon.tenant.id) as uow:
        assert trial_balance(uow) == books
    assert share_out(mon, date(2026, 5, 4)) == {(x.period, x.payee, x.held): x.now_cents for x in shown.lines}


def test_the_same_request_shares_once_and_two_at_once_share_once(mon: Town) -> None:
    pay(mon, "2026-Q1", date(2026, 4, 20), 1_000_000, 45_000)

    def run(number: int) -> object:
        request = Request.of("treasurer", f"at once {number // 2}", b"")
        return distribute(mon.engine, mon.tenant, request, "room_tax", None, Recorded("t", date(2026, 5, 4)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))
    made = distributions(mon.engine, mon.tenant)
    assert sum(line.now_cents for one in made for line in one.lines) == 45_000
    assert [one.number for one in made] == [1]


def test_a_remittance_is_paid_once_and_clears_what_is_due(mon: Town) -> None:
    pay(mon, "2026-Q1", date(2026, 4, 20), 1_000_000, 45_000)
    share_out(mon, date(2026, 5, 4))
    recorded = Recorded("t", date(2026, 5, 6))
    request = Request.of("treasurer", "remit", b"")
    args = (1, date(2026, 5, 5), "check", "4711", recorded)
    first = pay_remittance(mon.engine, mon.tenant, request, *args)
    assert first["paid"] == "337.50"
    assert pay_remittance(mon.engine, mon.tenant, request, *args) == first
    with pytest.raises(RemittancePaid):
        pay_remittance(mon.engine, mon.tenant, Request.of("treasurer", "again", b""), *args)
    with reading(mon.engine, mon.tenant.id) as uow:
        due = [one.cents for one in trial_balance(uow) if one.title.startswith("Due to Commission")]
    assert due == [0]


def test_credits_and_money_before_any_return_are_no_tax_collected(mon: Town) -> None:
    # 4.5% of $1,000.00 = $45.00 are tax; of the $100.00 paid, $55.00 are the filer's credit.
    pay(mon, "2026-Q1", date(2026, 4, 20), 100_000, 10_000)
    mon.act(date(2026, 4, 20), ("2026-Q2", a_payment(date(2026, 4, 20), 5_000)))
    shared = share_out(mon, date(2026, 7, 2))
    assert sum(shared.values()) == 4_500


def balance(town: Town, period: str) -> int:
    from core.services.accounts.load import load_accounts
    from core.tenants.open_tenant import open_tenant

    with reading(town.engine, town.tenant.id) as uow:
        account = town.accounts[period].id
        loaded = load_accounts(uow, open_tenant(uow, town.tenant.key), [account])[account]
        return loaded.statement(loaded.last_recorded).balance


RUNS = st.lists(st.tuples(st.integers(0, 5_000_000), st.integers(1, 300_000)), min_size=1, max_size=5)


@pytest.mark.slow
@pytest.mark.parametrize("plugin", ["bayfield", "montello", "fox_cities_village"])
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs=RUNS)
def test_whatever_is_amended_the_shares_so_far_are_those_of_the_base_alone(
    plugin: str, runs: list[tuple[int, int]], app: Engine, host: Engine
) -> None:
    town = open_town(app, host, f"t{next(NUMBERS)}", plugin)
    if plugin == "bayfield":
        agree(town, date(2026, 1, 1), date(2026, 12, 31))
    for number, (receipts, cents) in enumerate(runs):
        day = date(2026, 5, 1 + 2 * number)
        pay(town, "2026-Q1", day, receipts, cents)
        share_out(town, day)
    made = distributions(town.engine, town.tenant)
    so_far: dict[tuple[str, bool], int] = {}
    for one in made:
        for line in one.lines:
            so_far[line.payee, line.held] = so_far.get((line.payee, line.held), 0) + line.now_cents
            assert line.so_far_cents == so_far[line.payee, line.held]
    if made:
        base = made[-1].lines[0].base_cents
        assert sum(so_far.values()) == base
    with writing(town.engine, town.tenant.id) as uow:
        for one in trial_balance(uow):
            if one.title.startswith("Due to"):
                assert -one.cents == sum(cents for (payee, _), cents in so_far.items() if one.title.endswith(payee))
