"""`fisc tenant resolve`, `read`, `open`, and `fisc daily`, as a treasurer and a host call them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from core.services.installation import installation

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.database, pytest.mark.slow]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Fisc's own with two municipalities, neither of them open."""
    place = tmp_path_factory.mktemp("daily")
    for line in ("db upgrade", "tenant add bayfield --plugin bayfield", "tenant add montello --plugin montello"):
        assert fisc(place, line).returncode == 0
    return place


def fisc(home: Path, line: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("FISC_")}
    return subprocess.run(
        [sys.executable, "-m", "core.cli.main", *line.split()],
        env={**environment, "FISC_HOME": str(home)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_municipality_is_set_up_opened_and_run_day_by_day(home: Path) -> None:
    recorded = "--by treasurer --on 2026-01-02"
    refused = fisc(home, f"tenant open bayfield {recorded}")
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[0] == (
        "refused: resolutions.late_filing_fee: The late filing fee is set by resolution of the Common Council "
        "(§ 54-19(C)(8)(b)), and none in force on January 2, 2026 is recorded: record it with its number, date and "
        "amount"
    )
    assert "resolutions.returned_payment_fee" in refused.stderr.splitlines()[1]

    wrong = fisc(home, f"tenant resolve bayfield beer_fee=1.00 --since 2026-01-01 --number 2026-1 {recorded}")
    assert (wrong.returncode, "'beer_fee' is not known here" in wrong.stderr) == (1, True)
    fees = "late_filing_fee=25.00 returned_payment_fee=35.00"
    done = fisc(home, f"tenant resolve bayfield {fees} --since 2026-01-01 --number 2026-1 {recorded}")
    assert done.stdout.splitlines() == [
        "bayfield: late_filing_fee is 25.00 since 2026-01-01, by resolution 2026-1",
        "bayfield: returned_payment_fee is 35.00 since 2026-01-01, by resolution 2026-1",
    ]
    read = "tenant read bayfield return_supersedes_estimate=false --since 2026-01-01 --reason counsel"
    assert fisc(home, f"{read} {recorded}").stdout == (
        "bayfield: return_supersedes_estimate is read as false since 2026-01-01\n"
    )
    # a day outside what was recorded last is refused, and says so
    assert fisc(home, f"{read} --by treasurer --on 2026-01-01").returncode == 1

    assert "bayfield: City of Bayfield, under bayfield, not open yet" in fisc(home, "tenant list").stdout
    opened = fisc(home, f"tenant open bayfield {recorded}")
    assert opened.stdout == "bayfield: City of Bayfield is open since 2026-01-02.\n"
    assert fisc(home, f"tenant open bayfield {recorded}").stdout == opened.stdout
    assert "under bayfield, open since 2026-01-02" in fisc(home, "tenant list").stdout

    first = fisc(home, "daily --on 2026-01-30")
    assert (first.returncode, first.stdout.splitlines()) == (
        0,
        [
            "bayfield: 2026-01-30: nothing to do",
            "bayfield: 0 entries sealed, 0 in all",
            "montello: not open yet, passed over",
        ],
    )
    later = fisc(home, "daily --on 2026-02-01 --municipality bayfield")
    assert later.stdout.splitlines() == [
        "bayfield: 2026-01-31: nothing to do",
        "bayfield: 2026-02-01: nothing to do",
        "bayfield: 0 entries sealed, 0 in all",
    ]
    assert fisc(home, "daily --on 2026-02-01").stdout.splitlines()[0] == "bayfield: 0 entries sealed, 0 in all"


def test_without_a_day_it_runs_through_today(home: Path) -> None:
    assert fisc(home, "tenant open montello --by clerk --on 2026-01-02").returncode == 0
    run = fisc(home, "daily --municipality montello")
    assert run.returncode == 0
    assert run.stdout.splitlines()[0].endswith(": nothing to do")


def test_an_unknown_municipality_is_named(home: Path) -> None:
    run = fisc(home, "daily --municipality atlantis")
    assert (run.returncode, "no municipality here has the key 'atlantis'" in run.stderr) == (1, True)


def test_one_that_cannot_be_processed_gives_exit_status_1_and_the_others_are_done(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FISC_HOME", str(home))
    with installation() as installed, installed.host.begin() as connection:
        connection.execute(text("UPDATE platform.tenants SET time_zone = 'Sea/Atlantis' WHERE key = 'bayfield'"))
    run = fisc(home, "daily")
    assert run.returncode == 1
    assert run.stderr.splitlines() == [
        "bayfield: could not be processed: ZoneInfoNotFoundError: 'No time zone found with key Sea/Atlantis'"
    ]
    assert [line.split(":")[0] for line in run.stdout.splitlines()] == ["bayfield", "montello"]
