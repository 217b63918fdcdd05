"""Plays the demonstration: municipalities entered, opened, filed for and shared out, day by day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Engine

from core.auth.passwords import Passwords
from core.contract.settings import Resolution
from core.db.recorded import Recorded
from core.db.remember import Request
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.money import parse_dollars
from core.domain.shares import Agreement
from core.filing.accounts import accounts_of
from core.filing.find_filers import filers_named
from core.filing.places import places_of, register_place
from core.filing.record_place_fact import record_place_fact
from core.filing.records import FilerDetails, PlaceDetails
from core.filing.register_filer import register_filer
from core.ledger.heads import HeadsFile
from core.services.access.logins import give_filer_login, give_staff_login
from core.services.daily.run import Failed, run_daily
from core.services.demo.data import LAST_DAY, Town, data_digest, towns
from core.services.imports.import_returns import import_returns
from core.services.sharing.agreements import add_agreement
from core.services.sharing.remittances import distributions, pay_remittance
from core.services.sharing.share_out import distribute
from core.services.tenants.add import add_municipality, municipalities
from core.services.tenants.open import open_municipality_tenant
from core.services.tenants.set import set_resolutions
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

PASSWORD = "demonstration only 2026"  # noqa: S105  (printed for everybody; the demonstration listens on localhost)
STAFF = ("treasurer", "clerk", "auditor", "council")
HOST = "host@fisc.example"
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Login:
    """A login of the demonstration: e-mail, what it is, and where (None: everywhere)."""

    email: str
    role: str
    municipality: str | None


class DemoBroken(RuntimeError):
    """The data of the demonstration was refused, which only a change to the data or the rules can do."""


def play(app: Engine, host: Engine, heads: HeadsFile, passwords: Passwords, tell: Tell) -> None:
    """Make the demonstration in an empty database. Raises DemoBroken."""
    give_staff_login(host, passwords, HOST, "The host", PASSWORD, "host", None, "demo")
    for town in towns():
        tell(f"{town.key}: opening")
        tenant = _enter(app, host, town)
        _register(app, tenant, town)
        _logins(app, host, passwords, tenant, town)
        days = list(_days(app, tenant, town))
        for number, (day, step) in enumerate(sorted(days, key=lambda one: one[0]), start=1):
            _daily(app, tenant, heads, day)
            step()
            tell(f"{town.key}: {day} ({number} of {len(days)})")
        _daily(app, tenant, heads, LAST_DAY)


def logins() -> tuple[Login, ...]:
    """The logins of the demonstration, for printing; all have the one password."""
    found = [Login(HOST, "host", None)]
    for town in towns():
        found += [Login(f"{role}@{town.domain}", role, town.key) for role in STAFF]
        found.append(Login(next(iter(town.filers.values()))[0].email, "filer", town.key))
    return tuple(found)


def explained_account(app: Engine, tenant: Tenant, town: Town) -> UUID | None:
    """The account that the demonstration explains line by line."""
    if town.explained is None:
        return None
    place_name, period = town.explained
    with reading(app, tenant.id) as uow:
        for filer in filers_named(uow):
            ids = {place.id for place in places_of(uow, filer.id) if place.details.name == place_name}
            for account in accounts_of(uow, filer.id):
                if account.place_id in ids and account.period.key == period:
                    return account.id
    return None


def played_mark() -> str:
    """What tells whether a database holds the demonstration of this release."""
    return data_digest()


def _enter(app: Engine, host: Engine, town: Town) -> Tenant:
    tenant = add_municipality(app, host, town.key, town.plugin, "", town.time_zone, "host")
    for fee in town.fees:
        value = Decimal(fee.amount) / 100 if fee.percent else parse_dollars(fee.amount)
        act = Resolution(fee.key, value, fee.since, fee.number)
        set_resolutions(app, tenant, [act], Recorded("clerk", fee.recorded_on))
    open_municipality_tenant(app, tenant, town.opened_on, Recorded("treasurer", town.opened_on))
    return municipalities(app, town.key)[0]


def _register(app: Engine, tenant: Tenant, town: Town) -> None:
    recorded = Recorded("clerk", town.opened_on)

    def enter(uow: UnitOfWork) -> None:
        for name, rows in town.filers.items():
            first = rows[0]
            filer = register_filer(uow, FilerDetails(name, first.filer_address, first.email), recorded)
            for row in rows:
                details = PlaceDetails(row.place, row.place_address)
                place = register_place(uow, filer.id, details, row.opened_on, row.taxes, recorded)
                if row.season is not None:
                    record_place_fact(uow, place.id, "seasonal_closure", *row.season, recorded)
                if row.closed_on is not None:
                    record_place_fact(uow, place.id, "closing", row.closed_on, None, recorded)

    in_transaction(app, tenant.id, enter)


def _logins(app: Engine, host: Engine, passwords: Passwords, tenant: Tenant, town: Town) -> None:
    for role in STAFF:
        email = f"{role}@{town.domain}"
        give_staff_login(host, passwords, email, f"The {role}", PASSWORD, role, town.key, "host")
    name, rows = next(iter(town.filers.items()))
    with reading(app, tenant.id) as uow:
        filer = filers_named(uow, name)[0]
    give_filer_login(app, passwords, tenant, filer.id, rows[0].email, name, PASSWORD, "treasurer")


def _days(app: Engine, tenant: Tenant, town: Town) -> Iterator[tuple[date, Callable[[], None]]]:
    """What happens on which day: sheets come in, agreements are signed, money is shared out and paid."""
    with reading(app, tenant.id) as uow:
        municipality = open_tenant(uow, tenant.key)
    for day, path in town.sheets:
        yield day, lambda day=day, path=path: _import(app, tenant, day, path.name, path.read_bytes())  # type: ignore[misc]
    for one in town.agreements:
        payee = municipality.agreement_terms(one.first_day)[0].payee
        terms = Agreement(one.number, payee, one.percent / 100, one.first_day, one.last_day)
        request = Request.of("treasurer", one.number, b"")
        recorded = Recorded("treasurer", one.recorded_on)
        yield one.recorded_on, lambda t=terms, q=request, r=recorded: add_agreement(app, tenant, q, t, r)  # type: ignore[misc]
    for shared in town.sharing:
        recorded = Recorded("treasurer", shared.on)
        for tax in municipality.taxes:
            request = Request.of("treasurer", f"distribution {tax} {shared.on}", b"")
            yield shared.on, lambda q=request, t=tax, r=recorded: distribute(app, tenant, q, t, None, r)  # type: ignore[misc]
        if shared.paid_on is not None:
            yield shared.paid_on, lambda s=shared: _pay(app, tenant, s.on, s.paid_on, s.method, s.reference)  # type: ignore[misc]


def _import(app: Engine, tenant: Tenant, day: date, name: str, content: bytes) -> None:
    told = import_returns(app, tenant, name, content, Recorded("treasurer", day))
    if told.faults:
        listed = "; ".join(f"line {one.line}, {one.column}: {one.message}" for one in told.faults)
        raise DemoBroken(f"{tenant.key}, {name}: {listed}")


def _pay(app: Engine, tenant: Tenant, shared_on: date, paid_on: date, method: str, reference: str) -> None:
    """Pay what the distributions of a day left to be paid."""
    for made in distributions(app, tenant):
        if made.distributed_on != shared_on:
            continue
        for one in made.remittances:
            if one.payable_cents and one.paid_on is None:
                request = Request.of("treasurer", f"remittance {one.number}", b"")
                recorded = Recorded("treasurer", paid_on)
                pay_remittance(app, tenant, request, one.number, paid_on, method, reference, recorded)


def _daily(app: Engine, tenant: Tenant, heads: HeadsFile, day: date) -> None:
    for _, outcome in run_daily(app, [tenant], lambda _: day, heads):
        if isinstance(outcome, Failed):
            raise DemoBroken(f"{tenant.key}, {day}: {outcome.message}")
