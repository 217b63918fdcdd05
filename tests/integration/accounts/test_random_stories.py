"""Random stories through the services: the books always show the statement, and no application is rewritten."""

from __future__ import annotations

import os
import random
from datetime import date
from typing import NamedTuple

import pytest
from sqlalchemy import Engine

from core.contract.settings import Resolution
from core.db.recorded import Recorded
from core.db.remember import Request
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.errors import Fault, Refused
from core.domain.events import Event, Payment, PaymentReturned, Voided
from core.domain.fold import Application
from core.filing.accounts import open_accounts
from core.filing.owed_periods import Obligation
from core.filing.places import register_place
from core.filing.records import FilerDetails, PeriodAccount, PlaceDetails
from core.filing.register_filer import register_filer
from core.ledger.read import posted_state, trial_balance
from core.services.accounts.assess import signed
from core.services.accounts.load import LoadedAccount, load_accounts
from core.services.accounts.post import open_books
from core.services.accounts.record import Act, record_acts
from core.services.accounts.replay import replay_books
from core.services.accounts.state import desired_state
from core.services.cases.events import EventReader
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.openings import record_opening
from core.tenants.record_setting import record_resolution
from tests.support import random_cases
from tests.support.tenants import new_tenant

pytestmark = pytest.mark.database
OPENED = date(2023, 1, 1)
STORIES = int(os.environ.get("FISC_STORIES", "40"))
FEES = {"late_filing_fee": 2_500, "returned_payment_fee": 3_500}


class Step(NamedTuple):
    account: PeriodAccount
    event: Event


def a_town(app: Engine, host: Engine, plugin: str) -> Tenant:
    tenant = new_tenant(host, plugin.replace("_", "-"), plugin)

    def make(uow: UnitOfWork) -> None:
        municipality = open_tenant(uow, tenant.key)
        open_books(uow, municipality)
        record_opening(uow, OPENED, Recorded("t", OPENED))
        for name in FEES.keys() & municipality.law.resolution_slots.keys():
            fee = Resolution(name, FEES[name], OPENED, "1")
            record_resolution(uow, municipality.law, fee, Recorded("t", OPENED))

    in_transaction(app, tenant.id, make)
    return tenant


def a_story(app: Engine, tenant: Tenant, number: int, source: random.Random) -> list[Step]:
    """Two years of one place, with acts on both mixed by their days of recording."""
    cases = [random_cases.random_case(source)]
    while cases[0]["municipality"] != tenant.plugin:
        cases[0] = random_cases.random_case(source)
    year, rest = cases[0]["period"].split("-")
    periods = [f"{int(year) - 1}-{rest}", cases[0]["period"]]
    recorded = Recorded("t", OPENED)

    def opened(uow: UnitOfWork) -> tuple[PeriodAccount, ...]:
        tax = open_tenant(uow, tenant.key).taxes["room_tax"]
        filer = register_filer(uow, FilerDetails(f"Filer {number}"), recorded)
        place = register_place(uow, filer.id, PlaceDetails("Lake House"), OPENED, ["room_tax"], recorded)
        wanted = [Obligation(filer.id, place.id, "room_tax", tax.frequency.period(one)) for one in periods]
        return open_accounts(uow, wanted)

    earlier, later = in_transaction(app, tenant.id, opened)
    with reading(app, tenant.id) as uow:
        municipality = open_tenant(uow, tenant.key)
    faults: list[Fault] = []
    reader = EventReader(municipality.taxes["room_tax"], later.period, municipality.application_order, faults)
    steps = [Step(later, event) for event in reader.read(cases[0]["events"])]
    for event in [step.event for step in steps if step.event.__class__.__name__ == "ReturnFiled"]:
        part = event.receipts[0]._replace(first_night=earlier.period.first_day, last_night=earlier.period.last_day)
        steps.append(Step(earlier, event._replace(receipts=(part,))))
    return sorted(steps, key=lambda step: (step.event.recorded, step.account.id, step.event.seq))


def the_books_show_the_statement(uow: UnitOfWork, account: LoadedAccount, day: date) -> list[Application]:
    """Asserts it, and answers where payments went."""
    statement = account.statement(day)
    municipality = account.municipality
    lines = desired_state(statement, municipality.chart("room_tax"), municipality.declared.version)
    posted = posted_state(uow, [account.record.id])[account.record.id]
    assert {key: cents for key, cents in posted.items() if cents} == {
        key: cents for key, cents in signed(lines.values()).items() if cents
    }
    void = {event.payment_seq for event in account.events if isinstance(event, PaymentReturned | Voided)}
    standing = [event.cents for event in account.events if isinstance(event, Payment) and event.seq not in void]
    assert sum(statement.applied.values()) == sum(standing)
    return list(statement.applications)


def told(app: Engine, tenant: Tenant, number: int, steps: list[Step]) -> int:
    """Records every step that the law allows. Answers how many."""
    seqs: dict[tuple[object, int], int] = {}
    applied: dict[object, tuple[date, list[Application]]] = {}
    for account, event in steps:
        if isinstance(event, PaymentReturned):
            seq = seqs.get((account.id, event.payment_seq))
            if seq is None:
                continue
            event = event._replace(payment_seq=seq)
        request = Request.of("t", f"{number}:{account.id}:{event.seq}", repr(event).encode())
        day = event.recorded
        try:
            done = record_acts(app, tenant, request, [Act(account.id, event, {})], Recorded("t", day))
        except Refused:
            continue
        seqs[account.id, event.seq] = done["acts"][0]["seq"]
        assert all(one["waiting"] is None for one in done["accounts"])
        with reading(app, tenant.id) as uow:
            ids = {one.id for one, _ in steps}
            for one in load_accounts(uow, open_tenant(uow, tenant.key), ids).values():
                if str(one.record.id) in {posted["account"] for posted in done["accounts"]}:
                    now = the_books_show_the_statement(uow, one, day)
                    before_day, before = applied.get(one.record.id, (day, []))
                    # Of one day everything else comes before payments, so only an earlier day's stand for ever.
                    if before_day < day and one.record.id != account.id:
                        assert now[: len(before)] == before
                    applied[one.record.id] = (day, now)
    return len(seqs)


@pytest.mark.slow
@pytest.mark.parametrize("plugin", sorted(random_cases.RATES))
def test_after_every_act_the_books_show_the_statement(app: Engine, host: Engine, plugin: str) -> None:
    source = random.Random(int(os.environ.get("FISC_FUZZ_SEED", "7")))
    tenant = a_town(app, host, plugin)
    acts = sum(told(app, tenant, number, a_story(app, tenant, number, source)) for number in range(STORIES // 3))
    assert acts > STORIES // 3
    with reading(app, tenant.id) as uow:
        by_fund: dict[str, int] = {}
        for balance in trial_balance(uow):
            by_fund[balance.fund] = by_fund.get(balance.fund, 0) + balance.cents
    assert set(by_fund.values()) == {0}
    assert replay_books(app, tenant).differences == ()
