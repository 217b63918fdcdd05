"""A town with just enough law to draft returns: monthly periods, rates that change, a week is a long stay."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from types import SimpleNamespace

from core.contract.declarations import Line, Stay, Tax
from core.domain.calendar import Deadlines, Frequency, Period
from core.domain.clause import Clause, LawValue
from core.domain.errors import ValueNotYetInForce

CLAUSE = Clause("TOWN-1", "§ 1")
MONTHLY = Frequency("monthly", 1, "M")


def lodging_tax(
    frequency: Frequency = MONTHLY, deductions: tuple[str, ...] = ("marketplace", "long_stay", "exempt_entity")
) -> Tax:
    """A tax on rooms and sites with these lines of deductions."""
    receipts = tuple(Line(key, key, CLAUSE) for key in ("rooms", "sites"))
    lines = tuple(Line(key, key, CLAUSE) for key in deductions)
    return Tax("lodging", "Lodging tax", "operator", frequency, "general", "rate", receipts, lines, {})


@dataclass
class SmallLaw:
    """Only the rates: from each of these days on another one holds."""

    since: tuple[date, ...] = (date(2000, 1, 1),)
    resolution_slots: dict[str, object] = field(default_factory=dict)

    def spans(self, key: str, first: date, last: date) -> list[tuple[LawValue, date, date]]:
        """As Law.spans."""
        if first < self.since[0]:
            raise ValueNotYetInForce(f"{key} (§ 1) has no value on {first}: it begins on {self.since[0]}")
        starts = [max(day for day in self.since if day <= first), *(day for day in self.since if first < day <= last)]
        ends = [*(day - timedelta(1) for day in starts[1:]), last]
        return [(self._value(key, start), max(start, first), end) for start, end in zip(starts, ends, strict=True)]

    def _value(self, key: str, since: date) -> LawValue:
        return LawValue(f"{key}@{since}", key, Decimal("0.05"), CLAUSE, since, None, "ordinance", "Council", (1, 20))


@dataclass
class SmallTown:
    """Answers what drafting asks of a municipality."""

    tax: Tax = field(default_factory=lodging_tax)
    law: SmallLaw = field(default_factory=SmallLaw)
    declared: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(key="small_town", name="Small Town"))

    @property
    def taxes(self) -> dict[str, Tax]:
        """The one tax."""
        return {self.tax.key: self.tax}

    def is_long_stay(self, stay: Stay) -> bool:
        """A week or more."""
        return stay.nights >= 7

    def deadlines(self, period: Period) -> Deadlines:
        """Ten days after the period."""
        due = period.last_day + timedelta(10)
        return Deadlines(due, due, due, (CLAUSE,) * 3, lambda day: True)
