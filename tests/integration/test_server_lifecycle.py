"""The server that comes with Fisc: it starts, is shared, ends with its last user, and leaves nothing behind."""

import fcntl
import multiprocessing
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from core.db.server import binaries as programs
from core.db.server import folders, identity
from core.db.server.errors import (
    DataFolderInUse,
    DataFolderOfAnotherVersion,
    PasswordsMissing,
    ServerDidNotStart,
    SocketFolderUnsafe,
)
from core.db.server.lifecycle import Server, start
from tests.support.server_processes import gone_within, holder, holding, launch, on_folder

DEBIAN = Path("/usr/lib/postgresql/15/bin")

pytestmark = [pytest.mark.database]


@pytest.fixture(params=["wheel", "debian15"])
def binaries(request: pytest.FixtureRequest) -> Path | None:
    if request.param == "wheel":
        return None
    if not DEBIAN.is_dir():
        pytest.skip(f"Debian's PostgreSQL 15 is not installed ({DEBIAN})")
    return DEBIAN


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def ask(server: Server, query: str) -> object:
    with psycopg.connect(server.superuser_url()) as connection:
        row = connection.execute(query).fetchone()
        return row[0] if row else None


def write_something(server: Server) -> None:
    with psycopg.connect(server.superuser_url()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")


def test_starts_cold_and_warm(home: Path, binaries: Path | None) -> None:
    with start(home, binaries=binaries) as server:
        write_something(server)
        assert server.alive()
    assert not server.alive()
    assert gone_within(home, 1) == {}
    with start(home, binaries=binaries) as server:
        assert ask(server, "SELECT answer FROM kept") == 42


def test_is_closed_to_others(home: Path, binaries: Path | None) -> None:
    with start(home, binaries=binaries) as server:
        assert ask(server, "SHOW listen_addresses") == ""
        assert ask(server, "SHOW data_checksums") == "on"
        assert ask(server, "SELECT rolpassword LIKE 'SCRAM-SHA-256%' FROM pg_authid WHERE rolname='postgres'")
        assert ask(
            server, "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules WHERE type='local'"
        ) == ("scram-sha-256")
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(f"host={server.sockets} user=postgres password=guess dbname=postgres")
        for folder in (server.base.folder, server.data, server.sockets):
            assert folder.stat().st_mode & 0o777 == 0o700, folder
        for file in (server.base.passwords, server.base.log):
            assert file.stat().st_mode & 0o777 == 0o600, file


def test_sorts_the_same_everywhere(home: Path, binaries: Path | None) -> None:
    with start(home, binaries=binaries) as server:
        assert ask(server, "SELECT string_agg(x, '' ORDER BY x) FROM unnest('{a,B,é,Z}'::text[]) x") == "BZaé"
        assert ask(server, "SELECT upper('é')") == "É"
        assert ask(server, "SHOW timezone") == "UTC"


def test_second_process_joins_and_keeps_the_server(home: Path, binaries: Path | None) -> None:
    with holder(home, binaries) as first:
        with start(home, binaries=binaries) as joined:
            assert joined.pid == first.postmaster
            first.process.kill()
            first.process.wait()
            assert ask(joined, "SELECT 1") == 1
            assert joined.alive()
        assert gone_within(home, 5) == {}


def test_leaves_nothing_after_kill_9(home: Path, binaries: Path | None) -> None:
    with holder(home, binaries) as first:
        assert len(on_folder(home)) > 3
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
        assert gone_within(home, 5) == {}
    with start(home, binaries=binaries) as server:
        assert ask(server, "SELECT 1") == 1


def test_leaves_nothing_when_the_supervisor_is_killed(home: Path, binaries: Path | None) -> None:
    with start(home, binaries=binaries) as server:
        write_something(server)
        os.kill(server.supervisor_pid, signal.SIGKILL)
        assert gone_within(home, 5) == {}
        assert not server.alive()
    assert (home / "postgres" / "running.json").exists(), "the stale file is the point of what follows"
    with start(home, binaries=binaries) as server:
        assert ask(server, "SELECT answer FROM kept") == 42


def test_recovers_when_all_is_killed_at_once(home: Path, binaries: Path | None) -> None:
    server = start(home, binaries=binaries)
    write_something(server)
    for pid in (server.supervisor_pid, *on_folder(home)):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    assert gone_within(home, 5) == {}
    assert (server.data / "postmaster.pid").exists(), "the stale file is the point of what follows"
    with start(home, binaries=binaries) as again:
        assert ask(again, "SELECT answer FROM kept") == 42
    server.stop()


def test_tells_when_the_postmaster_died(home: Path) -> None:
    with start(home) as server:
        write_something(server)
        os.kill(server.pid, signal.SIGKILL)
        assert gone_within(home, 5) == {}
        assert not server.alive()
        with start(home) as again:
            assert ask(again, "SELECT answer FROM kept") == 42


def test_killed_during_the_first_start(home: Path) -> None:
    for delay_seconds in (0.1, 0.2, 0.35):
        process = launch(home, None)
        time.sleep(delay_seconds)
        process.kill()
        process.communicate()
        # The supervisor finishes what it began, then sees that nobody wants it.
        assert gone_within(home, 10) == {}
    with start(home) as server:
        assert ask(server, "SELECT 1") == 1


def test_half_made_data_folder_is_made_anew(home: Path) -> None:
    half = home / "postgres" / "data.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18")
    with start(home) as server:
        assert ask(server, "SELECT 1") == 1
    assert not half.exists()


