"""Payments that come back, that were entered in error, and that are moved: void, and the account as if never paid."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from core.db.unit_of_work import reading
from core.domain.errors import FiscError, Refused
from core.filing.events import PaymentAlreadyVoid
from core.filing.payments import PaymentUnknown, RecordedPayment
from core.filing.records import AccountUnknown
from core.ledger.verify import verify
from core.services.accounts.named import Named
from core.services.accounts.replay import replay_books
from core.services.money.read_payments import list_payments, read_payment
from tests.support.money import CASH, CREDITS, Desk, on_account
from tests.support.places import a_filer, a_place, accounts_now, first_filer
from tests.support.towns import open_town

pytestmark = pytest.mark.database

FILED = date(2026, 4, 20)
MAY = date(2026, 5, 18)


@pytest.fixture
def bay(app: Engine, host: Engine) -> Desk:
    """$10,000.00 x 6.5% = $650.00 filed for each of two periods."""
    desk = Desk(open_town(app, host, "bay", "bayfield"))
    desk.files(FILED, "2026-Q1", 1_000_000)
    return desk


def read(desk: Desk, payment: UUID) -> RecordedPayment:
    return read_payment(desk.engine, desk.tenant, payment)


def faults(refused: pytest.ExceptionInfo[Refused]) -> dict[str, str]:
    return {fault.field: fault.message for fault in refused.value.faults}


class TestAPaymentThatComesBack:
    def test_leaves_the_tax_unpaid_from_the_start_and_a_fee(self, bay: Desk) -> None:
        check = bay.pays(FILED, "2026-Q1", 65_000)
        answer = bay.comes_back(MAY, check)
        # 650.00 + 35.00 + 650 x 10% x 18 / 365 = 3.21
        assert on_account(answer) == "688.21"
        assert answer["payment"] == {"id": str(check), "number": 1}
        kept = read(bay, check).void
        assert kept is not None
        assert (kept.kind, kept.on, kept.reason, kept.recorded.on) == ("returned", MAY, "not sufficient funds", MAY)

    def test_counts_for_the_day_it_came_back_though_recorded_later(self, bay: Desk) -> None:
        check = bay.pays(FILED, "2026-Q1", 65_000)
        bay.comes_back(MAY, check, came_back_on=date(2026, 5, 15))
        kept = read(bay, check).void
        assert kept is not None
        assert (kept.on, kept.recorded.on) == (date(2026, 5, 15), MAY)

    def test_is_recorded_though_the_fee_is_not_set_and_says_which_act_it_waits_for(
        self, app: Engine, host: Engine
    ) -> None:
        desk = Desk(open_town(app, host, "half", "bayfield", resolutions=(("late_filing_fee", 2_500),)))
        desk.files(FILED, "2026-Q1", 1_000_000)
        check = desk.pays(FILED, "2026-Q1", 65_000)
        answer = desk.comes_back(MAY, check)
        assert "fee for a returned check" in on_account(answer, "waiting")
        assert read(desk, check).void is not None

    def test_costs_nothing_where_no_resolution_sets_a_fee_and_none_is_needed(self, app: Engine, host: Engine) -> None:
        desk = Desk(open_town(app, host, "mon", "montello", resolutions=()))
        desk.files(FILED, "2026-Q1", 1_000_000)
        # 450.00 and 4.50 for May
        assert on_account(desk.comes_back(MAY, desk.pays(FILED, "2026-Q1", 45_000))) == "454.50"

    def test_comes_back_once(self, bay: Desk) -> None:
        check = bay.pays(FILED, "2026-Q1", 65_000)
        bay.comes_back(MAY, check)
        again = "payment 1 came back on May 18, 2026 \\(not sufficient funds\\): it is void already"
        with pytest.raises(PaymentAlreadyVoid, match=again):
            bay.comes_back(MAY, check)
        with pytest.raises(PaymentAlreadyVoid, match=again):
            bay.voids(MAY, check)
        with pytest.raises(PaymentAlreadyVoid, match=again):
            bay.moves(MAY, check, "2026-Q2")

    def test_is_refused_with_all_that_is_wrong(self, bay: Desk) -> None:
        check = bay.pays(FILED, "2026-Q1", 65_000)
        with pytest.raises(Refused) as refused:
            bay.comes_back(MAY, check, " ", came_back_on=date(2026, 4, 19))
        assert faults(refused) == {
            "reason": "give the reason in 1 to 500 letters, on one line",
            "came_back_on": "2026-04-19 is before 2026-04-20, the day it was paid: correct the day",
        }
        with pytest.raises(Refused) as refused:
            bay.comes_back(MAY, check, came_back_on=date(2026, 5, 19))
        assert list(faults(refused)) == ["came_back_on"]
        assert read(bay, check).void is None


class TestAnEntryInError:
    def test_is_void_without_a_fee(self, bay: Desk) -> None:
        bay.pays(FILED, "2026-Q1", 65_000, reference="12")
        twice = bay.pays(FILED, "2026-Q1", 65_000, reference="12 again")
        answer = bay.voids(date(2026, 4, 21), twice)
        assert on_account(answer) == "0.00"
        assert bay.books() == {("210", CASH): 65_000, ("210", "41210"): -65_000}
        kept = read(bay, twice).void
        assert kept is not None
        assert (kept.kind, kept.reason) == ("error", "entered twice")

    def test_needs_a_reason(self, bay: Desk) -> None:
        payment = bay.pays(FILED, "2026-Q1", 65_000)
        for reason in ("", "  ", "x" * 501, "two\nlines"):
            with pytest.raises(Refused) as refused:
                bay.voids(MAY, payment, reason)
            assert list(faults(refused)) == ["reason"]

    def test_cannot_be_recorded_before_what_was_recorded_last(self, bay: Desk) -> None:
        payment = bay.pays(FILED, "2026-Q1", 65_000)
        with pytest.raises(Refused, match="was last written to on 2026-04-20"):
            bay.voids(date(2026, 4, 19), payment)


class TestAPaymentThatIsMoved:
    def test_counts_for_its_own_day_in_the_other_period(self, bay: Desk) -> None:
        # Paid on April 20 for the wrong period; on May 18 it is moved, and the tax was paid in time after all.
        astray = bay.pays(FILED, "2025-Q4", 65_000, method="check", reference="88")
        answer = bay.moves(MAY, astray, "2026-Q1")
        balances = {one["account"]: one["balance"] for one in answer["accounts"]}
        accounts = bay.town.accounts
        # Of 2025-Q4 nothing is filed, and the return was due on January 30.
        assert balances == {str(accounts["2026-Q1"].id): "0.00", str(accounts["2025-Q4"].id): "25.00"}
        moved = answer["payment"]
        assert [(line["kind"], line["amount"]) for line in moved["applied"]] == [("tax", "650.00")]
        assert (moved["number"], moved["paid_on"], moved["moved_from"]) == (2, "2026-04-20", str(astray))
        new, old = read(bay, UUID(moved["id"])), read(bay, astray)
        assert (new.method, new.reference, new.received_on, new.moved_from) == ("check", "88", FILED, astray)
        assert (new.void, old.moved_to) == (None, new.id)
        assert old.void is not None
        assert (old.void.kind, old.void.reason) == ("moved", "moved to 2026-Q1: meant for it")

    def test_can_be_moved_on_and_a_void_one_cannot(self, bay: Desk) -> None:
        astray = bay.pays(FILED, "2025-Q3", 65_000)
        there = UUID(bay.moves(MAY, astray, "2025-Q4")["payment"]["id"])
        with pytest.raises(PaymentAlreadyVoid, match="was struck out on May 18, 2026 .moved to 2025-Q4: meant for it."):
            bay.moves(MAY, astray, "2026-Q1")
        here = UUID(bay.moves(MAY, there, "2026-Q1")["payment"]["id"])
        assert [one.void is None for one in list_payments(bay.engine, bay.tenant)] == [False, False, True]
        assert read(bay, here).moved_from == there

    def test_goes_to_another_place_of_another_filer_after_an_error(self, bay: Desk) -> None:
        other = a_filer(bay.town)
        inn = Named(place_id=a_place(bay.town, other).id, period="2026-Q1")
        astray = bay.pays(FILED, "2026-Q1", 65_000)
        answer = bay.moves(date(2026, 4, 21), astray, inn)
        opened = accounts_now(bay.town, other)["Harbor Inn", "2026-Q1"]
        balances = {one["account"]: one["balance"] for one in answer["accounts"]}
        assert balances == {str(bay.town.accounts["2026-Q1"].id): "650.00", str(opened.id): "-650.00"}
        assert answer["payment"]["held"] is True
        assert bay.books()["210", CREDITS] == -65_000
        void = read(bay, astray).void
        assert void is not None
        assert void.reason == "moved to 2026-Q1 of another place: meant for it"

    def test_to_where_it_is_or_to_nowhere_is_refused(self, bay: Desk) -> None:
        payment = bay.pays(FILED, "2026-Q1", 65_000)
        with pytest.raises(Refused) as refused:
            bay.moves(MAY, payment, "2026-Q1")
        assert faults(refused) == {"account": "payment 1 is for this place and 2026-Q1 already: name another account"}
        place = bay.town.accounts["2026-Q1"].place_id
        with pytest.raises(Refused) as refused:
            bay.moves(MAY, payment, Named(place_id=place, period="2030-Q1"), " ")
        assert list(faults(refused)) == ["reason", "period"]
        with pytest.raises(AccountUnknown):
            bay.moves(MAY, payment, Named(uuid4()))
        assert read(bay, payment).void is None

    def test_stays_within_its_municipality(self, bay: Desk, app: Engine, host: Engine) -> None:
        twin = Desk(open_town(app, host, "twin", "bayfield"))
        payment = bay.pays(FILED, "2026-Q1", 65_000)
        with pytest.raises(AccountUnknown):
            bay.moves(MAY, payment, twin.named("2026-Q1"))
        with pytest.raises(PaymentUnknown):
            twin.moves(MAY, payment, "2026-Q2")

    def test_is_moved_once_under_one_key(self, bay: Desk) -> None:
        astray = bay.pays(FILED, "2025-Q4", 65_000)
        first = bay.moves(MAY, astray, "2026-Q1", key="one")
        assert bay.moves(MAY, astray, "2026-Q1", key="one") == first
        assert len(list_payments(bay.engine, bay.tenant)) == 2

    def test_at_once_in_both_directions_waits_in_no_circle(self, bay: Desk) -> None:
        """Two payments change places, eight times over, and no request is told that others were in the way."""
        payments = {"2026-Q1": bay.pays(FILED, "2026-Q1", 100), "2026-Q2": bay.pays(FILED, "2026-Q2", 200)}
        for _ in range(8):
            with ThreadPoolExecutor(2) as pool:
                there = pool.submit(bay.moves, MAY, payments["2026-Q1"], "2026-Q2")
                back = pool.submit(bay.moves, MAY, payments["2026-Q2"], "2026-Q1")
            payments = {
                "2026-Q2": UUID(there.result()["payment"]["id"]),
                "2026-Q1": UUID(back.result()["payment"]["id"]),
            }
        standing = [one for one in list_payments(bay.engine, bay.tenant) if one.void is None]
        assert sorted(one.cents for one in standing) == [100, 200]

    def test_by_two_at_once_is_moved_by_one(self, bay: Desk) -> None:
        astray = bay.pays(FILED, "2025-Q4", 65_000)

        def move(period: str) -> str:
            try:
                return str(bay.moves(MAY, astray, period)["payment"]["period"])
            except FiscError as error:
                return type(error).__name__

        with ThreadPoolExecutor(2) as pool:
            done = set(pool.map(move, ["2026-Q1", "2026-Q2"]))
        assert "PaymentAlreadyVoid" in done
        assert len(done & {"2026-Q1", "2026-Q2"}) == 1
        assert bay.books().get(("210", CASH)) == 65_000


class TestReach:
    def test_a_payment_of_another_filer_is_unknown(self, bay: Desk) -> None:
        payment = bay.pays(FILED, "2026-Q1", 65_000)
        others = frozenset({a_filer(bay.town)})
        for act in (bay.comes_back, bay.voids):
            with pytest.raises(PaymentUnknown, match="no payment here has this id"):
                act(MAY, payment, reach=others)
        with pytest.raises(PaymentUnknown):
            bay.moves(MAY, payment, "2026-Q2", reach=others)
        with pytest.raises(PaymentUnknown):
            read_payment(bay.engine, bay.tenant, payment, reach=others)
        with pytest.raises(PaymentUnknown, match="no payment here has this id"):
            read_payment(bay.engine, bay.tenant, uuid4())
        mine = frozenset({first_filer(bay.town)})
        assert read_payment(bay.engine, bay.tenant, payment, reach=mine).id == payment


def test_after_all_of_it_the_books_replay_and_are_whole(bay: Desk) -> None:
    check = bay.pays(FILED, "2026-Q1", 65_000)
    bay.comes_back(date(2026, 5, 4), check)
    astray = bay.pays(date(2026, 5, 5), "2025-Q4", 70_000)
    bay.moves(date(2026, 5, 6), astray, "2026-Q1")
    bay.voids(date(2026, 5, 7), bay.pays(date(2026, 5, 6), "2026-Q1", 1))
    assert replay_books(bay.engine, bay.tenant).differences == ()
    with reading(bay.engine, bay.tenant.id) as uow:
        assert not verify(uow, None).broken
    assert bay.cash() == 70_000
