"""What the daily run has to do on each of some days, found before any of them: nothing is locked or written here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from typing import TypeVar
from uuid import UUID

from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7
from core.domain.calendar import ONE_DAY
from core.domain.events import Event
from core.filing.accounts import accounts_of_places
from core.filing.assessed_so_far import assessed_so_far
from core.filing.events import events_of, facts
from core.filing.filed_so_far import PlaceOfFiler, places_of_filers
from core.filing.owed_periods import Obligation
from core.filing.records import PeriodAccount
from core.services.accounts.load import LoadedAccount, PlacesAndYears, inputs_by_day, places_and_years
from core.services.daily.watch import Overdue, Watched
from core.services.filing.owed import owed_returns
from core.tenants.laws import Laws

PLACES_AT_A_TIME = 250
Key = tuple[UUID, str, str]
Item = TypeVar("Item")


@dataclass(slots=True)
class DayPlan:
    """One day: the returns that become owed, the accounts to be posted, what becomes overdue, and how many wait.

    An account is named by its place, tax and period, since it may not be open yet.
    """

    opening: list[Obligation] = field(default_factory=list)
    posting: set[Key] = field(default_factory=set)
    overdue: list[tuple[Key, Overdue]] = field(default_factory=list)
    waiting: int = 0


@dataclass(slots=True)
class Plan:
    """The days that have something to do, and the ids of the accounts that were open when it was made."""

    days: dict[date, DayPlan] = field(default_factory=dict)
    accounts: dict[Key, UUID] = field(default_factory=dict)

    def on(self, day: date) -> DayPlan:
        """What there is to do on a day."""
        return self.days.setdefault(day, DayPlan())


def make_plan(uow: UnitOfWork, laws: Laws, opened_on: date, first: date, through: date) -> Plan:
    """What there is to do from `first` through `through`, both inside, in a municipality that is open.

    Every account is looked at, a few hundred places at a time. Raises AccountCannotBeAssessed.
    """
    municipality, _ = laws.on(through)
    places = places_of_filers(uow)
    owed = owed_returns(uow, municipality, places, opened_on, through - ONE_DAY)
    by_place: dict[UUID, list[Obligation]] = {place: [] for place in places}
    for one in owed:
        by_place[one.place_id].append(one)
    plan = Plan()
    boundaries = tuple(laws.changes(first, through))
    for some in _batches(places.values(), PLACES_AT_A_TIME):
        accounts = accounts_of_places(uow, [place.id for place in some])
        events = {key: facts(found) for key, found in events_of(uow, [one.id for one in accounts]).items()}
        assessed = assessed_so_far(uow, [one.id for one in accounts])
        plan.accounts |= {_key(one): one.id for one in accounts}
        by_year = places_and_years(accounts)
        opening = _opening(plan, some, by_place, first)
        for account, since in [*((one, first) for one in accounts), *opening]:
            _watch(
                plan,
                Watched(
                    _loaded(municipality, account, by_year, events),
                    assessed.get(account.id),
                    max(first, since),
                    through,
                    lambda day: laws.on(day)[0],
                    boundaries,
                ),
            )
    return plan


def _opening(
    plan: Plan, places: Iterable[PlaceOfFiler], by_place: Mapping[UUID, list[Obligation]], first: date
) -> Iterator[tuple[PeriodAccount, date]]:
    """The accounts that are owed and not open, entered in the plan for the day after their period ended.

    A place that was entered later than that counts from the day on which it was. The ids are only for looking.
    """
    for place in places:
        for one in by_place[place.id]:
            if (one.place_id, one.tax, one.period.key) in plan.accounts:
                continue
            since = max(first, one.period.last_day + ONE_DAY, place.recorded_on)
            plan.on(since).opening.append(one)
            yield PeriodAccount(uuid7(), one.filer_id, one.place_id, one.tax, one.period), since


def _loaded(
    municipality: OpenMunicipality,
    account: PeriodAccount,
    by_year: PlacesAndYears,
    events: Mapping[UUID, tuple[Event, ...]],
) -> LoadedAccount:
    inputs = inputs_by_day(municipality, account, by_year, events)
    return LoadedAccount(account, municipality, events.get(account.id, ()), inputs)


def _watch(plan: Plan, watched: Watched) -> None:
    key = _key(watched.account.record)
    for day in watched.posting_days():
        plan.on(day).posting.add(key)
    for begin, end in watched.waiting_days():
        day = begin
        while day <= end:
            plan.on(day).waiting += 1
            day += ONE_DAY
    for day, what in watched.overdue_days():
        plan.on(day).overdue.append((key, what))


def _key(account: PeriodAccount) -> Key:
    return account.place_id, account.tax, account.period.key


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    left = iter(items)
    while some := list(islice(left, size)):
        yield some
