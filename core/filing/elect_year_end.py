"""The year that a filer elects with its first return: recorded once, as a version of the filer's details."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.filing.find_filers import find_filer
from core.filing.records import FilerDetails

# The rows and their versions in one statement, however many elect. Whoever comes second finds the month set and
# changes nothing.
_ELECT = """
    WITH elected AS (
        UPDATE fisc.filers f SET version = f.version + 1, year_end_month = n.month
        FROM unnest(%(filers)s::uuid[], %(months)s::int[]) AS n (filer, month)
        WHERE f.tenant_id = %(tenant)s AND f.id = n.filer AND f.year_end_month IS NULL
        RETURNING f.id, f.version, f.name, f.address, f.email, f.phone, f.year_end_month)
    INSERT INTO fisc.revisions (tenant_id, record, record_id, version, content, recorded_by, recorded_on)
    SELECT %(tenant)s, 'filer', e.id, e.version, to_jsonb(e) - 'version' - 'id', %(by)s, %(on)s FROM elected e
    RETURNING record_id
"""


def elect_year_ends(uow: UnitOfWork, months: Mapping[UUID, int], recorded: Recorded) -> dict[UUID, int]:
    """Record the month (1 to 12) in which each filer's year ends, unless one stands; answers the months that stand.

    Raises FilerUnknown.
    """
    filers = sorted(months)
    parameters = {"tenant": uow.tenant, "filers": filers, "months": [months[filer] for filer in filers]}
    rows = uow.driver.execute(_ELECT, {**parameters, "by": recorded.by, "on": recorded.on}).fetchall()
    elected = {filer for (filer,) in rows}
    return {filer: months[filer] if filer in elected else _standing(uow, filer) for filer in filers}


def _standing(uow: UnitOfWork, filer: UUID) -> int:
    standing: FilerDetails = find_filer(uow, filer).details
    assert standing.year_end_month is not None
    return standing.year_end_month
