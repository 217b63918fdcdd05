"""The fold over a period account, under the law of a place so small that every figure can be worked out in the head.

Tax is 10% of receipts, due on April 30. A return after that costs $10. Unpaid tax bears 0.1% a day. On June 1 a
season fee of $5 arises for everybody who has filed. Payments go to fees, then interest, then tax.
"""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.account import Account
from core.domain.calendar import Deadlines, Period
from core.domain.charge import INTEREST, TAX, Charge
from core.domain.clause import Clause, Words
from core.domain.errors import Fault
from core.domain.events import Estimate, Notice, Payment, PaymentReturned, ReturnFiled, Voided, Waiver
from core.domain.fold import Application, Fold, fold, in_recording_order, refusals
from core.domain.interest import by_day, interest_cents
from core.domain.lateness import late_since
from core.domain.money import half_up
from core.domain.receipts import Receipts

PERIOD = Period("2026-Q1", date(2026, 1, 1), date(2026, 3, 31))
PERIOD_DAYS = (PERIOD.first_day, PERIOD.last_day)
DUE = date(2026, 4, 30)
SEASON = date(2026, 6, 1)
FEE, SEASON_FEE, RETURNED_FEE = "late_fee", "season_fee", "returned_fee"
CLAUSE = Clause("S-1", "§ 1")


class SmallPlace:
    """The law of the small place."""

    application_order = (FEE, RETURNED_FEE, SEASON_FEE, INTEREST, TAX)

    def charges_without_unset(self, account, on):
        return self.charges(account, on)

    def charges(self, account, on):
        determination = account.determination
        gross = determination.receipts[0].gross_cents if determination else 0
        owed = [(TAX, half_up(gross, 10), determination.on if determination else PERIOD.last_day)]
        if late_since(account, on):
            owed.append((FEE, 1000, DUE + timedelta(1)))
        owed += [(RETURNED_FEE, 700, back.on) for back in account.returned if back.on <= on]
        if account.returns and on >= SEASON:
            owed.append((SEASON_FEE, 500, SEASON))
        segments = by_day(owed[0][1], account.tax_applied, DUE, DUE, on)
        if segments:
            owed.append((INTEREST, interest_cents(segments, (365, 1000), 365), DUE + timedelta(1)))
        return [Charge(kind, cents, CLAUSE, min(arose, on), Words("")) for kind, cents, arose in owed]

    def objections(self, account, event):
        if isinstance(event, Estimate) and account.returns:
            return [Fault("type", "a return was filed")]
        return []


RULES = SmallPlace()
EMPTY = Account("lodging", PERIOD, Deadlines(DUE, DUE, date(2026, 5, 30), (), lambda day: True))


def may(day: int) -> date:
    return date(2026, 5, day)


def june(day: int) -> date:
    return date(2026, 6, day)


def filed(seq: int, on: date, gross_cents: int, deducted_cents: int = 0) -> ReturnFiled:
    deductions = (("exempt", deducted_cents),)
    return ReturnFiled(seq, on, on, (Receipts(*PERIOD_DAYS, (("rooms", gross_cents),), deductions),))


def estimated(seq: int, on: date, gross_cents: int) -> Estimate:
    return Estimate(seq, on, on, (Receipts(*PERIOD_DAYS, (("rooms", gross_cents),)),))


def paid(seq: int, on: date, cents: int, recorded: date | None = None) -> Payment:
    return Payment(seq, on, recorded or on, cents)


def came_back(seq: int, on: date, payment: Payment) -> PaymentReturned:
    return PaymentReturned(seq, on, on, payment.seq, payment.on, payment.cents)


def waived(seq: int, on: date, kind: str, cents: int) -> Waiver:
    return Waiver(seq, on, on, kind, cents)


def looked_at(as_of: date, *events):
    return fold(EMPTY, events, RULES, as_of)


