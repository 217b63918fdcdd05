"""Lists what stands to the credit of filers: the same figures for a filer and for the treasurer."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.db.unit_of_work import reading
from core.domain.calendar import ONE_DAY
from core.domain.errors import ResolutionMissing, ValueNotInForce
from core.filing.filed_so_far import PlaceOfFiler, places_of_filers
from core.filing.payments import accounts_paid
from core.services.accounts.load import LoadedAccount, load_accounts
from core.services.accounts.post import credit
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant


class Credit(NamedTuple):
    """What is paid and not owed on an account, in cents, and since which day a credit has stood there."""

    account_id: UUID
    filer_id: UUID
    filer_name: str
    place_id: UUID
    place_number: int
    place_name: str
    tax: str
    period: str
    cents: int
    since: date


def credits(
    engine: Engine, tenant: Tenant, as_of: date, *, filer: UUID | None = None, reach: frozenset[UUID] | None = None
) -> tuple[Credit, ...]:
    """The accounts in credit as of a day, as known at its end, by place and period.

    Of every filer, or of one; `reach` are the filers that may be looked at, None all. Money held for a period for
    which nothing is filed is no credit (READINGS 21). An account that waits for a resolution is on the list of what
    waits, and not here.
    """
    filers = reach if filer is None else frozenset({filer}) & (reach if reach is not None else {filer})
    with reading(engine, tenant.id) as uow:
        municipality = open_tenant(uow, tenant.key, as_of)
        accounts = load_accounts(uow, municipality, accounts_paid(uow, filers), as_of).values()
        places = places_of_filers(uow, filer)
    found = [_credit(account, places, as_of) for account in accounts]
    return tuple(
        sorted(
            (one for one in found if one is not None),
            key=lambda one: (one.place_number, one.tax, one.period),
        )
    )


def _credit(account: LoadedAccount, places: dict[UUID, PlaceOfFiler], as_of: date) -> Credit | None:
    cents = _cents(account, as_of)
    if not cents:
        return None
    record = account.record
    place = places[record.place_id]
    return Credit(
        record.id,
        record.filer_id,
        place.filer_name,
        place.id,
        place.number,
        place.name,
        record.tax,
        record.period.key,
        cents,
        _since(account, as_of),
    )


def _cents(account: LoadedAccount, day: date) -> int:
    try:
        return credit(account.statement(day))
    except (ResolutionMissing, ValueNotInForce):
        return 0


def _since(account: LoadedAccount, as_of: date) -> date:
    """The day on which something was recorded and since which a credit has stood without a break.

    The passing of days uses a credit up and makes none, so one that stood on the eve of a day stood until then.
    """
    inputs = [day for day, _ in account.inputs_by_day]
    days = sorted({day for day in (*[event.recorded for event in account.events], *inputs) if day <= as_of})
    since = as_of
    for day in reversed(days):
        since = day
        if not _cents(account, day - ONE_DAY):
            break
    return since
