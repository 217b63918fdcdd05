"""What could go wrong with the books: history, races, impossible amounts, papers, closed periods and municipalities."""

# ruff: noqa: SIM105
from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from uuid import UUID

import pytest
from sqlalchemy import Engine, text

from core.contract.settings import Resolution
from core.db.recorded import Recorded
from core.db.remember import Request
from core.db.unit_of_work import UnitOfWork, in_transaction, reading, writing
from core.domain.errors import FiscError, Refused
from core.domain.events import Notice
from core.filing.accounts import lock_accounts, open_accounts
from core.filing.attachments import attach
from core.filing.opening_days import open_spans
from core.filing.owed_periods import Obligation
from core.filing.record_place_fact import place_facts_known, record_place_fact, withdraw_place_fact
from core.filing.records import FilerDetails
from core.filing.register_filer import register_filer
from core.filing.returns import returns_of
from core.ledger.read import posted_state
from core.services.accounts.act import Act
from core.services.accounts.assess import signed
from core.services.accounts.explain import explain_account
from core.services.accounts.load import load_accounts
from core.services.accounts.record import record_acts, record_in
from core.services.accounts.replay import replay_books
from core.services.accounts.state import desired_state
from core.services.accounts.waiting import post_again, waiting
from core.services.books.check import close_books
from core.tenants.directory import close_tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.record_setting import record_resolution
from core.tenants.settings import settings_known
from tests.support.statements import counted_statements
from tests.support.towns import NEVER, Town, a_payment, a_return, a_waiver, came_back, open_town, set_fee

pytestmark = pytest.mark.database


@pytest.fixture
def bayfield(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def montello(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "mon", "montello")


def books_and_statement(town: Town, period: str, day: date) -> tuple[dict[str, int], dict[str, int]]:
    account = town.accounts[period].id
    with reading(town.engine, town.tenant.id) as uow:
        municipality = open_tenant(uow, town.tenant.key)
        statement = load_accounts(uow, municipality, [account])[account].statement(day)
        lines = desired_state(statement, municipality.chart("room_tax"), municipality.declared.version)
        posted = posted_state(uow, [account])[account]
        return {k: v for k, v in posted.items() if v}, {k: v for k, v in signed(lines.values()).items() if v}


def applied_by(town: Town, period: str, seq: int, day: date) -> dict[str, int]:
    account = town.accounts[period].id
    with reading(town.engine, town.tenant.id) as uow:
        statement = load_accounts(uow, open_tenant(uow, town.tenant.key), [account])[account].statement(day)
        return {one.kind: one.cents for one in statement.applications if one.cause == seq}


def test_an_act_on_another_year_takes_no_recorded_payment_out_of_the_books(montello: Town) -> None:
    earlier, later = montello.accounts["2025-Q1"], montello.accounts["2026-Q1"]
    montello.act(date(2025, 4, 20), ("2025-Q1", a_return(date(2025, 4, 20), earlier, 1_000_000)))
    montello.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), later, 2_000_000)))
    montello.act(date(2026, 6, 10), ("2026-Q1", a_payment(date(2026, 6, 10), 50_000)))
    before = books_and_statement(montello, "2026-Q1", date(2026, 6, 10))
    assert before[0] == before[1]
    try:  # the day of recording is before the last one of the account that looks back to this one
        montello.act(date(2026, 6, 3), ("2025-Q1", a_payment(date(2026, 6, 3), 100)))
    except Refused:
        pass
    after = books_and_statement(montello, "2026-Q1", date(2026, 6, 10))
    assert after[0] == after[1]


def test_posting_again_on_an_earlier_day_is_refused(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), account, 1_000_000)))
    bayfield.act(date(2026, 4, 25), ("2026-Q1", a_payment(date(2026, 4, 25), 65_000)))
    try:
        post_again(bayfield.engine, bayfield.tenant, [account.id], Recorded("t", date(2026, 4, 22)))
    except FiscError:
        pass
    posted, owed = books_and_statement(bayfield, "2026-Q1", date(2026, 4, 25))
    assert posted == owed


def test_an_act_recorded_before_the_last_posting_is_refused(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), account, 1_000_000)))
    post_again(bayfield.engine, bayfield.tenant, [account.id], Recorded("t", date(2026, 6, 30)))
    with pytest.raises(Refused):  # what was known and posted as of June 30 would change
        bayfield.act(date(2026, 6, 20), ("2026-Q1", a_payment(date(2026, 6, 20), 100)))


