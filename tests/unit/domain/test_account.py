"""The facts of a period account, and the questions about lateness that rest on them."""

from datetime import date, timedelta

import pytest

from core.domain.account import Account
from core.domain.calendar import Deadlines, Period
from core.domain.events import (
    FRAUD,
    NEGLIGENCE,
    Estimate,
    Extension,
    Finding,
    Notice,
    Payment,
    PaymentReturned,
    ReturnFiled,
    Voided,
    Waiver,
)
from core.domain.lateness import (
    days_of_violation,
    estimate_objection,
    extension_objection,
    finding_before_anything_is_due,
    last_of_days,
    late_since,
)

# Due on Saturday Oct 31, met on Monday Nov 2; an extension may name a day up to Nov 30.
DUE, EFFECTIVE, LONGEST = date(2026, 10, 31), date(2026, 11, 2), date(2026, 11, 30)
EMPTY = Account(
    "lodging",
    Period("2026-Q3", date(2026, 7, 1), date(2026, 9, 30)),
    Deadlines(DUE, EFFECTIVE, LONGEST, (), lambda day: day.weekday() < 5),
)


def filed(on: date, seq: int = 0) -> ReturnFiled:
    return ReturnFiled(seq, on, on, ())


def extended(until: date, seq: int = 0) -> Extension:
    return Extension(seq, DUE, DUE, until)


def recorded(*events):
    account = EMPTY
    for event in events:
        account = account.with_event(event)
    return account


