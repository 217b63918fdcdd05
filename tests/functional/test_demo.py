"""The demonstration: made once, found again, proved, ended by Ctrl-C with nothing left behind."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from core.services.demo.data import towns
from tests.support.demo_process import FISC, running_demo

pytestmark = [pytest.mark.slow, pytest.mark.database]


def run(*command: str, home: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
    if home is not None:
        environment["FISC_HOME"] = str(home)
    done = subprocess.run([FISC, *command], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_demonstration_is_made_once_proved_and_found_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = run("demo", "--no-serve", "--home", str(home))
    # One assessment with its clauses, and every login.
    assert "§ 54-19(B) [BAY-19B1]" in first
    assert "Balance" in first
    for town in towns():
        assert f"treasurer@{town.domain}" in first
    replayed = run("replay", home=home)
    assert all(" 0 differ" in line for line in replayed.splitlines())
    assert run("ledger", "verify", home=home)
    balances = [run("ledger", "trial-balance", "--municipality", town.key, home=home) for town in towns()]
    started = time.monotonic()
    second = run("demo", "--no-serve", "--home", str(home))
    assert time.monotonic() - started < 20
    assert first.split("Ready")[0] == second.split("Ready")[0]
    assert balances == [run("ledger", "trial-balance", "--municipality", town.key, home=home) for town in towns()]


def test_ctrl_c_ends_it_and_leaves_no_process(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running_demo(home):
        assert processes(home) > 0
    for _ in range(100):
        if not processes(home):
            break
        time.sleep(0.1)
    assert processes(home) == 0


def test_a_demonstration_that_was_killed_while_it_was_made_is_made_anew(tmp_path: Path) -> None:
    home = tmp_path / "home"
    process = subprocess.Popen([FISC, "demo", "--no-serve", "--home", str(home)], stdout=subprocess.DEVNULL)
    for _ in range(200):
        if (home / "demonstration").exists():
            break
        time.sleep(0.05)
    time.sleep(0.5)
    process.kill()
    process.wait()
    assert "Ready" in run("demo", "--no-serve", "--home", str(home))


def test_a_folder_that_holds_something_else_is_not_thrown_away(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("mine", "utf-8")
    done = subprocess.run([FISC, "demo", "--no-serve", "--reset", "--home", str(tmp_path)], capture_output=True)
    assert done.returncode != 0
    assert (tmp_path / "letters.txt").exists()


def processes(home: Path) -> int:
    """How many processes of this machine name the folder."""
    found = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                found += str(home).encode() in (entry / "cmdline").read_bytes()
            except OSError:
                continue
    return found