class TestOneLook:
    def test_nothing_recorded_is_a_tax_of_nothing(self):
        seen = looked_at(DUE)
        assert (seen.basis, seen.charges, seen.applied, seen.balance) == ("none", {TAX: 0}, {}, 0)

    def test_a_return_and_its_payment_in_time_settle_the_account(self):
        seen = looked_at(DUE, filed(0, DUE, 100_000), paid(1, DUE, 10_000))
        assert (seen.basis, seen.charges, seen.applied, seen.balance) == ("return", {TAX: 10_000}, {TAX: 10_000}, 0)

    def test_a_kind_at_zero_is_left_out_and_tax_is_not(self):
        assert looked_at(june(30), filed(0, DUE, 0)).charges == {TAX: 0, SEASON_FEE: 500}

    def test_what_is_recorded_after_the_day_is_not_known_on_it(self):
        late_entry = paid(1, DUE, 10_000, recorded=may(20))
        assert looked_at(may(19), filed(0, DUE, 100_000), late_entry).applied == {}
        assert looked_at(may(20), filed(0, DUE, 100_000), late_entry).applied == {TAX: 10_000}

    def test_every_line_cites_its_clause_and_the_lines_sum_to_the_charges(self):
        seen = looked_at(june(30), filed(0, may(10), 100_000), waived(1, may(11), FEE, 300))
        for kind in {line.kind for line in seen.lines}:
            assert sum(line.cents for line in seen.lines if line.kind == kind) == seen.charges.get(kind, 0)
        assert all(line.clause == CLAUSE for line in seen.lines)


class TestApplication:
    def test_a_payment_goes_to_fees_then_interest_then_tax(self):
        # May 10: fee $10.00; interest on $100.00 for 10 days at 0.1% = $1.00; the other $4.00 to tax
        seen = looked_at(may(10), filed(0, may(10), 100_000), paid(1, may(10), 1_500))
        assert seen.applied == {FEE: 1_000, INTEREST: 100, TAX: 400}
        assert seen.balance == 9_600

    def test_too_small_a_payment_pays_only_what_comes_first(self):
        seen = looked_at(may(10), filed(0, may(10), 100_000), paid(1, may(10), 1_050))
        assert seen.applied == {FEE: 1_000, INTEREST: 50}

    def test_what_is_left_over_is_a_credit_and_stands_as_tax(self):
        seen = looked_at(DUE, filed(0, DUE, 100_000), paid(1, DUE, 12_000))
        assert (seen.applied, seen.balance) == ({TAX: 12_000}, -2_000)

    def test_the_statement_says_where_each_cent_went_and_why(self):
        seen = looked_at(may(10), filed(0, may(10), 100_000), paid(1, may(10), 1_500))
        assert seen.applications == (
            Application(may(10), FEE, 1_000, 1),
            Application(may(10), INTEREST, 100, 1),
            Application(may(10), TAX, 400, 1),
        )

    def test_interest_paid_is_paid_and_goes_on_accruing_on_the_tax(self):
        # May 10: $10 fee, $1.00 interest, $39.00 to tax. May 20: 10 days more on $61.00 = $0.61
        seen = looked_at(may(20), filed(0, may(10), 100_000), paid(1, may(10), 5_000))
        assert seen.charges == {TAX: 10_000, FEE: 1_000, INTEREST: 161}
        assert seen.balance == 6_161


class TestOrderOfOneDay:
    def test_payments_come_last(self):
        # Entered first, the payment still meets the return of its day: nothing is held.
        events = (paid(0, DUE, 10_000), filed(1, DUE, 100_000))
        assert [type(event) for event in in_recording_order(events)] == [ReturnFiled, Payment]

    def test_a_waiver_of_the_day_comes_before_its_payment(self):
        seen = looked_at(may(10), filed(0, may(10), 100_000), paid(1, may(10), 1_000), waived(2, may(10), FEE, 1_000))
        assert seen.applied == {INTEREST: 100, TAX: 900}

    def test_two_payments_of_a_day_go_in_the_order_of_entry(self):
        seen = looked_at(may(10), filed(0, may(10), 100_000), paid(1, may(10), 600), paid(2, may(10), 600))
        assert [(one.kind, one.cents, one.cause) for one in seen.applications] == [
            (FEE, 600, 1),
            (FEE, 400, 2),
            (INTEREST, 100, 2),
            (TAX, 100, 2),
        ]

    def test_recording_days_come_before_the_order_of_entry(self):
        later, earlier = Notice(0, may(9), may(9)), Notice(1, may(2), may(2))
        assert in_recording_order([later, earlier]) == [earlier, later]


