"""A year of three municipalities in the books: killed in the middle, resumed, replayed, sealed, verified, exported."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from beancount import loader

from core.db.unit_of_work import reading
from core.filing.accounts import accounts_of
from core.filing.find_filers import filers_named
from core.ledger.read import trial_balance
from core.services.accounts.load import load_accounts
from core.services.installation import installation
from core.services.tenants.add import municipalities
from core.tenants.open_tenant import open_tenant
from tests.support import oracle
from tests.support.year_story import FEES, LAST_DAY, PLUGINS, YEAR, story, tenant_key

ROOT = Path(__file__).resolve().parents[2]
FISC = [sys.executable, "-m", "core.cli.main"]
pytestmark = [pytest.mark.database, pytest.mark.slow]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of Fisc's own in which the whole story has been told, after it was killed on the way."""
    place = tmp_path_factory.mktemp("year")
    kill_in_the_middle(place)
    done = subprocess.run(program(), env=environment(place), cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.stdout.endswith("done\n"), done.stderr[-2000:]
    before = os.environ.get("FISC_HOME")
    os.environ["FISC_HOME"] = str(place)
    yield place
    os.environ.pop("FISC_HOME")
    if before is not None:
        os.environ["FISC_HOME"] = before


def program() -> list[str]:
    return [sys.executable, "-m", "tests.support.year_story"]


def environment(place: Path) -> dict[str, str]:
    wanted = {key: value for key, value in os.environ.items() if not key.startswith("FISC_")}
    return {**wanted, "FISC_HOME": str(place)}


def kill_in_the_middle(place: Path) -> None:
    """Kill the program three times with SIGKILL, each after some acts; its server dies with it."""
    chance = random.Random(54)
    for _ in range(3):
        process = subprocess.Popen(
            program(), env=environment(place), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdout is not None
        wait_for = chance.randint(5, 25)
        for line in process.stdout:
            if line.strip() == f"act {wait_for}":
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()


def fisc(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*FISC, *arguments], env=environment(home), cwd=ROOT, capture_output=True, text=True, timeout=120
    )


def oracle_case(plugin: str, period: str) -> dict[str, Any]:
    resolutions = {"montello": {"returned_payment_fee": FEES["returned_payment_fee"]}}.get(plugin, FEES)
    case: dict[str, Any] = {
        "municipality": plugin,
        "tax": "room_tax",
        "period": period,
        "as_of": LAST_DAY.isoformat(),
        "resolutions": resolutions,
        "events": YEAR[period],
    }
    if plugin == "montello" and period.startswith("2026"):
        earlier = [oracle.assess(oracle_case(plugin, one)) for one in YEAR if one.startswith("2025")]
        cents = sum(int(answer["charges"]["tax"].replace(".", "")) for answer in earlier)
        case["previous_year_tax"] = f"{cents // 100}.{cents % 100:02d}"
    return case


@pytest.mark.parametrize("plugin", PLUGINS)
def test_every_account_owes_what_the_readings_say(home: Path, plugin: str) -> None:
    with installation() as installed:
        tenant = municipalities(installed.app, tenant_key(plugin))[0]
        with reading(installed.app, tenant.id) as uow:
            filer = filers_named(uow, "Lake House")[0]
            accounts = {one.id: one.period.key for one in accounts_of(uow, filer.id)}
            loaded = load_accounts(uow, open_tenant(uow, tenant.key), accounts)
    for account_id, period in accounts.items():
        statement = loaded[account_id].statement(LAST_DAY)
        want = oracle.assess(oracle_case(plugin, period))
        charges = {kind: f"{cents // 100}.{cents % 100:02d}" for kind, cents in statement.charges.items()}
        applied = {kind: f"{cents // 100}.{cents % 100:02d}" for kind, cents in statement.applied.items()}
        assert (period, charges, applied) == (period, want["charges"], want["applied"])


@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_cash_in_the_books_is_what_was_paid(home: Path, plugin: str) -> None:
    with installation() as installed:
        tenant = municipalities(installed.app, tenant_key(plugin))[0]
        with reading(installed.app, tenant.id) as uow:
            balances = trial_balance(uow)
    cash = sum(one.cents for one in balances if one.number == "11100")
    payments = [event for events in YEAR.values() for event in events if event["type"] == "payment"]
    returned = [event for events in YEAR.values() for event in events if event["type"] == "payment_returned"]
    dollars = sum(float(one["amount"]) for one in payments) - sum(float(one["amount"]) for one in returned)
    assert cash == round(dollars * 100)
    assert sum(one.cents for one in balances) == 0


def test_no_act_is_lost_or_doubled_by_the_kills(home: Path) -> None:
    with installation() as installed:
        count = 0
        for tenant in municipalities(installed.app):
            with reading(installed.app, tenant.id) as uow:
                accounts = [one.id for one in accounts_of(uow, filers_named(uow, "Lake House")[0].id)]
                loaded = load_accounts(uow, open_tenant(uow, tenant.key), accounts)
                count += sum(len(account.events) for account in loaded.values())
    assert count == len(story())


def test_the_replay_differs_in_nothing(home: Path) -> None:
    done = fisc(home, "replay")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.rpartition(", ")[2] for line in done.stdout.splitlines()] == ["0 differ"] * 3
    assert all(int(line.split()[1]) >= 20 for line in done.stdout.splitlines())


