"""Tenants for the tests, and a small municipality's worth of records in each."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.db.engine import make_engine
from core.db.recorded import Recorded
from core.db.roles import Role
from core.db.unit_of_work import UnitOfWork
from core.db.url import Database
from core.domain.calendar import Frequency
from core.domain.events import Payment, ReturnFiled
from core.domain.receipts import Receipts
from core.filing.accounts import lock_accounts, open_accounts
from core.filing.attachments import attach
from core.filing.events import record_events
from core.filing.owed_periods import owed_periods
from core.filing.places import register_place
from core.filing.records import FilerDetails, PeriodAccount, PlaceDetails, Submission
from core.filing.register_filer import register_filer
from core.filing.returns import record_return
from core.tenants.directory import Tenant, add_tenant

CLERK = Recorded("clerk", date(2026, 7, 1))
EVERY_THREE_MONTHS = Frequency("three-monthly", 3, "Q")


@contextmanager
def opened_engine(database: Database, role: Role, **options) -> Iterator[Engine]:
    """An engine for a role, closed at the end so that the database can be dropped."""
    engine = make_engine(database.address(role), **options)
    try:
        yield engine
    finally:
        engine.dispose()


def new_tenant(host: Engine, key: str, plugin: str = "bayfield") -> Tenant:
    """A municipality in the directory."""
    with host.begin() as connection:
        return add_tenant(
            connection,
            key=key,
            plugin=plugin,
            name=f"The Town of {key.title()}",
            time_zone="America/Chicago",
            added_by="host",
        )


class Records(NamedTuple):
    """What `fill` made, by id."""

    tenant: int
    filer: UUID
    place: UUID
    accounts: tuple[PeriodAccount, ...]
    filed: UUID
    paper: UUID


def fill(uow: UnitOfWork, name: str = "Lake House", day: date = date(2026, 1, 1)) -> Records:
    """A filer with one place, two period accounts, a return with a paper on the first, and a payment on it."""
    filer = register_filer(uow, FilerDetails(name, "1 Shore Road"), CLERK)
    place = register_place(uow, filer.id, PlaceDetails(name), day, ["room_tax"], CLERK)
    owed = owed_periods(uow, {"room_tax": EVERY_THREE_MONTHS}, date(2026, 6, 30), filer=filer.id)
    accounts = open_accounts(uow, owed)
    lock_accounts(uow, [account.id for account in accounts])
    part = Receipts(date(2026, 1, 1), date(2026, 3, 31), (("rooms", 123_456),), (("exempt", 3_456),))
    form = Submission({"rooms": "1234.56", "exempt": "34.56"}, "portal", CLERK.on, "bayfield", "1")
    returned = ReturnFiled(1, date(2026, 4, 30), CLERK.on, (part,))
    filed = record_return(uow, accounts[0], returned, form, "filer")
    record_events(uow, [(accounts[0].id, Payment(2, date(2026, 4, 30), CLERK.on, 9_600))], "filer")
    paper = attach(uow, filer.id, "ledger.pdf", "application/pdf", b"%PDF-1.7 rooms", CLERK, filed=filed.id)
    return Records(uow.tenant, filer.id, place.id, accounts, filed.id, paper.id)
