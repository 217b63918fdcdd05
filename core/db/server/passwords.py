"""The passwords of the server that comes with Fisc: random, in one file that only we can read."""

import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path


def read(file: Path) -> dict[str, str]:
    """Role name to password. Raises FileNotFoundError."""
    found: dict[str, str] = json.loads(file.read_text())
    return found


def ensure(file: Path, names: Iterable[str]) -> dict[str, str]:
    """Role name to password, with a new random one for each name that has none yet."""
    known = read(file) if file.exists() else {}
    wanted = {name: known.get(name) or secrets.token_urlsafe(24) for name in names}
    if wanted.items() <= known.items():
        return known
    _replace(file, known | wanted)
    return known | wanted


def _replace(file: Path, passwords: dict[str, str]) -> None:
    # Written beside and renamed, so that a crash leaves the old file or the new one, never half of one.
    beside = file.with_name(file.name + ".new")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as out:
        json.dump(passwords, out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(file)
