"""Money paid back out of a credit: what then becomes of the account, whatever is recorded later (READINGS 9, 21, 22).

Bayfield: 6.5%, 10% a year by the day. Montello: 4.5%, 12% a year by whole months, a forfeiture of 25% of last year's
tax where the tax is not paid in 30 days. Both are due on April 30, 2026.
"""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.charge import INTEREST, TAX
from core.domain.events import Payment, PaymentReturned, Refunded, Voided
from core.domain.fold import Statement, in_recording_order
from core.domain.money import dollars
from tests.support.stories import Story

FEES = {"late_filing_fee": "25.00", "returned_payment_fee": "35.00"}


def bayfield() -> Story:
    """$20,000.00 x 6.5% = $1,300.00, paid with $1,500.00 in time: a credit of $200.00, paid back on May 4."""
    story = Story("bayfield", "2026-Q1", FEES).files("2026-04-20", "20000.00").pays("2026-04-20", "1500.00")
    return story.refunds("2026-05-04", "200.00")


def balance(story: Story, as_of: str) -> str:
    return dollars(story.statement(as_of).balance)


class TestARefund:
    def test_takes_its_amount_out_of_the_credit_and_leaves_nothing_owed(self) -> None:
        story = bayfield()
        assert story.refusals() == []
        assert balance(story, "2026-05-03") == "-200.00"
        assert balance(story, "2026-05-04") == "0.00"
        assert story.applied("2026-05-04") == {TAX: "1300.00"}

    def test_of_a_part_leaves_the_rest_as_credit(self) -> None:
        story = bayfield().pays("2026-05-05", "80.00").refunds("2026-05-06", "30.00")
        assert balance(story, "2026-05-06") == "-50.00"

    def test_stands_as_a_move_out_of_tax_by_its_own_event(self) -> None:
        (*_, last) = bayfield().statement("2026-05-04").applications
        assert last == (date(2026, 5, 4), TAX, -20_000, 2)

    def test_bears_its_interest_outside_the_account(self) -> None:
        story = Story("montello", "2026-Q1").files("2026-04-20", "10000.00").pays("2026-04-20", "500.00")
        assert balance(story.refunds("2026-05-04", "50.00", interest="0.50"), "2026-05-04") == "0.00"

    def test_comes_after_the_payments_of_its_day_whatever_was_entered_first(self) -> None:
        story = Story("bayfield", "2026-Q1", FEES).files("2026-04-20", "20000.00")
        story.refunds("2026-04-20", "200.00").pays("2026-04-20", "1500.00")
        assert [type(event).__name__ for event in in_recording_order(story.events)][1:] == ["Payment", "Refunded"]
        assert [one.cents for one in story.statement("2026-04-20").applications] == [150_000, -20_000]


