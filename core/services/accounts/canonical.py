"""A statement as canonical text: the same statement gives the same bytes, whoever writes it and whenever."""

from __future__ import annotations

import json
from typing import Any

from core.domain.charge import Charge
from core.domain.clause import rendered
from core.domain.fold import Statement


def canonical(statement: Statement) -> str:
    """The statement as JSON in one fixed form; amounts are whole cents, computations are rendered."""
    values: dict[str, Any] = {
        "as_of": statement.as_of.isoformat(),
        "basis": statement.basis,
        "due_date": statement.account.deadlines.nominal.isoformat(),
        "effective_due_date": statement.account.deadlines.effective.isoformat(),
        "lines": [_line(charge) for charge in statement.lines],
        "charges": statement.charges,
        "applied": statement.applied,
        "applications": [[one.on.isoformat(), one.kind, one.cents, one.cause] for one in statement.applications],
        "balance": statement.balance,
    }
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def value_ids(statement: Statement) -> tuple[str, ...]:
    """The law values that the lines rest on, each once, in order."""
    return tuple(sorted({value.id for charge in statement.lines for value in charge.values}))


def depends_on(statement: Statement) -> tuple[str, ...]:
    """The inputs from other accounts that the lines rest on."""
    return tuple(sorted({name for charge in statement.lines for name in charge.depends_on}))


def _line(charge: Charge) -> dict[str, Any]:
    return {
        "kind": charge.kind,
        "cents": charge.cents,
        "clause": charge.clause.id,
        "section": charge.clause.section,
        "arose_on": charge.arose_on.isoformat(),
        "computation": rendered(charge.words),
        "values": sorted(value.id for value in charge.values),
        "depends_on": sorted(charge.depends_on),
    }