def test_pid_file_with_the_number_of_another_program(home: Path, binaries: Path | None) -> None:
    start(home, binaries=binaries).stop()
    (home / "postgres" / "data" / "postmaster.pid").write_text(f"{os.getpid()}\n")
    with start(home, binaries=binaries) as server:
        assert ask(server, "SELECT 1") == 1


def test_server_started_by_hand_is_left_alone(home: Path) -> None:
    start(home).stop()
    data = home / "postgres" / "data"
    program = programs.find(None, {}).program("postgres")
    whom = identity.choose({}, "")
    by_hand = subprocess.Popen(
        [program, "-D", data, "-c", "listen_addresses=", "-k", data],
        stderr=subprocess.DEVNULL,
        preexec_fn=whom.enter,
    )
    try:
        while not (data / "postmaster.pid").exists():
            time.sleep(0.01)
        with pytest.raises(DataFolderInUse, match=f"process {by_hand.pid}"):
            start(home)
        assert by_hand.poll() is None
    finally:
        by_hand.send_signal(signal.SIGQUIT)
        by_hand.wait()


def test_concurrent_starts_share_one_server(home: Path, binaries: Path | None) -> None:
    processes = [launch(home, binaries) for _ in range(4)]
    try:
        holders = [holding(process) for process in processes]
        assert len({each.postmaster for each in holders}) == 1
        for each in holders:
            each.leave()
        assert gone_within(home, 5) == {}
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_restart_right_after_stop_waits_for_the_old_server(home: Path) -> None:
    seen = set()
    for _ in range(5):
        with holder(home, None) as each:
            seen.add(each.postmaster)
    assert len(seen) == 5


@pytest.mark.parametrize("name", ["x" * 120, "a,b"])
def test_path_that_no_socket_can_have(tmp_path: Path, name: str, binaries: Path | None) -> None:
    home = tmp_path / name
    with start(home, binaries=binaries) as server:
        assert ask(server, "SELECT 1") == 1
        assert not server.sockets.is_relative_to(home)
        short = server.sockets.parent
        assert short.stat().st_mode & 0o777 == 0o700
        assert len(str(server.sockets)) < 80
        with start(home, binaries=binaries) as joined:
            assert joined.pid == server.pid
    assert not short.exists()


def test_short_folder_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / ("x" * 120)
    with tempfile.TemporaryDirectory(prefix="fisc-test-", dir="/tmp") as runtime:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        with start(home) as server:
            short = server.sockets.parent
            assert short.parent == Path(runtime)
        short.symlink_to(tmp_path)
        with pytest.raises(SocketFolderUnsafe, match="shorter FISC_HOME"):
            start(home)


def test_forked_child_holds_the_server_too(home: Path) -> None:
    server = start(home)
    fork = multiprocessing.get_context("fork")
    leave = fork.Event()
    child = fork.Process(target=leave.wait)
    child.start()
    server._lease._connection.close()  # as our own end would
    time.sleep(0.3)
    assert ask(server, "SELECT 1") == 1
    leave.set()
    child.join()
    assert gone_within(home, 5) == {}


def test_shows_the_log_when_it_does_not_start(home: Path, binaries: Path | None) -> None:
    with pytest.raises(ServerDidNotStart, match='unrecognized configuration parameter "no_such_setting"'):
        start(home, binaries=binaries, settings={"no_such_setting": "1"})
    assert gone_within(home, 5) == {}


def test_failed_preparation_stops_the_server(home: Path) -> None:
    def fail(server: Server) -> None:
        raise LookupError("as planned")

    with pytest.raises(LookupError):
        start(home, prepare=fail)
    assert gone_within(home, 1) == {}


def test_names_the_file_when_passwords_are_lost(home: Path) -> None:
    start(home).stop()
    (home / "postgres" / "passwords.json").unlink()
    with pytest.raises(PasswordsMissing, match=r"passwords\.json"):
        start(home)


@pytest.mark.skipif(not DEBIAN.is_dir(), reason="needs a second PostgreSQL, Debian's 15")
def test_refuses_data_of_another_major_version(home: Path) -> None:
    start(home).stop()
    with pytest.raises(DataFolderOfAnotherVersion, match=r"FISC_PG_BIN"):
        start(home, binaries=DEBIAN)


def test_does_not_wait_forever_for_another_starter(home: Path) -> None:
    with folders.base(home).start_lock.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(DataFolderInUse, match="Another process"):
            start(home, timeout_seconds=0.2)


def test_silent_client_on_the_control_socket_harms_nobody(home: Path) -> None:
    with start(home) as server:
        stranger = socket.socket(socket.AF_UNIX)
        stranger.connect(str(server.sockets.parent / "control"))
        stranger.sendall(b"\0" * 1000)
        stranger.close()
        with start(home) as joined:
            assert joined.pid == server.pid
        assert server.alive()
