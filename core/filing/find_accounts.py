"""Find period accounts in pages, with the names of their place and filer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Boolean, Date, Integer, Text, Uuid, bindparam, text

from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import Period
from core.filing.records import PeriodAccount

_PAGE = text("""
    SELECT a.id, a.filer_id, a.place_id, a.tax, a.period, a.first_day, a.last_day,
           p.number AS place_number, p.name AS place_name, f.name AS filer_name
    FROM fisc.period_accounts a
    JOIN fisc.places p ON p.tenant_id = :tenant AND p.id = a.place_id
    JOIN fisc.filers f ON f.tenant_id = :tenant AND f.id = a.filer_id
    WHERE a.tenant_id = :tenant AND (:all OR a.filer_id = ANY(:filers))
      AND (:place IS NULL OR a.place_id = :place) AND (:tax IS NULL OR a.tax = :tax)
      AND (:period IS NULL OR a.period = :period)
      AND (:last_day IS NULL OR (a.last_day, a.id) > (:last_day, :id))
    ORDER BY a.last_day, a.id LIMIT :most
""").bindparams(
    bindparam("all", type_=Boolean),
    bindparam("filers", type_=ARRAY(Uuid)),
    bindparam("place", type_=Uuid),
    bindparam("tax", type_=Text),
    bindparam("period", type_=Text),
    bindparam("last_day", type_=Date),
    bindparam("id", type_=Uuid),
    bindparam("most", type_=Integer),
)


class Sought(NamedTuple):
    """Which accounts: those of these filers (None: of all), of a place, tax and period (None: of any)."""

    filers: frozenset[UUID] | None = None
    place: UUID | None = None
    tax: str | None = None
    period: str | None = None


class NamedAccount(NamedTuple):
    """A period account with the names of its place and filer."""

    record: PeriodAccount
    place_number: int
    place_name: str
    filer_name: str


def accounts_page(
    uow: UnitOfWork, sought: Sought, after: tuple[date, UUID] | None, most: int
) -> tuple[NamedAccount, ...]:
    """At most `most` of these accounts after the one with this last day and id, by last day and id."""
    last_day, last_id = after if after is not None else (None, None)
    return _named(
        uow.rows(
            _PAGE,
            all=sought.filers is None,
            filers=list(sought.filers or ()),
            place=sought.place,
            tax=sought.tax,
            period=sought.period,
            last_day=last_day,
            id=last_id,
            most=most,
        )
    )


def _named(rows: Iterable[Any]) -> tuple[NamedAccount, ...]:
    return tuple(
        NamedAccount(
            PeriodAccount(row.id, row.filer_id, row.place_id, row.tax, Period(row.period, row.first_day, row.last_day)),
            row.place_number,
            row.place_name,
            row.filer_name,
        )
        for row in rows
    )
