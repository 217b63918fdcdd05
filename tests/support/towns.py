"""A tenant with settings, books, one filer and place, and open period accounts: where an account test starts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.contract.settings import Resolution
from core.db.recorded import Recorded
from core.db.remember import Answer, Request
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.events import Estimate, Event, Payment, PaymentReturned, ReturnFiled, Waiver
from core.domain.receipts import Receipts
from core.filing.accounts import open_accounts
from core.filing.owed_periods import owed_periods
from core.filing.places import register_place
from core.filing.records import FilerDetails, PeriodAccount, PlaceDetails
from core.filing.register_filer import register_filer
from core.services.accounts.post import open_books
from core.services.accounts.record import Act, record_acts
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.openings import record_opening
from core.tenants.record_setting import record_resolution
from tests.support.tenants import new_tenant

NEVER = date.max  # an event is given its day of recording when it is recorded


class Town(NamedTuple):
    """A tenant ready for work, and its accounts by period key."""

    engine: Engine
    tenant: Tenant
    accounts: dict[str, PeriodAccount]

    def act(self, on_day: date, *acts: tuple[str, Event], key: str = "", by: str = "treasurer") -> Answer:
        """Record acts, each (period key, event), on a day. Without a key the request has one of its own."""
        done = [Act(self.accounts[period].id, event, {"form": period}) for period, event in acts]
        name = key or f"{on_day}:{[(period, event) for period, event in acts]}"
        request = Request.of(by, name[:200], repr(acts).encode())
        return record_acts(self.engine, self.tenant, request, done, Recorded(by, on_day))


def open_town(
    app: Engine,
    host: Engine,
    key: str,
    plugin: str,
    first_day: date = date(2025, 1, 1),
    through: date = date(2026, 12, 31),
    resolutions: Sequence[tuple[str, int]] = (("late_filing_fee", 2_500), ("returned_payment_fee", 3_500)),
) -> Town:
    """A tenant of this plugin with its required resolutions set, one filer and one place open from `first_day`."""
    tenant = new_tenant(host, key, plugin)
    recorded = Recorded("treasurer", first_day)

    def make(uow: UnitOfWork) -> dict[str, PeriodAccount]:
        municipality = open_tenant(uow, key)
        for name, cents in resolutions:
            if name in municipality.law.resolution_slots:
                record_resolution(uow, municipality.law, Resolution(name, cents, first_day, f"{name}-1"), recorded)
        open_books(uow, municipality)
        record_opening(uow, first_day, recorded)
        filer = register_filer(uow, FilerDetails("Lake House LLC", "1 Shore Road"), recorded)
        place = register_place(uow, filer.id, PlaceDetails("Lake House"), first_day, ["room_tax"], recorded)
        frequencies = {name: tax.frequency for name, tax in municipality.taxes.items()}
        owed = owed_periods(uow, frequencies, through, filer=filer.id)
        assert place.filer_id == filer.id
        return {one.period.key: one for one in open_accounts(uow, owed)}

    return Town(app, tenant, in_transaction(app, tenant.id, make))


def a_return(on: date, period: PeriodAccount, cents: int, **deductions: int) -> ReturnFiled:
    """A return of room receipts in cents."""
    part = Receipts(period.period.first_day, period.period.last_day, (("rooms", cents),), tuple(deductions.items()))
    return ReturnFiled(0, on, NEVER, (part,))


def an_estimate(on: date, period: PeriodAccount, cents: int) -> Estimate:
    """An estimate of room receipts in cents."""
    part = Receipts(period.period.first_day, period.period.last_day, (("rooms", cents),))
    return Estimate(0, on, NEVER, (part,))


def a_payment(on: date, cents: int) -> Payment:
    """A payment in cents."""
    return Payment(0, on, NEVER, cents)


def came_back(on: date, seq: int, paid_on: date, cents: int) -> PaymentReturned:
    """The payment with this seq came back."""
    return PaymentReturned(0, on, NEVER, seq, paid_on, cents)


def a_waiver(on: date, kind: str, cents: int) -> Waiver:
    """A waiver in cents."""
    return Waiver(0, on, NEVER, kind, cents, "good cause")


def account_id(town: Town, period: str) -> UUID:
    """The id of an account."""
    return town.accounts[period].id


def set_fee(town: Town, key: str, cents: int, since: date = date(2025, 1, 1)) -> None:
    """Record a resolution in cents."""

    def record(uow: UnitOfWork) -> None:
        law = open_tenant(uow, town.tenant.key).law
        record_resolution(uow, law, Resolution(key, cents, since, f"{key}-1"), Recorded("treasurer", since))

    in_transaction(town.engine, town.tenant.id, record)
