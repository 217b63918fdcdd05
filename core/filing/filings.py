"""What was filed on each period account, without who filed it: for figures that are pooled over a municipality."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Date, bindparam, text

from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import Period


class Filing(NamedTuple):
    """A period account: how many returns and estimates it has, and for which day its first return counts."""

    account_id: UUID
    tax: str
    period: Period
    returns: int
    estimates: int
    first_return_on: date | None


class Registered(NamedTuple):
    """How many filers and places of business there are, and how many places have closed for good."""

    filers: int
    places: int
    closed: int


_FILINGS = text("""
    SELECT a.id, a.tax, a.period, a.first_day, a.last_day,
        count(e.seq) FILTER (WHERE e.kind = 'return_filed') AS returns,
        count(e.seq) FILTER (WHERE e.kind = 'estimate') AS estimates,
        min(e.counts_on) FILTER (WHERE e.kind = 'return_filed') AS first_return_on
    FROM fisc.period_accounts a LEFT JOIN fisc.events e
        ON e.tenant_id = a.tenant_id AND e.account_id = a.id AND e.kind IN ('return_filed', 'estimate')
    WHERE a.tenant_id = :tenant
    GROUP BY a.id, a.tax, a.period, a.first_day, a.last_day
    ORDER BY a.tax, a.last_day, a.period, a.id
""")
# A place is closed when the last of its openings and closings that stand is a closing that has come.
_REGISTERED = text("""
    SELECT (SELECT count(*) FROM fisc.filers WHERE tenant_id = :tenant) AS filers,
        (SELECT count(*) FROM fisc.places WHERE tenant_id = :tenant) AS places,
        (SELECT count(*) FROM (
            SELECT DISTINCT ON (f.place_id) f.place_id, f.kind
            FROM fisc.place_facts f
            WHERE f.tenant_id = :tenant AND f.kind IN ('opening', 'closing') AND f.first_day < :on
                AND NOT EXISTS (SELECT FROM fisc.place_facts w WHERE w.tenant_id = f.tenant_id
                    AND w.place_id = f.place_id AND w.withdraws = f.seq)
            ORDER BY f.place_id, f.first_day DESC, f.kind, f.seq DESC) last
        WHERE last.kind = 'closing') AS closed
""").bindparams(bindparam("on", type_=Date))


def filings(uow: UnitOfWork) -> tuple[Filing, ...]:
    """Every period account, by tax and period, in one statement."""
    return tuple(
        Filing(
            row.id,
            row.tax,
            Period(row.period, row.first_day, row.last_day),
            row.returns,
            row.estimates,
            row.first_return_on,
        )
        for row in uow.rows(_FILINGS)
    )


def registered(uow: UnitOfWork, on: date) -> Registered:
    """How many filers and places there are, and how many of them had closed before a day."""
    row = uow.row(_REGISTERED, on=on)
    assert row is not None
    return Registered(row.filers, row.places, row.closed)
