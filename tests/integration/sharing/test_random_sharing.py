"""Random stories with distributions in between: what was shared is always what the tax collected by then gives."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from datetime import date, timedelta
from itertools import count
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.unit_of_work import reading
from core.domain.errors import Refused
from core.filing.events import PaymentAlreadyVoid
from core.ledger.verify import verify
from core.services.accounts.load import load_accounts
from core.services.accounts.replay import replay_books
from core.services.sharing.remittances import distributions
from core.services.sharing.share_out import preview
from core.tenants.open_tenant import open_tenant
from tests.support.money import Desk
from tests.support.sharing import BUREAU, CHAMBER, COMMISSION, OWN, agree, remit, share_out
from tests.support.towns import open_town

pytestmark = [pytest.mark.database, pytest.mark.slow]

EXAMPLES = max(1, int(os.environ.get("FISC_STORIES", "40")) // 4)
NUMBERS = count(1)
PERIODS = ("2025-Q4", "2026-Q1")
START = date(2026, 4, 20)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ("shares", "pays", "files", "comes_back", "refunds", "moves", "voids", "remits", "agrees", "shares", "pays")
        ),
        st.sampled_from(PERIODS),
        st.sampled_from([0, 0, 1, 4, 11, 30]),
        st.sampled_from([1, 90_000, 4_998, 25_000, 44_551, 65_000, 250_001]),
    ),
    min_size=8,
    max_size=18,
)


def expected(plugin: str, base: int, share: int | None) -> dict[tuple[str, bool], int]:
    """The shares of a base in cents, by hand; `share` is the agreement's, in percent."""
    if plugin == "fox_cities_village":
        own = (base * 5 + 50) // 100
        return {(OWN, False): own, (BUREAU, False): base - own}
    if plugin == "montello":
        theirs = (base * 75 + 50) // 100
        return {(COMMISSION, False): theirs, (OWN, False): base - theirs}
    if share is None:
        return {(CHAMBER, True): base}
    theirs = -(-base * share // 100)
    return {(CHAMBER, False): theirs, (OWN, False): base - theirs}


class Story:
    """One story about the two periods of a town of its own. What the law refuses is not told."""

    def __init__(self, app: Engine, host: Engine, plugin: str) -> None:
        self.plugin = plugin
        self.desk = Desk(open_town(app, host, f"t{next(NUMBERS)}", plugin))
        self.town = self.desk.town
        self.on = START
        self.payments: list[UUID] = []
        self.percent: dict[int, int] = {}  # of the agreement of a year
        self.remitted = 0

    def tell(self, what: str, period: str, days: int, cents: int) -> None:
        self.on += timedelta(days)
        with suppress(Refused, PaymentAlreadyVoid):
            getattr(self, what)(period, cents)

    def files(self, period: str, cents: int) -> None:
        self.desk.files(self.on, period, cents * 15)

    def pays(self, period: str, cents: int) -> None:
        self.payments.append(self.desk.pays(self.on, period, cents))

    def comes_back(self, _: str, cents: int) -> None:
        if self.payments:
            self.desk.comes_back(self.on, self.payments[cents % len(self.payments)])

    def voids(self, _: str, cents: int) -> None:
        if self.payments:
            self.desk.voids(self.on, self.payments[cents % len(self.payments)])

    def moves(self, period: str, cents: int) -> None:
        if self.payments:
            answer = self.desk.moves(self.on, self.payments[cents % len(self.payments)], period)
            self.payments.append(UUID(answer["payment"]["id"]))

    def refunds(self, period: str, cents: int) -> None:
        self.desk.refunds(self.on, period, None if cents % 2 else cents)

    def agrees(self, period: str, cents: int) -> None:
        year, percent = int(period[:4]), cents % 100
        if self.plugin == "bayfield" and year not in self.percent:
            agree(self.town, date(year, 1, 1), date(year, 12, 31), f"{percent / 100:.2f}", self.on)
            self.percent[year] = percent

    def remits(self, *_: object) -> None:
        for one in (one for each in distributions(self.town.engine, self.town.tenant) for one in each.remittances):
            if one.payable_cents and one.paid_on is None:
                remit(self.town, self.on, one.number)
                self.remitted += one.payable_cents
                return

    def shares(self, *_: object) -> None:
        before, recorded = self.desk.books(), Recorded("treasurer", self.on)
        shown = preview(self.town.engine, self.town.tenant, "room_tax", None, recorded)
        assert self.desk.books() == before
        answer = share_out(self.town, self.on)
        assert list(shown.warnings) == answer["warnings"]
        posted = next(iter(distributions(self.town.engine, self.town.tenant)[-1:]), shown)
        assert shown.lines == (posted.lines if answer["number"] is not None else ())
        self.what_was_shared_is_what_was_collected()

    def collected(self, period: str) -> int:
        """The tax collected of a period as of today, from what happened and not from the books."""
        with reading(self.town.engine, self.town.tenant.id) as uow:
            account_id = self.town.accounts[period].id
            account = load_accounts(uow, open_tenant(uow, self.town.tenant.key), [account_id])[account_id]
        if not account.events:
            return 0
        seen = account.statement(self.on)
        return min(seen.applied.get("tax", 0), seen.charges["tax"])

    def what_was_shared_is_what_was_collected(self) -> None:
        made = distributions(self.town.engine, self.town.tenant)
        so_far: Counter[tuple[str, str, bool]] = Counter()
        for line in (line for one in made for line in one.lines):
            so_far[line.period, line.payee, line.held] += line.now_cents
            assert line.so_far_cents == so_far[line.period, line.payee, line.held] >= 0
        owed: Counter[tuple[str, str, bool]] = Counter()
        for period in PERIODS:
            base = self.collected(period)
            shares = expected(self.plugin, base, self.percent.get(int(period[:4])))
            assert sum(shares.values()) == base
            owed.update({(period, *key): cents for key, cents in shares.items()})
        assert +so_far == +owed
        self.the_books_agree(so_far)

    def the_books_agree(self, so_far: Counter[tuple[str, str, bool]]) -> None:
        books = self.desk.books()

        def of(own: bool, held: bool) -> int:
            return sum(n for (_, payee, is_held), n in so_far.items() if is_held == held and (payee == OWN) == own)

        assert -books.get(("210", "24500-01"), 0) + self.remitted == of(own=False, held=False)
        assert -books.get(("210", "24900"), 0) == of(own=False, held=True)
        assert -books.get(("100", "49210"), 0) == of(own=True, held=False)
        assert books.get(("210", "56700"), 0) == sum(so_far.values())
        carried = 0
        for one in (one for each in distributions(self.town.engine, self.town.tenant) for one in each.remittances):
            assert one.brought_forward_cents == carried <= 0
            assert one.payable_cents == max(0, one.share_cents + carried)
            carried += one.share_cents - one.payable_cents


@pytest.mark.parametrize("plugin", ["bayfield", "fox_cities_village", "montello"])
def test_whatever_happens_in_between_the_shares_are_those_of_what_is_collected(
    plugin: str, app: Engine, host: Engine
) -> None:
    told: list[Story] = []

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(STEPS)
    def stories(steps: list[tuple[str, str, int, int]]) -> None:
        story = Story(app, host, plugin)
        # So that each story has something to share, and something to take back.
        for step in (("files", PERIODS[1], 0, 25_000), ("pays", PERIODS[1], 0, 9_999), ("shares", "", 0, 0)):
            story.tell(*step)
        for step in steps:
            story.tell(*step)
        story.tell("shares", "", 1, 0)
        told.append(story)

    stories()
    back = 0
    for story in told:
        made = distributions(story.town.engine, story.town.tenant)
        back += sum(line.now_cents < 0 for one in made for line in one.lines)
        assert replay_books(story.town.engine, story.town.tenant).differences == ()
        with reading(story.town.engine, story.town.tenant.id) as uow:
            assert not verify(uow, None).broken
    assert back > 0
