"""The due dates of a year."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.contract.municipality import OpenMunicipality
from core.domain.calendar import Election
from core.domain.clause import Clause


@dataclass(frozen=True, slots=True)
class Due:
    """When one return is due, when that day is met, and the latest day to which it can be extended."""

    title: str
    nominal: date
    effective: date
    longest_extension: date | None
    clauses: tuple[Clause, ...]


def deadlines_of_year(municipality: OpenMunicipality, year: int, year_end_month: int = 12) -> list[Due]:
    """The dates of every period of a calendar year, and of the annual return of the filer's year ending in it.

    Raises ValueNotInForce where the ordinance has no rule for that year.
    """
    dues = []
    for tax in municipality.taxes.values():
        for period in tax.frequency.of_year(year):
            dates = municipality.deadlines(period)
            title = f"{tax.title} {period.key}"
            dues.append(Due(title, dates.nominal, dates.effective, dates.longest_extension, dates.clauses))
    annual = municipality.annual_return(Election(year_end_month), year)
    title = f"Annual return to {annual.year_end}"
    dues.append(Due(title, annual.nominal, annual.effective, annual.longest_extension, (annual.clause,)))
    return dues
