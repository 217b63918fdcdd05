"""Distributions beside one another and beside payments: every cent is shared once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from threading import Barrier

import pytest
from sqlalchemy import Engine

from core.db.unit_of_work import reading
from core.ledger.verify import verify
from core.services.sharing.remittances import distributions
from tests.support.money import Desk
from tests.support.sharing import share_out
from tests.support.towns import Town, open_town

pytestmark = pytest.mark.database

DAY = date(2026, 4, 20)
PERIODS = ("2025-Q3", "2025-Q4", "2026-Q1")
PAYMENTS = [(period, 1_001 + 2 * turn) for turn in range(4) for period in PERIODS]


@pytest.fixture
def town(app: Engine, host: Engine) -> Town:
    """Of each period 10,000.00 x 4.5% = 450.00, two of them late with fees and interest; 300.00 are paid."""
    town = open_town(app, host, "mon", "montello")
    desk = Desk(town)
    for period in PERIODS:
        desk.files(DAY, period, 1_000_000)
        desk.pays(DAY, period, 30_000)
    return town


@pytest.mark.slow
def test_two_distributions_amid_payments_share_every_cent_once(town: Town) -> None:
    desk = Desk(town)
    start = Barrier(4)

    def pays(share: int) -> None:
        start.wait()
        for period, cents in PAYMENTS[share::2]:
            desk.pays(DAY, period, cents)

    def shares(_: int) -> None:
        start.wait()
        for _ in range(3):
            share_out(town, DAY)

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(pays, 0), pool.submit(shares, 0), pool.submit(pays, 1), pool.submit(shares, 1)]
        for one in done:
            one.result(timeout=120)
    share_out(town, DAY)

    made = distributions(town.engine, town.tenant)
    assert [one.number for one in made] == list(range(1, len(made) + 1))
    so_far: dict[tuple[str, str], int] = {}
    for line in (line for one in made for line in one.lines):
        key = (line.period, line.payee)
        so_far[key] = so_far.get(key, 0) + line.now_cents
        assert line.so_far_cents == so_far[key]  # none was worked out on what another had shared meanwhile
    books = desk.books()
    for period in PERIODS:
        base = max(line.base_cents for one in made for line in one.lines if line.period == period)
        assert sum(cents for (of, _), cents in so_far.items() if of == period) == base
    # What was paid is 3 x 300.00 and the payments meanwhile; fees and interest went to the general fund.
    paid = 3 * 30_000 + sum(cents for _, cents in PAYMENTS)
    general = books["100", "11100"] - sum(cents for (_, payee), cents in so_far.items() if payee == "General fund")
    assert sum(so_far.values()) == paid - general == books["210", "56700"]
    assert -books["210", "24500-01"] == sum(one.payable_cents for each in made for one in each.remittances)
    with reading(town.engine, town.tenant.id) as uow:
        assert not verify(uow, None).broken