class TestPaymentRecordedLater:
    def test_it_goes_to_what_was_owed_on_its_own_day(self):
        # Paid on May 5, entered on May 20: the fee and 5 days of interest ($0.50) are owed on May 5, the rest is tax.
        seen = looked_at(may(20), filed(0, may(2), 100_000), paid(1, may(5), 5_000, recorded=may(20)))
        assert seen.applied == {FEE: 1_000, INTEREST: 50, TAX: 3_950}

    def test_paid_in_time_it_bears_no_interest_whenever_it_was_entered(self):
        seen = looked_at(may(20), filed(0, DUE, 100_000), paid(1, DUE, 10_000, recorded=may(20)))
        assert seen.charges == {TAX: 10_000}

    def test_what_was_recorded_before_it_counts_even_if_dated_later(self):
        events = (filed(0, may(2), 100_000), waived(1, may(15), FEE, 1_000))
        seen = looked_at(may(20), *events, paid(2, may(5), 5_000, recorded=may(20)))
        assert seen.applied == {INTEREST: 50, TAX: 4_950}

    def test_interest_that_it_makes_too_large_moves_to_tax_on_the_day_of_entry(self):
        # Entered on May 20: $5.00, of which $2.00 for 20 days of $100.00 and $3.00 tax. Entered on May 25: $50.00 paid
        # on May 1, all tax. Interest is now 1 day of $100.00, 19 of $50.00 and 5 of $47.00: 10 + 95 + 23.5 -> $1.29,
        # and $0.71 of the $2.00 move to tax.
        events = (filed(0, may(2), 100_000), paid(1, may(10), 1_000), paid(2, may(20), 500))
        seen = looked_at(may(25), *events, paid(3, may(1), 5_000, recorded=may(25)))
        assert seen.charges[INTEREST] == 129
        assert seen.applications[-3:] == (
            Application(may(1), TAX, 5_000, 3),
            Application(may(25), INTEREST, -71, 3),
            Application(may(25), TAX, 71, 3),
        )


class TestHeldMoney:
    def test_before_any_return_a_payment_is_held_as_tax(self):
        seen = looked_at(DUE, paid(0, DUE, 10_000))
        assert (seen.applied, seen.balance) == ({TAX: 10_000}, -10_000)

    def test_it_first_pays_what_is_owed_on_its_day(self):
        seen = looked_at(may(10), paid(0, may(10), 5_000))
        assert seen.applied == {FEE: 1_000, TAX: 4_000}

    def test_it_is_no_credit_until_a_return_and_pays_no_fee_that_arises_meanwhile(self):
        seen = looked_at(may(10), paid(0, DUE, 10_000))
        assert (seen.charges, seen.applied) == ({TAX: 0, FEE: 1_000}, {TAX: 10_000})

    def test_the_return_makes_an_excess_of_what_is_above_its_tax(self):
        # Held $100.00; on May 10 the return shows $60.00: $10.00 of the $40.00 go to the fee, $30.00 stay credit.
        seen = looked_at(may(10), paid(0, DUE, 10_000), filed(1, may(10), 60_000))
        assert seen.applied == {FEE: 1_000, TAX: 9_000}
        assert seen.balance == -3_000

    def test_held_money_counts_from_its_own_day_so_no_interest_is_due(self):
        seen = looked_at(may(20), paid(0, DUE, 10_000), filed(1, may(20), 100_000))
        assert seen.charges == {TAX: 10_000, FEE: 1_000}


class TestExcess:
    def test_a_tax_amended_down_frees_money_for_what_else_is_owed(self):
        # $100.00 paid on May 10 of $111.00: fee, interest, $89.00 tax. Amended to $80.00, ten days cost $0.80.
        events = (filed(0, may(10), 100_000), paid(1, may(10), 10_000), filed(2, may(12), 80_000))
        seen = looked_at(may(12), *events)
        assert seen.charges == {TAX: 8_000, FEE: 1_000, INTEREST: 80}
        assert seen.applied == {FEE: 1_000, INTEREST: 80, TAX: 8_920}
        assert [(one.kind, one.cents) for one in seen.applications if one.cause == 2] == [(INTEREST, -20), (TAX, 20)]

    def test_an_application_is_never_rewritten(self):
        events = [filed(0, may(10), 100_000), paid(1, may(10), 10_000)]
        before = looked_at(may(10), *events).applications
        after = looked_at(june(20), *events, filed(2, may(12), 80_000), waived(3, may(13), FEE, 500)).applications
        assert after[: len(before)] == before

    def test_an_estimate_superseded_by_a_smaller_return_leaves_a_credit(self):
        events = (estimated(0, may(1), 100_000), paid(1, may(1), 11_010), filed(2, may(3), 50_000))
        seen = looked_at(may(3), *events)
        # fee $10.00 stays; the tax is $50.00, its interest $0.05, and the rest of $110.10 is tax credit
        assert seen.applied == {FEE: 1_000, INTEREST: 5, TAX: 10_005}
        assert seen.balance == -5_005


