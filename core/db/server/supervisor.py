"""A small process between those who use the server and the postmaster. It runs on the standard library alone.

It lives as long as somebody holds a lease: an open socket, which the kernel closes however its holder ends.
After the last one it stops the postmaster. Should the supervisor itself be killed, the kernel sends the
postmaster SIGINT, a fast shutdown.
"""

import contextlib
import fcntl
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path

from core.db.server import folders, identity, log, postmaster
from core.db.server.binaries import Binaries
from core.db.server.errors import DatabaseServerError, DataFolderInUse, ServerDidNotStart
from core.db.server.postmaster import Premises


@dataclass(frozen=True)
class Order:
    """What the launcher asks for, as it travels on the command line."""

    home: str
    binaries: str
    settings: dict[str, str]
    durable: bool
    timeout_seconds: float
    lease_fd: int

    def to_text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "Order":
        return cls(**json.loads(text))


def main(order: Order) -> None:
    """Start the server, say so on the first lease, and serve until nobody holds a lease."""
    if os.fork() != 0:
        os._exit(0)  # so the launcher has no child to wait for, and leaves no zombie
    os.umask(0o077)
    first = socket.socket(fileno=order.lease_fd)
    try:
        with _bring_up(order) as supervisor:
            supervisor.welcome(first)
            supervisor.serve()
    except DatabaseServerError as error:
        _send(first, {"error": type(error).__name__, "message": str(error)})
    except Exception:
        message = f"The supervisor of the PostgreSQL server failed:\n{traceback.format_exc()}"
        _send(first, {"error": ServerDidNotStart.__name__, "message": message})


def _bring_up(order: Order) -> "Supervisor":
    base = folders.base(Path(order.home))
    lock_fd = _lock(base.data_lock, order.timeout_seconds)
    log.rotate(base.log)
    settled = base.runs_as.read_text() if base.runs_as.exists() else None
    whom = identity.choose(os.environ, settled)
    place = folders.place(base, whom, os.environ)
    premises = Premises(Binaries(Path(order.binaries)), base, place, whom, lock_fd)
    postmaster.initialise(premises, order.durable)
    child = postmaster.start(premises, order.settings, order.timeout_seconds)
    return Supervisor(premises, child)


def _lock(file: Path, timeout_seconds: float) -> int:
    """Lock the data folder for this server's life, waiting for one that is just ending."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + timeout_seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
    raise DataFolderInUse(
        f"Another server holds {file} and did not let go within {timeout_seconds:g} seconds. See which "
        f"processes have the file open (lsof, fuser) and end them, or choose another FISC_HOME."
    )


class Supervisor:
    """The postmaster, the listening socket, and the leases."""

    def __init__(self, premises: Premises, child: subprocess.Popen[bytes]) -> None:
        self.premises = premises
        self.child = child
        self.leases: set[socket.socket] = set()
        self.leaving: list[socket.socket] = []
        self.asked_to_stop = False
        self.watch = selectors.DefaultSelector()
        self._listen()
        self._heed_signals()

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *error: object) -> None:
        """Let nobody new in, then stop the server, then (by ending) tell the last holders that it is gone."""
        self.listener.close()
        for file in (self.premises.base.running, self.premises.place.control):
            file.unlink(missing_ok=True)
        postmaster.stop(self.child)
        self._clear_short_folder()

    def _listen(self) -> None:
        path = self.premises.place.control
        path.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(path))
        self.listener.listen(64)
        self.watch.register(self.listener, selectors.EVENT_READ, self._admit)
        running = self.premises.base.running
        beside = running.with_name(running.name + ".new")
        beside.write_text(json.dumps({"control": str(path), "supervisor": os.getpid()}))
        beside.replace(running)

    def _heed_signals(self) -> None:
        heard, told = socket.socketpair()
        for end in (heard, told):
            end.setblocking(False)
        self._signals = (heard, told)
        signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, self._stop_soon)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.watch.register(heard, selectors.EVENT_READ, lambda: heard.recv(4096))

    def _stop_soon(self, *_: object) -> None:
        self.asked_to_stop = True

    def serve(self) -> None:
        """Wait until the last lease closes, the postmaster ends, or a signal asks us to stop."""
        while self.leases and not self.asked_to_stop and self.child.poll() is None:
            for key, _ in self.watch.select():
                key.data()

    def _admit(self) -> None:
        try:
            lease, _ = self.listener.accept()
        except OSError:
            return
        self.welcome(lease)

    def welcome(self, lease: socket.socket) -> None:
        """Take a lease in and tell its holder where the server is."""
        self.leases.add(lease)
        self.watch.register(lease, selectors.EVENT_READ, lambda: self._hear(lease))
        _send(lease, self._facts())

    def _facts(self) -> dict[str, object]:
        return {
            "pid": self.child.pid,
            "supervisor": os.getpid(),
            "data": str(self.premises.place.data),
            "sockets": str(self.premises.place.sockets),
            "binaries": str(self.premises.binaries.folder),
        }

    def _hear(self, lease: socket.socket) -> None:
        with contextlib.suppress(ConnectionError):
            if lease.recv(64):
                return
        self.watch.unregister(lease)
        self.leases.discard(lease)
        self.leaving.append(lease)
        if self.leases:  # else kept open until the server is down, so that its holder can wait for that
            while self.leaving:
                self.leaving.pop().close()

    def _clear_short_folder(self) -> None:
        place = self.premises.place
        if place.socket_root != place.data.parent:
            with contextlib.suppress(OSError):
                place.sockets.rmdir()
                place.socket_root.rmdir()


def _send(lease: socket.socket, facts: dict[str, object]) -> None:
    with contextlib.suppress(OSError):
        lease.sendall(json.dumps(facts).encode() + b"\n")


if __name__ == "__main__":
    main(Order.from_text(sys.argv[1]))
