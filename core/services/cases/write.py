"""Writes an assessed case: as one line of JSON, or as a statement for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.domain.calendar import day_for_reading
from core.domain.charge import Charge
from core.domain.errors import FiscError, Refused, ResolutionMissing
from core.domain.fold import Statement
from core.domain.money import dollars, dollars_for_reading
from core.services.cases.read import Case


def answer(case: Case, statement: Statement, with_notes: bool = False) -> dict[str, Any]:
    """The answer as plain values; amounts are texts in dollars. `notes` lists waived lines and cautions when asked."""
    order = [*reversed(case.municipality.application_order)]
    result: dict[str, Any] = {
        "basis": statement.basis,
        "due_date": statement.account.deadlines.nominal.isoformat(),
        "effective_due_date": statement.account.deadlines.effective.isoformat(),
        "charges": {kind: dollars(statement.charges[kind]) for kind in order if kind in statement.charges},
        "applied": {kind: dollars(statement.applied[kind]) for kind in order if kind in statement.applied},
        "balance": dollars(statement.balance),
        "lines": [_line(charge) for charge in statement.lines if charge.kind in statement.charges],
    }
    if with_notes:
        result["notes"] = list(_notes(case, statement))
    return result


def refusal(error: FiscError) -> dict[str, Any]:
    """An error as plain values, named after the fact."""
    if isinstance(error, Refused):
        faults = [{"field": fault.field, "message": fault.message} for fault in error.faults]
        return {"error": "Refused", "faults": faults}
    if isinstance(error, ResolutionMissing):
        return {"error": "ResolutionMissing", "resolution": error.resolution, "message": str(error)}
    return {"error": type(error).__name__, "message": str(error)}


def as_json(values: dict[str, Any]) -> str:
    """One line of JSON."""
    return json.dumps(values, ensure_ascii=False)


def as_text(case: Case, statement: Statement) -> str:
    """The same as a statement that a filer reads from top to bottom."""
    return "\n".join(_text_lines(case, statement))


def refusal_as_text(error: FiscError) -> str:
    """An error for people: one fault a line."""
    if isinstance(error, Refused):
        return "\n".join(f"refused: {fault.field}: {fault.message}" for fault in error.faults)
    return f"{type(error).__name__}: {error}"


def _line(charge: Charge) -> dict[str, str]:
    return {
        "kind": charge.kind,
        "amount": dollars(charge.cents),
        "clause": charge.clause.id,
        "section": charge.clause.section,
        "computation": str(charge.words),
    }


def _notes(case: Case, statement: Statement) -> Iterator[str]:
    for line in statement.lines:
        if line.kind not in statement.charges:
            yield f"{case.tax.titles[line.kind]}: {dollars(line.cents)}: {line.words} ({line.clause.section})"
    for caution in case.municipality.cautions(statement.account, statement.as_of):
        yield f"{caution.message} ({caution.section})"


def _text_lines(case: Case, statement: Statement) -> Iterator[str]:
    deadlines = statement.account.deadlines
    yield f"{case.municipality.declared.name}: {case.tax.title}, {case.period.key}"
    yield f"as of {day_for_reading(statement.as_of)}, on the basis of {_basis(statement)}"
    due = day_for_reading(deadlines.nominal)
    if deadlines.effective != deadlines.nominal:
        due += f", met on {day_for_reading(deadlines.effective)}"
    yield f"due {due} ({deadlines.clauses[0].section})"
    yield ""
    for charge in statement.lines:
        title = case.tax.titles[charge.kind]
        yield f"{title:<42} {dollars_for_reading(charge.cents):>14}   {charge.clause.section} [{charge.clause.id}]"
        yield f"    {charge.words}"
    yield f"{'Total':<42} {dollars_for_reading(sum(statement.charges.values())):>14}"
    for kind in case.municipality.application_order:
        if kind in statement.applied:
            paid = dollars_for_reading(-statement.applied[kind])
            yield f"{'Paid: ' + case.tax.titles[kind].lower():<42} {paid:>14}"
    balance = "Balance" if statement.balance >= 0 else "Credit"
    yield f"{balance:<42} {dollars_for_reading(abs(statement.balance)):>14}"
    for caution in case.municipality.cautions(statement.account, statement.as_of):
        yield f"Note: {caution.message} ({caution.section})"
    for exposure in case.municipality.exposures(statement.account, statement.as_of):
        yield f"Not billed; a court may impose: {exposure.words} ({exposure.clause.section})"


def _basis(statement: Statement) -> str:
    return {"return": "the return filed", "estimate": "an estimate", "none": "nothing filed yet"}[statement.basis]
