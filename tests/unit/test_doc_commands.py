"""What a page shows is held against what was printed: lines, dots, and ids that are others in each run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.doc_commands import Ids, commands_of

PAGE_A, PAGE_B = "00000000-0000-7000-8000-00000000000a", "00000000-0000-7000-8000-00000000000b"
HERE_A, HERE_B = "11111111-0000-7000-8000-00000000000a", "11111111-0000-7000-8000-00000000000b"
TOKEN, OTHER_TOKEN = "t" * 43, "u" * 43


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("one\ntwo\n", "one\ntwo"),
        ("one\n...\nfour\n", "one\ntwo\nthree\nfour\n"),
        ("one\n...\nfour\n", "one\nfour\n"),
        ("", ""),
        (f"id {PAGE_A}\n", f"id {HERE_A}\n"),
        (f"{PAGE_A} and {PAGE_B} and {PAGE_A}\n", f"{HERE_A} and {HERE_B} and {HERE_A}\n"),
        (f'"{TOKEN}"\n', f'"{OTHER_TOKEN}"\n'),
    ],
)
def test_output_as_shown_agrees(shown: str, printed: str) -> None:
    assert Ids().learn(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("one\n", "two\n"),
        ("one\n", ""),
        ("", "one\n"),
        ("one\n", "one\ntwo\n"),
        (f"id {PAGE_A}\n", "id none\n"),
        # One id on the page that is two here, and two that are one.
        (f"{PAGE_A} {PAGE_A}\n", f"{HERE_A} {HERE_B}\n"),
        (f"{PAGE_A} {PAGE_B}\n", f"{HERE_A} {HERE_A}\n"),
    ],
)
def test_other_output_does_not(shown: str, printed: str) -> None:
    assert not Ids().learn(shown, printed)


def test_an_id_is_the_same_one_wherever_it_comes_again() -> None:
    ids = Ids()
    assert ids.learn(f"made {PAGE_A}\n", f"made {HERE_A}\n")
    assert ids.here(f"GET places/{PAGE_A}") == f"GET places/{HERE_A}"
    assert ids.on_page(f"found {HERE_A}") == f"found {PAGE_A}"
    assert ids.learn(f"found {PAGE_A}\n", f"found {HERE_A}\n")
    assert not ids.learn(f"found {PAGE_A}\n", f"found {HERE_B}\n")


def test_nothing_is_learnt_from_output_that_is_not_as_shown() -> None:
    ids = Ids()
    assert not ids.learn(f"made {PAGE_A} today\n", f"made {HERE_A} never\n")
    assert ids.here(PAGE_A) == PAGE_A


def test_output_written_anew_keeps_the_ids_of_the_page() -> None:
    ids = Ids()
    ids.put(f"old {PAGE_A}\n", f"new {HERE_A}\n")
    assert ids.on_page(f"new {HERE_A}\n") == f"new {PAGE_A}\n"


def test_a_command_has_the_files_that_stand_before_it_on_its_page() -> None:
    page = Path(__file__).resolve()
    blocks = ("json a.json\n{}\n", "console\n$ one\nout\n$ two \\\n  more\n", "json b.json\n[]\n", "sh\n$ no\n")
    text = "".join(f"```{block}```\n" for block in blocks)
    one, two = commands_of(page, text)
    assert (one.command, one.shown, one.files) == ("one", "out\n", {"a.json": "{}\n"})
    assert (two.command, two.shown) == ("two more", "")