def test_an_amended_earlier_year_rewrites_no_application(montello: Town) -> None:
    earlier, later = montello.accounts["2025-Q1"], montello.accounts["2026-Q1"]
    montello.act(date(2025, 4, 20), ("2025-Q1", a_return(date(2025, 4, 20), earlier, 1_000_000)))
    montello.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), later, 2_000_000)))
    montello.act(date(2026, 6, 10), ("2026-Q1", a_payment(date(2026, 6, 10), 50_000)))
    first = applied_by(montello, "2026-Q1", 2, date(2026, 6, 10))
    montello.act(date(2026, 9, 3), ("2025-Q1", a_return(date(2026, 9, 3), earlier, 2_000_000)))
    assert applied_by(montello, "2026-Q1", 2, date(2026, 9, 3)) == first


def while_it_waits(
    town: Town, account: UUID, act: Callable[[], object], meanwhile: Callable[[UnitOfWork], object]
) -> None:
    """Starts an act while another transaction holds the account, does something in that one, and lets both go on."""
    with ThreadPoolExecutor(1) as pool, writing(town.engine, town.tenant.id) as holding:
        lock_accounts(holding, [account])
        waiting_act = pool.submit(act)
        with town.engine.connect() as watching:
            asked = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
            for _ in range(200):
                if watching.execute(asked).scalar():
                    break
                time.sleep(0.01)
            else:
                pytest.fail("the act does not wait for the lock")
        meanwhile(holding)
        holding.commit()
        waiting_act.result(timeout=20)


def test_a_setting_recorded_while_an_act_waits_for_its_lock_is_replayed(app: Engine, host: Engine) -> None:
    town = open_town(app, host, "bay", "bayfield")
    account = town.accounts["2026-Q1"]
    filed = a_return(date(2026, 5, 20), account, 1_000_000)

    def set_fee_then(uow: UnitOfWork) -> None:
        set_fee(town, "late_filing_fee", 9_900, date(2025, 1, 2))  # another connection commits while we wait

    while_it_waits(town, account.id, lambda: town.act(date(2026, 5, 20), ("2026-Q1", filed)), set_fee_then)
    assert books_and_statement(town, "2026-Q1", date(2026, 5, 20))[1]
    assert replay_books(app, town.tenant).differences == ()
    posted, owed = books_and_statement(town, "2026-Q1", date(2026, 5, 20))
    assert posted == owed
    assert 9_900 in {abs(cents) for cents in posted.values()}


def test_an_account_opened_while_the_earlier_year_is_amended_is_reassessed(app: Engine, host: Engine) -> None:
    town = open_town(app, host, "mon", "montello", through=date(2026, 1, 31))
    earlier = town.accounts["2025-Q1"]
    town.act(date(2025, 4, 20), ("2025-Q1", a_return(date(2025, 4, 20), earlier, 1_000_000)))
    day = date(2026, 6, 2)

    def opened(holding: UnitOfWork) -> None:
        period = open_tenant(holding, "mon").taxes["room_tax"].frequency.period("2026-Q1")
        asked = Obligation(earlier.filer_id, earlier.place_id, "room_tax", period)
        town.accounts["2026-Q1"] = account = open_accounts(holding, [asked])[0]
        filed = a_return(date(2026, 4, 20), account, 2_000_000)
        record_in(holding, [Act(account.id, filed, {"form": "2026-Q1"})], Recorded("t", day))

    amended = a_return(day, earlier, 2_000_000)
    while_it_waits(town, earlier.id, lambda: town.act(day, ("2025-Q1", amended)), opened)
    posted, owed = books_and_statement(town, "2026-Q1", day)
    assert posted == owed
    # The forfeiture looks at 2025 as amended: 4.5% x $20,000.00 = $900.00, of which 25% = $225.00, below $1,000.00.
    assert 22_500 in {abs(cents) for cents in posted.values()}


def test_nothing_is_recorded_in_a_closed_period_even_if_no_money_moves(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q2"]
    close_books(bayfield.engine, bayfield.tenant, date(2026, 6, 30), "year end", Recorded("t", date(2026, 7, 2)))
    with pytest.raises(FiscError):
        bayfield.act(date(2026, 6, 15), ("2026-Q2", Notice(0, date(2026, 6, 15), NEVER)))
    assert account


def test_the_statement_as_known_later_knows_the_later_acts_or_is_refused(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 6, 20), ("2026-Q1", a_payment(date(2026, 4, 28), 65_000)))
    try:
        lines = list(
            explain_account(bayfield.engine, bayfield.tenant, account.id, date(2026, 5, 1), known_on=date(2026, 6, 30))
        )
    except FiscError:
        return
    assert any("650.00" in line for line in lines), lines


