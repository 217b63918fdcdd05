"""When a return is due in the Village (§ 18-2(C) and (D); READINGS 1 to 4)."""

from __future__ import annotations

from datetime import timedelta

from core.contract.declarations import AnnualReturn
from core.contract.law import Law
from core.domain.calendar import Deadlines, Election, Period, add_months, end_of_month, roll_forward
from core.domain.clause import implements
from plugins.wisconsin.calendar import business_days


@implements("FOX-04", "FOX-04B", "FOX-06C", "FOX-02B")
def deadlines(period: Period, law: Law) -> Deadlines:
    """Return and tax by the last day of the month after the period; an extension of at most one month.

    The tax is due on the day of the return, so one value gives both dates.
    """
    filing = law.ordinance("filing.months", period.last_day)
    extension = law.ordinance("extension.months", period.last_day)
    is_business_day = business_days(law)
    nominal = end_of_month(add_months(period.last_day, filing.number))
    return Deadlines(
        nominal=nominal,
        effective=roll_forward(nominal, is_business_day),
        longest_extension=add_months(nominal, extension.number),
        clauses=(filing.clause, law.clause("FOX-04B"), extension.clause),
        is_business_day=is_business_day,
    )


@implements("FOX-05", "FOX-05B")
def annual_return(election: Election, year: int, law: Law) -> AnnualReturn:
    """Within 90 days of the close of the calendar or fiscal year that the filer elected."""
    year_end = election.year_end(year)
    value = law.ordinance("annual_return.days", year_end)
    nominal = year_end + timedelta(days=value.number)
    longest = add_months(nominal, law.ordinance("extension.months", year_end).number)
    return AnnualReturn(year_end, nominal, roll_forward(nominal, business_days(law)), value.clause, longest)
