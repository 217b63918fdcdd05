"""Checks the clause table: a clause that is claimed must have code and a test, and every mark must name a clause."""

from __future__ import annotations

from collections.abc import Sequence

from core.services.clauses.collect import TESTS, ClauseReport, marked_tests
from core.services.clauses.write import stale_pages


def findings(reports: Sequence[ClauseReport], complete: bool) -> list[str]:
    """What is wrong with the table, one message each. `complete`: the reports cover all that is installed."""
    wrong: list[str] = []
    for report in reports:
        if report.row.claim != "implemented":
            continue
        clause_id = report.row.clause.id
        if not any(not place.startswith("law: ") for place in report.code):
            wrong.append(f"{clause_id} ({report.row.clause.section}) is claimed and no function implements it")
        if not report.tests:
            wrong.append(f"{clause_id} ({report.row.clause.section}) is claimed and no test is marked with it")
    if complete:
        known = {report.row.clause.id for report in reports}
        wrong += [
            f"{tests[0]} is marked with {clause_id}, which no clause table has"
            for clause_id, tests in marked_tests(TESTS).items()
            if clause_id not in known
        ]
        wrong += [f"{page} does not show the table as it is: run fisc clauses --write" for page in stale_pages(reports)]
    return wrong
