"""The clause table of a text: every duty in it, one row each, with its id and its section as the source carries it."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.domain.clause import Clause
from core.domain.errors import LawFileInvalid

COLUMNS = ("id", "section", "actor", "duty", "kind", "claim", "question")
CLAIMS = ("implemented", "later")


@dataclass(frozen=True, slots=True)
class ClauseRow:
    """One duty. `claim` is "implemented" or "later"; `question` is what counsel or the municipality must decide."""

    clause: Clause
    actor: str
    duty: str
    kind: str
    claim: str
    question: str


class ClauseTable(Mapping[str, ClauseRow]):
    """Rows by clause id, in the order of the text."""

    def __init__(self, rows: Mapping[str, ClauseRow]) -> None:
        self._rows = dict(rows)

    def __getitem__(self, clause_id: str) -> ClauseRow:
        return self._rows[clause_id]

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def clause(self, clause_id: str) -> Clause:
        """The clause with this id. Raises LawFileInvalid when the table has none."""
        row = self._rows.get(clause_id)
        if row is None:
            raise LawFileInvalid(f"clause {clause_id!r} is not in the clause table")
        return row.clause

    def merged(self, other: ClauseTable) -> ClauseTable:
        """Both tables in one. An id in both is an error."""
        twice = sorted(set(self._rows) & set(other._rows))
        if twice:
            raise LawFileInvalid(f"clause ids in two tables: {', '.join(twice)}")
        return ClauseTable({**self._rows, **other._rows})


def read_clause_table(path: Path) -> ClauseTable:
    """Reads clauses.csv strictly. Raises LawFileInvalid, naming file and line."""
    rows: dict[str, ClauseRow] = {}
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise LawFileInvalid(f"{path.name}: the columns must be {', '.join(COLUMNS)}")
        for line, row in enumerate(reader, start=2):
            where = f"{path.name}, line {line}"
            missing = [name for name in COLUMNS[:6] if not row.get(name)]
            if missing or None in row:
                raise LawFileInvalid(f"{where}: {', '.join(missing) or 'too many columns'}: fill every column")
            if row["claim"] not in CLAIMS:
                raise LawFileInvalid(f"{where}: claim {row['claim']!r} is none of {', '.join(CLAIMS)}")
            if row["id"] in rows:
                raise LawFileInvalid(f"{where}: clause {row['id']!r} stands twice")
            clause = Clause(row["id"], row["section"])
            rows[row["id"]] = ClauseRow(
                clause, row["actor"], row["duty"], row["kind"], row["claim"], row["question"] or ""
            )
    return ClauseTable(rows)
