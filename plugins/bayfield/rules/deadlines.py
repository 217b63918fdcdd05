"""When a return is due in Bayfield (§ 54-19(C)(1); READINGS 1 to 4)."""

from __future__ import annotations

from datetime import timedelta

from core.contract.declarations import AnnualReturn
from core.contract.law import Law
from core.domain.calendar import Deadlines, Election, Period, add_months, roll_forward
from core.domain.clause import implements
from plugins.wisconsin.calendar import business_days


@implements("BAY-19C1A", "BAY-19C1A2", "BAY-19C1B2")
def deadlines(period: Period, law: Law) -> Deadlines:
    """Return and tax within 30 days of the end of the period; an extension of at most one month.

    The tax is due on the day of the return, so one value gives both dates.
    """
    filing = law.ordinance("filing.days", period.last_day)
    extension = law.ordinance("extension.months", period.last_day)
    is_business_day = business_days(law)
    nominal = period.last_day + timedelta(days=filing.number)
    return Deadlines(
        nominal=nominal,
        effective=roll_forward(nominal, is_business_day),
        longest_extension=add_months(nominal, extension.number),
        clauses=(filing.clause, law.clause("BAY-19C1A2"), extension.clause),
        is_business_day=is_business_day,
    )


@implements("BAY-19C1A3")
def annual_return(election: Election, year: int, law: Law) -> AnnualReturn:
    """The annual return covers the calendar year, whatever year the filer keeps, and is due in 30 days."""
    year_end = Election().year_end(year)
    value = law.ordinance("annual_return.days", year_end)
    nominal = year_end + timedelta(days=value.number)
    longest = add_months(nominal, law.ordinance("extension.months", year_end).number)
    return AnnualReturn(year_end, nominal, roll_forward(nominal, business_days(law)), value.clause, longest)
