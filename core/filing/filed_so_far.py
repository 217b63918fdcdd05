"""Accounts with what was filed on them so far, and the places and filers they belong to, for lists of what is owed."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Date, Uuid, bindparam, text

from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import Period
from core.filing.records import PeriodAccount

_FILED = text("""
    SELECT a.id, a.filer_id, a.place_id, a.tax, a.period, a.first_day, a.last_day,
           min(e.counts_on) FILTER (WHERE e.kind = 'return_filed') AS filed_on,
           max((e.payload ->> 'until')::date) FILTER (WHERE e.kind = 'extension') AS extended_to
    FROM fisc.period_accounts a
    LEFT JOIN fisc.events e ON e.tenant_id = :tenant AND e.account_id = a.id
         AND e.kind IN ('return_filed', 'extension') AND e.recorded_on <= :known_on
    WHERE a.tenant_id = :tenant AND (:filer IS NULL OR a.filer_id = :filer)
    GROUP BY a.tenant_id, a.id
""").bindparams(bindparam("filer", type_=Uuid), bindparam("known_on", type_=Date))
_PLACES = text("""
    SELECT p.id, p.filer_id, p.number, p.name, p.recorded_on, f.name AS filer_name, f.year_end_month
    FROM fisc.places p JOIN fisc.filers f ON f.tenant_id = :tenant AND f.id = p.filer_id
    WHERE p.tenant_id = :tenant AND (:filer IS NULL OR p.filer_id = :filer)
    ORDER BY p.number
""").bindparams(bindparam("filer", type_=Uuid))


class FiledSoFar(NamedTuple):
    """An account; the earliest day that one of its returns counts for, and the latest day it was extended to."""

    account: PeriodAccount
    filed_on: date | None
    extended_to: date | None


class PlaceOfFiler(NamedTuple):
    """A place, the day on which it was entered, and its filer with the month that its year ends in."""

    id: UUID
    filer_id: UUID
    number: int
    name: str
    recorded_on: date
    filer_name: str
    year_end_month: int | None


def filed_so_far(uow: UnitOfWork, known_on: date, filer: UUID | None = None) -> tuple[FiledSoFar, ...]:
    """Every account, or a filer's, as known at the end of a day, in one statement."""
    return tuple(
        FiledSoFar(
            PeriodAccount(row.id, row.filer_id, row.place_id, row.tax, Period(row.period, row.first_day, row.last_day)),
            row.filed_on,
            row.extended_to,
        )
        for row in uow.rows(_FILED, known_on=known_on, filer=filer)
    )


def places_of_filers(uow: UnitOfWork, filer: UUID | None = None) -> dict[UUID, PlaceOfFiler]:
    """Every place, or a filer's, with its filer, by number, in one statement."""
    return {row.id: PlaceOfFiler._make(row) for row in uow.rows(_PLACES, filer=filer)}
