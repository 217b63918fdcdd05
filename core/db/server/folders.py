"""Where everything of the server lies.

FISC_HOME/postgres/          0700, ours
    passwords.json           0600
    server.log  start.lock  data.lock  running.json  runs-as
    data/                    the database; elsewhere if PostgreSQL must run as another user
    control  s/              sockets; in a short folder elsewhere if this path is too long for them
"""

import hashlib
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.db.server.errors import ServerCannotRunAsRoot, SocketFolderUnsafe
from core.db.server.identity import AsUser, Identity

# A socket's address holds 108 bytes on Linux and 104 elsewhere, the final zero included.
LONGEST_SOCKET_PATH_BYTES = 103
PORT = 5432  # part of the socket's name; nothing listens on TCP
LONGEST_SOCKET_NAME = f"s/.s.PGSQL.{PORT}"


@dataclass(frozen=True)
class Base:
    """The folder FISC_HOME/postgres and the files in it that are ours, whoever PostgreSQL runs as."""

    folder: Path

    @property
    def passwords(self) -> Path:
        return self.folder / "passwords.json"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def start_lock(self) -> Path:
        return self.folder / "start.lock"

    @property
    def data_lock(self) -> Path:
        return self.folder / "data.lock"

    @property
    def runs_as(self) -> Path:
        """Holds the name of the user whom the data was made for, "" for ourselves."""
        return self.folder / "runs-as"

    @property
    def running(self) -> Path:
        return self.folder / "running.json"


def base(home: Path) -> Base:
    """The server's folder under FISC_HOME, made if it is not there."""
    folder = home.absolute() / "postgres"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    return Base(folder)


@dataclass(frozen=True)
class Place:
    """Where PostgreSQL itself writes: data, and a folder with sockets."""

    data: Path
    socket_root: Path

    @property
    def sockets(self) -> Path:
        """PostgreSQL's socket folder, entered by its user alone."""
        return self.socket_root / "s"

    @property
    def control(self) -> Path:
        """The supervisor's socket, by which a lease is taken."""
        return self.socket_root / "control"


def place(base: Base, identity: Identity, environ: Mapping[str, str]) -> Place:
    """Choose and make the folders. Raises SocketFolderUnsafe, ServerCannotRunAsRoot."""
    root = base.folder
    if isinstance(identity, AsUser):
        root = _reachable(base, identity)
    socket_root = root
    if not _fits(socket_root):
        socket_root = _short(base, environ, open_path=isinstance(identity, AsUser))
    chosen = Place(data=root / "data", socket_root=socket_root)
    chosen.sockets.mkdir(exist_ok=True, mode=0o700)
    identity.give(chosen.sockets)
    return chosen


def _fits(folder: Path) -> bool:
    # A comma would be read by libpq as a list of hosts.
    length = len(os.fsencode(folder / LONGEST_SOCKET_NAME))
    return length <= LONGEST_SOCKET_PATH_BYTES and "," not in str(folder)


def _mark(base: Base) -> str:
    return hashlib.sha256(os.fsencode(base.folder)).hexdigest()[:12]


def _short(base: Base, environ: Mapping[str, str], open_path: bool) -> Path:
    runtime = environ.get("XDG_RUNTIME_DIR")
    parents = [Path(runtime)] if runtime and not open_path else []
    parents += [Path(tempfile.gettempdir()), Path("/tmp")]  # noqa: S108 (checked below: ours and 0700)
    for parent in parents:
        folder = parent / f"fisc-{os.geteuid()}-{_mark(base)}"
        if parent.is_dir() and os.access(parent, os.W_OK) and _fits(folder):
            folder.mkdir(exist_ok=True, mode=0o700)
            _require_ours(folder)
            folder.chmod(0o711 if open_path else 0o700)
            return folder
    raise SocketFolderUnsafe(
        f"The path {base.folder} is too long for a socket, and no shorter folder can be written to "
        f"(tried: {', '.join(map(str, parents))}). Choose a shorter FISC_HOME."
    )


def _require_ours(folder: Path) -> None:
    # In a folder that everyone may write to, somebody else could have made it first.
    seen = folder.lstat()
    if stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.geteuid() and not seen.st_mode & 0o022:
        return
    raise SocketFolderUnsafe(
        f"{folder} is not a folder of ours that nobody else can write to, so no sockets are put there. "
        f"Remove it, or choose a shorter FISC_HOME."
    )


def _reachable(base: Base, identity: AsUser) -> Path:
    """A folder that another user can get to, without opening any folder that is closed to it."""
    home = base.folder.parent
    system = Path("/var/lib/fisc")
    if _open_to_all(home):
        chosen = home / "postgres-server"
    elif _open_to_all(system.parent):
        chosen = system / _mark(base)
    else:
        raise ServerCannotRunAsRoot(
            f"PostgreSQL has to run as {identity.name}, who can enter neither {home} nor {system.parent}. "
            f"Choose a FISC_HOME whose parent folders everyone may pass through, or run Fisc as an ordinary "
            f"user, or give the address of a running server in FISC_DATABASE_URL."
        )
    chosen.mkdir(parents=True, exist_ok=True, mode=0o711)
    for folder in {chosen, *([system] if chosen.parent == system else [])}:
        _require_ours(folder)
        folder.chmod(0o711)
    return chosen


def _open_to_all(folder: Path) -> bool:
    return all(each.stat().st_mode & 0o001 for each in (folder, *folder.parents) if each.exists())
