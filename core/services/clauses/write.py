"""Writes the clause table: as text, as plain values, and into the page of each plugin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.services.clauses.collect import ROOT, ClauseReport

BEGIN = "<!-- clause table: written by `fisc clauses --write` -->"
END = "<!-- end of clause table -->"


def as_values(reports: Sequence[ClauseReport]) -> list[dict[str, Any]]:
    """The table as plain values."""
    return [
        {
            "clause": report.row.clause.id,
            "section": report.row.clause.section,
            "owner": report.owner,
            "kind": report.row.kind,
            "duty": report.row.duty,
            "claim": report.row.claim,
            "code": list(report.code),
            "tests": list(report.tests),
            "question": report.row.question,
        }
        for report in reports
    ]


def as_text(reports: Sequence[ClauseReport]) -> Iterator[str]:
    """The table for a terminal, with a count at the end."""
    owner = ""
    for report in reports:
        if report.owner != owner:
            owner = report.owner
            yield f"{owner}"
        row = report.row
        where = _short(report.code[0]) if report.code else "-"
        state = f"{where}, {len(report.tests)} tests" if row.claim == "implemented" else "later"
        yield f"  {row.clause.id:<10} {row.clause.section:<28} {row.kind:<13} {state}"
        yield f"             {row.duty}"
        if row.question:
            yield f"             open: {row.question}"
    done = sum(report.row.claim == "implemented" for report in reports)
    yield f"{done} of {len(reports)} clauses implemented"


def pages(reports: Sequence[ClauseReport]) -> dict[Path, str]:
    """The page of each plugin as it should be, by path; a page without the marker is left alone."""
    wanted: dict[Path, str] = {}
    for owner in dict.fromkeys(report.owner for report in reports):
        page = ROOT.joinpath(*owner.split(".")) / "README.md"
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        if BEGIN in text:
            before = text.partition(BEGIN)[0]
            after = text.partition(END)[2] or "\n"
            own = [report for report in reports if report.owner == owner]
            wanted[page] = f"{before}{BEGIN}\n{_markdown(own)}{END}{after}"
    return wanted


def stale_pages(reports: Sequence[ClauseReport]) -> list[str]:
    """The pages that do not show the table as it is, relative to the project."""
    return [
        str(page.relative_to(ROOT)) for page, text in pages(reports).items() if page.read_text(encoding="utf-8") != text
    ]


def write_pages(reports: Sequence[ClauseReport]) -> list[str]:
    """Writes the table into the pages. Returns those that changed."""
    changed = stale_pages(reports)
    for page, text in pages(reports).items():
        page.write_text(text, encoding="utf-8")
    return changed


def _markdown(reports: Sequence[ClauseReport]) -> str:
    rows = ["| clause | section | duty | implemented in | tested in | open question |", "|---|---|---|---|---|---|"]
    for report in reports:
        row = report.row
        code = "<br>".join(f"`{_short(place)}`" for place in report.code) if row.claim == "implemented" else "later"
        tests = "<br>".join(f"`{name}`" for name in _test_names(report.tests)) if row.claim == "implemented" else ""
        cells = (row.clause.id, row.clause.section, row.duty, code, tests, row.question)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def _short(place: str) -> str:
    """A dotted path without the packages above the rules."""
    parts = place.split(".")
    return ".".join(parts[-2:]) if not place.startswith("law: ") else place


def _test_names(tests: Sequence[str]) -> list[str]:
    """At most three tests by name, and how many more."""
    names = [name.rpartition("::")[2] for name in tests]
    return names if len(names) <= 3 else [*names[:3], f"and {len(names) - 3} more"]
