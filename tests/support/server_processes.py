"""Play several users of one server: processes that hold it, and a look at who is left."""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from core.db.server.lifecycle import start
binaries = Path(sys.argv[2]) if sys.argv[2] else None
server = start(Path(sys.argv[1]), binaries=binaries)
print(server.pid, server.supervisor_pid, flush=True)
sys.stdin.read()
"""


@dataclass
class Holder:
    """A process that started or joined the server and holds its lease until it is ended."""

    process: subprocess.Popen[str]
    postmaster: int
    supervisor: int

    def leave(self) -> None:
        """End in good order, without a word to the supervisor."""
        self.process.communicate()


def command(home: Path, binaries: Path | None) -> list[str]:
    return [sys.executable, "-c", HOLD, str(home), str(binaries or "")]


def launch(home: Path, binaries: Path | None) -> subprocess.Popen[str]:
    """A process that is about to start or join the server."""
    return subprocess.Popen(
        command(home, binaries),
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def holding(process: subprocess.Popen[str]) -> Holder:
    """Wait until the process has the server."""
    assert process.stdout is not None
    words = process.stdout.readline().split()
    if len(words) != 2:
        raise AssertionError(process.communicate()[1])
    return Holder(process, *map(int, words))


@contextmanager
def holder(home: Path, binaries: Path | None) -> Iterator[Holder]:
    """A process that holds the server; killed at the end if it still runs."""
    process = launch(home, binaries)
    try:
        yield holding(process)
    finally:
        process.kill()
        process.communicate()


def on_folder(home: Path) -> dict[int, str]:
    """The processes that work in a folder below `home`, or name it in their command: id and command."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if (entry / "cwd").readlink().is_relative_to(home) or str(home) in words:
                    found[int(entry.name)] = words
    return found


def gone_within(home: Path, seconds: float) -> Mapping[int, str]:
    """Who is left on the folder after waiting at most so long for everybody to go."""
    deadline = time.monotonic() + seconds
    while (left := on_folder(home)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left
