"""Lists which returns are owed as of a day: until when, whether each is filed, and which are late."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork, reading
from core.domain.calendar import ONE_DAY, Period
from core.filing.filed_so_far import FiledSoFar, filed_so_far, places_of_filers
from core.services.filing.owed import owed_returns
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.openings import opened_on


class ReturnOwed(NamedTuple):
    """A return that a place owes. `due_on` is the day in the text, `met_by` where it falls on a business day.

    `file_by` is `met_by`, or later where the return is extended. `filed_on` is the earliest day that a return counts
    for, None while none is filed. `account_id` is None while the account is not open.
    """

    filer_id: UUID
    filer_name: str
    place_id: UUID
    place_number: int
    place_name: str
    tax: str
    period: Period
    due_on: date
    met_by: date
    file_by: date
    filed_on: date | None
    is_late: bool
    account_id: UUID | None


def obligations(
    engine: Engine,
    tenant: Tenant,
    as_of: date,
    *,
    filer: UUID | None = None,
    reach: frozenset[UUID] | None = None,
    open_only: bool = False,
) -> tuple[ReturnOwed, ...]:
    """The returns of every place, or of a filer's, for what was over before a day, as known at its end.

    They come by due date, then by place. `reach` are the filers that may be looked at, None all; `open_only` leaves
    out what is filed. Before the municipality is open nothing is owed here.
    """
    with reading(engine, tenant.id) as uow:
        wanted: list[UUID | None] = [filer]
        if reach is not None:
            wanted = [one for one in sorted(reach) if filer is None or one == filer]
        since = opened_on(uow)
        municipality = open_tenant(uow, tenant.key, as_of)
        if since is None or since > as_of:
            return ()
        found = [owed for one in wanted for owed in _of_filer(uow, municipality, since, as_of, one)]
    listed = [owed for owed in found if owed.filed_on is None or not open_only]
    return tuple(sorted(listed, key=lambda owed: (owed.due_on, owed.place_number, owed.tax, owed.period.key)))


def _of_filer(
    uow: UnitOfWork, municipality: OpenMunicipality, since: date, as_of: date, filer: UUID | None
) -> Iterator[ReturnOwed]:
    places = places_of_filers(uow, filer)
    filed = {(one.account.place_id, one.account.tax, one.account.period.key): one for one in _filed(uow, as_of, filer)}
    through = as_of - ONE_DAY
    wanted = {
        (one.place_id, one.tax, one.period.key): one.period
        for one in owed_returns(uow, municipality, places, since, through, filer)
    }
    # An account that is open says which days it has; one with a return is listed though nothing is owed any more.
    wanted |= {key: one.account.period for key, one in filed.items() if key in wanted or one.filed_on is not None}
    for (place_id, tax, _), period in wanted.items():
        place = places[place_id]
        so_far = filed.get((place_id, tax, period.key))
        filed_on = so_far.filed_on if so_far is not None else None
        extended_to = so_far.extended_to if so_far is not None else None
        dates = municipality.deadlines(period)
        file_by = dates.rolled(max(dates.nominal, extended_to)) if extended_to is not None else dates.effective
        yield ReturnOwed(
            place.filer_id,
            place.filer_name,
            place_id,
            place.number,
            place.name,
            tax,
            period,
            dates.nominal,
            dates.effective,
            file_by,
            filed_on,
            (filed_on if filed_on is not None else as_of) > file_by,
            so_far.account.id if so_far is not None else None,
        )


def _filed(uow: UnitOfWork, as_of: date, filer: UUID | None) -> Iterator[FiledSoFar]:
    yield from (one for one in filed_so_far(uow, as_of, filer) if one.account.period.last_day < as_of)
