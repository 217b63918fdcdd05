"""Refunds out of a standing credit, with interest or a reasoned none: worked by hand for the three municipalities.

All file 2026-Q1, due on Thursday, April 30, 2026, and pay in time more than the return in the end shows.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from sqlalchemy import Engine

from core.db.unit_of_work import reading
from core.domain.errors import Refused, ResolutionMissing
from core.domain.events import Refunded
from core.filing.events import events_of, facts
from core.filing.records import AccountUnknown
from core.ledger.verify import verify
from core.services.accounts.named import Named
from core.services.accounts.replay import replay_books
from core.services.money.refund import RefundForm, preview_refund
from tests.support.money import CASH, CREDITS, REFUND_INTEREST, Desk, on_account
from tests.support.places import a_filer, a_place
from tests.support.towns import a_waiver, an_estimate, open_town, set_fee

pytestmark = pytest.mark.database


@pytest.fixture
def mon(app: Engine, host: Engine) -> Desk:
    return Desk(open_town(app, host, "mon", "montello"))


@pytest.fixture
def fox(app: Engine, host: Engine) -> Desk:
    return Desk(open_town(app, host, "fox", "fox_cities_village"))


@pytest.fixture
def bay(app: Engine, host: Engine) -> Desk:
    return Desk(open_town(app, host, "bay", "bayfield"))


def overpaid(desk: Desk, tax: int) -> None:
    """$10,000.00 of receipts filed and the tax paid on April 20; on June 15 the receipts turn out to be $7,000.00."""
    desk.files(date(2026, 4, 20), "2026-Q1", 1_000_000)
    desk.pays(date(2026, 4, 20), "2026-Q1", tax)
    desk.files(date(2026, 6, 15), "2026-Q1", 700_000)


def refunds_recorded(desk: Desk, period: str = "2026-Q1") -> list[Refunded]:
    account = desk.town.accounts[period].id
    with reading(desk.engine, desk.tenant.id) as uow:
        return [one for one in facts(events_of(uow, [account])[account]) if isinstance(one, Refunded)]


class TestTheWholeCredit:
    def test_in_montello_bears_one_percent_for_each_month_since_the_due_date(self, mon: Desk) -> None:
        # 10,000.00 x 4.5% = 450.00 paid; 7,000.00 x 4.5% = 315.00: a credit of 135.00. Paid before it was due, so from
        # April 30 to July 1, the first of the month after June 22: May and June, 135.00 x 2% = 2.70.
        overpaid(mon, 45_000)
        answer = mon.refunds(date(2026, 6, 22), "2026-Q1")
        told = answer["refund"]
        assert (told["amount"], told["interest"], told["total"]) == ("135.00", "2.70", "137.70")
        assert (told["clause"], told["section"]) == ("MON-18", "Forfeiture and interest")
        assert told["reason"] == "2 whole months from 2026-04-30, at a twelfth of the yearly rate"
        assert told["parts"] == [
            {"amount": "135.00", "paid_on": "2026-04-20", "interest": "2.70", "reason": told["reason"]}
        ]
        assert (on_account(answer), on_account(answer, "credit")) == ("0.00", "0.00")
        # The tax's fund pays back the credit, the general fund the interest.
        assert mon.books() == {
            ("210", CASH): 31_500,
            ("210", "41210"): -31_500,
            ("100", CASH): -270,
            ("100", REFUND_INTEREST): 270,
        }
        (event,) = refunds_recorded(mon)
        assert (event.cents, event.interest_cents, event.clause_id) == (13_500, 270, "MON-18")

    def test_in_the_village_bears_seven_percent_a_year(self, fox: Desk) -> None:
        # 10,000.00 x 3% = 300.00 paid; 210.00 owed: 90.00. Two months at 7% / 12: 90 x 7% x 2 / 12 = 1.05.
        overpaid(fox, 30_000)
        told = fox.refunds(date(2026, 6, 22), "2026-Q1")["refund"]
        assert (told["amount"], told["interest"]) == ("90.00", "1.05")
        assert told["clause"] == "FOX-15"

    def test_in_bayfield_bears_none_and_says_why(self, bay: Desk) -> None:
        # 10,000.00 x 6.5% = 650.00 paid; 455.00 owed: 195.00.
        overpaid(bay, 65_000)
        told = bay.refunds(date(2026, 6, 22), "2026-Q1")["refund"]
        assert (told["amount"], told["interest"]) == ("195.00", "0.00")
        assert (told["section"], told["reason"]) == (
            "§ 54-19(C)(8)(a)",
            "the ordinance pays no interest on refunds",
        )
        assert bay.books() == {("210", CASH): 45_500, ("210", "41210"): -45_500}

    @pytest.mark.parametrize(
        ("judged", "reason"),
        [
            ({"intentional_or_careless": True}, "the overpayment was intentional or careless"),
            ({"complete_return": False}, "the tax was not accompanied by a complete return"),
        ],
    )
    def test_bears_none_where_the_officer_judges_so(self, mon: Desk, judged: dict[str, bool], reason: str) -> None:
        overpaid(mon, 45_000)
        told = mon.refunds(date(2026, 6, 22), "2026-Q1", **judged)["refund"]
        assert (told["interest"], told["reason"], told["clause"]) == ("0.00", reason, "MON-18B")
        assert ("100", REFUND_INTEREST) not in mon.books()


class TestARefundOfSeveralPayments:
    def test_takes_the_last_first_and_bears_interest_on_each_from_its_own_day(self, mon: Desk) -> None:
        # Owed 450.00, of which 50.00 are unpaid on May 1 and bear 0.50. Of 80.00 on May 12 29.50 are left over, and of
        # 60.00 on June 3 all: 89.50. Refunded on August 4 the 60.00 bear July and August, 1.20, and the 29.50 June,
        # July and August, 0.885 = 0.89.
        mon.files(date(2026, 4, 20), "2026-Q1", 1_000_000)
        mon.pays(date(2026, 4, 20), "2026-Q1", 40_000)
        mon.pays(date(2026, 5, 12), "2026-Q1", 8_000)
        mon.pays(date(2026, 6, 3), "2026-Q1", 6_000)
        told = mon.refunds(date(2026, 8, 4), "2026-Q1")["refund"]
        assert (told["amount"], told["interest"]) == ("89.50", "2.09")
        assert [(one["amount"], one["paid_on"], one["interest"]) for one in told["parts"]] == [
            ("60.00", "2026-06-03", "1.20"),
            ("29.50", "2026-05-12", "0.89"),
        ]
        assert told["clause"] == "MON-18"
        assert told["reason"] == (
            "$60.00 paid on June 3, 2026: 2 whole months from 2026-06-03, at a twelfth of the yearly rate; "
            "$29.50 paid on May 12, 2026: 3 whole months from 2026-05-12, at a twelfth of the yearly rate"
        )

    def test_in_two_refunds_goes_on_where_the_first_stopped(self, mon: Desk) -> None:
        mon.files(date(2026, 4, 20), "2026-Q1", 1_000_000)
        mon.pays(date(2026, 4, 20), "2026-Q1", 50_000)
        mon.pays(date(2026, 5, 12), "2026-Q1", 6_000)
        # A credit of 110.00: 60.00 of May 12, 50.00 of April 20.
        first = mon.refunds(date(2026, 6, 4), "2026-Q1", 4_000)["refund"]
        second = mon.refunds(date(2026, 6, 5), "2026-Q1")["refund"]
        assert [(one["amount"], one["paid_on"]) for one in first["parts"]] == [("40.00", "2026-05-12")]
        assert [(one["amount"], one["paid_on"]) for one in second["parts"]] == [
            ("20.00", "2026-05-12"),
            ("50.00", "2026-04-20"),
        ]
        # 40.00 x 1% for June; 20.00 x 1% for June and 50.00 x 2% for May and June
        assert (first["interest"], second["interest"]) == ("0.40", "1.20")
        assert mon.books()["100", REFUND_INTEREST] == 160
        assert ("210", CREDITS) not in mon.books()


class TestWhatIsRefused:
    def refused(self, desk: Desk, on: date, *what: object, **more: object) -> dict[str, str]:
        with pytest.raises(Refused) as refused:
            desk.refunds(on, "2026-Q1", *what, **more)
        assert refunds_recorded(desk) == []
        return {fault.field: fault.message for fault in refused.value.faults}

    def test_more_than_the_credit_says_how_much_may_be_refunded(self, mon: Desk) -> None:
        overpaid(mon, 45_000)
        assert self.refused(mon, date(2026, 6, 22), 13_501) == {
            "amount": "$135.01 is more than the credit of $135.00 that stands on June 22, 2026: refund at most that"
        }

    def test_where_no_credit_stands(self, mon: Desk) -> None:
        mon.files(date(2026, 4, 20), "2026-Q1", 1_000_000)
        assert self.refused(mon, date(2026, 4, 20)) == {
            "amount": "no credit stands for 2026-Q1 on April 20, 2026: there is nothing to pay back"
        }

    def test_money_that_is_held_is_no_credit(self, mon: Desk) -> None:
        mon.pays(date(2026, 4, 20), "2026-Q1", 45_000)
        assert self.refused(mon, date(2026, 4, 22), 100) == {
            "amount": "nothing is filed for 2026-Q1: $450.00 is held for it and is no credit until a return or an "
            "estimate is"
        }

    @pytest.mark.parametrize("cents", [0, -100])
    def test_nothing_or_less(self, mon: Desk, cents: int) -> None:
        overpaid(mon, 45_000)
        assert "give at least one cent" in self.refused(mon, date(2026, 6, 22), cents)["amount"]

    def test_a_day_that_has_not_come(self, mon: Desk) -> None:
        overpaid(mon, 45_000)
        assert list(self.refused(mon, date(2026, 6, 22), paid_back_on=date(2026, 6, 23))) == ["paid_back_on"]

    def test_a_day_before_the_credit_arose(self, mon: Desk) -> None:
        overpaid(mon, 45_000)
        assert "no credit stands for 2026-Q1 on June 14, 2026" in str(
            self.refused(mon, date(2026, 6, 22), paid_back_on=date(2026, 6, 14))
        )

    def test_a_credit_that_a_missing_resolution_leaves_open(self, app: Engine, host: Engine) -> None:
        desk = Desk(open_town(app, host, "bare", "bayfield", resolutions=()))
        desk.files(date(2026, 5, 20), "2026-Q1", 100_000)
        desk.pays(date(2026, 5, 20), "2026-Q1", 50_000)
        with pytest.raises(ResolutionMissing, match="late filing fee"):
            desk.refunds(date(2026, 5, 21), "2026-Q1")
        set_fee(desk.town, "late_filing_fee", 2_500)
        # 500.00 - 65.00 - 25.00 - 65 x 10% x 20 / 365 = 0.36
        assert desk.refunds(date(2026, 5, 21), "2026-Q1")["refund"]["amount"] == "409.64"

    def test_an_account_out_of_reach(self, mon: Desk) -> None:
        overpaid(mon, 45_000)
        with pytest.raises(AccountUnknown):
            mon.refunds(date(2026, 6, 22), "2026-Q1", reach=frozenset({a_filer(mon.town)}))


class TestWhatComesAfter:
    def test_a_check_that_comes_back_leaves_the_refund_to_be_made_good(self, mon: Desk) -> None:
        mon.files(date(2026, 4, 20), "2026-Q1", 1_000_000)
        check = mon.pays(date(2026, 4, 20), "2026-Q1", 50_000)
        mon.refunds(date(2026, 5, 4), "2026-Q1")
        # 450.00 of tax, 50.00 that went out, the fee of 35.00, and 450.00 x 1% for May.
        answer = mon.comes_back(date(2026, 5, 18), check)
        assert on_account(answer) == "539.50"
        books = mon.books()
        # The interest on the refund, 50.00 x 1% for May, stays paid: no text asks for it back.
        assert (books["210", CASH], books["100", CASH]) == (-5_000, -50)
        assert books["210", "12410"] == 50_000
        mon.pays(date(2026, 5, 18), "2026-Q1", 53_950)
        assert mon.books()["210", CASH] == 45_000

    def test_an_amendment_upwards_is_owed_again_with_interest_from_the_refund_on(self, mon: Desk) -> None:
        overpaid(mon, 45_000)
        mon.refunds(date(2026, 6, 22), "2026-Q1")
        # 8,000.00 x 4.5% = 360.00: 45.00 unpaid, which were paid until June 22: July 1 and August 1 bear 0.45 each.
        assert on_account(mon.files(date(2026, 8, 4), "2026-Q1", 800_000)) == "45.90"

    def test_an_estimate_that_a_return_undercuts_makes_a_credit_that_can_be_refunded(self, bay: Desk) -> None:
        account = bay.town.accounts["2026-Q1"]
        bay.town.act(date(2026, 5, 4), ("2026-Q1", an_estimate(date(2026, 5, 4), account, 1_000_000)))
        # 650.00 + 65.00 + 25.00 + 650 x 10% x 4 / 365 = 0.71
        bay.pays(date(2026, 5, 4), "2026-Q1", 74_071)
        bay.files(date(2026, 5, 5), "2026-Q1", 500_000)
        # 325.00 + 25.00 + 325 x 10% x 4 / 365 = 0.36: 740.71 - 350.36 = 390.35
        assert bay.refunds(date(2026, 5, 6), "2026-Q1")["refund"]["amount"] == "390.35"

    def test_a_waived_fee_that_was_paid_can_be_refunded(self, bay: Desk) -> None:
        bay.files(date(2026, 5, 4), "2026-Q1", 1_000_000)
        # 650.00 + 25.00 + 0.71
        bay.pays(date(2026, 5, 4), "2026-Q1", 67_571)
        waiver = a_waiver(date(2026, 5, 6), "late_filing_fee", 2_500)
        assert on_account(bay.town.act(date(2026, 5, 6), ("2026-Q1", waiver)), "credit") == "25.00"
        bay.refunds(date(2026, 5, 6), "2026-Q1")
        assert bay.books()["210", CASH] + bay.books()["100", CASH] == 65_071

    def test_the_books_replay_to_the_same_bytes_and_are_whole(self, mon: Desk) -> None:
        overpaid(mon, 45_000)
        mon.refunds(date(2026, 6, 22), "2026-Q1", 5_000)
        mon.files(date(2026, 7, 22), "2026-Q1", 900_000)
        replayed = replay_books(mon.engine, mon.tenant)
        assert (replayed.count, replayed.differences) == (5, ())
        with reading(mon.engine, mon.tenant.id) as uow:
            assert not verify(uow, None).broken


class TestARequest:
    def test_pays_back_once_and_answers_alike(self, mon: Desk) -> None:
        overpaid(mon, 45_000)
        first = mon.refunds(date(2026, 6, 22), "2026-Q1", 5_000, key="one")
        assert mon.refunds(date(2026, 6, 22), "2026-Q1", 5_000, key="one") == first
        assert [one.cents for one in refunds_recorded(mon)] == [5_000]

    def test_and_another_at_once_pay_the_credit_back_only_once(self, mon: Desk) -> None:
        overpaid(mon, 45_000)

        def whole(_: int) -> str:
            try:
                return str(mon.refunds(date(2026, 6, 22), "2026-Q1", 13_500)["refund"]["amount"])
            except Refused as refused:
                return str(refused)

        with ThreadPoolExecutor(2) as pool:
            answers = sorted(pool.map(whole, range(2)))
        assert answers == [
            "135.00",
            "amount: no credit stands for 2026-Q1 on June 22, 2026: there is nothing to pay back",
        ]

    def test_is_shown_before_it_is_made(self, mon: Desk) -> None:
        overpaid(mon, 45_000)
        on = date(2026, 6, 22)
        shown = preview_refund(mon.engine, mon.tenant, RefundForm(mon.named("2026-Q1")), on)["refund"]
        assert refunds_recorded(mon) == []
        made = mon.refunds(on, "2026-Q1")["refund"]
        assert shown == {name: value for name, value in made.items() if name != "seq"}
        inn = Named(place_id=a_place(mon.town, a_filer(mon.town)).id, period="2026-Q1")
        with pytest.raises(Refused, match="nothing is filed"):
            preview_refund(mon.engine, mon.tenant, RefundForm(inn), on)
