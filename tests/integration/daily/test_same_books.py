"""The same books whether the daily run ran every day or caught up after days off, whatever was recorded between."""

from __future__ import annotations

import os
import random
from datetime import date, timedelta
from typing import NamedTuple

import pytest
from sqlalchemy import Engine

from core.contract.settings import ReadingChoice, Resolution
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.calendar import ONE_DAY, end_of_month
from core.domain.errors import Refused
from core.domain.events import Event, Extension, Finding, Notice, Payment
from core.filing.accounts import accounts_of
from core.ledger.read import trial_balance
from core.services.accounts.canonical import canonical
from core.services.accounts.load import load_accounts
from core.services.accounts.replay import replay_books
from core.services.accounts.waiting import waiting
from core.services.daily.run import DayDone, run_days
from core.tenants.open_tenant import open_tenant
from core.tenants.record_setting import record_reading, record_resolution
from tests.support.places import a_filer, a_place, first_filer
from tests.support.towns import NEVER, Town, a_payment, a_return, a_waiver, an_estimate, came_back, open_town

pytestmark = [pytest.mark.database, pytest.mark.slow]
FIRST, MIDDLE, LAST = date(2026, 1, 12), date(2026, 4, 30), date(2026, 8, 14)
PERIODS = ("2025-Q1", "2025-Q3", "2025-Q4", "2026-Q1", "2026-Q2")
STORIES = int(os.environ.get("FISC_STORIES", "2"))
SEED = int(os.environ.get("FISC_FUZZ_SEED", "3"))
KINDS = (
    "return",
    "return",
    "return",
    "payment",
    "payment",
    "payment",
    "back",
    "waiver",
    "extension",
    "notice",
    "finding",
    "estimate",
)


READINGS = (
    "return_supersedes_estimate",
    "extension_moves_interest",
    "interest_in_whole_months",
    "forfeiture_is_billed",
    "penalty_needs_notice",
)


class Step(NamedTuple):
    """What is recorded on a day: an act on a period, or a setting."""

    day: date
    period: str
    event: Event | None


@pytest.mark.parametrize("number", range(STORIES))
@pytest.mark.parametrize("plugin", ["bayfield", "fox_cities_village", "montello"])
def test_every_day_or_caught_up_the_books_are_the_same(app: Engine, host: Engine, plugin: str, number: int) -> None:
    chance = random.Random(f"{SEED} {plugin} {number}")
    every_day, with_gaps = (open_town(app, host, key, plugin, resolutions=()) for key in ("every-day", "with-gaps"))
    for town in (every_day, with_gaps):
        a_place(town, a_filer(town), "Harbor Inn", date(2025, 11, 3))
    steps = a_story(chance, every_day)
    gaps: list[tuple[date, date]] = []  # the days on which the second ran, each with the day of its run before
    ran = FIRST - ONE_DAY
    day = FIRST
    while day <= LAST:
        for step in (step for step in steps if step.day == day):
            assert record(every_day, step) == record(with_gaps, step)
        run(every_day, day)
        if day in (FIRST, MIDDLE, LAST) or chance.random() < 0.07:
            run(with_gaps, day)
            gaps.append((ran, day))
            ran = day
        day += ONE_DAY
    # An act brings the accrual with it, so the end of a month before it is posted with it; a setting does not.
    acted = [step.day for step in steps if step.event is not None]
    compared = 0
    for ran, caught_up in gaps:
        for end in (day for day in days(ran + ONE_DAY, caught_up) if day == end_of_month(day)):
            if not any(end < day <= caught_up for day in acted):
                assert balances(every_day, end) == balances(with_gaps, end), end
                compared += 1
    assert compared
    assert balances(every_day) == balances(with_gaps)
    assert statements(every_day) == statements(with_gaps)
    assert set(waiting_now(every_day)) == set(waiting_now(with_gaps))
    for town in (every_day, with_gaps):
        assert replay_books(app, town.tenant).differences == ()


