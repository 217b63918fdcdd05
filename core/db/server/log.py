"""The server's log file."""

from pathlib import Path

KEEP_BYTES = 5_000_000


def rotate(file: Path) -> None:
    """Put a long log aside as server.log.1, replacing the one before. Called while no server runs."""
    if file.exists() and file.stat().st_size > KEEP_BYTES:
        file.replace(file.with_name(file.name + ".1"))


def tail(file: Path, since_byte: int = 0, lines: int = 15) -> str:
    """The last lines written since a position, indented, to be shown below an error."""
    if not file.exists():
        return ""
    with file.open("rb") as log:
        log.seek(since_byte)
        last = log.read().decode(errors="replace").splitlines()[-lines:]
    return "".join(f"\n    {line}" for line in last)
