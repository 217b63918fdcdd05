"""A filer's year: which month it ends in, once and for all, and the period of its annual return."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from uuid import UUID

from core.contract.municipality import OpenMunicipality
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.domain.calendar import Election, Period
from core.domain.errors import Fault, Refused
from core.filing.accounts import accounts_of
from core.filing.elect_year_end import elect_year_ends

CALENDAR_YEAR = Election().year_end_month
MONTHS = 12
FIELD = "year_end_month"


def annual_period(municipality: OpenMunicipality, year_end_month: int | None, year: int) -> Period:
    """The filer's year that ends in `year`, as the law has it: some take the calendar year whatever a filer elects.

    A month that there is not counts as none. Raises ValueNotInForce where the law has no annual return for that year.
    """
    month = CALENDAR_YEAR if year_end_month is None or not 1 <= year_end_month <= 12 else year_end_month
    end = municipality.annual_return(Election(month), year).year_end
    return Election(end.month).annual_period(end.year)


def elections(
    uow: UnitOfWork,
    municipality: OpenMunicipality,
    standing: Iterable[tuple[UUID, int | None]],
    given: int | None,
    on: date,
    faults: list[Fault],
) -> dict[UUID, int]:
    """The month that each filer without a year elects now; without `given` the calendar year (READINGS 1).

    `standing` are filers, each with the month that stands. What is wrong with `given` is added to `faults`.
    """
    if given is not None and given not in range(1, 13):
        faults.append(Fault(FIELD, f"{given} is no month: write 1 to 12"))
        return {}
    elected: dict[UUID, int] = {}
    for filer, month in dict(standing).items():
        wanted = given or month or CALENDAR_YEAR
        if month is not None and wanted != month:
            faults.append(Fault(FIELD, _stands(month)))
        elif municipality.annual_return(Election(wanted), on.year).year_end.month != wanted:
            message = "the annual return covers the calendar year here, whatever year a filer keeps: leave it out"
            faults.append(Fault(FIELD, message))
        elif month is None:
            elected[filer] = wanted
            if wanted != CALENDAR_YEAR:
                faults.extend(_years_open(uow, filer, wanted))
    return elected


def elect(uow: UnitOfWork, elected: dict[UUID, int], recorded: Recorded) -> None:
    """Record what `elections` found. Raises Refused where another return elected another year meanwhile."""
    if not elected:
        return
    for filer, stands in elect_year_ends(uow, elected, recorded).items():
        if stands != elected[filer]:
            raise Refused([Fault(FIELD, _stands(stands))])


def _stands(month: int) -> str:
    return (
        f"the filer's year ends in month {month}, as elected with the first return: leave it out, or have the office "
        "change the filer's record"
    )


def _years_open(uow: UnitOfWork, filer: UUID, month: int) -> list[Fault]:
    """The annual returns that are open for another year, which was the calendar year as long as none was elected."""
    ends = sorted({one.period.last_day for one in accounts_of(uow, filer) if one.period.is_annual})
    others = [end for end in ends if end.month != month]
    if not others:
        return []
    message = f"the annual return for the year to {others[-1]} is open already: leave it out, that year stands"
    return [Fault(FIELD, message)]
