"""The commands in the docs: each fenced block marked `console` holds "$ command" lines, each followed by its output.

A block marked `json NAME.json` is a file that the commands after it find beside them. A line of three dots in the
output stands for any lines. Ids and tokens are different on every machine: on a page they are those of one run, and
each stands for what this run gave in its place, there and wherever it comes again. FISC_UPDATE_DOCS=1 writes the
output as it is now.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```(?:(console)|json (\S+\.json))\n(.*?)```", re.DOTALL)
OPAQUE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![\w-])[\w-]{43}(?![\w-])", re.ASCII)
UPDATE = os.environ.get("FISC_UPDATE_DOCS") == "1"


@dataclass(frozen=True)
class DocCommand:
    """A command, the output that the page shows for it, and the files that the page gives before it, by name."""

    page: Path
    command: str
    shown: str
    files: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {self.command}"


class Ids:
    """What stands on the pages for an id or a token, and what it is in this run."""

    def __init__(self) -> None:
        self._here: dict[str, str] = {}

    def here(self, text: str) -> str:
        """A text of a page with this run's ids."""
        return OPAQUE.sub(lambda found: self._here.get(found.group(), found.group()), text)

    def on_page(self, text: str) -> str:
        """A text of this run with the page's ids."""
        page = {here: on_page for on_page, here in self._here.items()}
        return OPAQUE.sub(lambda found: page.get(found.group(), found.group()), text)

    def learn(self, shown: str, printed: str) -> bool:
        """Whether the output is as shown, and then what each id of it is from now on; else nothing is learnt."""
        groups: list[str] = []
        found = re.fullmatch(_pattern(shown, groups), printed.rstrip("\n") + "\n" if printed else "")
        if found is None:
            return False
        told = dict(self._here)
        # One id on the page is one here, and two are two.
        if any(told.setdefault(page, here) != here for page, here in zip(groups, found.groups(), strict=True)):
            return False
        if len(set(told.values())) != len(told):
            return False
        self._here = told
        return True

    def put(self, shown: str, printed: str) -> None:
        """The output is written anew: an id keeps what it has on the page, wherever as many are in it as before."""
        before, now = OPAQUE.findall(shown), OPAQUE.findall(printed)
        if len(before) != len(now):
            before = now
        for page, here in zip(before, now, strict=True):
            if here not in self._here.values():
                self._here.setdefault(page, here)


def pages() -> list[Path]:
    """Every page that may hold commands."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "plugins").glob("*/README.md"))]


def commands() -> list[DocCommand]:
    """The commands of all pages, in order."""
    return [command for page in pages() for command in commands_of(page, page.read_text("utf-8"))]


def commands_of(page: Path, text: str) -> list[DocCommand]:
    """The commands of a page with this text, in order."""
    found: list[DocCommand] = []
    files: dict[str, str] = {}
    for console, name, block in BLOCK.findall(text):
        if console:
            found += _of(page, block, dict(files))
        else:
            files[name] = block
    return found


def _of(page: Path, block: str, files: dict[str, str]) -> list[DocCommand]:
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    found = []
    for part in parts[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = command[:-1] + more.strip()
        found.append(DocCommand(page, command, shown, files))
    return found


def run(
    command: str, folder: Path, files: Mapping[str, str] | None = None, settings: Mapping[str, str] | None = None
) -> str:
    """What a command prints, errors included, in a folder that has the project's files in reach."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "COLUMNS": "100",
        "FISC_HOME": str(folder / "home"),
        **(settings or {}),
    }
    for name, text in (files or {}).items():
        (folder / name).write_text(text, "utf-8")
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, text=True, capture_output=True, timeout=120
    )
    return done.stdout + done.stderr


def update(command: DocCommand, printed: str) -> None:
    """Writes what the command prints now into the page."""
    before = f"$ {command.command}\n{command.shown}"
    after = f"$ {command.command}\n{printed.rstrip()}\n" if printed.strip() else f"$ {command.command}\n"
    text = command.page.read_text("utf-8")
    command.page.write_text(text.replace(before, after, 1), "utf-8")


def _pattern(shown: str, groups: list[str]) -> str:
    """The output as an expression, whose groups are the ids that are added to `groups`."""
    if not shown.strip():
        return ""
    lines = []
    for line in shown.rstrip("\n").split("\n"):
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
            continue
        end = 0
        for found in OPAQUE.finditer(line):
            groups.append(found.group())
            lines.append(f"{re.escape(line[end : found.start()])}([\\w-]{{{len(found.group())}}})")
            end = found.end()
        lines.append(re.escape(line[end:]) + r"\n")
    return "".join(lines)