def test_the_books_are_sealed_and_verified(home: Path) -> None:
    assert "not sealed yet" in fisc(home, "ledger", "verify").stdout
    assert fisc(home, "ledger", "seal").returncode == 0
    done = fisc(home, "ledger", "verify")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("whole") == 3
    assert done.stdout.count(" 0 not sealed yet") == 3


def test_a_changed_cent_is_found(home: Path) -> None:
    fisc(home, "ledger", "seal")
    with installation() as installed:
        superuser = installed.database.server
        assert superuser is not None
        import psycopg

        with psycopg.connect(superuser.superuser_url("fisc"), autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")
            changed = "UPDATE fisc.transfers SET cents = cents + %s WHERE ctid = (SELECT min(ctid) FROM fisc.transfers)"
            connection.execute(changed, (1,))
            done = fisc(home, "ledger", "verify")
            connection.execute(changed.replace("min(ctid)", "max(ctid)"), (-1,))
    assert done.returncode == 1
    assert "changed:" in done.stderr


def test_beancount_loads_the_export_clean(home: Path, tmp_path: Path) -> None:
    for plugin in PLUGINS:
        out = tmp_path / f"{plugin}.beancount"
        assert fisc(home, "ledger", "export", "--municipality", tenant_key(plugin), "--out", str(out)).returncode == 0
        entries, errors, _ = loader.load_file(str(out))
        assert entries
        assert errors == []


def test_an_account_is_explained_line_by_line(home: Path) -> None:
    with installation() as installed:
        tenant = municipalities(installed.app, "bayfield")[0]
        with reading(installed.app, tenant.id) as uow:
            accounts = accounts_of(uow, filers_named(uow, "Lake House")[0].id)
    account = next(one for one in accounts if one.period.key == "2026-Q1")
    done = fisc(home, "explain", str(account.id), "--municipality", "bayfield", "--as-of", "2026-08-01", "--entries")
    assert done.returncode == 0, done.stderr
    assert "§ 54-19(B) [BAY-19B1]" in done.stdout
    assert "accrued and not posted yet: interest" in done.stdout
    assert "entry " in done.stdout


def test_a_closed_year_takes_no_more_bookings_and_its_snapshot_is_proved(home: Path) -> None:
    words = ["--municipality", "montello", "--through", "2025-12-31", "--by", "treasurer", "--on", "2027-04-01"]
    done = fisc(home, "ledger", "close", *words, "--reason", "audited")
    assert done.returncode == 0, done.stderr
    again = fisc(home, "ledger", "close", *words, "--reason", "again")
    assert again.returncode == 1
    assert "AlreadyClosed" in again.stderr
    assert fisc(home, "ledger", "verify", "--municipality", "montello").returncode == 0