def test_explaining_an_earlier_day_marks_nothing_as_not_posted(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), account, 1_000_000)))
    bayfield.act(date(2026, 6, 20), ("2026-Q1", a_payment(date(2026, 6, 20), 10_000)))
    lines = list(explain_account(bayfield.engine, bayfield.tenant, account.id, date(2026, 5, 20)))
    assert not [line for line in lines if "not posted yet" in line]


def test_what_waits_because_a_charge_arose_later_is_listed(app: Engine, host: Engine) -> None:
    town = open_town(app, host, "bare", "bayfield", resolutions=())
    account = town.accounts["2026-Q1"]
    town.act(date(2026, 4, 20), ("2026-Q1", a_payment(date(2026, 4, 20), 10_000)))
    posted = post_again(app, town.tenant, [account.id], Recorded("t", date(2026, 5, 31)))
    assert posted[0].waiting is not None
    assert account.id in waiting(app, town.tenant, date(2026, 5, 31))


def test_a_day_on_which_nothing_changed_adds_no_assessment(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), account, 1_000_000)))
    bayfield.act(date(2026, 4, 25), ("2026-Q1", a_payment(date(2026, 4, 25), 65_000)))
    for day in (1, 2, 3, 4, 5):
        post_again(bayfield.engine, bayfield.tenant, [account.id], Recorded("t", date(2026, 5, day)))
    assert replay_books(bayfield.engine, bayfield.tenant).count == 2


def test_amounts_below_one_cent_are_refused(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), account, 1_000_000)))
    for act in (a_payment(date(2026, 5, 20), -10_000), a_waiver(date(2026, 5, 20), "late_filing_fee", -2_000)):
        with pytest.raises(FiscError):
            bayfield.act(date(2026, 5, 20), ("2026-Q1", act))


def test_receipts_of_another_period_are_refused(bayfield: Town) -> None:
    other = bayfield.accounts["2026-Q3"]
    with pytest.raises(FiscError):
        bayfield.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), other, 1_000_000)))


def test_a_paper_of_one_filer_is_not_kept_with_the_return_of_another(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), account, 1_000_000)))

    def mixed(uow: UnitOfWork) -> None:
        stranger = register_filer(uow, FilerDetails("Stranger"), Recorded("t", date(2026, 4, 20)))
        filed = returns_of(uow, account.id)[0].id
        attach(uow, stranger.id, "a.pdf", "application/pdf", b"%PDF-", Recorded("t", date(2026, 4, 20)), filed=filed)

    with pytest.raises(FiscError):
        in_transaction(bayfield.engine, bayfield.tenant.id, mixed)


def test_a_setting_recorded_before_the_last_one_is_refused(bayfield: Town) -> None:
    with reading(bayfield.engine, bayfield.tenant.id) as uow:
        before = settings_known(uow, date(2026, 1, 31))

    def record(uow: UnitOfWork, number: str, recorded: date) -> None:
        law = open_tenant(uow, "bay").law
        fee = Resolution("late_filing_fee", 5_000, date(2026, 1, 1), number)
        record_resolution(uow, law, fee, Recorded("t", recorded))

    in_transaction(bayfield.engine, bayfield.tenant.id, lambda uow: record(uow, "9", date(2026, 7, 1)))
    try:
        in_transaction(bayfield.engine, bayfield.tenant.id, lambda uow: record(uow, "10", date(2026, 1, 15)))
    except FiscError:
        pass
    with reading(bayfield.engine, bayfield.tenant.id) as uow:
        assert settings_known(uow, date(2026, 1, 31)) == before