class TestCredit:
    CREDIT = (filed(0, DUE, 100_000), paid(1, DUE, 12_000))

    def test_it_pays_a_later_charge_on_the_day_that_charge_arises(self):
        seen = looked_at(june(20), *self.CREDIT)
        assert seen.applied == {SEASON_FEE: 500, TAX: 11_500}
        assert seen.applications[1:] == (
            Application(SEASON, TAX, -500, None),
            Application(SEASON, SEASON_FEE, 500, None),
        )

    def test_not_a_day_earlier(self):
        assert looked_at(SEASON - timedelta(1), *self.CREDIT).applied == {TAX: 12_000}

    def test_an_amended_return_after_that_day_finds_it_spent(self):
        # The credit of $20.00 paid $5.00 on June 1. On June 10 the tax rises by $20.00: $5.00 of it is unpaid and
        # was so since June 1, before that only $0.00: 9 days (June 2 to 10) of $5.00 at 0.1% = 4.5 cents -> $0.05.
        seen = looked_at(june(10), *self.CREDIT, filed(2, june(10), 120_000))
        assert seen.applied == {SEASON_FEE: 500, TAX: 11_500}
        assert seen.charges == {TAX: 12_000, SEASON_FEE: 500, INTEREST: 5}

    def test_an_amended_return_before_that_day_takes_all_of_it(self):
        seen = looked_at(june(10), *self.CREDIT, filed(2, may(31), 120_000))
        assert seen.applied == {TAX: 12_000}
        assert seen.charges == {TAX: 12_000, SEASON_FEE: 500}

    def test_a_payment_after_that_day_finds_the_charge_paid(self):
        seen = looked_at(june(10), *self.CREDIT, paid(2, june(10), 300))
        assert seen.applied == {SEASON_FEE: 500, TAX: 11_800}


class TestVoid:
    def test_the_account_is_folded_as_if_the_payment_had_never_been_made(self):
        payment = paid(1, DUE, 10_000)
        seen = looked_at(may(10), filed(0, DUE, 100_000), payment, came_back(2, may(10), payment))
        # 10 days of $100.00 = $1.00, and the fee of $7.00 for what came back
        assert seen.charges == {TAX: 10_000, INTEREST: 100, RETURNED_FEE: 700}
        assert seen.applied == {}

    def test_a_statement_of_an_earlier_day_still_shows_it(self):
        payment = paid(1, DUE, 10_000)
        events = (filed(0, DUE, 100_000), payment, came_back(2, may(10), payment))
        assert looked_at(may(9), *events).applied == {TAX: 10_000}

    def test_a_later_payment_takes_the_place_of_the_void_one(self):
        void = paid(1, may(10), 1_100)
        events = (filed(0, may(10), 100_000), void, paid(2, may(12), 5_000), came_back(3, may(15), void))
        seen = looked_at(may(15), *events)
        # As if only the $50.00 of May 12 had been paid: fee $10.00, 12 days $1.20, tax $38.80; 3 days of $61.20: $0.18
        assert seen.charges == {TAX: 10_000, FEE: 1_000, INTEREST: 138, RETURNED_FEE: 700}
        assert seen.applied == {FEE: 1_000, INTEREST: 120, TAX: 3_880}

    def test_an_entry_made_in_error_costs_nothing(self):
        wrong = paid(1, DUE, 99_999)
        seen = looked_at(may(5), filed(0, DUE, 100_000), wrong, Voided(2, may(2), may(2), 1), paid(3, may(2), 10_000))
        assert RETURNED_FEE not in seen.charges
        assert seen.charges[INTEREST] == 20
        assert sum(seen.applied.values()) == 10_000

    def test_of_two_equal_payments_only_the_named_one_is_void(self):
        first, second = paid(1, may(1), 5_000), paid(2, may(1), 5_000)
        seen = looked_at(may(5), filed(0, DUE, 100_000), first, second, came_back(3, may(5), second))
        assert {one.cause for one in seen.applications} == {1}