class TestWhatBecomesOwedAgain:
    def test_an_amendment_upwards_bears_interest_from_the_day_on_which_the_money_went_back(self) -> None:
        # 22,000.00 x 6.5% = 1,430.00. Until May 4 1,500.00 stood, then 1,300.00: 130.00 unpaid from May 5 to June 15,
        # 42 days: 130 x 10% x 42 / 365 = 1.4958 = 1.50.
        story = bayfield().files("2026-06-15", "22000.00")
        assert story.owed("2026-06-15") == {TAX: "1430.00", INTEREST: "1.50"}
        assert balance(story, "2026-06-15") == "131.50"

    def test_by_whole_months_the_month_after_the_refund_is_the_first(self) -> None:
        # 450.00 of tax, 500.00 paid, 50.00 back on May 4. Amended to 490.00 on June 15: May 1 found 500.00, June 1
        # 450.00: 40.00 x 1% = 0.40.
        story = Story("montello", "2026-Q1").files("2026-04-20", "10000.00").pays("2026-04-20", "500.00")
        story.refunds("2026-05-04", "50.00").files("2026-06-15", "10888.89")
        assert story.owed("2026-06-15") == {TAX: "490.00", INTEREST: "0.40"}
        assert balance(story, "2026-06-15") == "40.40"

    def test_an_amendment_downwards_makes_another_credit(self) -> None:
        # 18,000.00 x 6.5% = 1,170.00 of the 1,300.00 that are left.
        story = bayfield().files("2026-06-15", "18000.00")
        assert balance(story, "2026-06-15") == "-130.00"
        assert balance(story.refunds("2026-06-20", "130.00"), "2026-06-20") == "0.00"

    def test_a_payment_that_comes_back_leaves_what_was_refunded_of_it_to_be_paid_as_well(self) -> None:
        # The whole tax is unpaid from May 1 to 18: 1,300 x 10% x 18 / 365 = 6.41; the fee is 35.00; and 200.00 went
        # out. 1,300.00 + 200.00 + 35.00 + 6.41 = 1,541.41. On the 200.00 there is no interest: they are no tax.
        story = bayfield().bounces("2026-05-18")
        assert story.owed("2026-05-18") == {TAX: "1300.00", "returned_payment_fee": "35.00", INTEREST: "6.41"}
        assert story.applied("2026-05-18") == {TAX: "-200.00"}
        assert balance(story, "2026-05-18") == "1541.41"

    def test_the_filer_makes_it_good_with_one_payment(self) -> None:
        story = bayfield().bounces("2026-05-18").pays("2026-05-18", "1541.41")
        assert story.applied("2026-05-18") == {TAX: "1300.00", "returned_payment_fee": "35.00", INTEREST: "6.41"}
        # The last 200.00 were no unpaid tax, so nothing grows.
        assert balance(story, "2026-07-18") == "0.00"

    def test_what_was_refunded_of_a_void_payment_bears_no_interest_by_months_either(self) -> None:
        # 450.00 unpaid on May 1 and June 1: 4.50 each, though 500.00 are owed since May 4.
        story = Story("montello", "2026-Q1").files("2026-04-20", "10000.00").pays("2026-04-20", "500.00")
        story.refunds("2026-05-04", "50.00").voids("2026-06-10")
        assert story.owed("2026-06-10") == {TAX: "450.00", INTEREST: "9.00"}
        assert balance(story, "2026-06-10") == "509.00"

    def test_another_payment_stands_in_for_the_one_that_came_back(self) -> None:
        # 1,300.00 and 200.00 paid, 200.00 refunded, the 200.00 come back: 1,100.00 are left of the tax, from May 5 on.
        # 14 days to May 18: 200 x 10% x 14 / 365 = 0.77.
        story = Story("bayfield", "2026-Q1", FEES).files("2026-04-20", "20000.00").pays("2026-04-20", "1300.00")
        story.pays("2026-04-22", "200.00").refunds("2026-05-04", "200.00").bounces("2026-05-18", payment=1)
        assert story.applied("2026-05-18") == {TAX: "1100.00"}
        assert story.owed("2026-05-18")[INTEREST] == "0.77"


class TestThirtyDays:
    PAID = "500.00"

    def story(self) -> Story:
        """$450.00 of tax, $500.00 paid in time; last year's tax was $400.00."""
        story = Story("montello", "2026-Q1", previous_year_tax="400.00").files("2026-04-20", "10000.00")
        return story.pays("2026-04-20", self.PAID)

    def test_what_was_paid_back_by_the_last_of_them_does_not_count_as_paid(self) -> None:
        # The last return filed by June 1 shows 490.00; 500.00 - 50.00 = 450.00 was paid: 25% of 400.00 = 100.00.
        story = self.story().refunds("2026-05-04", "50.00").files("2026-05-20", "10888.89")
        assert story.owed("2026-06-02")["nonpayment_forfeiture"] == "100.00"

    def test_what_was_paid_back_after_them_was_paid_in_time(self) -> None:
        story = self.story().refunds("2026-06-03", "50.00").files("2026-06-10", "10888.89")
        assert "nonpayment_forfeiture" not in story.owed("2026-06-10")


class TestRefusals:
    def test_nothing_is_paid_back_while_nothing_is_filed(self) -> None:
        story = Story("bayfield", "2026-Q1", FEES).pays("2026-04-20", "1500.00").refunds("2026-04-21", "100.00")
        (refused,) = story.refusals()
        assert refused.startswith("amount: nothing is filed, so what was paid is held for the period and is no credit")

    def test_an_estimate_is_enough(self) -> None:
        story = Story("bayfield", "2026-Q1", FEES).pays("2026-04-20", "1500.00").estimates("2026-05-04", "10000.00")
        assert story.refunds("2026-05-05", "100.00").refusals() == []

    def test_no_more_goes_back_than_stands_paid(self) -> None:
        story = bayfield().files("2026-05-05", "0.00").refunds("2026-05-06", "1300.01")
        assert story.refusals() == ["amount: $1,300.00 stand paid here: $1,300.01 cannot be paid back"]

    def test_a_payment_that_came_back_does_not_stand(self) -> None:
        story = bayfield().files("2026-05-05", "0.00").bounces("2026-05-06").refunds("2026-05-07", "1.00")
        assert story.refusals() == ["amount: -$200.00 stand paid here: $1.00 cannot be paid back"]

    @pytest.mark.parametrize("amount", ["0.00", "-1.00"])
    def test_at_least_a_cent_goes_back(self, amount: str) -> None:
        (refused,) = bayfield().refunds("2026-05-05", amount).refusals()
        assert refused.startswith("amount:")
        assert "at least one cent" in refused

    def test_interest_is_not_below_zero(self) -> None:
        story = bayfield().files("2026-05-05", "0.00").refunds("2026-05-06", "1.00", interest="-0.01")
        assert story.refusals() == ["interest: -$0.01 cannot be the interest on a refund"]


