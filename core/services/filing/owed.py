"""Which returns are owed: one for each period in which a place was open, and one for each of the filer's years."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from uuid import UUID

from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import Period
from core.domain.errors import ValueNotInForce
from core.filing.filed_so_far import PlaceOfFiler
from core.filing.owed_periods import Obligation, owed_periods
from core.services.filing.years import MONTHS, annual_period


def owed_returns(
    uow: UnitOfWork,
    municipality: OpenMunicipality,
    places: Mapping[UUID, PlaceOfFiler],
    opened_on: date,
    through: date,
    filer: UUID | None = None,
) -> tuple[Obligation, ...]:
    """The returns for what ended by `through`, by place, tax and period; a place's annual returns after its others.

    A municipality that opens here on a day is owed here what ends on that day or later, and the annual return of
    each year that begins then or later: of an earlier year the first returns are somewhere else.
    """
    frequencies = {key: tax.frequency for key, tax in municipality.taxes.items()}
    by_place: dict[tuple[UUID, UUID, str], list[Period]] = {}
    for one in owed_periods(uow, frequencies, through, filer=filer):
        if one.period.last_day >= opened_on:
            by_place.setdefault((one.filer_id, one.place_id, one.tax), []).append(one.period)
    years = _Years(municipality)
    found: list[Obligation] = []
    for (filer_id, place_id, tax), periods in by_place.items():
        found += [Obligation(filer_id, place_id, tax, period) for period in periods]
        if frequencies[tax].months < MONTHS:
            month = places[place_id].year_end_month
            annual = years.with_one_of(periods, month, opened_on, through)
            found += [Obligation(filer_id, place_id, tax, year) for year in annual]
    return tuple(found)


class _Years:
    """The years of filers, each asked of the law once."""

    def __init__(self, municipality: OpenMunicipality) -> None:
        self._municipality = municipality
        self._known: dict[tuple[int | None, int], Period | None] = {}

    def with_one_of(self, periods: Iterable[Period], month: int | None, since: date, through: date) -> Iterator[Period]:
        """The years from `since` to `through`, both inside, in which one of these periods ends."""
        ends = [period.last_day for period in periods]
        for year in range(since.year, through.year + 1):
            found = self._year(month, year)
            if found is None or found.first_day < since or found.last_day > through:
                continue
            if any(end in found for end in ends):
                yield found

    def _year(self, month: int | None, year: int) -> Period | None:
        if (month, year) not in self._known:
            try:
                self._known[month, year] = annual_period(self._municipality, month, year)
            except ValueNotInForce:
                self._known[month, year] = None
        return self._known[month, year]
