"""A year of the City of Bayfield over HTTP, from opening to shared out; every figure is worked by hand beside its act.

Room tax 6.5%, due 30 days after the period; interest 10% a year by days over 365, the due day left out; late filing fee
and returned payment fee by resolution ($25.00 and $35.00 here); 10% on an estimate, 25% after a notice, 50% on intent;
the Chamber's share by the agreement in force on the period's last day, any part of a cent up.
"""

from __future__ import annotations

import pytest

from tests.support.town_over_http import StoryTown, TownOverHttp

CHAMBER = "Bayfield Chamber of Commerce"
CITY = "General fund"


@pytest.mark.slow
@pytest.mark.database
def test_a_year_in_bayfield_comes_to_the_cent(story_town: StoryTown) -> None:
    town = story_town("bayfield", "City of Bayfield")
    the_city_opens_once_its_fees_are_set(town)
    the_last_period_of_2025_on_time_zero_and_estimated(town)
    the_first_period_with_a_check_that_comes_back_and_an_extension(town)
    the_first_distribution_holds_what_no_agreement_governs(town)
    a_return_is_amended_down_and_the_credit_paid_out_without_interest(town)
    the_next_distribution_takes_back_and_releases_what_was_held(town)
    a_return_is_amended_up_and_the_interest_waived(town)
    the_second_period_with_a_moved_payment_a_notice_and_a_finding(town)
    the_last_distribution_of_the_year(town)
    the_third_period_late_and_unpaid(town)
    the_books_at_the_end_of_the_year(town)


def the_city_opens_once_its_fees_are_set(town: TownOverHttp) -> None:
    town.day("2025-12-15")
    refused = town.open(expect=422)
    # Both fees are set by resolution of the Common Council (§ 54-1(A), § 54-19(C)(8)(b)).
    assert sorted(fault["field"] for fault in refused["errors"]) == [
        "resolutions.late_filing_fee",
        "resolutions.returned_payment_fee",
    ]
    town.resolve("late_filing_fee", "25.00", "2026-01", since="2025-12-01")
    town.resolve("returned_payment_fee", "35.00", "2026-02", since="2025-12-01")
    town.open()
    town.register("Lake House LLC", "Lake House", "Boat House", opened_on="2025-10-01")
    town.register("Harbor Inn Inc.", "Harbor Inn", opened_on="2025-10-01")
    town.give_login("Lake House LLC", "lake.house@example.org")
    town.daily()


def the_last_period_of_2025_on_time_zero_and_estimated(town: TownOverHttp) -> None:
    # Due December 31 + 30 days = January 30, 2026, a Friday.
    town.day("2026-01-28")
    # 20,000.00 - 5,000.00 = 15,000.00 x 6.5% = 975.00, and a return of nothing, in one submission.
    filed = town.file(
        {"place": "Lake House", "period": "2025-Q4", "gross": "20000.00", "marketplace": "5000.00"},
        {"place": "Boat House", "period": "2025-Q4", "gross": "0.00"},
        by="filer",
    )
    assert filed == {"Lake House": "975.00", "Boat House": "0.00"}
    paid = town.pay("Lake House", "2025-Q4", "975.00", method="check", reference="1101")
    assert (paid["balance"], paid["credit"]) == ("0.00", "0.00")

    town.day("2026-02-02")
    town.daily()
    # 8,000.00 x 6.5% = 520.00; 10% = 52.00; late since January 31: 25.00; January 31 to February 2 = 3 days:
    # 520.00 x 10% x 3/365 = 0.427 = 0.43. Together 597.43.
    assert town.estimate("Harbor Inn", "2025-Q4", "8000.00")["balance"] == "597.43"
    assert town.charges("Harbor Inn", "2025-Q4") == {
        "tax": "520.00",
        "late_filing_fee": "25.00",
        "estimate_penalty": "52.00",
        "interest": "0.43",
    }

    town.day("2026-03-02")
    # The return supersedes the estimate and its 10%: 6,000.00 x 6.5% = 390.00; fee 25.00; January 31 to March 2 =
    # 31 days: 390.00 x 10% x 31/365 = 3.312 = 3.31.
    assert town.file({"place": "Harbor Inn", "period": "2025-Q4", "gross": "6000.00"}) == {"Harbor Inn": "418.31"}
    preview = town.preview("Harbor Inn", "2025-Q4", "418.31")
    paid = town.pay("Harbor Inn", "2025-Q4", "418.31", method="cash")
    assert paid["applied"] == preview["applied"] == {"late_filing_fee": "25.00", "interest": "3.31", "tax": "390.00"}
    assert paid["balance"] == preview["balance"] == "0.00"


