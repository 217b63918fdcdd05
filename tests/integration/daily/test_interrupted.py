"""A daily run that is killed, or runs twice at once, or beside what the counter records."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
from sqlalchemy import Engine, text

from core.db.roles import Role
from core.db.unit_of_work import reading
from core.db.url import Database
from core.filing.accounts import accounts_of
from core.ledger.read import posted_state, trial_balance
from core.services.accounts.assess import signed
from core.services.accounts.load import load_accounts
from core.services.accounts.replay import replay_books
from core.services.accounts.state import desired_state
from core.services.daily.run import DayDone, run_days
from core.tenants.open_tenant import open_tenant
from tests.support.places import a_filer, a_place, first_filer
from tests.support.server_processes import ROOT
from tests.support.tenants import opened_engine
from tests.support.towns import Town, a_payment, a_return, open_town

pytestmark = [pytest.mark.database, pytest.mark.slow]
FIRST, LAST = date(2025, 4, 20), date(2026, 2, 10)


def a_busy_town(app: Engine, host: Engine, key: str) -> Town:
    """A town with twenty places that never file, and one that files and pays in part; the first run is done."""
    town = open_town(app, host, key, "bayfield", through=date(2025, 12, 31))
    filer = a_filer(town)
    for number in range(20):
        a_place(town, filer, f"Cabin {number}")
    town.act(FIRST, ("2025-Q1", a_return(FIRST, town.accounts["2025-Q1"], 3_000_000)))
    assert len(list(run_days(app, town.tenant, FIRST))) == 1
    return town


def days(town: Town) -> list[date]:
    with reading(town.engine, town.tenant.id) as uow:
        return [row[0] for row in uow.connection.execute(text("SELECT day FROM fisc.daily_runs ORDER BY day"))]


def balances(town: Town, through: date = date.max) -> dict[tuple[str, str], int]:
    with reading(town.engine, town.tenant.id) as uow:
        return {(one.fund, one.number): one.cents for one in trial_balance(uow, through) if one.cents}


def every_day() -> list[date]:
    return [FIRST + timedelta(days=number) for number in range((LAST - FIRST).days + 1)]


def last_effective(town: Town) -> date:
    with reading(town.engine, town.tenant.id) as uow:
        day: date = uow.connection.execute(text("SELECT max(effective_on) FROM fisc.entries")).scalar_one()
    return day


def test_killed_in_the_middle_it_leaves_whole_days_and_goes_on_there(
    app: Engine, host: Engine, database: Database
) -> None:
    chance = random.Random(11)
    whole, killed = (a_busy_town(app, host, key) for key in ("whole", "killed"))
    assert all(isinstance(done, DayDone) for done in run_days(app, whole.tenant, LAST))
    for _ in range(4):
        client = [sys.executable, "-m", "tests.support.daily_client", "killed", LAST.isoformat()]
        process = subprocess.Popen(client, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{database.address(Role.APP)}\n")
        process.stdin.flush()
        for _ in range(chance.randint(1, 60)):
            process.stdout.readline()
        time.sleep(chance.random() / 100)
        process.kill()
        process.wait()
        process.stdout.close()
        process.stdin.close()
        done = days(killed)
        assert done == every_day()[: len(done)]
        assert len(done) < len(every_day())
        assert last_effective(killed) <= done[-1]
        assert balances(killed) == balances(whole, done[-1])
    list(run_days(app, killed.tenant, LAST))
    assert days(killed) == every_day()
    assert balances(killed) == balances(whole)


def test_two_at_once_do_each_day_once(app: Engine, host: Engine, database: Database) -> None:
    alone, together = (a_busy_town(app, host, key) for key in ("alone", "together"))
    list(run_days(app, alone.tenant, LAST))

    def run(_: int) -> list[date]:
        with opened_engine(database, Role.APP) as engine:
            return [done.day for done in run_days(engine, together.tenant, LAST) if isinstance(done, DayDone)]

    with ThreadPoolExecutor(3) as pool:
        done = [day for some in pool.map(run, range(3)) for day in some]
    assert sorted(done) == every_day()[1:]
    assert days(together) == every_day()
    assert balances(together) == balances(alone)


def test_beside_what_the_counter_records_the_books_show_what_is_owed(
    app: Engine, host: Engine, database: Database
) -> None:
    town = a_busy_town(app, host, "busy")

    def run() -> int:
        with opened_engine(database, Role.APP) as engine:
            return len(list(run_days(engine, town.tenant, LAST)))

    def pay(number: int) -> None:
        town.act(LAST, ("2025-Q1", a_payment(LAST, 1_000 + number)), key=f"{number}")
        cents = 200_000 + number
        town.act(LAST, ("2025-Q2", a_return(LAST, town.accounts["2025-Q2"], cents)), key=f"r{number}")

    with ThreadPoolExecutor(3) as pool:
        running = pool.submit(run)
        list(pool.map(pay, range(25)))
        assert running.result() == len(every_day()) - 1
    with reading(app, town.tenant.id) as uow:
        municipality = open_tenant(uow, town.tenant.key)
        ids = [one.id for one in accounts_of(uow, first_filer(town))]
        posted = posted_state(uow, ids)
        for account in load_accounts(uow, municipality, ids).values():
            if not account.events:
                continue
            statement = account.statement(LAST)
            lines = desired_state(statement, municipality.chart("room_tax"), municipality.declared.version)
            owed = {key: cents for key, cents in signed(lines.values()).items() if cents}
            assert {key: cents for key, cents in posted[account.record.id].items() if cents} == owed
    assert replay_books(app, town.tenant).differences == ()
