"""The daily run of a municipality with 10,000 period accounts: one night, and a month caught up after days off.

1,250 places with eight periods each. Six in ten accounts are filed and paid in time, two are filed and paid in part,
so that they bear interest, one is filed late, and one is not filed at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date, timedelta

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.contract.settings import Resolution
from core.db.recorded import Recorded
from core.db.roles import Role
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.calendar import add_months
from core.domain.events import Payment, ReturnFiled
from core.domain.receipts import Receipts
from core.filing.accounts import open_accounts
from core.filing.owed_periods import owed_periods
from core.filing.places import register_place
from core.filing.records import FilerDetails, PlaceDetails
from core.filing.register_filer import register_filer
from core.services.accounts.post import open_books
from core.services.accounts.record import Act, record_in
from core.services.daily.run import DayDone, run_days
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.openings import record_opening
from core.tenants.record_setting import record_resolution
from tests.benchmarks import Result, cpu_seconds, seconds
from tests.support.durable_server import durable_server, migrated
from tests.support.tenants import new_tenant, opened_engine

PLACES = 1_250 if not os.environ.get("FISC_BENCH_SMALL") else 125
OPENED, ENDED, RECORDED = date(2024, 4, 1), date(2026, 3, 31), date(2026, 4, 20)
BY = Recorded("treasurer", RECORDED)


def bench_daily() -> Iterator[Result]:
    with ExitStack() as stack:
        database = migrated(stack.enter_context(durable_server()), "daily")
        app = stack.enter_context(opened_engine(database, Role.APP))
        host = stack.enter_context(opened_engine(database, Role.HOST))
        tenant = new_tenant(host, "bay")
        accounts = in_transaction(app, tenant.id, lambda uow: fill(uow, tenant))
        ran(app, tenant, RECORDED)
        tomorrow, month_later = RECORDED + timedelta(1), add_months(RECORDED, 1)
        night = cpu_seconds(lambda: ran(app, tenant, tomorrow))
        yield Result(f"a night, {accounts:,} accounts", night, "s of a core", at_most=10)
        done: list[DayDone] = []
        took = seconds(lambda: done.extend(ran(app, tenant, month_later)))
        posted = sum(one.posted for one in done)
        yield Result(f"{len(done)} days caught up, {posted:,} entries", took, "s", at_most=30)


def ran(app: Engine, tenant: Tenant, on: date) -> list[DayDone]:
    """The days that were done."""
    return [one for one in run_days(app, tenant, on) if isinstance(one, DayDone)]


def fill(uow: UnitOfWork, tenant: Tenant) -> int:
    """The places, and what happened on their accounts; answers how many accounts there are."""
    early = Recorded("treasurer", OPENED)
    municipality = open_municipality(tenant.plugin)
    for key in municipality.law.resolution_slots:
        record_resolution(uow, municipality.law, Resolution(key, 2_500, OPENED, "1"), early)
    open_books(uow, open_tenant(uow, tenant.key))
    record_opening(uow, OPENED, early)
    filer = register_filer(uow, FilerDetails("Cabins LLC"), early)
    for number in range(PLACES):
        register_place(uow, filer.id, PlaceDetails(f"Cabin {number}"), OPENED, ["room_tax"], early)
    frequencies = {key: tax.frequency for key, tax in municipality.taxes.items()}
    accounts = open_accounts(uow, owed_periods(uow, frequencies, ENDED))
    acts: list[Act] = []
    for number, account in enumerate(accounts):
        habit, period = number % 10, account.period
        if habit == 9:
            continue
        due = municipality.deadlines(period).effective
        on = min(RECORDED, due + timedelta(days=20 if habit == 8 else -3))
        gross = 500_000 + number * 97
        part = Receipts(period.first_day, period.last_day, (("rooms", gross),))
        acts.append(Act(account.id, ReturnFiled(0, on, date.max, (part,)), {}))
        tax = (2 * 65 * gross + 1000) // 2000
        acts.append(Act(account.id, Payment(0, on, date.max, tax // 2 if habit in (6, 7) else tax)))
    record_in(uow, acts, BY)
    return len(accounts)