class TestWaiver:
    def test_it_lowers_what_is_owed_and_stands_as_a_line_of_its_own(self):
        seen = looked_at(may(10), filed(0, may(10), 100_000), waived(1, may(10), FEE, 400))
        assert seen.charges[FEE] == 600
        assert [line.cents for line in seen.lines if line.kind == FEE] == [1_000, -400]

    def test_it_says_what_it_took_and_of_how_much(self):
        waiver = Waiver(1, may(10), may(10), FEE, 5_000, "hardship")
        seen = looked_at(may(10), filed(0, may(10), 100_000), waiver)
        assert str(seen.lines[-1].words) == "waived on May 10, 2026, $10.00 of $50.00: hardship"

    def test_it_takes_nothing_below_zero(self):
        seen = looked_at(may(10), filed(0, may(10), 100_000), waived(1, may(10), FEE, 5_000))
        assert FEE not in seen.charges

    def test_what_it_does_not_use_up_lowers_what_arises_later(self):
        # $1.00 waived on May 5, when $0.50 had arisen; by May 20 $2.00 have, so $1.00 is owed.
        seen = looked_at(may(20), filed(0, DUE, 100_000), waived(1, may(5), INTEREST, 100))
        assert seen.charges[INTEREST] == 100

    def test_after_the_payment_it_frees_money_for_the_tax_that_day(self):
        events = (filed(0, may(10), 100_000), paid(1, may(10), 1_100), waived(2, may(12), FEE, 1_000))
        seen = looked_at(may(12), *events)
        # the $10.00 go to 2 more days of interest ($0.20) and to tax
        assert seen.applied == {INTEREST: 120, TAX: 980}

    def test_before_a_charge_arises_it_waits_for_it(self):
        assert looked_at(may(10), waived(0, DUE, FEE, 1_000), filed(1, may(10), 0)).charges == {TAX: 0}


class TestRefusals:
    @staticmethod
    def of(*events, above=-1):
        return [(fault.field, fault.message) for fault in refusals(EMPTY, events, RULES, above)]

    def test_what_the_law_allows_is_not_refused(self):
        assert self.of(filed(0, DUE, 100_000), paid(1, DUE, 100)) == []

    def test_deductions_above_receipts(self):
        [(field, message)] = self.of(filed(0, DUE, 10_000, deducted_cents=10_001))
        assert field == "events[0].deductions"
        assert message.startswith("$100.01 is deducted from receipts of only $100.00: correct")

    def test_deductions_of_all_receipts_are_allowed(self):
        assert self.of(filed(0, DUE, 10_000, deducted_cents=10_000)) == []

    @pytest.mark.parametrize("kind", [TAX, "parking_fee"])
    def test_a_waiver_of_tax_or_of_an_unknown_kind(self, kind):
        [(field, message)] = self.of(waived(0, DUE, kind, 1))
        assert field == "events[0].kind"
        assert message == f"{kind!r} cannot be waived here: name one of late_fee, returned_fee, season_fee, interest"

    def test_a_payment_that_was_never_made_cannot_come_back(self):
        [(field, message)] = self.of(came_back(0, may(2), paid(7, may(1), 100)))
        assert field == "events[0].payment_on"
        assert message.startswith("no payment of $1.00 on May 1, 2026 was recorded before: name")

    def test_nor_one_that_is_recorded_afterwards(self):
        payment = paid(1, may(1), 100, recorded=may(9))
        assert [field for field, _ in self.of(came_back(0, may(2), payment), payment)] == ["events[0].payment_on"]

    def test_nor_twice(self):
        payment = paid(0, may(1), 100)
        refused = self.of(payment, came_back(1, may(2), payment), came_back(2, may(3), payment))
        assert refused == [("events[2].payment_on", "this payment is already void: it cannot come back twice")]

    def test_what_the_municipality_refuses_is_asked_of_it(self):
        assert self.of(filed(0, DUE, 1), estimated(1, may(2), 1)) == [("events[1].type", "a return was filed")]

    def test_a_refused_act_counts_as_not_done(self):
        assert [field for field, _ in self.of(filed(0, DUE, 1, deducted_cents=2), estimated(1, may(2), 1))] == [
            "events[0].deductions"
        ]

    def test_acts_that_were_allowed_are_not_judged_again(self):
        assert self.of(filed(0, DUE, 1), estimated(1, may(2), 1), above=1) == []

    def test_faults_stand_in_the_order_of_recording(self):
        events = [waived(seq, DUE, TAX, 1) for seq in range(12)]
        assert [field for field, _ in self.of(*events)] == [f"events[{seq}].kind" for seq in range(12)]


