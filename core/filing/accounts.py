"""Period accounts: open those that are missing, find them, and lock them before anything about them is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Row, Select, Uuid, bindparam, func, select

from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7
from core.domain.calendar import Period
from core.filing.owed_periods import Obligation
from core.filing.records import AccountUnknown, PeriodAccount
from core.filing.tables import period_accounts

_IDS = func.any(bindparam("ids", type_=ARRAY(Uuid)))
# One statement, however many are missing.
_OPEN = """
    INSERT INTO fisc.period_accounts (tenant_id, id, filer_id, place_id, tax, period, first_day, last_day)
    SELECT %(tenant)s, a.* FROM unnest(%(id)s::uuid[], %(filer_id)s::uuid[], %(place_id)s::uuid[], %(tax)s::text[],
                                       %(period)s::text[], %(first_day)s::date[], %(last_day)s::date[]) AS a
    ON CONFLICT DO NOTHING
"""
_ALL = select(period_accounts).where(of_tenant(period_accounts))
_BY_ID = _ALL.where(period_accounts.c.id == _IDS).order_by(period_accounts.c.id)
# PostgreSQL locks the rows in the order in which it gives them, so two transactions never wait in a circle.
_LOCK = _BY_ID.with_for_update(key_share=True)
_OF_PLACES = _ALL.where(period_accounts.c.place_id == _IDS)
_OF_FILER = _ALL.where(period_accounts.c.filer_id == bindparam("filer")).order_by(
    period_accounts.c.first_day, period_accounts.c.tax, period_accounts.c.id
)
_OF_TAX = _ALL.where(period_accounts.c.tax == bindparam("tax")).order_by(
    period_accounts.c.first_day, period_accounts.c.id
)
_OF_PERIOD = (
    _ALL.where(period_accounts.c.tax == bindparam("tax"), period_accounts.c.period == bindparam("period"))
    .order_by(period_accounts.c.id)
    .with_for_update(key_share=True)
)


def accounts_of_tax(uow: UnitOfWork, tax: str) -> tuple[PeriodAccount, ...]:
    """Every account of a tax, to be looked at and not acted on; by period."""
    return tuple(_account(row) for row in uow.rows(_OF_TAX, tax=tax))


def open_accounts(uow: UnitOfWork, wanted: Iterable[Obligation]) -> tuple[PeriodAccount, ...]:
    """The accounts of these places, taxes and periods, in the order asked for; those that are missing are made."""
    asked = list(wanted)
    if not asked:
        return ()
    # In one order, so that two who open the same accounts never wait in a circle.
    rows = [_row(one) for one in sorted(asked, key=lambda one: (one.place_id, one.tax, one.period.key))]
    uow.driver.execute(_OPEN, {"tenant": uow.tenant, **{name: [row[name] for row in rows] for name in rows[0]}})
    there = uow.rows(_OF_PLACES, ids=list({one.place_id for one in asked}))
    found = {(row.place_id, row.tax, row.period): _account(row) for row in there}
    return tuple(found[one.place_id, one.tax, one.period.key] for one in asked)


def lock_accounts(uow: UnitOfWork, ids: Iterable[UUID]) -> dict[UUID, PeriodAccount]:
    """Lock these accounts until the transaction ends, in the order of their ids; every verb does so first, then reads.

    The answer is in that order. Raises AccountUnknown.
    """
    return _by_id(uow, _LOCK, set(ids))


def lock_period(uow: UnitOfWork, tax: str, period: str) -> dict[UUID, PeriodAccount]:
    """Lock every account of a tax and period, as a distribution does: two of them, or one and a payment, take turns."""
    return {row.id: _account(row) for row in uow.rows(_OF_PERIOD, tax=tax, period=period)}


def find_accounts(uow: UnitOfWork, ids: Iterable[UUID]) -> dict[UUID, PeriodAccount]:
    """These accounts, to be looked at and not acted on. Raises AccountUnknown."""
    return _by_id(uow, _BY_ID, set(ids))


def accounts_of(uow: UnitOfWork, filer: UUID) -> tuple[PeriodAccount, ...]:
    """A filer's accounts, by period."""
    return tuple(_account(row) for row in uow.rows(_OF_FILER, filer=filer))


def accounts_of_places(uow: UnitOfWork, places: Iterable[UUID]) -> tuple[PeriodAccount, ...]:
    """The accounts of these places, in the order of their ids, in one statement."""
    rows = uow.rows(_OF_PLACES, ids=list(places))
    return tuple(sorted((_account(row) for row in rows), key=lambda account: account.id))


def _by_id(uow: UnitOfWork, statement: Select[Any], ids: set[UUID]) -> dict[UUID, PeriodAccount]:
    found = {row.id: _account(row) for row in uow.rows(statement, ids=list(ids))}
    missing = ids - found.keys()
    if missing:
        raise AccountUnknown(f"no period account here has the id {min(missing)}")
    return found


def _row(one: Obligation) -> dict[str, Any]:
    return {
        "id": uuid7(),
        "filer_id": one.filer_id,
        "place_id": one.place_id,
        "tax": one.tax,
        "period": one.period.key,
        "first_day": one.period.first_day,
        "last_day": one.period.last_day,
    }


def _account(row: Row[Any]) -> PeriodAccount:
    return PeriodAccount(row.id, row.filer_id, row.place_id, row.tax, Period(row.period, row.first_day, row.last_day))
