"""What a return has to know of its place before it is read: whose it is, what it owes, and whether the account is open.

Through the driver and in one statement for a whole submission: it stands on the path of every return.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple
from uuid import UUID

from core.db.unit_of_work import UnitOfWork

Wanted = tuple[UUID, str, str]

_FIND = """
    SELECT w.place, p.filer_id, f.year_end_month, p.furnished_by, p.private_benefit, t.since, a.id,
           a.first_day, a.last_day
    FROM unnest(%(places)s::uuid[], %(taxes)s::text[], %(periods)s::text[]) WITH ORDINALITY
         AS w (id, tax, period, place)
    JOIN fisc.places p ON p.tenant_id = %(tenant)s AND p.id = w.id
    JOIN fisc.filers f ON f.tenant_id = %(tenant)s AND f.id = p.filer_id
    LEFT JOIN fisc.place_taxes t ON t.tenant_id = %(tenant)s AND t.place_id = w.id AND t.tax = w.tax
    LEFT JOIN fisc.period_accounts a
           ON a.tenant_id = %(tenant)s AND a.place_id = w.id AND a.tax = w.tax AND a.period = w.period
"""


class PlaceForFiling(NamedTuple):
    """A place with its filer, as a return for one tax and period looks at it.

    `year_end_month` is the filer's, None until elected. `since` is the day from which the place owes the tax, None
    where it does not. `account_id` is None where the account of the period is not open yet; an open one has the days
    it was opened with.
    """

    filer_id: UUID
    year_end_month: int | None
    furnished_by: str
    private_benefit: bool
    since: date | None
    account_id: UUID | None
    first_day: date | None
    last_day: date | None


def places_for_filing(uow: UnitOfWork, wanted: Sequence[Wanted]) -> list[PlaceForFiling | None]:
    """For each (place, tax, period key) in turn what is known of it, None where there is no such place."""
    columns: list[list[object]] = [list(column) for column in zip(*wanted, strict=True)] or [[], [], []]
    names = ("places", "taxes", "periods")
    parameters = {"tenant": uow.tenant, **dict(zip(names, columns, strict=True))}
    found: list[PlaceForFiling | None] = [None] * len(wanted)
    for row in uow.driver.execute(_FIND, parameters).fetchall():
        found[row[0] - 1] = PlaceForFiling(*row[1:])
    return found
