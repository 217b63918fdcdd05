"""Locks period accounts and gives all that an act on them is judged and assessed by, in one statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import Period
from core.domain.events import Event
from core.filing.assessments import Assessment, assessment_of
from core.filing.event_codec import from_columns
from core.filing.records import AccountUnknown, PeriodAccount
from core.ledger.errors import PeriodClosed
from core.ledger.read import transfer_key
from core.services.accounts.errors import TenantClosed, TenantNotOpen
from core.services.accounts.load import LoadedAccount, inputs_by_day, looking_back, places_and_years
from core.tenants.directory import tenant_with_id
from core.tenants.open_tenant import with_settings_as_recorded

_LOOK = "SELECT fisc.look(%s, %s, %s)"
# The plugin of a tenant never changes, so each database is asked once.
_PLUGINS: WeakKeyDictionary[Engine, dict[int, str]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Looked:
    """Accounts that are locked until the transaction ends, with the law as it stood once they were.

    `accounts` holds those asked for (`wanted`), and where the law looks from one account to another all of their
    places. `settings_seq` is the last setting in the law, `assessed` the last assessment of each account that has
    one, `posted` what the books show for it in cents by key.
    """

    municipality: OpenMunicipality
    settings_seq: int
    opened_on: date | None
    closed_on: date | None
    closed_through: date | None
    wanted: frozenset[UUID]
    accounts: dict[UUID, LoadedAccount]
    assessed: dict[UUID, Assessment]
    posted: dict[UUID, dict[str, int]]

    def require_books_open(self, day: date) -> None:
        """The books are open on a day and stay so until the transaction ends. Raises PeriodClosed."""
        if self.closed_through is not None and self.closed_through >= day:
            closed = f"the books are closed through {self.closed_through}"
            raise PeriodClosed(f"{closed}: record this on a later day, with its own day")

    def require_tenant_open(self, day: date) -> None:
        """The municipality does its business here on a day. Raises TenantNotOpen, TenantClosed."""
        if self.opened_on is None or self.opened_on > day:
            raise TenantNotOpen("the municipality is not open here yet: set what its law leaves to its council first")
        if self.closed_on is not None and day >= self.closed_on:
            raise TenantClosed(f"the municipality is closed here since {self.closed_on}: nothing more is recorded")

    def with_events(self, new: Mapping[UUID, Iterable[Event]]) -> Looked:
        """The same with these events recorded, in those accounts and in what others take from them."""
        accounts = {
            account_id: replace(account, events=(*account.events, *new[account_id])) if account_id in new else account
            for account_id, account in self.accounts.items()
        }
        return replace(self, accounts=_with_inputs(self.municipality, accounts))

    def of_places(self, places: Iterable[UUID]) -> Looked:
        """The same for the accounts of these places alone; what the law looks at from them is among those."""
        among = set(places)
        accounts = {key: account for key, account in self.accounts.items() if account.record.place_id in among}
        return replace(self, accounts=accounts, wanted=self.wanted & accounts.keys())

    @property
    def touched(self) -> dict[UUID, LoadedAccount]:
        """The accounts asked for, and those with an event of their own that look back to them."""
        wanted = [self.accounts[account_id].record for account_id in self.wanted]
        later = looking_back(self.municipality, wanted, self.accounts)
        return {
            account_id: account
            for account_id, account in self.accounts.items()
            if account_id in self.wanted or (account_id in later and account.events)
        }


def look(uow: UnitOfWork, ids: Iterable[UUID]) -> Looked:
    """Lock these accounts, in the order of their ids, and read. Raises AccountUnknown.

    Where the law looks from one account to another, every account of the place and tax is one lock: an account that
    another transaction opens meanwhile cannot be written to without one of them.
    """
    wanted = frozenset(ids)
    related = any(tax.inputs for tax in open_municipality(_plugin_of(uow)).taxes.values())
    row = uow.driver.execute(_LOOK, (uow.tenant, list(wanted), related)).fetchone()
    assert row is not None
    found: dict[str, Any] = row[0]
    _, plugin, closed_on = found["tenant"]
    municipality, settings_seq = with_settings_as_recorded(plugin, found["settings"] or "[]")
    records = {one.id: one for one in map(_record, found["accounts"] or ())}
    missing = wanted - records.keys()
    if missing:
        raise AccountUnknown(f"no period account here has the id {min(missing)}")
    events: dict[UUID, list[Event]] = {account_id: [] for account_id in records}
    for account_id, *columns in found["events"] or ():
        events[UUID(account_id)].append(from_columns(*columns))
    accounts = {
        account_id: LoadedAccount(record, municipality, tuple(events[account_id]), ())
        for account_id, record in records.items()
    }
    return Looked(
        municipality,
        settings_seq,
        _day(found["opened_on"]),
        _day(closed_on),
        _day(found["closed_through"]),
        wanted,
        _with_inputs(municipality, accounts),
        {one.account_id: one for one in map(assessment_of, found["assessed"] or ())},
        _posted(records, found["posted"] or ()),
    )


def _with_inputs(municipality: OpenMunicipality, accounts: dict[UUID, LoadedAccount]) -> dict[UUID, LoadedAccount]:
    """The accounts with what they take from one another, where the law takes anything."""
    if not any(tax.inputs for tax in municipality.taxes.values()):
        return accounts
    events = {account_id: account.events for account_id, account in accounts.items()}
    by_year = places_and_years(account.record for account in accounts.values())
    return {
        account_id: replace(account, inputs_by_day=inputs_by_day(municipality, account.record, by_year, events))
        for account_id, account in accounts.items()
    }


def _plugin_of(uow: UnitOfWork) -> str:
    known = _PLUGINS.setdefault(uow.connection.engine, {})
    if uow.tenant not in known:
        known[uow.tenant] = tenant_with_id(uow.connection, uow.tenant).plugin
    return known[uow.tenant]


def _record(columns: list[Any]) -> PeriodAccount:
    account_id, filer_id, place_id, tax, period, first_day, last_day = columns
    dated = Period(period, date.fromisoformat(first_day), date.fromisoformat(last_day))
    return PeriodAccount(UUID(account_id), UUID(filer_id), UUID(place_id), tax, dated)


def _posted(records: Iterable[UUID], rows: Iterable[list[Any]]) -> dict[UUID, dict[str, int]]:
    state: dict[UUID, dict[str, int]] = {account_id: {} for account_id in records}
    for account_id, fund, debit, credit, kind, clause_id, section, cents in rows:
        key, sign = transfer_key(fund, debit, credit, kind, clause_id, section)
        known = state[UUID(account_id)]
        known[key] = known.get(key, 0) + sign * int(cents)
    return state


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text is not None else None