def a_story(chance: random.Random, town: Town) -> list[Step]:
    """Acts on random days, what the council sets on one of them, and on another a reading of the treasurer's."""
    span = (LAST - FIRST).days
    dates = sorted(FIRST + timedelta(days=chance.randrange(span)) for _ in range(24))
    steps = [Step(day, period, event) for day in dates for period, event in [an_act(chance, town, day)]]
    steps += [Step(FIRST + timedelta(days=chance.randrange(span)), name, None) for name in READINGS]
    steps.append(Step(FIRST + timedelta(days=chance.randrange(span)), "fees", None))
    return sorted(steps, key=lambda step: step.day)


def an_act(chance: random.Random, town: Town, day: date) -> tuple[str, Event]:
    period = chance.choice([key for key in PERIODS if town.accounts[key].period.last_day < day])
    account = town.accounts[period]
    on = max(account.period.last_day + ONE_DAY, day - timedelta(days=chance.choice((0, 0, 1, 5))))
    cents = chance.randrange(1, 40) * 12_345
    return period, {
        "return": a_return(on, account, cents * 10),
        "payment": a_payment(on, cents),
        "back": came_back(day, 0, date.min, 0),
        "waiver": a_waiver(day, "interest", 500),
        "extension": Extension(0, on, NEVER, town_extension(town, period)),
        "notice": Notice(0, on, NEVER),
        "finding": Finding(0, on, NEVER, "fraud", "Treasurer", "two sets of books"),
        "estimate": an_estimate(on, account, cents * 10),
    }[chance.choice(KINDS)]


def town_extension(town: Town, period: str) -> date:
    return town.accounts[period].period.last_day + timedelta(days=45)


def record(town: Town, step: Step) -> bool:
    """Records a step; answers whether it was allowed."""
    if step.event is None:
        in_transaction(town.engine, town.tenant.id, lambda uow: set_something(uow, town, step))
        return True
    event = step.event
    if type(event) is type(came_back(date.min, 0, date.min, 0)):
        with reading(town.engine, town.tenant.id) as uow:
            events = load_accounts(uow, open_tenant(uow, town.tenant.key), [town.accounts[step.period].id])
        paid = [one for loaded in events.values() for one in loaded.events if isinstance(one, Payment)]
        if not paid:
            return False
        event = came_back(step.day, paid[-1].seq, paid[-1].on, paid[-1].cents)
    try:
        town.act(step.day, (step.period, event))
    except Refused:
        return False
    return True


def set_something(uow: UnitOfWork, town: Town, step: Step) -> None:
    law, recorded = open_tenant(uow, town.tenant.key).law, Recorded("treasurer", step.day)
    if step.period in READINGS:
        if step.period in law.reading_slots:
            default = law.reading_slots[step.period].default
            choice = ReadingChoice(step.period, not default, date(2025, 1, 1), "counsel's letter")
            record_reading(uow, law, choice, recorded)
        return
    for key in ("late_filing_fee", "returned_payment_fee"):
        if key in law.resolution_slots:
            record_resolution(uow, law, Resolution(key, 2_500, date(2025, 1, 1), "1"), recorded)


def run(town: Town, day: date) -> None:
    assert all(isinstance(done, DayDone) for done in run_days(town.engine, town.tenant, day))


def days(first: date, through: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((through - first).days + 1)]


def balances(town: Town, through: date = date.max) -> dict[tuple[str, str], int]:
    with reading(town.engine, town.tenant.id) as uow:
        return {(one.fund, one.number): one.cents for one in trial_balance(uow, through) if one.cents}


def statements(town: Town) -> list[str]:
    """What is owed on every account on the last day, account by account."""
    with reading(town.engine, town.tenant.id) as uow:
        municipality = open_tenant(uow, town.tenant.key)
        ids = [one.id for one in accounts_of(uow, first_filer(town))]
        loaded = load_accounts(uow, municipality, ids)
        told = {}
        for account in loaded.values():
            try:
                told[account.record.period.key] = canonical(account.statement(LAST))
            except Exception as error:
                told[account.record.period.key] = str(error)
    return [f"{key} {text}" for key, text in sorted(told.items())]


def waiting_now(town: Town) -> list[str]:
    found = waiting(town.engine, town.tenant, LAST)
    with reading(town.engine, town.tenant.id) as uow:
        return [one.period.key for one in accounts_of(uow, first_filer(town)) if one.id in found]
