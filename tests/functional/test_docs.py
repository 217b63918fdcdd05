"""Every command in the docs runs, and prints what the page shows."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from tests.support import doc_commands
from tests.support.doc_commands import DocCommand, Ids
from tests.support.served_town import served_town

# Pages whose commands speak to a service, each to one of its own, in a folder that has the example client.
SERVED = {doc_commands.ROOT / "docs" / name for name in ("api.md", "treasurer/payments.md")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to run in, with the example files that the pages name."""
    place = tmp_path_factory.mktemp("docs")
    (place / "tests").symlink_to(doc_commands.ROOT / "tests")
    (place / "docs").symlink_to(doc_commands.ROOT / "docs")
    for example in (doc_commands.ROOT / "docs" / "examples").iterdir():
        (place / example.name).symlink_to(example)
    return place


@pytest.fixture(scope="module")
def ids() -> Ids:
    """What the ids on the pages are in this run."""
    return Ids()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], str]]:
    """The address of the service of a page, which is started when it is first asked for."""
    with ExitStack() as running:
        yield cache(lambda page: running.enter_context(served_town(tmp_path_factory.mktemp("served") / "home")))


@pytest.mark.parametrize("command", doc_commands.commands(), ids=str)
def test_a_command_in_the_docs_prints_what_the_page_shows(
    command: DocCommand, folder: Path, ids: Ids, address: Callable[[Path], str]
) -> None:
    settings = {"FISC_URL": address(command.page)} if command.page in SERVED else {}
    files = {name: ids.here(text) for name, text in command.files.items()}
    printed = doc_commands.run(ids.here(command.command), folder, files, settings)
    agrees = ids.learn(command.shown, printed)
    if doc_commands.UPDATE and not agrees:
        ids.put(command.shown, printed)
        doc_commands.update(command, ids.on_page(printed))
        return
    assert agrees, ids.on_page(printed)


def test_each_of_the_five_readers_has_a_page() -> None:
    docs = doc_commands.ROOT / "docs"
    assert all((docs / name).exists() for name in ("filer", "treasurer.md", "host.md", "plugin-author.md", "api.md"))


def test_the_commands_are_really_read_from_the_pages() -> None:
    assert len(doc_commands.commands()) >= 10
    assert shutil.which("bash")
