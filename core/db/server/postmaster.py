"""Make the data folder, start the postmaster on it, wait for it, stop it. Runs inside the supervisor."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.db.server import log, passwords
from core.db.server.binaries import Binaries
from core.db.server.errors import (
    DataFolderInUse,
    DataFolderOfAnotherVersion,
    PasswordsMissing,
    ServerCannotRunAsRoot,
    ServerDidNotStart,
)
from core.db.server.folders import PORT, Base, Place
from core.db.server.identity import Identity, die_with_parent

SUPERUSER = "postgres"
STOP_FAST_SECONDS = 10.0
STOP_AT_ONCE_SECONDS = 5.0
READY_LINE = 7  # of postmaster.pid


@dataclass(frozen=True)
class Premises:
    """All that a server needs to run: programs, folders, whom it runs as, and the lock it keeps holding."""

    binaries: Binaries
    base: Base
    place: Place
    identity: Identity
    lock_fd: int

    def run(self, command: Sequence[str | Path], dies_by: int) -> subprocess.Popen[bytes]:
        """Start a program of PostgreSQL as the server's user, its output in the log.

        It inherits the lock on the data folder, so the lock is free only when the last back end is gone.
        """
        with self.base.log.open("ab") as output:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
                start_new_session=True,
                pass_fds=(self.lock_fd,),
                preexec_fn=_before_exec(self.identity, dies_by),
            )


def _before_exec(identity: Identity, dies_by: int) -> Callable[[], None]:
    parent = os.getpid()

    def prepare() -> None:
        identity.enter()
        die_with_parent(dies_by)
        if os.getppid() != parent:  # it ended before we asked to be told
            os._exit(1)

    return prepare


def initialise(premises: Premises, durable: bool) -> None:
    """Make the data folder if there is none. It appears whole or not at all.

    Raises ServerDidNotStart, PasswordsMissing, DataFolderOfAnotherVersion, ServerCannotRunAsRoot.
    """
    data = premises.place.data
    if data.exists():
        _require_matching(premises)
        return
    unfinished = data.with_name("data.new")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    secret = passwords.ensure(premises.base.passwords, [SUPERUSER])[SUPERUSER]
    password_file = _lend(data.with_name("password.new"), secret, premises.identity)
    unfinished.mkdir(mode=0o700)
    premises.identity.give(unfinished)
    try:
        _initdb(premises, unfinished, password_file, durable)
    finally:
        password_file.unlink()
    premises.base.runs_as.write_text(premises.identity.name)
    unfinished.rename(data)


def _lend(file: Path, secret: str, identity: Identity) -> Path:
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(secret)
    identity.give(file)
    return file


def _initdb(premises: Premises, data: Path, password_file: Path, durable: bool) -> None:
    since = _size(premises.base.log)
    command: list[str | Path] = [premises.binaries.program("initdb"), "--pgdata", data]
    command += [f"--username={SUPERUSER}", f"--pwfile={password_file}"]
    command += ["--auth-local=scram-sha-256", "--auth-host=reject", "--data-checksums"]
    command += ["--encoding=UTF8", "--locale=C", "--lc-ctype=C.UTF-8"]
    if premises.binaries.version().major >= 17:
        # The built-in provider sorts the same on every machine, whatever its C library.
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    if not durable:
        command += ["--no-sync"]
    status = _start(premises, command, dies_by=signal.SIGTERM).wait()
    if status != 0:
        raise ServerDidNotStart(
            f"The data folder {premises.place.data} could not be initialised (initdb ended with {status}). "
            f"Its last words:{log.tail(premises.base.log, since)}"
        )


def _start(premises: Premises, command: Sequence[str | Path], dies_by: int) -> subprocess.Popen[bytes]:
    try:
        return premises.run(command, dies_by)
    except PermissionError as error:
        raise ServerCannotRunAsRoot(
            f"PostgreSQL has to run as user {premises.identity.name!r}, who can't reach the programs in "
            f"{premises.binaries.folder}. Install Fisc where everyone may read it, or name the bin folder of "
            f"another PostgreSQL in FISC_PG_BIN, or run Fisc as an ordinary user."
        ) from error


def _require_matching(premises: Premises) -> None:
    data = premises.place.data
    if not premises.base.passwords.exists():
        raise PasswordsMissing(
            f"{data} is there, but {premises.base.passwords} is not. Put the file back from your backup; or "
            f"move {data} aside to begin with an empty database."
        )
    made_by = (data / "PG_VERSION").read_text().strip()
    found = premises.binaries.version()
    if made_by != str(found.major):
        raise DataFolderOfAnotherVersion(
            f"{data} was made by PostgreSQL {made_by}, and {premises.binaries.folder} holds {found}. Name "
            f"the bin folder of PostgreSQL {made_by} in FISC_PG_BIN, make a backup with it, move {data} "
            f"aside, and restore with the new one."
        )


def start(premises: Premises, settings: Mapping[str, str], timeout_seconds: float) -> subprocess.Popen[bytes]:
    """Start the postmaster and wait until it takes connections.

    Raises ServerDidNotStart, DataFolderInUse, ServerCannotRunAsRoot.
    """
    _clear_stale_pid(premises.place.data)
    for stale in premises.place.sockets.iterdir():
        stale.unlink()
    since = _size(premises.base.log)
    ours = {
        "listen_addresses": "",
        "unix_socket_directories": '"' + str(premises.place.sockets).replace('"', '""') + '"',
        "unix_socket_permissions": "0700",
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    command: list[str | Path] = [premises.binaries.program("postgres"), "-D", premises.place.data]
    command += [f"--port={PORT}", *(f"--{name}={value}" for name, value in (dict(settings) | ours).items())]
    child = _start(premises, command, dies_by=signal.SIGINT)
    try:
        _await_ready(child, premises, since, timeout_seconds)
    except ServerDidNotStart:
        stop(child)
        raise
    return child


def _clear_stale_pid(data: Path) -> None:
    """Remove postmaster.pid if its number belongs to something else than a server, which PostgreSQL can't tell.

    We hold the lock on the folder, so no server that Fisc started is left; one started by hand may be.
    """
    file = data / "postmaster.pid"
    if not file.exists():
        return
    process = Path("/proc", file.read_text().split("\n", 1)[0].strip() or "none")
    try:
        works_in = (process / "cwd").readlink()
    except PermissionError:
        return  # another user's program: PostgreSQL sees that itself
    except OSError:
        if not process.exists():
            return  # gone: PostgreSQL sees that too, and looks for orphaned back ends
        works_in = None  # dead, but not yet buried by process 1: PostgreSQL would take it for alive
    if works_in == data.resolve():
        raise DataFolderInUse(
            f"A PostgreSQL server that Fisc did not start (process {process.name}) runs on {data}. Stop it "
            f"(pg_ctl stop -D {data}), or give its address in FISC_DATABASE_URL."
        )
    file.unlink()


def _await_ready(child: subprocess.Popen[bytes], premises: Premises, since_byte: int, timeout_seconds: float) -> None:
    deadline = time.monotonic() + timeout_seconds
    while not _ready(premises.place.data / "postmaster.pid", child.pid):
        if child.poll() is not None:
            what = f"ended with {child.returncode}"
        elif time.monotonic() > deadline:
            what = f"took no connections within {timeout_seconds:g} seconds"
        else:
            time.sleep(0.01)
            continue
        raise ServerDidNotStart(
            f"The PostgreSQL server on {premises.place.data} {what}. Mend what its log says "
            f"({premises.base.log}) and start again:{log.tail(premises.base.log, since_byte)}"
        )


def _ready(file: Path, pid: int) -> bool:
    try:
        lines = file.read_text().splitlines()
    except FileNotFoundError:
        return False
    return len(lines) > READY_LINE and lines[0] == str(pid) and lines[READY_LINE].strip() == "ready"


def stop(child: subprocess.Popen[bytes]) -> None:
    """Stop a postmaster: politely, then at once (it recovers at the next start), then by force."""
    for how, patience_seconds in (
        (signal.SIGINT, STOP_FAST_SECONDS),
        (signal.SIGQUIT, STOP_AT_ONCE_SECONDS),
        (signal.SIGKILL, None),
    ):
        if child.poll() is not None:
            return
        child.send_signal(how)
        try:
            child.wait(patience_seconds)
        except subprocess.TimeoutExpired:
            continue


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
