"""A year of three municipalities through the services into the books, as a program that can be killed and run again.

`python -m tests.support.year_story` works on the database of FISC_HOME: it migrates, adds the municipalities, and
records every act of the year in the order of its days, each under a request key of its own. A second run repeats
nothing. After each act it prints a line, so that whoever watches can kill it in the middle.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Engine

from core.contract.municipality import OpenMunicipality
from core.contract.settings import Resolution
from core.db.recorded import Recorded
from core.db.remember import Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.errors import Fault
from core.domain.events import Event, PaymentReturned
from core.filing.accounts import accounts_of, open_accounts
from core.filing.find_filers import filers_named
from core.filing.owed_periods import owed_periods
from core.filing.places import places_of, register_place
from core.filing.records import FilerDetails, PeriodAccount, PlaceDetails
from core.filing.register_filer import register_filer
from core.services.accounts.record import Act, record_acts
from core.services.cases.events import EventReader
from core.services.database import upgrade_installation
from core.services.installation import installation
from core.services.tenants.add import add_municipality
from core.tenants.directory import Tenant, TenantKeyTaken, find_tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.record_setting import record_resolution

PLUGINS = ("bayfield", "fox_cities_village", "montello")
OPENED = date(2025, 1, 1)
LAST_DAY = date(2027, 3, 31)
FEES = {"late_filing_fee": "25.00", "returned_payment_fee": "35.00"}
CLERK = "treasurer"
PERIODS = tuple(f"{year}-Q{number}" for year in (2025, 2026) for number in (1, 2, 3, 4))


def filed(on: str, dollars: str, **deductions: str) -> dict[str, Any]:
    return {"on": on, "type": "return_filed", "gross_receipts": dollars, "deductions": deductions}


def paid(on: str, dollars: str, recorded: str = "") -> dict[str, Any]:
    return {"on": on, "type": "payment", "amount": dollars, **({"recorded": recorded} if recorded else {})}


# One place of business: its periods and what happened, as the worked cases write it, in the order of recording.
YEAR: dict[str, list[dict[str, Any]]] = {
    # in time, paid in full or above
    "2025-Q1": [filed("2025-04-28", "10000.00"), paid("2025-04-28", "700.00")],
    # late, with deductions, paid in parts
    "2025-Q2": [
        filed("2025-08-20", "42000.00", marketplace="12000.00", long_stay="500.00"),
        paid("2025-08-20", "300.00"),
        paid("2025-10-01", "2000.00"),
    ],
    # nothing filed: an estimate, and then the return
    "2025-Q3": [
        {"on": "2025-11-20", "type": "estimate", "gross_receipts": "60000.00"},
        paid("2025-12-01", "900.00"),
        filed("2026-01-15", "51234.56"),
    ],
    # a quarter without receipts
    "2025-Q4": [filed("2026-01-29", "0.00")],
    # a check that comes back, and a late-recorded payment
    "2026-Q1": [
        filed("2026-04-20", "20000.00"),
        paid("2026-04-28", "500.00"),
        {"on": "2026-05-15", "type": "payment_returned", "payment_on": "2026-04-28", "amount": "500.00"},
        paid("2026-06-10", "250.00"),
        paid("2026-05-04", "100.00", recorded="2026-06-12"),
    ],
    # an extension, an amended return, a waiver
    "2026-Q2": [
        {"on": "2026-07-20", "type": "extension", "until": "2026-08-14"},
        filed("2026-08-17", "33333.33"),
        paid("2026-08-17", "1000.00"),
        filed("2026-10-02", "36333.33"),
        {"on": "2026-10-05", "type": "waiver", "kind": "interest", "amount": "5.00"},
        paid("2026-11-12", "1500.00"),
    ],
    # a notice, a return after it, a finding of intent
    "2026-Q3": [
        {"on": "2026-11-16", "type": "notice"},
        filed("2026-12-08", "15000.00"),
        {"on": "2027-01-05", "type": "finding", "finding": "fraud"},
        paid("2027-02-01", "400.00"),
    ],
    # nothing at all
    "2026-Q4": [],
}


class Step(NamedTuple):
    """One act of the story: the municipality, the period, the event as read, and the day on which it is recorded."""

    plugin: str
    period: str
    event: Event


def main() -> None:
    upgrade_installation()
    with installation() as installed:
        accounts = {plugin: _opened(installed.app, installed.host, plugin) for plugin in PLUGINS}
        for number, step in enumerate(story(), start=1):
            tenant, by_period = accounts[step.plugin]
            _record(installed.app, tenant, by_period[step.period], step)
            print(f"act {number}", flush=True)
    print("done", flush=True)


def story() -> list[Step]:
    """Every act of the three municipalities, in the order of the days on which they are recorded."""
    steps = []
    for plugin in PLUGINS:
        municipality = _plain(plugin)
        for period, events in YEAR.items():
            for event in _read(municipality, period, events):
                steps.append(Step(plugin, period, event))
    return sorted(steps, key=lambda step: step.event.recorded)


def tenant_key(plugin: str) -> str:
    return plugin.replace("_", "-")


def _plain(plugin: str) -> OpenMunicipality:
    from core.contract.loading import open_municipality

    return open_municipality(plugin)


def _read(municipality: OpenMunicipality, period: str, events: list[dict[str, Any]]) -> list[Event]:
    tax = municipality.taxes["room_tax"]
    faults: list[Fault] = []
    reader = EventReader(tax, tax.frequency.period(period), municipality.application_order, faults)
    read = reader.read(events)
    assert not faults, faults
    return read


def _record(app: Engine, tenant: Tenant, account: PeriodAccount, step: Step) -> None:
    event = step.event
    if isinstance(event, PaymentReturned):
        event = event._replace(payment_seq=event.payment_seq + 1)  # events of an account are counted from 1
    request = Request.of(CLERK, f"{step.plugin}:{step.period}:{event.seq}", repr(step).encode())
    act = Act(account.id, event, {"period": step.period})
    answer = record_acts(app, tenant, request, [act], Recorded(CLERK, event.recorded))
    assert all(one["waiting"] is None for one in answer["accounts"]), answer


def _opened(app: Engine, host: Engine, plugin: str) -> tuple[Tenant, dict[str, PeriodAccount]]:
    """The municipality, its resolutions, its filer and accounts; made on the first run, found on every other."""
    try:
        tenant = add_municipality(app, host, tenant_key(plugin), plugin, "", "America/Chicago", "host")
    except TenantKeyTaken:
        with app.connect() as connection:
            tenant = find_tenant(connection, tenant_key(plugin))
    recorded = Recorded(CLERK, OPENED)

    def make(uow: UnitOfWork) -> None:
        remember(uow, Request.of(CLERK, "open", plugin.encode()), lambda: _make(uow, tenant, recorded))

    in_transaction(app, tenant.id, make)
    with reading(app, tenant.id) as uow:
        filer = filers_named(uow, "Lake House")[0]
        assert places_of(uow, filer.id)
        return tenant, {one.period.key: one for one in accounts_of(uow, filer.id)}


def _make(uow: UnitOfWork, tenant: Tenant, recorded: Recorded) -> dict[str, Any]:
    from core.services.accounts.post import open_books
    from core.tenants.openings import record_opening

    municipality = open_tenant(uow, tenant.key)
    open_books(uow, municipality)
    record_opening(uow, OPENED, recorded)
    for name, dollars in FEES.items():
        if name in municipality.law.resolution_slots:
            cents = int(dollars.replace(".", ""))
            record_resolution(uow, municipality.law, Resolution(name, cents, OPENED, f"{name} 1"), recorded)
    filer = register_filer(uow, FilerDetails("Lake House LLC"), recorded)
    register_place(uow, filer.id, PlaceDetails("Lake House"), OPENED, ["room_tax"], recorded)
    frequencies = {name: tax.frequency for name, tax in municipality.taxes.items()}
    open_accounts(uow, owed_periods(uow, frequencies, date(2026, 12, 31) + timedelta(days=1), filer=filer.id))
    return {}


if __name__ == "__main__":
    main()