def the_first_period_with_a_check_that_comes_back_and_an_extension(town: TownOverHttp) -> None:
    # Due March 31 + 30 days = April 30, 2026, a Thursday.
    town.day("2026-04-20")
    town.daily()
    town.extend("Boat House", "2026-Q1", until="2026-05-29")

    town.day("2026-04-29")
    # 30,000.00 x 6.5% = 1,950.00, paid by a check that comes back.
    town.file({"place": "Lake House", "period": "2026-Q1", "gross": "30000.00"}, by="filer")
    check = town.pay("Lake House", "2026-Q1", "1950.00", method="check", reference="1201")

    town.day("2026-04-30")
    # 12,000.00 x 6.5% = 780.00.
    town.file({"place": "Harbor Inn", "period": "2026-Q1", "gross": "12000.00"})
    town.pay("Harbor Inn", "2026-Q1", "780.00", method="marketplace", reference="batch 7")

    town.day("2026-05-12")
    # 1,950.00 is owed again since the due date, with a fee of 35.00; May 1 to 12 = 12 days:
    # 1,950.00 x 10% x 12/365 = 6.411 = 6.41. Together 1,991.41.
    assert town.came_back(check, "insufficient funds")["balance"] == "1991.41"

    town.day("2026-05-20")
    # May 1 to 20 = 20 days: 1,950.00 x 10% x 20/365 = 10.685 = 10.68. Together 1,950.00 + 35.00 + 10.68 = 1,995.68.
    paid = town.pay("Lake House", "2026-Q1", "1995.68", method="ach", reference="trace 55")
    assert paid["applied"] == {"returned_payment_fee": "35.00", "interest": "10.68", "tax": "1950.00"}
    assert paid["balance"] == "0.00"

    town.day("2026-05-28")
    # In time by the extension, so no fee; interest is not moved: 4,000.00 x 6.5% = 260.00, May 1 to 28 = 28 days:
    # 260.00 x 10% x 28/365 = 1.995 = 1.99.
    town.file({"place": "Boat House", "period": "2026-Q1", "gross": "4000.00"}, by="filer")
    paid = town.pay("Boat House", "2026-Q1", "261.99", method="card", reference="auth 31")
    assert paid["applied"] == {"interest": "1.99", "tax": "260.00"}
    assert paid["balance"] == "0.00"


def the_first_distribution_holds_what_no_agreement_governs(town: TownOverHttp) -> None:
    town.day("2026-05-31")
    town.daily()
    town.day("2026-06-01")
    town.agree("2026-A", CHAMBER, "75%", "2026-01-01", "2026-12-31")
    # 2025-Q4: 975.00 + 0.00 + 390.00 = 1,365.00; no agreement was in force on December 31, 2025: held.
    # 2026-Q1: 1,950.00 + 260.00 + 780.00 = 2,990.00; x 75% = 2,242.50, the rest 747.50.
    shared = town.share()
    assert shared == {
        ("2025-Q4", CHAMBER, "held"): "1365.00",
        ("2026-Q1", CHAMBER, ""): "2242.50",
        ("2026-Q1", CITY, ""): "747.50",
    }
    town.day("2026-06-05")
    assert town.remit(CHAMBER, method="check", reference="501") == "2242.50"


def a_return_is_amended_down_and_the_credit_paid_out_without_interest(town: TownOverHttp) -> None:
    town.day("2026-06-15")
    # 11,000.00 x 6.5% = 715.00; 780.00 was paid: a credit of 65.00.
    assert town.file({"place": "Harbor Inn", "period": "2026-Q1", "gross": "11000.00"}) == {"Harbor Inn": "-65.00"}
    assert town.credits() == {("Harbor Inn", "2026-Q1"): "65.00"}
    town.day("2026-06-22")
    # The ordinance pays no interest on refunds.
    refund = town.refund("Harbor Inn", "2026-Q1")
    assert (refund["amount"], refund["interest"], refund["balance"]) == ("65.00", "0.00", "0.00")
    assert refund["reason"]
    assert town.credits() == {}


def the_next_distribution_takes_back_and_releases_what_was_held(town: TownOverHttp) -> None:
    town.day("2026-07-01")
    town.daily()
    # The agreement of 2025 turns up: 1,365.00 x 65% = 887.25, the rest 477.75; nothing is held any more.
    # 2026-Q1 is 1,950.00 + 260.00 + 715.00 = 2,925.00 now: x 75% = 2,193.75, which is 48.75 less than before; the rest
    # 731.25, 16.25 less.
    town.agree("2025-A", CHAMBER, "65%", "2025-01-01", "2025-12-31")
    preview = town.preview_share()
    shared = town.share()
    assert shared == preview
    assert shared == {
        ("2025-Q4", CHAMBER, "held"): "-1365.00",
        ("2025-Q4", CHAMBER, ""): "887.25",
        ("2025-Q4", CITY, ""): "477.75",
        ("2026-Q1", CHAMBER, ""): "-48.75",
        ("2026-Q1", CITY, ""): "-16.25",
    }
    # 887.25 - 48.75 = 838.50.
    assert town.remit(CHAMBER, method="ach", reference="trace 90") == "838.50"