DUE = date(2026, 4, 30)
GROSS = st.sampled_from(["0.00", "5000.00", "20000.00", "20000.07", "31234.56"])
PAID = st.sampled_from(["1.00", "99.99", "900.00", "1300.00", "1500.00", "4000.00"])
STEPS = st.lists(
    st.tuples(st.sampled_from(["files", "pays", "pays", "refunds", "refunds", "bounces", "voids"]), st.integers(0, 40)),
    max_size=9,
)


def credit(seen: Statement) -> int:
    return max(0, seen.applied.get(TAX, 0) - seen.charges[TAX]) if seen.basis != "none" else 0


def void_seqs(story: Story) -> set[int]:
    return {event.payment_seq for event in story.events if isinstance(event, PaymentReturned | Voided)}


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Acts in the order of their days; each refund is of a part of the credit that stands."""
    place = draw(st.sampled_from(["bayfield", "montello", "fox_cities_village"]))
    fees = {"returned_payment_fee": "35.00"} if place == "montello" else FEES
    story = Story(place, "2026-Q1", fees, previous_year_tax="400.00" if place == "montello" else None)
    on = DUE - timedelta(20)
    for what, days in draw(STEPS):
        on += timedelta(days)
        if what == "files":
            story.files(on.isoformat(), draw(GROSS))
        elif what == "pays":
            story.pays(on.isoformat(), draw(PAID))
        elif what == "refunds":
            most = credit(story.statement(on.isoformat()))
            if most:
                story.refunds(on.isoformat(), dollars(draw(st.integers(1, most))))
        else:
            void = void_seqs(story)
            payments = [event for event in story.events if isinstance(event, Payment)]
            standing = [place for place, paid in enumerate(payments) if paid.seq not in void]
            if standing:
                getattr(story, what)(on.isoformat(), draw(st.sampled_from(standing)))
    return story


def after(story: Story) -> str:
    return (max((event.on for event in story.events), default=DUE) + timedelta(40)).isoformat()


class TestProperties:
    @given(stories())
    def test_what_was_paid_and_not_paid_back_is_what_is_applied(self, story: Story) -> None:
        seen, void = story.statement(after(story)), void_seqs(story)
        paid = sum(event.cents for event in story.events if isinstance(event, Payment) and event.seq not in void)
        back = sum(event.cents for event in story.events if isinstance(event, Refunded))
        assert sum(seen.applied.values()) == paid - back
        assert sum(one.cents for one in seen.applications) == paid - back

    @given(stories())
    def test_a_refund_of_a_standing_credit_is_allowed_and_leaves_nothing_owed_by_itself(self, story: Story) -> None:
        assert story.refusals() == []
        seen = story.statement(after(story))
        most = credit(seen)
        if most:
            last = story.refunds(after(story), dollars(most)).statement(after(story))
            assert (last.balance, credit(last)) == (0, 0)
            assert last.charges == seen.charges

    @given(stories())
    def test_only_tax_falls_below_zero_and_only_where_a_payment_is_void(self, story: Story) -> None:
        seen = story.statement(after(story))
        assert all(cents > 0 for kind, cents in seen.applied.items() if kind != TAX)
        assert seen.applied.get(TAX, 0) >= 0 or void_seqs(story)

    @given(stories())
    def test_what_stood_on_a_day_is_not_rewritten_by_a_later_refund(self, story: Story) -> None:
        before: tuple[object, ...] = ()
        kept = [event for event in story.events if not isinstance(event, PaymentReturned | Voided)]
        for count, event in enumerate(kept, 1):
            seen = story.municipality.statement(story.account, kept[:count], event.recorded)
            if isinstance(event, Refunded):
                assert seen.applications[: len(before)] == before
            before = seen.applications