# Events at random: amounts and days near those on which something turns.
DAYS = st.integers(-10, 50).map(lambda n: DUE + timedelta(n))
GROSS = st.sampled_from([0, 7, 5_000, 60_000, 100_000, 123_457])
CENTS = st.sampled_from([1, 99, 500, 1_000, 1_700, 6_000, 10_000, 25_000])
KINDS = st.sampled_from([FEE, INTEREST, SEASON_FEE, RETURNED_FEE])


@st.composite
def histories(draw):
    """Up to eight allowed events. A payment may be recorded later than its day, and may come back once."""
    events = []
    standing = []
    for seq in range(draw(st.integers(0, 8))):
        on = draw(DAYS)
        what = draw(st.sampled_from(["return", "estimate", "payment", "payment", "payment", "waiver", "returned"]))
        if what == "return":
            events.append(filed(seq, on, draw(GROSS)))
        elif what == "estimate":
            events.append(estimated(seq, on, draw(GROSS)))
        elif what == "waiver":
            events.append(waived(seq, on, draw(KINDS), draw(CENTS)))
        elif what == "returned" and standing:
            payment = standing.pop(draw(st.integers(0, len(standing) - 1)))
            events.append(came_back(seq, max(on, payment.recorded), payment))
        else:
            payment = paid(seq, on, draw(CENTS), recorded=on + timedelta(draw(st.sampled_from([0, 0, 3, 20]))))
            events.append(payment)
            standing.append(payment)
    return events


END = DUE + timedelta(90)


def standing_cents(events, as_of):
    void = {event.payment_seq for event in events if isinstance(event, PaymentReturned) and event.recorded <= as_of}
    payments = [event for event in events if isinstance(event, Payment) and event.recorded <= as_of]
    return sum(payment.cents for payment in payments if payment.seq not in void)


class TestProperties:
    @given(histories(), DAYS)
    def test_nothing_is_applied_twice_and_nothing_is_lost(self, events, as_of):
        seen = looked_at(as_of, *events)
        assert sum(seen.applied.values()) == standing_cents(events, as_of)
        assert sum(one.cents for one in seen.applications) == standing_cents(events, as_of)

    @given(histories(), DAYS)
    def test_no_charge_and_no_application_is_below_zero(self, events, as_of):
        seen = looked_at(as_of, *events)
        assert all(cents >= 0 for cents in seen.charges.values())
        assert all(cents > 0 for cents in seen.applied.values())

    @given(histories(), DAYS)
    def test_only_tax_can_be_overpaid(self, events, as_of):
        seen = looked_at(as_of, *events)
        for kind, cents in seen.applied.items():
            assert kind == TAX or cents <= seen.charges.get(kind, 0)

    @given(histories(), DAYS)
    def test_a_credit_stands_only_when_nothing_else_is_owed(self, events, as_of):
        seen = looked_at(as_of, *events)
        if seen.basis != "none" and seen.applied.get(TAX, 0) > seen.charges[TAX]:
            assert all(seen.applied.get(kind, 0) == cents for kind, cents in seen.charges.items() if kind != TAX)

    @given(histories(), DAYS)
    def test_a_day_in_the_middle_knows_the_events_up_to_it_and_no_other(self, events, as_of):
        before = [event for event in events if event.recorded <= as_of]
        assert looked_at(as_of, *events) == looked_at(as_of, *before)

    @given(histories(), st.lists(st.integers(0, 30), max_size=6))
    def test_looking_changes_nothing(self, events, offsets):
        unlooked, looked = Fold(EMPTY, RULES), Fold(EMPTY, RULES)
        void = {event.payment_seq for event in events if isinstance(event, PaymentReturned)}
        for event in in_recording_order(event for event in events if event.seq not in void):
            unlooked.record(event)
            looked.record(event)
            for days in offsets:
                looked.statement(event.recorded + timedelta(days))
        assert looked.statement(END) == unlooked.statement(END)
        assert looked.statement(END) == looked.statement(END)

    @given(histories())
    def test_applications_of_the_past_stand_while_no_payment_comes_back(self, events):
        kept = in_recording_order(event for event in events if not isinstance(event, PaymentReturned))
        before = ()
        for count, event in enumerate(kept, 1):
            after = looked_at(event.recorded, *kept[:count]).applications
            assert after[: len(before)] == before
            before = after

    @given(histories())
    def test_a_payment_that_came_back_is_as_if_never_made_but_for_its_fee(self, events):
        seen = looked_at(END, *events)
        void = {event.payment_seq for event in events if isinstance(event, PaymentReturned)}
        assert seen == looked_at(END, *[event for event in events if event.seq not in void])