def a_return_is_amended_up_and_the_interest_waived(town: TownOverHttp) -> None:
    town.day("2026-07-06")
    # 33,000.00 x 6.5% = 2,145.00, 195.00 more. Interest anew from the due date on the tax as now known:
    # 2,145.00 for 20 days (May 1 to 20) and 195.00 for 47 (May 21 to July 6):
    # (42,900 + 9,165) x 10% / 365 = 14.264 = 14.26, of which 10.68 is paid: 3.58. Together 198.58.
    assert town.file({"place": "Lake House", "period": "2026-Q1", "gross": "33000.00"}, by="filer") == {
        "Lake House": "198.58"
    }
    assert town.waive("Lake House", "2026-Q1", "interest", "3.58", "reported by the filer")["balance"] == "195.00"
    paid = town.pay("Lake House", "2026-Q1", "195.00", method="check", reference="1240")
    assert paid["applied"] == {"tax": "195.00"}
    assert paid["balance"] == "0.00"


def the_second_period_with_a_moved_payment_a_notice_and_a_finding(town: TownOverHttp) -> None:
    # Due June 30 + 30 days = July 30, 2026, a Thursday.
    town.day("2026-07-28")
    town.daily()
    # 5,000.00 x 6.5% = 325.00, paid for the period before by mistake: there it is a credit.
    town.file({"place": "Boat House", "period": "2026-Q2", "gross": "5000.00"}, by="filer")
    astray = town.pay("Boat House", "2026-Q1", "325.00", method="check", reference="88")
    assert (astray["balance"], astray["credit"]) == ("-325.00", "325.00")
    assert town.credits() == town.credits(by="filer") == {("Boat House", "2026-Q1"): "325.00"}

    town.day("2026-07-29")
    # 60,000.00 - 20,000.00 - 2,000.00 = 38,000.00 x 6.5% = 2,470.00, entered twice.
    town.file(
        {
            "place": "Lake House",
            "period": "2026-Q2",
            "gross": "60000.00",
            "marketplace": "20000.00",
            "long_stay": "2000.00",
        },
        by="filer",
    )
    town.pay("Lake House", "2026-Q2", "2470.00", method="ach", reference="trace 71")
    twice = town.pay("Lake House", "2026-Q2", "2470.00", method="ach", reference="trace 71 again")
    assert twice["balance"] == "-2470.00"
    town.day("2026-07-30")
    assert town.void(twice, "entered twice")["balance"] == "0.00"

    town.day("2026-08-03")
    # It counts for July 28, its own day, so no interest.
    moved = town.move(astray, "Boat House", "2026-Q2", "meant for the second period")
    assert moved == {"2026-Q1": "0.00", "2026-Q2": "0.00"}
    town.notify("Harbor Inn", "2026-Q2")

    town.day("2026-08-20")
    # Notified on August 3, no return by August 13: 16,000.00 x 6.5% = 1,040.00, 25% = 260.00, fee 25.00; July 31 to
    # August 20 = 21 days: 1,040.00 x 10% x 21/365 = 5.984 = 5.98. Together 1,330.98.
    assert town.file({"place": "Harbor Inn", "period": "2026-Q2", "gross": "16000.00"}) == {"Harbor Inn": "1330.98"}

    town.day("2026-09-08")
    # 50% = 520.00 in place of the 25%; July 31 to September 8 = 40 days: 1,040.00 x 10% x 40/365 = 11.397 = 11.40.
    # Together 1,040.00 + 25.00 + 520.00 + 11.40 = 1,596.40.
    found = town.find("Harbor Inn", "2026-Q2", "fraud", "two sets of books")
    assert found["balance"] == "1596.40"

    town.day("2026-09-15")
    # 47 days: 1,040.00 x 10% x 47/365 = 13.392 = 13.39. 1,300.00 - 25.00 - 520.00 - 13.39 = 741.61 to tax; left 298.39.
    paid = town.pay("Harbor Inn", "2026-Q2", "1300.00", method="check", reference="3003")
    assert paid["applied"] == {
        "late_filing_fee": "25.00",
        "fraud_penalty": "520.00",
        "interest": "13.39",
        "tax": "741.61",
    }
    assert paid["balance"] == "298.39"
    town.day("2026-09-30")
    town.daily()

    town.day("2026-10-01")
    # 298.39 for 16 days (September 16 to October 1): (48,880 + 4,774.24) x 10% / 365 = 14.6998 = 14.70, of which 13.39
    # is paid: 1.31. Together 299.70.
    paid = town.pay("Harbor Inn", "2026-Q2", "299.70", method="cash")
    assert paid["applied"] == {"interest": "1.31", "tax": "298.39"}
    assert paid["balance"] == "0.00"