class TestFacts:
    @pytest.mark.parametrize(
        ("event", "field"),
        [
            (filed(DUE), "returns"),
            (Estimate(0, DUE, DUE, ()), "estimates"),
            (Payment(0, DUE, DUE, 1), "payments"),
            (Waiver(0, DUE, DUE, "interest", 1), "waivers"),
            (extended(LONGEST), "extensions"),
            (Notice(0, DUE, DUE), "notices"),
            (Finding(0, DUE, DUE, FRAUD), "findings"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_an_event_is_kept_among_its_kind_and_changes_no_earlier_account(self, event, field):
        assert getattr(recorded(event), field) == (event,)
        assert getattr(EMPTY, field) == ()

    def test_a_payment_that_came_back_stands_no_longer_and_is_remembered(self):
        back = PaymentReturned(2, DUE, DUE, 0, DUE, 100)
        account = recorded(Payment(0, DUE, DUE, 100), Payment(1, DUE, DUE, 100), back)
        assert [paid.seq for paid in account.payments] == [1]
        assert account.returned == (back,)

    def test_a_payment_entered_in_error_stands_no_longer_and_leaves_no_trace(self):
        account = recorded(Payment(0, DUE, DUE, 100), Voided(1, DUE, DUE, 0))
        assert account == EMPTY

    def test_the_basis_is_the_last_return_else_the_last_estimate_else_nothing(self):
        estimates = [Estimate(seq, DUE, DUE, ()) for seq in (0, 1)]
        returns = [filed(DUE, seq) for seq in (2, 3)]
        assert (EMPTY.basis, EMPTY.determination) == ("none", None)
        assert (recorded(*estimates).basis, recorded(*estimates).determination) == ("estimate", estimates[1])
        assert (recorded(*estimates, *returns).basis, recorded(*estimates, *returns).determination) == (
            "return",
            returns[1],
        )

    def test_findings_are_told_apart(self):
        negligence, fraud = Finding(0, DUE, DUE, NEGLIGENCE), Finding(1, DUE, DUE, FRAUD)
        account = recorded(negligence, fraud)
        assert account.findings_of(FRAUD) == (fraud,)
        assert account.findings_of(NEGLIGENCE) == (negligence,)


class TestFilingDate:
    def test_without_an_extension_it_is_the_effective_due_date(self):
        assert EMPTY.filing_date == EFFECTIVE
        assert EMPTY.extended_date == DUE

    def test_an_extension_moves_it_to_its_day_rolled(self):
        account = recorded(extended(date(2026, 11, 14)))  # a Saturday
        assert account.extended_date == date(2026, 11, 14)
        assert account.filing_date == date(2026, 11, 16)

    def test_of_several_the_latest_day_holds_not_the_last_recorded(self):
        account = recorded(extended(date(2026, 11, 20)), extended(date(2026, 11, 10)))
        assert account.extended_date == date(2026, 11, 20)

    def test_it_never_moves_back(self):
        assert recorded(extended(date(2026, 10, 1))).filing_date == EFFECTIVE


class TestLate:
    def test_nobody_is_late_on_the_filing_date(self):
        assert late_since(EMPTY, EFFECTIVE) is None

    def test_the_day_after_is_the_first_late_one_and_stays_it(self):
        assert late_since(EMPTY, EFFECTIVE + timedelta(1)) == date(2026, 11, 3)
        assert late_since(EMPTY, date(2027, 5, 1)) == date(2026, 11, 3)

    def test_a_return_on_the_filing_date_is_in_time_whenever_it_was_recorded(self):
        mailed = ReturnFiled(0, EFFECTIVE, EFFECTIVE + timedelta(9), ())
        assert late_since(recorded(mailed), date(2027, 1, 1)) is None

    def test_a_return_a_day_later_is_late(self):
        account = recorded(filed(EFFECTIVE + timedelta(1)))
        assert late_since(account, date(2027, 1, 1)) == date(2026, 11, 3)
        assert account.first_return_by(EFFECTIVE) is None

    def test_an_extension_moves_lateness_too(self):
        account = recorded(extended(LONGEST))
        assert late_since(account, LONGEST) is None
        assert late_since(account, LONGEST + timedelta(1)) == date(2026, 12, 1)

    def test_days_are_counted_without_the_first_and_the_last_one_rolls(self):
        # ten days after Nov 4 is Saturday Nov 14, met on Monday Nov 16
        assert last_of_days(EMPTY, date(2026, 11, 4), 10) == date(2026, 11, 16)
        assert last_of_days(EMPTY, date(2026, 11, 3), 10) == date(2026, 11, 13)

    def test_days_of_violation_run_to_the_return_or_to_the_day_asked(self):
        assert days_of_violation(EMPTY, EFFECTIVE) == 0
        assert days_of_violation(EMPTY, date(2026, 11, 3)) == 1
        assert days_of_violation(EMPTY, date(2026, 11, 12)) == 10
        assert days_of_violation(recorded(filed(date(2026, 11, 5))), date(2026, 11, 12)) == 3


class TestObjections:
    def test_an_estimate_waits_for_the_day_after_the_filing_date(self):
        field, message = estimate_objection(EMPTY, Estimate(0, EFFECTIVE, EFFECTIVE, ()))
        assert field == "on"
        assert "2026-11-02 is too early" in message
        assert estimate_objection(EMPTY, Estimate(0, date(2026, 11, 3), date(2026, 11, 3), ())) is None

    def test_an_estimate_waits_for_the_extended_date(self):
        estimate = Estimate(1, LONGEST, LONGEST, ())
        assert estimate_objection(recorded(extended(LONGEST)), estimate) is not None

    def test_no_estimate_is_made_after_a_return(self):
        field, message = estimate_objection(recorded(filed(DUE)), Estimate(1, LONGEST, LONGEST, ()))
        assert field == "type"
        assert "a return was filed on 2026-10-31" in message

    def test_an_extension_to_the_due_date_extends_nothing(self):
        assert extension_objection(EMPTY, extended(DUE)) is not None
        assert extension_objection(EMPTY, extended(DUE + timedelta(1))) is None

    def test_intent_is_found_when_something_is_filed_or_due(self):
        early, late = Finding(0, EFFECTIVE, EFFECTIVE, FRAUD), Finding(0, date(2026, 11, 3), date(2026, 11, 3), FRAUD)
        assert finding_before_anything_is_due(EMPTY, early) is not None
        assert finding_before_anything_is_due(recorded(filed(DUE)), early) is None
        assert finding_before_anything_is_due(EMPTY, late) is None
