"""The daily run: what it opens, posts and reports on each day, and that a day is done once (READINGS 2, 8, 11, 16)."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from core.contract.settings import ReadingChoice
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.events import Extension
from core.ledger.heads import HeadsFile
from core.ledger.read import journal_of, trial_balance
from core.services.accounts.replay import replay_books
from core.services.daily.run import DayDone, Failed, NotOpen, Sealed, run_daily, run_days
from core.services.tenants.add import add_municipality
from core.tenants.open_tenant import open_tenant
from core.tenants.record_setting import record_reading
from tests.support.places import a_fact, a_filer, a_place, accounts_now
from tests.support.tenants import new_tenant
from tests.support.towns import NEVER, Town, a_payment, a_return, open_town, set_fee

pytestmark = pytest.mark.database
OPEN = text(
    "INSERT INTO fisc.openings (tenant_id, seq, opened_on, recorded_by, recorded_on) "
    "VALUES (:tenant, 1, '2025-01-01', 't', '2025-01-01')"
)


@pytest.fixture
def bayfield(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield", through=date(2025, 3, 31))


def run(town: Town, on: date) -> list[DayDone]:
    done = list(run_days(town.engine, town.tenant, on))
    assert all(isinstance(one, DayDone) for one in done)
    return done


def told(done: DayDone) -> tuple[int, int, int, int]:
    return done.opened, done.posted, len(done.overdue), done.waiting


def balances(town: Town, through: date = date.max) -> dict[tuple[str, str], int]:
    with reading(town.engine, town.tenant.id) as uow:
        return {(one.fund, one.number): one.cents for one in trial_balance(uow, through) if one.cents}


def with_account(town: Town, filer: Any, place: str, period: str) -> Town:
    return town._replace(accounts={**town.accounts, period: accounts_now(town, filer)[place, period]})


class TestOpening:
    def test_an_account_is_opened_on_the_day_after_its_period(self, bayfield: Town) -> None:
        filer = a_filer(bayfield)
        a_place(bayfield, filer)
        assert [told(one)[0] for one in run(bayfield, date(2025, 3, 31))] == [0]
        assert [told(one)[0] for one in run(bayfield, date(2025, 4, 1))] == [1]
        assert list(accounts_now(bayfield, filer)) == [("Harbor Inn", "2025-Q1")]

    def test_the_first_run_opens_all_that_became_owed_since_the_opening(self, bayfield: Town) -> None:
        filer = a_filer(bayfield)
        a_place(bayfield, filer, opened_on=date(2019, 1, 1))
        (day,) = run(bayfield, date(2026, 1, 2))
        keys = [period for _, period in accounts_now(bayfield, filer)]
        assert sorted(keys) == ["2025-Q1", "2025-Q2", "2025-Q3", "2025-Q4", "2025-annual"]
        # this place's five, and of the first place, whose first account is open, four
        assert day.opened == 9

    def test_a_closed_place_and_a_closed_season_open_nothing(self, bayfield: Town) -> None:
        filer = a_filer(bayfield)
        place = a_place(bayfield, filer)
        a_fact(bayfield, place.id, "seasonal_closure", date(2025, 4, 1), date(2025, 6, 30))
        a_fact(bayfield, place.id, "closing", date(2025, 7, 15))
        run(bayfield, date(2026, 1, 1))
        keys = sorted(period for _, period in accounts_now(bayfield, filer))
        assert keys == ["2025-Q1", "2025-Q3", "2025-annual"]


class TestPosting:
    def test_a_late_fee_is_posted_on_the_day_it_arises_though_nobody_touched_the_account(self, bayfield: Town) -> None:
        # 2025-Q1 is due April 30
        assert told(run(bayfield, date(2025, 4, 30))[0]) == (0, 0, 0, 0)
        (day,) = run(bayfield, date(2025, 5, 1))
        account = bayfield.accounts["2025-Q1"]
        assert told(day) == (0, 1, 1, 0)
        assert day.overdue == ((account.id, "return"),)
        # the fee of $25.00: receivable against revenue in the general fund
        assert sorted(balances(bayfield).values()) == [-2_500, 2_500]
        with reading(bayfield.engine, bayfield.tenant.id) as uow:
            (entry,) = journal_of(uow, account.id)
        assert entry.entry.effective_on == date(2025, 5, 1)

    def test_interest_is_posted_at_the_end_of_the_month_and_not_from_day_to_day(self, bayfield: Town) -> None:
        account = bayfield.accounts["2025-Q1"]
        bayfield.act(date(2025, 4, 20), ("2025-Q1", a_return(date(2025, 4, 20), account, 3_650_000)))
        posted = {
            done.day: done.posted for done in [*run(bayfield, date(2025, 4, 30)), *run(bayfield, date(2025, 7, 1))]
        }
        assert {day for day, count in posted.items() if count} == {date(2025, 5, 31), date(2025, 6, 30)}
        # tax 36,500 x 6.5% = 2,372.50, which bears $0.65 a day at 10% / 365: 31 days of May 20.15, with June 39.65
        assert 2_015 in balances(bayfield, date(2025, 5, 31)).values()
        assert 3_965 in balances(bayfield).values()

    def test_what_was_not_paid_by_the_due_date_is_told_as_overdue(self, bayfield: Town) -> None:
        account = bayfield.accounts["2025-Q1"]
        bayfield.act(date(2025, 4, 20), ("2025-Q1", a_return(date(2025, 4, 20), account, 1_000_000)))
        assert [one.overdue for one in run(bayfield, date(2025, 5, 1))] == [((account.id, "payment"),)]

    def test_what_is_filed_and_paid_in_time_brings_nothing(self, bayfield: Town) -> None:
        account, day = bayfield.accounts["2025-Q1"], date(2025, 4, 20)
        bayfield.act(day, ("2025-Q1", a_return(day, account, 1_000_000)), ("2025-Q1", a_payment(day, 65_000)))
        run(bayfield, day)
        assert {told(one)[1:] for one in run(bayfield, date(2025, 6, 30))} == {(0, 0, 0)}

    def test_an_extended_return_becomes_overdue_after_the_extension(self, bayfield: Town) -> None:
        extension = Extension(0, date(2025, 4, 25), NEVER, date(2025, 5, 30))
        bayfield.act(date(2025, 4, 25), ("2025-Q1", extension))
        run(bayfield, date(2025, 4, 30))
        days = {one.day: (one.posted, len(one.overdue)) for one in run(bayfield, date(2025, 6, 2))}
        assert {day for day, done in days.items() if done != (0, 0)} == {date(2025, 5, 31)}
        assert days[date(2025, 5, 31)] == (1, 1)

    def test_what_waits_is_counted_and_posted_once_the_resolution_is_there(self, app: Engine, host: Engine) -> None:
        town = open_town(app, host, "bare", "bayfield", through=date(2025, 3, 31), resolutions=())
        assert told(run(town, date(2025, 5, 1))[0]) == (0, 0, 1, 1)
        assert [told(one)[1] for one in run(town, date(2025, 5, 4))] == [0, 0, 0]
        set_fee(town, "late_filing_fee", 2_500)
        assert told(run(town, date(2025, 5, 5))[0]) == (0, 1, 0, 0)
        assert sorted(balances(town).values()) == [-2_500, 2_500]

    def test_a_return_that_waited_is_posted_too(self, app: Engine, host: Engine) -> None:
        town = open_town(app, host, "bare", "bayfield", through=date(2025, 3, 31), resolutions=())
        account = town.accounts["2025-Q1"]
        town.act(date(2025, 5, 20), ("2025-Q1", a_return(date(2025, 5, 20), account, 1_000_000)))
        assert told(run(town, date(2025, 5, 20))[0]) == (0, 0, 0, 1)
        set_fee(town, "late_filing_fee", 2_500)
        assert told(run(town, date(2025, 5, 21))[0]) == (0, 1, 0, 0)
        assert replay_books(app, town.tenant).differences == ()

    def test_a_forfeiture_for_nonpayment_arises_by_the_passing_of_days(self, app: Engine, host: Engine) -> None:
        town = open_town(app, host, "mon", "montello", through=date(2026, 3, 31))
        for period, day in (("2025-Q1", date(2025, 4, 20)), ("2026-Q1", date(2026, 4, 20))):
            town.act(day, (period, a_return(day, town.accounts[period], 1_000_000)))
        run(town, date(2026, 4, 20))
        # 30 days after April 30 2026: May 30, a Saturday, so June 1; on June 2 the lesser of 25% of 450.00 and $1,000
        days = {one.day: one.posted for one in run(town, date(2026, 6, 2))}
        assert days[date(2026, 6, 2)] == 1
        assert 11_250 in balances(town).values()

    def test_the_late_fee_of_an_annual_return_is_posted(self, app: Engine, host: Engine) -> None:
        town = open_town(app, host, "mon", "montello", through=date(2025, 3, 31))
        filer = town.accounts["2025-Q1"].filer_id
        run(town, date(2026, 3, 30))
        # the year's return is due 90 days after December 31: March 31
        before = balances(town)
        days = {one.day: told(one) for one in run(town, date(2026, 4, 1))}
        assert days == {date(2026, 3, 31): (0, 0, 0, 0), date(2026, 4, 1): (1, 1, 1, 0)}
        assert ("Lake House", "2025-annual") in accounts_now(town, filer)
        assert sorted(set(balances(town).values()) - set(before.values()))


class TestAgain:
    def test_a_second_run_of_the_day_changes_nothing(self, bayfield: Town) -> None:
        run(bayfield, date(2025, 5, 1))
        before = balances(bayfield), self.rows(bayfield)
        assert run(bayfield, date(2025, 5, 1)) == []
        assert run(bayfield, date(2025, 4, 2)) == []
        assert (balances(bayfield), self.rows(bayfield)) == before

    def test_days_off_are_caught_up_in_order_each_for_its_day(self, bayfield: Town) -> None:
        run(bayfield, date(2025, 4, 28))
        done = run(bayfield, date(2025, 6, 3))
        assert [one.day for one in done] == [date(2025, 4, 29) + timedelta(days=n) for n in range(36)]
        assert {one.day: told(one) for one in done if any(told(one))} == {date(2025, 5, 1): (0, 1, 1, 0)}
        with reading(bayfield.engine, bayfield.tenant.id) as uow:
            (entry,) = journal_of(uow, bayfield.accounts["2025-Q1"].id)
        assert (entry.entry.effective_on, entry.entry.booked_on) == (date(2025, 5, 1), date(2025, 6, 3))

    def test_each_day_has_a_row_with_counts_and_no_names(self, bayfield: Town) -> None:
        run(bayfield, date(2025, 4, 30))
        run(bayfield, date(2025, 5, 2))
        assert self.rows(bayfield) == [
            (date(2025, 4, 30), {"opened": 0, "posted": 0, "overdue": 0, "waiting": 0}, date(2025, 4, 30)),
            (date(2025, 5, 1), {"opened": 0, "posted": 1, "overdue": 1, "waiting": 0}, date(2025, 5, 2)),
            (date(2025, 5, 2), {"opened": 0, "posted": 0, "overdue": 0, "waiting": 0}, date(2025, 5, 2)),
        ]

    def test_an_act_between_brings_the_accrual_with_it(self, bayfield: Town) -> None:
        run(bayfield, date(2025, 4, 30))
        account = bayfield.accounts["2025-Q1"]
        bayfield.act(date(2025, 6, 10), ("2025-Q1", a_return(date(2025, 6, 10), account, 1_000_000)))
        assert {one.posted for one in run(bayfield, date(2025, 6, 12))} == {0}
        with reading(bayfield.engine, bayfield.tenant.id) as uow:
            (entry,) = journal_of(uow, account.id)
        assert entry.entry.effective_on == date(2025, 6, 10)

    def test_what_a_later_reading_changes_is_posted_from_the_day_it_was_recorded(
        self, app: Engine, host: Engine
    ) -> None:
        town = open_town(app, host, "mon", "montello", through=date(2026, 3, 31))
        for period, day in (("2025-Q1", date(2025, 4, 20)), ("2026-Q1", date(2026, 4, 20))):
            town.act(day, (period, a_return(day, town.accounts[period], 1_000_000)))
        run(town, date(2026, 6, 1))
        choice = ReadingChoice("forfeiture_is_billed", False, date(2025, 1, 1), "counsel's letter")

        def record(uow: UnitOfWork) -> None:
            law = open_tenant(uow, town.tenant.key).law
            record_reading(uow, law, choice, Recorded("treasurer", date(2026, 6, 5)))

        in_transaction(app, town.tenant.id, record)
        run(town, date(2026, 6, 8))
        # billed on June 2 as the law was known then, and taken back on June 5
        assert 11_250 in balances(town, date(2026, 6, 4)).values()
        assert 11_250 not in balances(town, date(2026, 6, 5)).values()
        assert replay_books(app, town.tenant).differences == ()

    def rows(self, town: Town) -> list[tuple[Any, ...]]:
        with reading(town.engine, town.tenant.id) as uow:
            found = uow.connection.execute(text("SELECT day, report, recorded_on FROM fisc.daily_runs ORDER BY day"))
            return [tuple(row) for row in found]


class TestTenants:
    def test_one_that_is_not_open_is_passed_over(self, app: Engine, host: Engine) -> None:
        tenant = add_municipality(app, host, "mon", "montello", "", "America/Chicago", "host")
        assert list(run_days(app, tenant, date(2026, 1, 2))) == [NotOpen()]

    def test_one_that_cannot_be_processed_does_not_stop_the_others(
        self, app: Engine, host: Engine, bayfield: Town, tmp_path: Path
    ) -> None:
        ghost = new_tenant(host, "aaa", "montello")
        in_transaction(app, ghost.id, lambda uow: uow.connection.execute(OPEN, {"tenant": ghost.id}))
        broken = ghost._replace(plugin="no_such_plugin")
        heads = HeadsFile(tmp_path / "heads.txt")
        day = date(2025, 5, 1)
        outcomes = list(run_daily(app, [broken, bayfield.tenant], lambda _: day, heads))
        kinds = [(tenant.key, type(outcome)) for tenant, outcome in outcomes]
        assert kinds == [("aaa", Failed), ("aaa", Sealed), ("bay", DayDone), ("bay", Sealed)]
        assert "MunicipalityUnknown: 'no_such_plugin' is no municipality here" in outcomes[0][1].message
        # the fee of May 1
        assert outcomes[3][1].count == 1
        assert [head.position for head in heads.of_tenant(bayfield.tenant.id)] == [1]

    def test_one_broken_account_is_named_and_the_day_leaves_nothing(
        self, app: Engine, bayfield: Town, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        filer = a_filer(bayfield)
        a_place(bayfield, filer)
        run(bayfield, date(2025, 4, 30))
        account = bayfield.accounts["2025-Q1"]
        broken = a_return(date(2025, 5, 1), account, 100)
        bayfield.act(date(2025, 5, 1), ("2025-Q1", broken))
        # a receipts line that the plugin's rules choke on, as after a faulty release
        import plugins.bayfield.rules.charges as rules

        whole = rules.taxability

        def faulty(receipts: Any, law: Any) -> Any:
            if receipts.gross_cents == 100:
                raise ZeroDivisionError("division by zero")
            return whole(receipts, law)

        monkeypatch.setattr(rules, "taxability", faulty)
        (outcome,) = [one for _, one in run_daily(app, [bayfield.tenant], lambda _: date(2025, 5, 2), None)]
        assert isinstance(outcome, Failed)
        assert f"period account {account.id} (room_tax 2025-Q1)" in outcome.message
        assert "ZeroDivisionError: division by zero" in outcome.message
        assert [row[0] for row in TestAgain().rows(bayfield)] == [date(2025, 4, 30)]
        monkeypatch.undo()
        assert [one.day for one in run(bayfield, date(2025, 5, 2))] == [date(2025, 5, 1), date(2025, 5, 2)]

    def test_a_closed_municipality_is_done_through_its_last_day(self, bayfield: Town) -> None:
        closed = bayfield.tenant._replace(closed_on=date(2025, 5, 2))
        run(bayfield, date(2025, 4, 29))
        days = [one.day for one in run_days(bayfield.engine, closed, date(2025, 6, 1)) if isinstance(one, DayDone)]
        assert days == [date(2025, 4, 30), date(2025, 5, 1)]
        assert list(run_days(bayfield.engine, closed, date(2025, 7, 1))) == []
