"""The year that a filer elects with its first return: recorded once, as a version of the filer's details."""

from __future__ import annotations

from uuid import UUID

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.filing.find_filers import find_filer
from core.filing.records import FilerDetails

# The row and its version in one statement; whoever comes second finds the month set and changes nothing.
_ELECT = """
    WITH elected AS (
        UPDATE fisc.filers SET version = version + 1, year_end_month = %(month)s
        WHERE tenant_id = %(tenant)s AND id = %(filer)s AND year_end_month IS NULL
        RETURNING version, name, address, email, phone, year_end_month)
    INSERT INTO fisc.revisions (tenant_id, record, record_id, version, content, recorded_by, recorded_on)
    SELECT %(tenant)s, 'filer', %(filer)s, e.version, to_jsonb(e) - 'version', %(by)s, %(on)s FROM elected e
    RETURNING version
"""


def elect_year_end(uow: UnitOfWork, filer: UUID, month: int, recorded: Recorded) -> int:
    """Record the month (1 to 12) in which a filer's year ends, unless one stands; answers the month that stands.

    Raises FilerUnknown.
    """
    parameters = {"tenant": uow.tenant, "filer": filer, "month": month, "by": recorded.by, "on": recorded.on}
    if uow.driver.execute(_ELECT, parameters).fetchone() is not None:
        return month
    standing: FilerDetails = find_filer(uow, filer).details
    assert standing.year_end_month is not None
    return standing.year_end_month
