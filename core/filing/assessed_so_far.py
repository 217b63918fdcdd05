"""What the last assessment of an account came to, without all that a replay needs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple
from uuid import UUID

from core.db.unit_of_work import UnitOfWork

_LAST = """
    SELECT l.account_id, l.as_of, l.event_seqs, l.statement::json -> 'charges'
    FROM (SELECT DISTINCT ON (account_id) account_id, as_of, event_seqs, statement
          FROM fisc.assessments WHERE tenant_id = %s AND account_id = ANY(%s)
          ORDER BY account_id, number DESC) l
"""


class AssessedSoFar(NamedTuple):
    """The day as of which it was assessed, the events that it knew, and what was owed by kind of charge, in cents."""

    as_of: date
    event_seqs: frozenset[int]
    charges: dict[str, int]


def assessed_so_far(uow: UnitOfWork, accounts: Iterable[UUID]) -> dict[UUID, AssessedSoFar]:
    """The last assessment of each of these accounts that has one, in one statement."""
    rows = uow.driver.execute(_LAST, (uow.tenant, list(accounts))).fetchall()
    return {row[0]: AssessedSoFar(row[1], frozenset(row[2]), row[3]) for row in rows}
