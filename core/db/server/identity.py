"""As whom PostgreSQL runs. It refuses root, so for root we need somebody else.

First choice: a user namespace in which root appears as user 65534. The files still belong to root, no folder
is opened to anybody, and the server has none of root's powers. Where namespaces are forbidden (some
containers) the server runs as the user named by FISC_PG_USER, else `nobody`.
"""

import ctypes
import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from core.db.server.errors import ServerCannotRunAsRoot

CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
APPEARS_AS = 65534
_libc = ctypes.CDLL(None, use_errno=True)


class Identity:
    """As ourselves: an ordinary user."""

    name = ""

    def enter(self) -> None:
        """Become this identity. Runs in a new process, between fork and exec."""

    def give(self, path: Path) -> None:
        """Hand a path over, so that the server owns it."""


class InNamespace(Identity):
    """Root outside, an ordinary user inside."""

    def enter(self) -> None:
        group = os.getegid()  # read before: inside, until the map is written, it shows as nobody's
        if _libc.unshare(CLONE_NEWUSER) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{APPEARS_AS} 0 1")
        Path("/proc/self/gid_map").write_text(f"{APPEARS_AS} {group} 1")


class AsUser(Identity):
    """Another user of the system."""

    def __init__(self, name: str) -> None:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            raise ServerCannotRunAsRoot(
                f"There is no user {name!r} to run PostgreSQL as; name one in FISC_PG_USER."
            ) from None
        if entry.pw_uid == 0:
            raise ServerCannotRunAsRoot("FISC_PG_USER must not be root: PostgreSQL refuses to run as root.")
        self.name, self.uid, self.gid = name, entry.pw_uid, entry.pw_gid

    def enter(self) -> None:
        os.setgroups([])
        os.setgid(self.gid)
        os.setuid(self.uid)

    def give(self, path: Path) -> None:
        os.chown(path, self.uid, self.gid, follow_symlinks=False)


def choose(environ: Mapping[str, str], settled: str | None) -> Identity:
    """Whom to run as here. Forks once to try the namespace, so call it from a process with one thread.

    `settled` is the name of the user whom the data folder was made for, "" for ourselves, None if there is no
    data yet: data once made stays with its user. Raises ServerCannotRunAsRoot.
    """
    if os.geteuid() != 0:
        return Identity()
    named = environ.get("FISC_PG_USER", "") if settled is None else settled
    if named:
        return AsUser(named)
    if _allowed(InNamespace()):
        return InNamespace()
    if settled is None:
        return AsUser("nobody")
    raise ServerCannotRunAsRoot(
        "The data folder was made by root in a user namespace, and namespaces are forbidden now. Allow them "
        "(unshare), or start Fisc where it was started before and move the data by dump and restore."
    )


def _allowed(identity: Identity) -> bool:
    child = os.fork()
    if child == 0:
        try:
            identity.enter()
            os._exit(0 if os.geteuid() == APPEARS_AS else 1)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def die_with_parent(signal_number: int) -> None:
    """Have the kernel send this process the signal when its parent's thread ends.

    Call it after `enter()`: a change of credentials clears it. It survives exec.
    """
    if _libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
