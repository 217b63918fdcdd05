"""Start the server that comes with Fisc, or join the one that runs already."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from core.db.server import binaries as programs
from core.db.server import folders, log, passwords
from core.db.server.binaries import Binaries
from core.db.server.folders import PORT, Base
from core.db.server.lease import Lease, join, launch, one_at_a_time
from core.db.server.postmaster import SUPERUSER
from core.db.server.supervisor import Order
from core.db.server.version import require_patched

START_SECONDS = 60.0
STOP_SECONDS = 20.0


class Server:
    """A running server, and this process's lease on it. Keep the object: the lease ends with it."""

    def __init__(self, base: Base, lease: Lease) -> None:
        self.base = base
        self._lease = lease
        self.pid: int = lease.facts["pid"]
        self.supervisor_pid: int = lease.facts["supervisor"]
        self.data = Path(lease.facts["data"])
        self.sockets = Path(lease.facts["sockets"])
        self.binaries = Binaries(Path(lease.facts["binaries"]))

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def url(self, role: str, database: str) -> str:
        """The address of a database for a role, password included. Raises KeyError for an unknown role."""
        password = passwords.read(self.base.passwords)[role]
        host = quote(str(self.sockets), safe="")
        return f"postgresql://{role}:{quote(password, safe='')}@/{quote(database)}?host={host}&port={PORT}"

    def superuser_url(self, database: str = "postgres") -> str:
        """The address for whoever makes roles and databases; nothing else of Fisc uses it."""
        return self.url(SUPERUSER, database)

    def set_passwords(self, *roles: str) -> dict[str, str]:
        """The passwords of these roles, random ones made and kept where there are none yet."""
        return passwords.ensure(self.base.passwords, roles)

    def alive(self) -> bool:
        """Whether the server still runs."""
        return self._lease.alive()

    def log_tail(self) -> str:
        """The last lines of the server's log."""
        return log.tail(self.base.log)

    def stop(self, timeout_seconds: float = STOP_SECONDS) -> None:
        """Give up the lease. If it was the last, wait until the server is down. May be called twice."""
        self._lease.give_up(timeout_seconds)


def start(
    home: Path,
    *,
    binaries: Path | None = None,
    settings: Mapping[str, str] | None = None,
    durable: bool = True,
    prepare: Callable[[Server], None] | None = None,
    timeout_seconds: float = START_SECONDS,
    environ: Mapping[str, str] = os.environ,
) -> Server:
    """Start the server whose data lies under `home`, making it first if need be; or join it if it runs.

    `settings` are PostgreSQL's own (they count only for whoever starts it), `durable=False` is for data that
    may be lost, and `prepare` is called with a server just started, before anybody else can join.
    Raises a subclass of DatabaseServerError.
    """
    base = folders.base(home)
    with one_at_a_time(base, timeout_seconds):
        lease = join(base, timeout_seconds)
        if lease is not None:
            return Server(base, lease)
        found = programs.find(binaries, environ)
        require_patched(found.version(), environ)
        server = Server(base, launch(_order(home, found, settings, durable, timeout_seconds), base))
        try:
            if prepare is not None:
                prepare(server)
        except BaseException:
            server.stop()
            raise
        return server


def _order(
    home: Path,
    found: Binaries,
    settings: Mapping[str, str] | None,
    durable: bool,
    timeout_seconds: float,
) -> Order:
    wanted = dict(settings or {})
    if not durable:
        wanted |= {"fsync": "off", "full_page_writes": "off"}
    return Order(str(home.absolute()), str(found.folder), wanted, durable, timeout_seconds, lease_fd=-1)
