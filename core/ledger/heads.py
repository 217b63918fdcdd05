"""The file of heads, outside the database: what the chain of each municipality once ended with.

Whoever owns the database can cut the chain, or forge all of it anew, so that it proves itself. It no longer agrees
with this file then, unless the file was changed too: keep it on another machine, or where lines can only be added.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

# The head stands last and has one length, so the beginning of a line is never mistaken for a line.
_LINE = re.compile(r"(?P<on>[0-9]{4}-[0-9]{2}-[0-9]{2}) (?P<tenant>[0-9]+) (?P<position>[0-9]+) (?P<head>[0-9a-f]{64})")


class Head(NamedTuple):
    """The chain of `tenant` had this head (64 hexadecimal digits) after `position` seals, the last one made `on`."""

    on: str
    tenant: int
    position: int
    head: str


class HeadsFile:
    """A text file to which lines are only ever added: day (UTC), tenant's id, position, head."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def of_tenant(self, tenant: int) -> list[Head]:
        """The heads of one tenant, in the order of the file; none where there is no file yet. Raises OSError.

        A line cut short by a crash is passed over: its head is added again by the next sealing. Nothing is lost by
        that, for whoever can spoil a line can delete it as well.
        """
        if not self.path.exists():
            return []
        with self.path.open(encoding="ascii", errors="replace") as lines:
            return [head for head in map(_parsed, lines) if head is not None and head.tenant == tenant]

    def append(self, head: Head) -> None:
        """Add a head. It is on the disk when this returns. Raises OSError."""
        with self._locked() as file:
            # After a crash in the middle of a line the next one starts afresh; cutting is left alone, since the file
            # may be one that can only grow.
            start = "" if _ends_a_line(file) else "\n"
            _write(file, f"{start}{head.on} {head.tenant} {head.position} {head.head}\n".encode("ascii"))
            os.fsync(file)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        is_new = not self.path.exists()
        file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if is_new:
                _sync_folder(self.path.parent)
            yield file
        finally:
            os.close(file)


def _parsed(line: str) -> Head | None:
    match = _LINE.fullmatch(line.rstrip("\n"))
    if match is None:
        return None
    return Head(match["on"], int(match["tenant"]), int(match["position"]), match["head"])


def _ends_a_line(file: int) -> bool:
    size = os.fstat(file).st_size
    return size == 0 or os.pread(file, 1, size - 1) == b"\n"


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _sync_folder(folder: Path) -> None:
    # The name of a new file lasts only once its folder is on the disk.
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
