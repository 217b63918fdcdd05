"""Watches one account over days on which nothing is recorded: when it has to be posted, waits, or is overdue.

What is owed then changes by the passing of days alone. It is looked at on the first and the last day, and between
them only where the two differ: so a law may let a charge arise or fall away on some day, but one that came and went
again within days without anything having happened would not be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, NamedTuple

from core.contract.municipality import OpenMunicipality
from core.domain.calendar import ONE_DAY, end_of_month
from core.domain.charge import INTEREST
from core.domain.errors import FiscError, ResolutionMissing, ValueNotInForce
from core.domain.events import Extension, ReturnFiled
from core.filing.assessed_so_far import AssessedSoFar
from core.services.accounts.load import LoadedAccount

LawOn = Callable[[date], OpenMunicipality]
Overdue = Literal["return", "payment"]


class AccountCannotBeAssessed(FiscError):
    """The rules, or the records, of an account are broken, so that nobody can say what is owed on it."""


class _View(NamedTuple):
    """What is owed on a day: interest apart from the rest, since it alone grows from day to day."""

    rest: frozenset[tuple[str, int]]
    interest: int
    balance: int
    arose: frozenset[date]
    waits: bool


_WAITS = _View(frozenset(), 0, 0, frozenset(), True)


@dataclass(slots=True)
class Watched:
    """An account from `first` through `through`, both inside, under the law as it was known on each day.

    `boundaries` are days on which the law changed. Nothing is looked at before the account's own last act or posting.
    """

    account: LoadedAccount
    assessed: AssessedSoFar | None
    first: date
    through: date
    law_on: LawOn
    boundaries: tuple[date, ...] = ()
    _views: dict[date, _View] = field(default_factory=dict)
    _days: list[date] | None = None

    def posting_days(self) -> Iterator[date]:
        """The days as of which it has to be posted: what else than interest is owed has changed, or was not posted
        because it waited; on the last day of a month interest too.
        """
        posted = _posted(self.assessed)
        known = self.assessed.event_seqs if self.assessed is not None else frozenset()
        behind = any(event.seq not in known for event in self.account.events)
        for day in self._days_to_look_at():
            view = self._view(day)
            if view.waits:
                continue
            grown = day == end_of_month(day) and view.interest != posted.interest
            if behind or grown or view.rest != posted.rest:
                yield day
                posted, behind = view, False

    def waiting_days(self) -> Iterator[tuple[date, date]]:
        """The days on which it waits for a resolution, as spans with both days inside."""
        days = self._days_to_look_at()
        for day, after in zip(days, [*days[1:], self.through + ONE_DAY], strict=True):
            if self._view(day).waits:
                yield day, after - ONE_DAY

    def overdue_days(self) -> Iterator[tuple[date, Overdue]]:
        """The days on which its return, or what it owes by a return in time, became overdue, as known on that day."""
        dates = self.account.municipality.deadlines(self.account.record.period)
        untils = [event.until for event in self.account.events if isinstance(event, Extension)]
        ends = {dates.effective, *(dates.rolled(max(dates.nominal, until)) for until in untils)}
        for end in sorted(ends):
            day = end + ONE_DAY
            if not self.first <= day <= self.through:
                continue
            known = [event for event in self.account.events if event.recorded <= day]
            extended = [event.until for event in known if isinstance(event, Extension)]
            file_by = dates.rolled(max([dates.nominal, *extended]))
            if not any(isinstance(event, ReturnFiled) for event in known):
                if file_by == end:
                    yield day, "return"
            elif end == dates.effective and self._view(day).balance > 0:
                yield day, "payment"

    def _days_to_look_at(self) -> list[date]:
        if self._days is None:
            self._days = self._found_days()
        return self._days

    def _found_days(self) -> list[date]:
        floor = max(self.account.last_recorded, self.assessed.as_of if self.assessed is not None else date.min)
        start = max(self.first, floor)
        if start > self.through:
            return []
        starts = [start, *[day for day in self.boundaries if start < day <= self.through]]
        days = set(starts)
        for begin, after in zip(starts, [*starts[1:], self.through + ONE_DAY], strict=True):
            days.update(self._changes(begin, after - ONE_DAY))
        if _posted(self.assessed).interest or any(self._view(day).interest for day in (start, self.through)):
            days.update(_month_ends(start, self.through))
        return sorted(days)

    def _changes(self, begin: date, end: date) -> Iterator[date]:
        """The days after `begin`, through `end`, on which something else than interest changed."""
        if begin == end:
            return
        before, after = self._view(begin), self._view(end)
        same = before.rest == after.rest and before.waits == after.waits
        if same and not any(begin < day <= end for day in after.arose):
            return
        if end - begin == ONE_DAY:
            yield end
            return
        middle = begin + (end - begin) // 2
        yield from self._changes(begin, middle)
        yield from self._changes(middle, end)

    def _view(self, day: date) -> _View:
        known = self._views.get(day)
        if known is None:
            known = self._views[day] = self._looked_at(day)
        return known

    def _looked_at(self, day: date) -> _View:
        law = self.law_on(day)
        account = self.account if law is self.account.municipality else replace(self.account, municipality=law)
        try:
            statement = account.statement(day)
        except (ResolutionMissing, ValueNotInForce):
            return _WAITS
        except Exception as error:
            record = self.account.record
            what = f"period account {record.id} ({record.tax} {record.period.key})"
            raise AccountCannotBeAssessed(f"{what} as of {day}: {type(error).__name__}: {error}") from error
        charges = statement.charges
        arose = frozenset(line.arose_on for line in statement.lines)
        return _View(_rest(charges), charges.get(INTEREST, 0), statement.balance, arose, False)


def _posted(assessed: AssessedSoFar | None) -> _View:
    charges = assessed.charges if assessed is not None else {}
    return _View(_rest(charges), charges.get(INTEREST, 0), 0, frozenset(), False)


def _rest(charges: dict[str, int]) -> frozenset[tuple[str, int]]:
    return frozenset((kind, cents) for kind, cents in charges.items() if cents and kind != INTEREST)


def _month_ends(first: date, through: date) -> Iterator[date]:
    end = end_of_month(first)
    while end <= through:
        yield end
        end = end_of_month(end + ONE_DAY)
