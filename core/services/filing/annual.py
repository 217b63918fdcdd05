"""The annual return's year: its periods, what was filed for them, and the totals that it has to agree with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.contract.declarations import Tax
from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork, reading
from core.domain.calendar import ANNUAL, Deadlines, Period
from core.domain.errors import Fault, Refused, ValueNotInForce
from core.domain.events import Event, ReturnFiled
from core.domain.money import dollars_for_reading
from core.domain.receipts import Receipts
from core.filing.find_for_filing import PlaceForFiling
from core.filing.opening_days import PlaceFact
from core.filing.owed_periods import facts_of_places
from core.filing.why_not_owed import why_not_owed
from core.services.accounts.load import LoadedAccount, load_accounts, tax_determined
from core.services.filing.find import Sought, find_places
from core.services.filing.form import ReturnForm, tax_of
from core.services.filing.years import MONTHS, annual_period
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

FIRST_YEAR, LAST_YEAR = 1901, 9990


@dataclass(frozen=True, slots=True)
class AnnualForm:
    """An annual return: the filer's year that ends in `year`, with the year's totals in cents by line.

    A line that is left out is zero. `corrections` are returns for periods of the year, which amend those that are
    filed, or are filed with this one where there was none; each counts for this return's day. `tax` may be left out
    where there is one; the two days are of a return on paper. `form` is kept letter for letter.
    """

    place_id: UUID
    year: int
    gross: Mapping[str, int] = field(default_factory=dict)
    deductions: Mapping[str, int] = field(default_factory=dict)
    corrections: Sequence[ReturnForm] = ()
    tax: str | None = None
    postmarked_on: date | None = None
    received_on: date | None = None
    form: Mapping[str, Any] = field(default_factory=dict)


class Totals(NamedTuple):
    """Receipts and deductions in cents by line, each declared line with its amount."""

    gross: dict[str, int]
    deductions: dict[str, int]


class PeriodInYear(NamedTuple):
    """A filing period that ends in the year; `account_id` is None while its account is not open."""

    period: Period
    account_id: UUID | None
    is_owed: bool


class Year(NamedTuple):
    """The year of an annual return of one place and tax. `periods` are those that are owed or have an account."""

    place: PlaceForFiling
    tax: Tax
    period: Period
    account_id: UUID | None
    periods: tuple[PeriodInYear, ...]


class DraftPeriod(NamedTuple):
    """A period as filed: `filed_on` is the day that its last return counts for, None where there is none.

    `tax_cents` is the tax as now determined, None while nothing determines it.
    """

    period: Period
    filed_on: date | None
    totals: Totals
    tax_cents: int | None


class AnnualDraft(NamedTuple):
    """An annual return prepared from what was filed, for the filer to check: nothing is filed by it."""

    place_id: UUID
    tax: str
    period: Period
    deadlines: Deadlines
    filed_on: date | None
    periods: tuple[DraftPeriod, ...]
    totals: Totals
    tax_cents: int
    missing: tuple[str, ...]


def annual_draft(
    engine: Engine,
    tenant: Tenant,
    place_id: UUID,
    year: int,
    today: date,
    *,
    tax: str | None = None,
    reach: frozenset[UUID] | None = None,
) -> AnnualDraft:
    """What the annual return of a place would say, in cents, as known today. It may be drafted before the year is over.

    Raises Refused (fields "year", "tax"), PlaceUnknown.
    """
    with reading(engine, tenant.id) as uow:
        municipality = open_tenant(uow, tenant.key)
        faults: list[Fault] = []
        declared = tax_of(municipality.taxes, tax, "", faults)
        found = year_of(uow, municipality, place_id, declared, year, None, reach, faults)
        if faults or found is None:
            raise Refused(faults)
        ids = [one.account_id for one in found.periods if one.account_id is not None]
        ids += [found.account_id] if found.account_id is not None else []
        accounts = load_accounts(uow, municipality, ids)
        return _draft(municipality, place_id, found, accounts, today)


def year_of(
    uow: UnitOfWork,
    municipality: OpenMunicipality,
    place_id: UUID,
    tax: Tax | None,
    year: int,
    year_end_month: int | None,
    reach: frozenset[UUID] | None,
    faults: list[Fault],
) -> Year | None:
    """The year of a place's annual return, with its periods; None where there is none, and the fault says why.

    `year_end_month` counts where the filer has not elected a year yet. Raises PlaceUnknown.
    """
    candidates: list[Period] = []
    if tax is not None and FIRST_YEAR <= year <= LAST_YEAR:
        candidates = [*tax.frequency.of_year(year - 1), *tax.frequency.of_year(year)]
    key = tax.key if tax is not None else None
    annual = Period(f"{year:04d}{ANNUAL}", date.min, date.max)
    pairs = find_places(uow, [Sought(place_id, key, one, "") for one in (annual, *candidates)], reach)
    (_, place), *others = pairs
    if tax is None:
        return None
    if not candidates or tax.frequency.months == MONTHS:
        faults.append(
            Fault("year", f"{year} has no annual return here: name another year, or file the period's return")
        )
        return None
    try:
        elected = place.year_end_month or year_end_month
        period = _year_as_opened(place, annual.key) or annual_period(municipality, elected, year)
    except ValueNotInForce as error:
        faults.append(Fault("year", f"{year} has no annual return here: {error}"))
        return None
    facts = facts_of_places(uow, [place_id])[place_id]
    inside = [(one, found) for one, (_, found) in zip(candidates, others, strict=True) if one.last_day in period]
    periods = [PeriodInYear(one, found.account_id, _is_owed(facts, found.since, one)) for one, found in inside]
    standing = tuple(one for one in periods if one.is_owed or one.account_id is not None)
    if not standing:
        faults.append(Fault("year", f"the place owes no return in the year to {period.last_day}: name another year"))
        return None
    return Year(place, tax, period, place.account_id, standing)


def last_return(events: Iterable[Event]) -> ReturnFiled | None:
    """The return that stands: the last that was recorded."""
    filed = [event for event in events if isinstance(event, ReturnFiled)]
    return max(filed, key=lambda event: event.seq, default=None)


def totals_of(tax: Tax, parts: Iterable[Receipts]) -> Totals:
    """The receipts of these parts by line, in cents."""
    totals = Totals({line.key: 0 for line in tax.receipts}, {line.key: 0 for line in tax.deductions})
    for part in parts:
        for line, cents in part.gross:
            totals.gross[line] += cents
        for line, cents in part.deductions:
            totals.deductions[line] += cents
    return totals


def disagreements(given: Totals, periods: Totals) -> list[Fault]:
    """Each line whose total over the year is not that of its periods, with the difference."""
    faults = []
    for name, said, summed in zip(Totals._fields, given, periods, strict=True):
        for line, cents in summed.items():
            if said.get(line, 0) != cents:
                difference = dollars_for_reading(said.get(line, 0) - cents)
                message = (
                    f"{dollars_for_reading(said.get(line, 0))} for the year, {dollars_for_reading(cents)} in the "
                    f"returns of its periods, a difference of {difference}: correct it, or the period that it is from"
                )
                faults.append(Fault(f"{name}.{line}", message))
    return faults


def _year_as_opened(place: PlaceForFiling, key: str) -> Period | None:
    """The year as it stood when its account was opened, which a later election does not change."""
    if place.first_day is None or place.last_day is None:
        return None
    return Period(key, place.first_day, place.last_day)


def _is_owed(facts: Sequence[PlaceFact], since: date | None, period: Period) -> bool:
    return why_not_owed(facts, since, period, date.max) is None


def _draft(
    municipality: OpenMunicipality,
    place_id: UUID,
    year: Year,
    accounts: Mapping[UUID, LoadedAccount],
    today: date,
) -> AnnualDraft:
    periods: list[DraftPeriod] = []
    parts: list[Receipts] = []
    for one in year.periods:
        loaded = accounts[one.account_id] if one.account_id is not None else None
        filed = last_return(loaded.events) if loaded is not None else None
        determined = tax_determined(municipality, loaded.record, loaded.events) if loaded is not None else None
        reported = filed.receipts if filed is not None else ()
        parts.extend(reported)
        filed_on = filed.on if filed is not None else None
        periods.append(DraftPeriod(one.period, filed_on, totals_of(year.tax, reported), determined))
    own = last_return(accounts[year.account_id].events) if year.account_id is not None else None
    return AnnualDraft(
        place_id,
        year.tax.key,
        year.period,
        municipality.deadlines(year.period),
        own.on if own is not None else None,
        tuple(periods),
        totals_of(year.tax, parts),
        sum(one.tax_cents or 0 for one in periods),
        tuple(one.period.key for one in periods if one.filed_on is None and one.period.last_day < today),
    )
