"""Collects the clause table: every duty, where it is implemented, where it is tested, what is still asked."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import core
from core.contract.clauses import ClauseRow, ClauseTable, read_clause_table
from core.contract.law import ReadingSlot, ResolutionSlot
from core.contract.loading import municipality_module, open_municipality

ROOT = Path(core.__file__).parent.parent
TESTS = ROOT / "tests"
PLATFORM = "core"
MARK = "clause"


@dataclass(frozen=True, slots=True)
class ClauseReport:
    """One clause: the package whose text it is in, the places in code and law files, and the tests marked with it."""

    owner: str
    row: ClauseRow
    code: tuple[str, ...]
    tests: tuple[str, ...]


def collect(keys: tuple[str, ...]) -> list[ClauseReport]:
    """The clauses of these municipalities, the law they stand under and the platform, in the order of the texts."""
    places: dict[str, list[str]] = {}
    tables: dict[str, ClauseTable] = {PLATFORM: platform_clauses()}
    for key in keys:
        package = municipality_module(key).__name__.rpartition(".")[0]
        _import_all(package)
        law = open_municipality(key).law
        for values in law.entries.values():
            for value, _, _ in values:
                places.setdefault(value.clause.id, []).append(f"law: {value.key}")
        slots: list[ResolutionSlot | ReadingSlot] = [*law.resolution_slots.values(), *law.reading_slots.values()]
        for slot in slots:
            places.setdefault(slot.clause.id, []).append(f"law: {slot.key}")
        for owner, rows in _by_owner(package, law.clauses).items():
            tables.setdefault(owner, rows)
    for clause_id, place in _marked_rules():
        places.setdefault(clause_id, []).insert(0, place)
    tests = marked_tests(TESTS)
    return [
        ClauseReport(owner, row, tuple(dict.fromkeys(places.get(clause_id, ()))), tests.get(clause_id, ()))
        for owner, table in tables.items()
        for clause_id, row in table.items()
    ]


def platform_clauses() -> ClauseTable:
    """The duties of the platform itself. Raises LawFileInvalid."""
    return read_clause_table(Path(core.__file__).parent / "contract" / "clauses.csv")


def marked_tests(folder: Path) -> Mapping[str, tuple[str, ...]]:
    """The tests that carry `@pytest.mark.clause(...)`, by clause id; empty where the tests are not installed."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if f"mark.{MARK}" not in source:
            continue
        tree = ast.parse(source)
        module_ids = [clause_id for node in tree.body for clause_id in _module_marks(node)]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                ids = [*module_ids, *(one for mark in node.decorator_list for one in _ids(mark))]
                for clause_id in ids:
                    found.setdefault(clause_id, []).append(f"{path.relative_to(folder.parent)}::{node.name}")
    return {clause_id: tuple(names) for clause_id, names in found.items()}


def _module_marks(node: ast.stmt) -> list[str]:
    if not (isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "pytestmark" for target in node.targets)):
        return []
    return _ids(node.value)


def _ids(mark: ast.expr) -> list[str]:
    if isinstance(mark, ast.List | ast.Tuple):
        return [clause_id for element in mark.elts for clause_id in _ids(element)]
    if not (isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr == MARK):
        return []
    return [one.value for one in mark.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _import_all(package: str) -> None:
    module = import_module(package)
    for found in walk_packages(module.__path__, f"{package}."):
        import_module(found.name)


def _by_owner(package: str, clauses: ClauseTable) -> dict[str, ClauseTable]:
    """A municipality's merged table, taken apart again by the package whose clauses.csv holds each row."""
    owners: dict[str, ClauseTable] = {}
    parent = import_module(package.rpartition(".")[0]) if "." in package else None
    folders = [Path(path) for path in parent.__path__] if parent is not None else []
    files = [path for folder in folders for path in sorted(folder.glob("*/law/clauses.csv"))]
    for path in files:
        table = read_clause_table(path)
        if set(table) <= set(clauses):
            owners[f"{package.rpartition('.')[0]}.{path.parent.parent.name}"] = table
    # A plugin installed elsewhere: what no neighbour's table holds is its own.
    own = {
        clause_id: row for clause_id, row in clauses.items() if not any(clause_id in table for table in owners.values())
    }
    return {**owners, package: ClauseTable(own)} if own else owners


def _marked_rules() -> Iterator[tuple[str, str]]:
    """Each loaded function that `implements` clauses, with its dotted path."""
    for name, module in sorted(sys.modules.items()):
        for rule in list(getattr(module, "__dict__", {}).values()):
            clause_ids = getattr(rule, "__clauses__", None)
            if isinstance(clause_ids, tuple) and getattr(rule, "__module__", None) == name:
                for clause_id in clause_ids:
                    yield clause_id, f"{name}.{rule.__name__}"
