"""The user's side of the supervisor: launch it or find it, and hold a lease on the server."""

import contextlib
import fcntl
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import core
from core.db.server.errors import DataFolderInUse, ServerDidNotStart, by_name
from core.db.server.folders import Base
from core.db.server.supervisor import Order

GRACE_SECONDS = 5.0


class Lease:
    """An open socket to the supervisor. While any process holds it open, the server stays up.

    A child made by fork holds it too. A program started by exec does not.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._holder = os.getpid()
        self.facts: dict[str, Any] = {}

    def read(self, timeout_seconds: float) -> bool:
        """Read where the server is; False if the supervisor was just ending.

        Raises the error that the supervisor reports, or ServerDidNotStart on silence.
        """
        self._connection.settimeout(timeout_seconds)
        try:
            with self._connection.makefile("rb") as answers:
                line = answers.readline()
        except ConnectionError:
            line = b""
        except TimeoutError:
            raise ServerDidNotStart(
                f"The supervisor of the PostgreSQL server gave no answer in {timeout_seconds:g} seconds."
            ) from None
        if not line.endswith(b"\n"):
            return False
        self.facts = json.loads(line)
        if "error" in self.facts:
            raise by_name(self.facts["error"], self.facts["message"])
        return True

    def alive(self) -> bool:
        """Whether the server is up, as far as the supervisor has said. Costs one system call."""
        try:
            self._connection.setblocking(False)
            return self._connection.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def give_up(self, timeout_seconds: float) -> None:
        """Give the lease up, and wait until the server is down if this was the last one."""
        if os.getpid() == self._holder:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_WR)
                self._connection.settimeout(timeout_seconds)
                while self._connection.recv(64):
                    pass
        self._connection.close()


@contextlib.contextmanager
def one_at_a_time(base: Base, timeout_seconds: float) -> Iterator[None]:
    """Let only one process at a time start the server or join it. Raises DataFolderInUse."""
    handle = os.open(base.start_lock, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + timeout_seconds
    try:
        while not _locked(handle):
            if time.monotonic() > deadline:
                raise DataFolderInUse(
                    f"Another process has been starting the server for {timeout_seconds:g} seconds: it holds "
                    f"{base.start_lock}. Wait for it, or end it and start again."
                )
            time.sleep(0.01)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def join(base: Base, timeout_seconds: float) -> Lease | None:
    """A lease on the server that runs here, None if none runs."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(json.loads(base.running.read_text())["control"])
    except OSError:
        connection.close()
        return None
    lease = Lease(connection)
    if lease.read(timeout_seconds):
        return lease
    connection.close()
    return None


def launch(order: Order, base: Base) -> Lease:
    """Start a supervisor and a server, and take the first lease. Raises any DatabaseServerError."""
    ours, its = socket.socketpair()
    with its, base.log.open("ab") as output:
        base.log.chmod(0o600)
        os.set_inheritable(its.fileno(), True)
        source = str(Path(next(iter(core.__path__))).parent)
        launcher = subprocess.Popen(
            # -S -P: the standard library and Fisc, nothing else, so that it starts in 20 ms.
            [sys.executable, "-S", "-P", "-m", "core.db.server.supervisor", _told(order, its)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=_environment(source),
            pass_fds=(its.fileno(),),
            start_new_session=True,
        )
    launcher.wait()
    lease = Lease(ours)
    # The supervisor may wait for an old server, then for the new one.
    if lease.read(2 * order.timeout_seconds + GRACE_SECONDS):
        return lease
    ours.close()
    raise ServerDidNotStart(f"The supervisor of the PostgreSQL server ended at once. See {base.log}.")


def _told(order: Order, lease: socket.socket) -> str:
    return replace(order, lease_fd=lease.fileno()).to_text()


def _environment(source: str) -> dict[str, str]:
    handed_on = ("FISC_PG_USER", "XDG_RUNTIME_DIR", "TMPDIR", "PATH")
    return {name: os.environ[name] for name in handed_on if name in os.environ} | {"PYTHONPATH": source}
