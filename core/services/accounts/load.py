"""Loads period accounts as the law looks at them: their events, the tenant's law, and what other accounts give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork
from core.domain.charge import TAX
from core.domain.errors import Fault
from core.domain.events import Event
from core.domain.fold import Statement
from core.filing.accounts import accounts_of, find_accounts
from core.filing.events import events_of, facts
from core.filing.records import PeriodAccount


@dataclass(frozen=True, slots=True)
class LoadedAccount:
    """A period account with its events and the inputs (cents) that the law takes from other accounts."""

    record: PeriodAccount
    municipality: OpenMunicipality
    events: tuple[Event, ...]
    inputs: Mapping[str, int | None]

    def statement(self, as_of: date) -> Statement:
        """What is owed as of a day. Raises ResolutionMissing, ValueNotInForce."""
        account = self.municipality.open_account(self.record.tax, self.record.period, dict(self.inputs))
        return self.municipality.statement(account, self.events, as_of)

    def refusals(self, new: Iterable[Event]) -> list[Fault]:
        """Why the law refuses these new events after those that are recorded."""
        account = self.municipality.open_account(self.record.tax, self.record.period, dict(self.inputs))
        last = max((event.seq for event in self.events), default=0)
        return self.municipality.refusals(account, [*self.events, *new], above=last)

    def with_events(self, new: Iterable[Event]) -> LoadedAccount:
        """The account with more events recorded."""
        return LoadedAccount(self.record, self.municipality, (*self.events, *new), self.inputs)


def load_accounts(
    uow: UnitOfWork, municipality: OpenMunicipality, ids: Iterable[UUID], known_on: date | None = None
) -> dict[UUID, LoadedAccount]:
    """These accounts as known at the end of a day (None: now), in the order of their ids. Raises AccountUnknown."""
    records = find_accounts(uow, ids)
    related = _related(uow, municipality, records.values())
    events = events_of(uow, {*records, *(one.id for one in related)}, known_on)
    loaded = {}
    for account_id, record in records.items():
        inputs = _inputs(municipality, record, related, {key: facts(listed) for key, listed in events.items()})
        loaded[account_id] = LoadedAccount(record, municipality, facts(events[account_id]), inputs)
    return loaded


def dependants(
    uow: UnitOfWork, municipality: OpenMunicipality, records: Iterable[PeriodAccount]
) -> tuple[PeriodAccount, ...]:
    """The accounts whose inputs come from these: the same place and tax, as many years later as the law looks back."""
    found: dict[UUID, PeriodAccount] = {}
    for record in records:
        years = {record.period.first_day.year + total.years_before for total in municipality.taxes[record.tax].inputs}
        if years:
            for other in accounts_of(uow, record.filer_id):
                if _same_place(other, record) and other.period.first_day.year in years:
                    found[other.id] = other
    return tuple(found.values())


def _related(
    uow: UnitOfWork, municipality: OpenMunicipality, records: Iterable[PeriodAccount]
) -> tuple[PeriodAccount, ...]:
    """The accounts that these take their inputs from."""
    wanted = [record for record in records if municipality.taxes[record.tax].inputs]
    filers = {record.filer_id for record in wanted}
    return tuple(account for filer in filers for account in accounts_of(uow, filer))


def _inputs(
    municipality: OpenMunicipality,
    record: PeriodAccount,
    related: Iterable[PeriodAccount],
    events: Mapping[UUID, tuple[Event, ...]],
) -> dict[str, int | None]:
    inputs: dict[str, int | None] = {}
    for total in municipality.taxes[record.tax].inputs:
        year = record.period.first_day.year - total.years_before
        earlier = [one for one in related if _same_place(one, record) and one.period.first_day.year == year]
        taxes = [_tax(municipality, one, events[one.id]) for one in earlier]
        known = [cents for cents in taxes if cents is not None]
        inputs[total.key] = sum(known) if known else None
    return inputs


def _tax(municipality: OpenMunicipality, record: PeriodAccount, events: tuple[Event, ...]) -> int | None:
    """The tax of another period as finally determined, in cents; None while nothing determines it."""
    account = municipality.open_account(record.tax, record.period)
    for event in events:
        account = account.with_event(event)
    if account.determination is None:
        return None
    on = max(event.recorded for event in events)
    return sum(charge.cents for charge in municipality.charges(account, on) if charge.kind == TAX)


def _same_place(one: PeriodAccount, other: PeriodAccount) -> bool:
    return (one.place_id, one.tax) == (other.place_id, other.tax)
