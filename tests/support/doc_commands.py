"""The commands in the docs: each fenced block marked `console` holds "$ command" lines, each followed by its output.

A line of three dots in the output stands for any lines. FISC_UPDATE_DOCS=1 writes the output as it is now.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
UPDATE = os.environ.get("FISC_UPDATE_DOCS") == "1"


@dataclass(frozen=True)
class DocCommand:
    """A command and the output that the page shows for it."""

    page: Path
    command: str
    shown: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {self.command}"


def pages() -> list[Path]:
    """Every page that may hold commands."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "plugins").glob("*/README.md"))]


def commands() -> list[DocCommand]:
    """The commands of all pages, in order."""
    return [
        command for page in pages() for block in BLOCK.findall(page.read_text("utf-8")) for command in _of(page, block)
    ]


def _of(page: Path, block: str) -> list[DocCommand]:
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    found = []
    for part in parts[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = command[:-1] + more.strip()
        found.append(DocCommand(page, command, shown))
    return found


def run(command: str, folder: Path) -> str:
    """What a command prints, errors included, in a folder that has the project's files in reach."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "COLUMNS": "100",
        "FISC_HOME": str(folder / "home"),
    }
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, text=True, capture_output=True, timeout=120
    )
    return done.stdout + done.stderr


def agrees(shown: str, printed: str) -> bool:
    """Whether the output is as shown, three dots on a line standing for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + r"\n" for line in shown.rstrip("\n").split("\n")
    )
    return re.fullmatch(pattern if shown.strip() else "", printed.rstrip("\n") + "\n" if printed else "") is not None


def update(command: DocCommand, printed: str) -> None:
    """Writes what the command prints now into the page."""
    before = f"$ {command.command}\n{command.shown}"
    after = f"$ {command.command}\n{printed.rstrip()}\n" if printed.strip() else f"$ {command.command}\n"
    text = command.page.read_text("utf-8")
    command.page.write_text(text.replace(before, after, 1), "utf-8")
