"""When an account has to be posted though nobody touches it, against a look at every single day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import islice
from uuid import UUID

import pytest

from core.contract.loading import open_municipality, open_plugin
from core.contract.municipality import OpenMunicipality
from core.contract.proving.samples import sample_accounts, with_every_amount_set
from core.domain.calendar import ONE_DAY, end_of_month
from core.domain.charge import INTEREST
from core.domain.errors import ResolutionMissing
from core.filing.assessed_so_far import AssessedSoFar
from core.filing.records import PeriodAccount
from core.services.accounts.load import LoadedAccount
from core.services.daily.watch import Watched
from tests.support.testville import plugin as testville

SOME = UUID(int=1)
ACCOUNTS, DAYS = 40, 100
TOWNS = {
    **{key: open_municipality(key) for key in ("bayfield", "fox_cities_village", "montello")},
    "testville": open_plugin(testville, "testville"),
}


def sample_loaded(municipality: OpenMunicipality) -> Iterator[LoadedAccount]:
    """Accounts with acts that the law allows; it is asked with every amount set which those are."""
    for tax in municipality.taxes.values():
        for sample in islice(sample_accounts(with_every_amount_set(municipality), tax), ACCOUNTS):
            record = PeriodAccount(SOME, SOME, SOME, tax.key, sample.account.period)
            yield LoadedAccount(record, municipality, sample.events, ((date.min, dict(sample.account.inputs)),))


def watched(account: LoadedAccount, assessed: AssessedSoFar | None, first: date) -> Watched:
    through = first + timedelta(days=DAYS)
    return Watched(account, assessed, first, through, lambda day: account.municipality)


def charges(account: LoadedAccount, day: date) -> dict[str, int] | None:
    """What is owed by kind, None where a resolution is missing."""
    try:
        return {kind: cents for kind, cents in account.statement(day).charges.items() if cents}
    except ResolutionMissing:
        return None


def without_interest(owed: dict[str, int]) -> dict[str, int]:
    return {kind: cents for kind, cents in owed.items() if kind != INTEREST}


def day_by_day(account: LoadedAccount, assessed: AssessedSoFar | None, first: date) -> list[date]:
    """Every day on which anything but interest differs from what is posted, and month ends on which interest does."""
    posted = assessed.charges if assessed is not None else {}
    behind = assessed is None and bool(account.events)
    found = []
    for number in range(DAYS + 1):
        day = first + timedelta(days=number)
        owed = charges(account, day)
        if owed is None:
            continue
        other = without_interest(owed) != without_interest(posted)
        if behind or other or (day == end_of_month(day) and owed != posted):
            found.append(day)
            posted, behind = owed, False
    return found


def starts(account: LoadedAccount) -> Iterator[date]:
    """Around the last act, around the due date, and long after."""
    due = account.municipality.deadlines(account.record.period).effective
    last = max(account.last_recorded, account.record.period.last_day)
    for day in (last, last + ONE_DAY, due, due + timedelta(days=200)):
        if day >= account.last_recorded:
            yield day


@pytest.mark.parametrize("amounts", ["set", "unset"])
@pytest.mark.parametrize("town", TOWNS)
def test_it_is_posted_on_the_days_that_a_look_at_every_day_finds(town: str, amounts: str) -> None:
    municipality = TOWNS[town] if amounts == "unset" else with_every_amount_set(TOWNS[town])
    posted = 0
    for account in sample_loaded(municipality):
        for first in starts(account):
            known = charges(account, first - ONE_DAY) if first > account.last_recorded else None
            seqs = frozenset(event.seq for event in account.events)
            assessed = AssessedSoFar(first - ONE_DAY, seqs, known) if known is not None else None
            days = list(watched(account, assessed, first).posting_days())
            assert days == day_by_day(account, assessed, first), (account, first)
            posted += len(days)
    assert posted > ACCOUNTS // 2


def test_the_days_on_which_it_waits_are_those_on_which_the_amount_is_missing() -> None:
    waits = 0
    for account in sample_loaded(TOWNS["bayfield"]):
        for first in starts(account):
            spans = list(watched(account, None, first).waiting_days())
            listed = {day for begin, end in spans for day in days_of(begin, end)}
            through = first + timedelta(days=DAYS)
            assert listed == {day for day in days_of(first, through) if charges(account, day) is None}
            waits += len(listed)
    assert waits > ACCOUNTS // 2


def test_nothing_is_looked_at_before_what_is_posted_already() -> None:
    account = next(one for one in sample_loaded(with_every_amount_set(TOWNS["montello"])) if one.events)
    later = account.last_recorded + timedelta(days=30)
    assessed = AssessedSoFar(later, frozenset(), {})
    days = list(watched(account, assessed, later - timedelta(days=20)).posting_days())
    assert days
    assert min(days) == later


def days_of(first: date, through: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((through - first).days + 1)]
