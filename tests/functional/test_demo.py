"""The demonstration as a process: made once, found again, proved, ended by Ctrl-C with nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from core.services.demo.data import towns
from core.services.demo.logins import PASSWORD
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
    second = run("demo", "--no-serve", "--home", str(home))
    assert first.split("Ready")[0] == second.split("Ready")[0]
    assert balances == [run("ledger", "trial-balance", "--municipality", town.key, home=home) for town in towns()]


def test_it_answers_with_the_logins_printed_and_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running_demo(home) as address:
        assert processes(home) > 0
        body = json.dumps({"email": "treasurer@montello.example", "password": PASSWORD}).encode()
        signing_in = Request(f"{address}/api/v1/sessions", body, {"Content-Type": "application/json"})
        with urlopen(signing_in, timeout=10) as answer:
            token = json.load(answer)["token"]
        me = Request(f"{address}/api/v1/me", headers={"Authorization": f"Bearer {token}"})
        with urlopen(me, timeout=10) as answer:
            assert "montello" in answer.read().decode()
        # A page elsewhere whose name leads to this machine gets nothing.
        with pytest.raises(HTTPError):
            urlopen(Request(address, headers={"Host": "elsewhere.example"}), timeout=10)
        # Neither a second start nor a reset gets in the way of one that runs.
        for more in ([], ["--reset"]):
            done = subprocess.run(
                [FISC, "demo", "--no-serve", "--home", str(home), *more], capture_output=True, text=True, timeout=60
            )
            assert done.returncode == 1
            assert "runs already" in done.stderr
    assert nothing_left(home, seconds=10)


def test_when_it_is_killed_outright_nothing_outlives_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running_demo(home, last_signal=signal.SIGKILL):
        assert processes(home) > 3  # itself, two workers, the database
    assert nothing_left(home, seconds=10)


def test_a_port_that_is_taken_is_told_before_anything_is_made(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [FISC, "demo", "--home", str(tmp_path / "home"), "--port", port], capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 1
    assert f"port {port} cannot be used" in done.stderr
    assert not (tmp_path / "home").exists()


def test_a_demonstration_killed_while_it_is_made_leaves_no_process_and_is_made_anew(tmp_path: Path) -> None:
    home = tmp_path / "home"
    process = subprocess.Popen([FISC, "demo", "--no-serve", "--home", str(home)], stdout=subprocess.DEVNULL)
    mark = home / "demonstration"
    while not mark.exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(1.5)
    process.kill()
    process.wait()
    assert mark.read_text("utf-8") == "unfinished"
    assert nothing_left(home, seconds=20)
    told = run("demo", "--no-serve", "--home", str(home))
    assert "made anew" in told
    assert "Ready" in told


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    # Such as an installation: its database would be thrown away.
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "passwords.json").write_text("{}", "utf-8")
    for more in ([], ["--reset"]):
        done = subprocess.run(
            [FISC, "demo", "--no-serve", "--home", str(tmp_path), *more], capture_output=True, text=True
        )
        assert done.returncode == 1
        assert "something else than a demonstration" in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["postgres"]


def nothing_left(home: Path, seconds: int) -> bool:
    """Whether every process that names the folder ends within so many seconds."""
    for _ in range(seconds * 10):
        if not processes(home):
            return True
        time.sleep(0.1)
    return False


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
