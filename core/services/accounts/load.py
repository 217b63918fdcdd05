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
from core.domain.fold import InputsByDay, Statement
from core.filing.accounts import accounts_of_places, find_accounts
from core.filing.events import events_of, facts
from core.filing.records import PeriodAccount

PlacesAndYears = dict[tuple[UUID, str, int], list[PeriodAccount]]


@dataclass(frozen=True, slots=True)
class LoadedAccount:
    """A period account with its events, and what other accounts give (cents by name) from each day on."""

    record: PeriodAccount
    municipality: OpenMunicipality
    events: tuple[Event, ...]
    inputs_by_day: InputsByDay

    def statement(self, as_of: date) -> Statement:
        """What is owed as of a day. Raises ResolutionMissing, ValueNotInForce."""
        account = self.municipality.open_account(self.record.tax, self.record.period)
        return self.municipality.statement(account, self.events, as_of, self.inputs_by_day)

    def refusals(self, new: Iterable[Event]) -> list[Fault]:
        """Why the law refuses these new events after those that are recorded."""
        inputs = dict(self.inputs_by_day[-1][1]) if self.inputs_by_day else {}
        account = self.municipality.open_account(self.record.tax, self.record.period, inputs)
        return self.municipality.refusals(account, [*self.events, *new], above=self.last_seq)

    @property
    def last_seq(self) -> int:
        """The seq of the last event, 0 where there is none."""
        return max((event.seq for event in self.events), default=0)

    @property
    def last_recorded(self) -> date:
        """The day on which the last event was recorded."""
        return max((event.recorded for event in self.events), default=date.min)


def load_accounts(
    uow: UnitOfWork, municipality: OpenMunicipality, ids: Iterable[UUID], known_on: date | None = None
) -> dict[UUID, LoadedAccount]:
    """These accounts as known at the end of a day (None: now), in the order of their ids, in three statements.

    Raises AccountUnknown.
    """
    records = find_accounts(uow, ids)
    by_year = places_and_years(_sources(uow, municipality, records.values()))
    listed = events_of(uow, {*records, *(one.id for found in by_year.values() for one in found)}, known_on)
    events = {account_id: facts(recorded) for account_id, recorded in listed.items()}
    return {
        account_id: LoadedAccount(
            record, municipality, events[account_id], inputs_by_day(municipality, record, by_year, events)
        )
        for account_id, record in records.items()
    }


def places_and_years(records: Iterable[PeriodAccount]) -> PlacesAndYears:
    """Accounts by place, tax and calendar year. The annual return is none of the year's periods."""
    found: PlacesAndYears = {}
    for one in records:
        if not one.period.is_annual:
            found.setdefault((one.place_id, one.tax, one.period.first_day.year), []).append(one)
    return found


def looking_back(
    municipality: OpenMunicipality, records: Iterable[PeriodAccount], among: Mapping[UUID, LoadedAccount]
) -> set[UUID]:
    """The accounts among these whose inputs come from `records`: as many years later as the law looks back."""
    wanted = _years_apart(municipality, records, 1)
    return {
        account_id
        for account_id, account in among.items()
        if wanted
        and (account.record.place_id, account.record.tax, account.record.period.first_day.year) in wanted
        and not account.record.period.is_annual
    }


def _sources(
    uow: UnitOfWork, municipality: OpenMunicipality, records: Iterable[PeriodAccount]
) -> tuple[PeriodAccount, ...]:
    """The accounts that these take their inputs from."""
    wanted = _years_apart(municipality, records, -1)
    if not wanted:
        return ()
    found = accounts_of_places(uow, {place for place, _, _ in wanted})
    return tuple(one for one in found if (one.place_id, one.tax, one.period.first_day.year) in wanted)


def _years_apart(
    municipality: OpenMunicipality, records: Iterable[PeriodAccount], sign: int
) -> set[tuple[UUID, str, int]]:
    return {
        (record.place_id, record.tax, record.period.first_day.year + sign * total.years_before)
        for record in records
        if not record.period.is_annual
        for total in municipality.taxes[record.tax].inputs
    }


def inputs_by_day(
    municipality: OpenMunicipality,
    record: PeriodAccount,
    by_year: PlacesAndYears,
    events: Mapping[UUID, tuple[Event, ...]],
) -> InputsByDay:
    """What the earlier accounts give from each day on which one of them was written to."""
    totals = municipality.taxes[record.tax].inputs if not record.period.is_annual else ()
    earlier = {
        total.key: by_year.get((record.place_id, record.tax, record.period.first_day.year - total.years_before), [])
        for total in totals
    }
    days = sorted({event.recorded for listed in earlier.values() for one in listed for event in events[one.id]})
    return tuple(
        (day, {key: _year_total(municipality, listed, events, day) for key, listed in earlier.items()}) for day in days
    )


def _year_total(
    municipality: OpenMunicipality,
    accounts: Iterable[PeriodAccount],
    events: Mapping[UUID, tuple[Event, ...]],
    known_on: date,
) -> int | None:
    taxes = [
        tax_determined(municipality, one, [event for event in events[one.id] if event.recorded <= known_on])
        for one in accounts
    ]
    known = [cents for cents in taxes if cents is not None]
    return sum(known) if known else None


def tax_determined(municipality: OpenMunicipality, record: PeriodAccount, events: Iterable[Event]) -> int | None:
    """The tax of another period as then determined, in cents; None while nothing determines it."""
    account = municipality.open_account(record.tax, record.period)
    for event in events:
        account = account.with_event(event)
    if account.determination is None:
        return None
    charges = municipality.charges_without_unset(account, account.determination.recorded)
    return sum(charge.cents for charge in charges if charge.kind == TAX)