def the_last_distribution_of_the_year(town: TownOverHttp) -> None:
    town.day("2026-10-05")
    # 2026-Q1: 2,145.00 + 260.00 + 715.00 = 3,120.00: x 75% = 2,340.00, 146.25 more; the rest 780.00, 48.75 more.
    # 2026-Q2: 2,470.00 + 325.00 + 1,040.00 = 3,835.00: x 75% = 2,876.25; the rest 958.75.
    assert town.share() == {
        ("2026-Q1", CHAMBER, ""): "146.25",
        ("2026-Q1", CITY, ""): "48.75",
        ("2026-Q2", CHAMBER, ""): "2876.25",
        ("2026-Q2", CITY, ""): "958.75",
    }
    # 146.25 + 2,876.25 = 3,022.50, not paid out before the year ends.
    assert town.advice(CHAMBER) == "3022.50"


def the_third_period_late_and_unpaid(town: TownOverHttp) -> None:
    # Due September 30 + 30 days = October 30, 2026, a Friday.
    town.day("2026-10-29")
    town.daily()
    # 45,000.00 - 1,500.00 = 43,500.00 x 6.5% = 2,827.50.
    town.file({"place": "Lake House", "period": "2026-Q3", "gross": "45000.00", "exempt_entity": "1500.00"}, by="filer")
    town.day("2026-10-30")
    assert town.pay("Lake House", "2026-Q3", "2827.50", method="check", reference="1310")["balance"] == "0.00"
    # 14,000.00 x 6.5% = 910.00, not paid.
    assert town.file({"place": "Harbor Inn", "period": "2026-Q3", "gross": "14000.00"}) == {"Harbor Inn": "910.00"}
    town.day("2026-11-09")
    # Late: 3,333.33 x 6.5% = 216.666 = 216.67; fee 25.00; October 31 to November 9 = 10 days:
    # 216.67 x 10% x 10/365 = 0.594 = 0.59. Together 242.26.
    assert town.file({"place": "Boat House", "period": "2026-Q3", "gross": "3333.33"}, by="filer") == {
        "Boat House": "242.26"
    }
    assert town.pay("Boat House", "2026-Q3", "242.26", method="cash")["balance"] == "0.00"


def the_books_at_the_end_of_the_year(town: TownOverHttp) -> None:
    town.day("2026-12-31")
    town.daily()
    # Unpaid: 910.00 for October 31 to December 31 = 62 days: 910.00 x 10% x 62/365 = 15.458 = 15.46.
    assert town.overdue() == {("Harbor Inn", "2026-Q3"): "925.46"}
    town.require_sound_books()
    # Tax: 2025-Q4 975.00 + 390.00 = 1,365.00; Q1 2,145.00 + 260.00 + 715.00 = 3,120.00;
    # Q2 2,470.00 + 325.00 + 1,040.00 = 3,835.00; Q3 2,827.50 + 216.67 + 910.00 = 3,954.17; together 12,274.17,
    # of which 910.00 is receivable and 11,364.17 came in. Shared out: 1,365.00 + 3,120.00 + 3,835.00 = 8,320.00, to the
    # Chamber 887.25 + 2,340.00 + 2,876.25 = 6,103.50 and to the City 477.75 + 780.00 + 958.75 = 2,216.50. Paid to the
    # Chamber 2,242.50 + 838.50 = 3,081.00, so 3,022.50 is due. Cash: 11,364.17 - 2,216.50 - 3,081.00 = 6,066.67.
    assert town.trial_balance("210") == {
        "11100": "6066.67",
        "12410": "910.00",
        "56700": "8320.00",
        "24500-01": "-3022.50",
        "41210": "-12274.17",
    }
    # Fees 3 x 25.00 (Harbor Inn 2025-Q4 and Q2, Boat House Q3); 35.00; 520.00; interest 3.31 + 10.68 + 1.99 + 14.70 +
    # 0.59 + 15.46 = 46.73 (of Lake House's 14.26 in Q1, 3.58 was waived), 15.46 of it receivable.
    # Cash: 2,216.50 + 75.00 + 35.00 + 520.00 + 46.73 - 15.46 = 2,877.77.
    assert town.trial_balance("100") == {
        "11100": "2877.77",
        "12480-06": "15.46",
        "41800-01": "-75.00",
        "46100-02": "-35.00",
        "41800-05": "-520.00",
        "41800-06": "-46.73",
        "49210": "-2216.50",
    }