def test_a_municipality_half_added_can_be_added_again(
    app: Engine, host: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.services.tenants import add
    from core.tenants.directory import TenantKeyTaken

    whole = add.open_books

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(add, "open_books", killed)
    with pytest.raises(KeyboardInterrupt):
        add.add_municipality(app, host, "half", "bayfield", "", "America/Chicago", "host")
    monkeypatch.setattr(add, "open_books", whole)
    try:
        add.add_municipality(app, host, "half", "bayfield", "", "America/Chicago", "host")
    except TenantKeyTaken:
        pytest.fail("the key is taken by a municipality without a chart, and nothing opens its books")


def test_an_amount_that_the_books_cannot_take_back_is_refused(bayfield: Town) -> None:
    bayfield.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), bayfield.accounts["2026-Q1"], 1_000_000)))
    with pytest.raises(Refused):
        bayfield.act(date(2026, 5, 20), ("2026-Q1", a_payment(date(2026, 5, 20), 2**63)))


def test_a_payment_that_came_back_is_named_as_it_was_entered(bayfield: Town) -> None:
    bayfield.act(date(2026, 4, 20), ("2026-Q1", a_payment(date(2026, 4, 20), 10_000)))
    with pytest.raises(Refused):  # the returned amount and day go into the words of the fee
        bayfield.act(date(2026, 5, 21), ("2026-Q1", came_back(date(2026, 5, 21), 1, date(2020, 1, 1), 999_999)))


def test_a_channel_that_is_not_known_is_refused_by_name(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    act = Act(account.id, a_return(date(2026, 4, 20), account, 100), {}, "fax")
    with pytest.raises(FiscError):
        record_acts(
            bayfield.engine, bayfield.tenant, Request.of("t", "k", b""), [act], Recorded("t", date(2026, 4, 20))
        )


def test_a_return_comes_with_its_form(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    act = Act(account.id, a_return(date(2026, 4, 20), account, 100))
    with pytest.raises(FiscError):
        record_acts(
            bayfield.engine, bayfield.tenant, Request.of("t", "k", b""), [act], Recorded("t", date(2026, 4, 20))
        )


def test_a_closed_municipality_records_nothing_after_its_day(host: Engine, bayfield: Town) -> None:
    with host.begin() as connection:
        close_tenant(connection, "bay", date(2026, 1, 1))
    with pytest.raises(FiscError):
        bayfield.act(date(2026, 5, 22), ("2026-Q1", a_payment(date(2026, 4, 20), 100)))


def test_withdrawing_an_opening_does_not_stretch_the_one_before(bayfield: Town) -> None:
    place = bayfield.accounts["2026-Q1"].place_id
    recorded = Recorded("t", date(2026, 5, 1))

    def work(uow: UnitOfWork) -> tuple[object, object]:
        record_place_fact(uow, place, "closing", date(2025, 6, 30), None, recorded)
        before = open_spans(place_facts_known(uow, place))
        opened = record_place_fact(uow, place, "opening", date(2026, 1, 1), None, recorded)
        record_place_fact(uow, place, "closing", date(2026, 3, 31), None, recorded)
        withdraw_place_fact(uow, place, opened.seq, recorded, reason="another place")
        return before, open_spans(place_facts_known(uow, place))

    try:
        before, after = in_transaction(bayfield.engine, bayfield.tenant.id, work)
    except Refused:
        return
    assert after == before


def test_a_period_that_is_not_owed_is_charged_no_late_fee(montello: Town) -> None:
    earlier, later = montello.accounts["2025-Q1"], montello.accounts["2026-Q1"]
    recorded = Recorded("t", date(2026, 5, 1))
    in_transaction(
        montello.engine,
        montello.tenant.id,
        lambda uow: record_place_fact(uow, earlier.place_id, "closing", date(2025, 12, 31), None, recorded),
    )
    answer = montello.act(date(2026, 5, 20), ("2025-Q1", a_return(date(2025, 4, 20), earlier, 1_000_000)))
    assert [one["balance"] for one in answer["accounts"] if one["account"] == str(later.id)] in ([], ["0.00"])


def test_more_accounts_that_look_back_take_no_more_statements(montello: Town) -> None:
    counts = []
    for periods in (["2025-Q1"], ["2026-Q1"], ["2026-Q1", "2026-Q2", "2026-Q3", "2026-Q4"]):
        ids = [montello.accounts[period].id for period in periods]
        counts.append(_statements(lambda ids=ids: _post_again(montello, ids)))
    assert counts[1] == counts[2]  # the first also asked which plugin the municipality has


def _post_again(town: Town, ids: list[UUID]) -> None:
    post_again(town.engine, town.tenant, ids, Recorded("t", date(2027, 3, 1)))


def _statements(work: Callable[[], None]) -> int:
    with counted_statements() as sent:
        work()
    return len(sent)
