"""Every command in the docs runs, and prints what the page shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import doc_commands
from tests.support.doc_commands import DocCommand


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to run in, with the example files that the pages name."""
    place = tmp_path_factory.mktemp("docs")
    (place / "tests").symlink_to(doc_commands.ROOT / "tests")
    (place / "docs").symlink_to(doc_commands.ROOT / "docs")
    return place


@pytest.mark.parametrize("command", doc_commands.commands(), ids=str)
def test_a_command_in_the_docs_prints_what_the_page_shows(command: DocCommand, folder: Path) -> None:
    printed = doc_commands.run(command.command, folder)
    if doc_commands.UPDATE and not doc_commands.agrees(command.shown, printed):
        doc_commands.update(command, printed)
        return
    assert doc_commands.agrees(command.shown, printed), printed


def test_each_of_the_four_readers_has_a_page() -> None:
    docs = doc_commands.ROOT / "docs"
    assert all((docs / name).exists() for name in ("filer", "treasurer.md", "host.md", "plugin-author.md"))


def test_the_commands_are_really_read_from_the_pages() -> None:
    assert len(doc_commands.commands()) >= 10
    assert shutil.which("bash")
