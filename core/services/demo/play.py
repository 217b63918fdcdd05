"""Plays the demonstration: municipalities entered, opened, filed for and shared out, day by day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.auth.passwords import Passwords
from core.contract.loading import open_municipality
from core.contract.settings import Resolution
from core.db.recorded import Recorded
from core.db.remember import Request
from core.db.unit_of_work import reading
from core.domain.money import parse_dollars
from core.domain.shares import Agreement
from core.filing.accounts import accounts_of
from core.filing.find_filers import filers_named
from core.filing.opening_days import CLOSING, SEASONAL_CLOSURE
from core.filing.places import places_of
from core.ledger.heads import HeadsFile
from core.services.access.logins import give_filer_login, give_staff_login
from core.services.daily.run import Failed, run_daily
from core.services.demo.data import LAST_DAY, AgreedShare, PlaceRow, SetFee, SharingOut, Town, towns
from core.services.demo.logins import HOST, PASSWORD, STAFF
from core.services.imports.import_returns import import_returns
from core.services.registry.enter_filer import FilerDetails, enter_filer
from core.services.registry.enter_place import PlaceDetails, enter_place
from core.services.registry.keep_open_days import record_fact
from core.services.sharing.agreements import add_agreement
from core.services.sharing.remittances import distributions, pay_remittance
from core.services.sharing.share_out import distribute
from core.services.tenants.add import add_municipality
from core.services.tenants.open import open_municipality_tenant
from core.services.tenants.set import set_resolutions
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

Tell = Callable[[str], None]


class DemoBroken(RuntimeError):
    """The data of the demonstration was refused, which only a change to the data or the rules can do."""


def play(app: Engine, host: Engine, heads: HeadsFile, passwords: Passwords, tell: Tell) -> None:
    """Make the demonstration in an empty database, and say what is done. Raises DemoBroken."""
    give_staff_login(host, passwords, HOST, "The host", PASSWORD, "host", None, "demo")
    for town in towns():
        tell(f"{town.key}: opening")
        office = _Office(app, _open(app, host, passwords, town), town)
        steps = sorted(office.steps(), key=attrgetter("on"))
        for number, step in enumerate(steps, start=1):
            _daily(app, office.tenant, heads, step.on)
            step.act()
            tell(f"{town.key}: {step.on} ({number} of {len(steps)})")
        _daily(app, office.tenant, heads, LAST_DAY)
        office.give_filer_login(passwords)


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


class _Step(NamedTuple):
    """What the office does on a day."""

    on: date
    act: Callable[[], object]


class _Office:
    """The office of one municipality: it enters places, imports sheets, shares out and pays, each on its day."""

    def __init__(self, app: Engine, tenant: Tenant, town: Town) -> None:
        self.app = app
        self.tenant = tenant
        self.town = town
        self._filers: dict[str, UUID] = {}

    def steps(self) -> Iterator[_Step]:
        """All that the office does; of one day in this order."""
        yield from self._about_places()
        for fee in self.town.fees:
            if fee.recorded_on > self.town.opened_on:
                yield _Step(fee.recorded_on, partial(_set_fee, self.app, self.tenant, fee))
        for agreed in self.town.agreements:
            yield _Step(agreed.recorded_on, partial(self._agree, agreed))
        for day, path in self.town.sheets:
            yield _Step(day, partial(self._import, day, path))
        for sharing in self.town.sharing:
            yield _Step(sharing.on, partial(self._share_out, sharing))
            if sharing.paid_on is not None:
                yield _Step(sharing.paid_on, partial(self._pay, sharing, sharing.paid_on))

    def _about_places(self) -> Iterator[_Step]:
        for row in self.town.places:
            # Of a place that was there before, the municipality learns when it opens here.
            yield _Step(max(row.opened_on, self.town.opened_on), partial(self._enter, row))
        for row in self.town.places:
            if row.season is not None:
                yield _Step(row.season[0], partial(self._record_fact, row, SEASONAL_CLOSURE, *row.season))
            if row.closed_on is not None:
                yield _Step(row.closed_on, partial(self._record_fact, row, CLOSING, row.closed_on, None))

    def give_filer_login(self, passwords: Passwords) -> None:
        """The first filer of the list gets a login: the same person everywhere, where the e-mail is the same."""
        row = self.town.places[0]
        filer = self._filers[row.filer]
        give_filer_login(self.app, passwords, self.tenant, filer, row.email, row.filer, PASSWORD, "treasurer")

    def _enter(self, row: PlaceRow) -> None:
        recorded = Recorded("clerk", max(row.opened_on, self.town.opened_on))
        if row.filer not in self._filers:
            details = FilerDetails(row.filer, row.filer_address, row.email)
            made = enter_filer(self.app, self.tenant, _request(f"filer {row.filer}"), details, recorded)
            self._filers[row.filer] = UUID(made["id"])
        place = PlaceDetails(row.place, row.place_address)
        request, filer = _request(f"place {row.place}"), self._filers[row.filer]
        enter_place(self.app, self.tenant, request, filer, place, row.opened_on, row.taxes, recorded)

    def _record_fact(self, row: PlaceRow, kind: str, first_day: date, last_day: date | None) -> None:
        with reading(self.app, self.tenant.id) as uow:
            places = places_of(uow, self._filers[row.filer])
        place = next(one.id for one in places if one.details.name == row.place)
        request, recorded = _request(f"{kind} {row.place}"), Recorded("clerk", first_day)
        record_fact(self.app, self.tenant, request, place, kind, first_day, last_day, recorded)

    def _import(self, day: date, path: Path) -> None:
        told = import_returns(self.app, self.tenant, path.name, path.read_bytes(), Recorded("treasurer", day))
        if told.faults:
            listed = "; ".join(f"line {one.line}, {one.column}: {one.message}" for one in told.faults)
            raise DemoBroken(f"{self.tenant.key}, {path.name}: {listed}")

    def _agree(self, agreed: AgreedShare) -> None:
        with reading(self.app, self.tenant.id) as uow:
            asked = open_tenant(uow, self.tenant.key).agreement_terms(agreed.first_day)
        for one in asked:
            terms = Agreement(agreed.number, one.payee, agreed.percent / 100, agreed.first_day, agreed.last_day)
            request = _request(f"agreement {agreed.number}, {one.payee}")
            add_agreement(self.app, self.tenant, request, terms, Recorded("treasurer", agreed.recorded_on))

    def _share_out(self, sharing: SharingOut) -> None:
        for tax in open_municipality(self.tenant.plugin).taxes:
            request = _request(f"distribution {tax} {sharing.on}")
            distribute(self.app, self.tenant, request, tax, None, Recorded("treasurer", sharing.on))

    def _pay(self, sharing: SharingOut, paid_on: date) -> None:
        """Pay what the distributions of a day left to be paid."""
        recorded = Recorded("treasurer", paid_on)
        for made in distributions(self.app, self.tenant):
            for one in made.remittances:
                if made.distributed_on == sharing.on and one.payable_cents:
                    request, how = _request(f"remittance {one.number}"), (sharing.method, sharing.reference)
                    pay_remittance(self.app, self.tenant, request, one.number, paid_on, *how, recorded)


def _request(key: str) -> Request:
    return Request.of("demo", key, b"")


def _open(app: Engine, host: Engine, passwords: Passwords, town: Town) -> Tenant:
    """Enter a municipality with its staff, record what its council set by then, and open it."""
    tenant = add_municipality(app, host, town.key, town.plugin, "", town.time_zone, "host")
    for role in STAFF:
        give_staff_login(host, passwords, f"{role}@{town.domain}", f"The {role}", PASSWORD, role, town.key, "host")
    for fee in town.fees:
        if fee.recorded_on <= town.opened_on:
            _set_fee(app, tenant, fee)
    open_municipality_tenant(app, tenant, town.opened_on, Recorded("treasurer", town.opened_on))
    return tenant


def _set_fee(app: Engine, tenant: Tenant, fee: SetFee) -> None:
    value = Decimal(fee.amount) / 100 if fee.percent else parse_dollars(fee.amount)
    act = Resolution(fee.key, value, fee.since, fee.number)
    set_resolutions(app, tenant, [act], Recorded("clerk", fee.recorded_on))


def _daily(app: Engine, tenant: Tenant, heads: HeadsFile, day: date) -> None:
    for _, outcome in run_daily(app, [tenant], lambda _: day, heads):
        if isinstance(outcome, Failed):
            raise DemoBroken(f"{tenant.key}, {day}: {outcome.message}")
