"""A year of a Fox Cities village over HTTP, from opening to shared out; every figure is worked by hand beside its act.

Room tax 3%, due on the last day of the month after the period; interest 7% a year by whole months, each calendar month
after the due month bearing the tax unpaid at its start; late filing fee by resolution ($40.00 here), none for a
returned payment; 10% on an estimate, 25% on negligence, 50% on intent; 5% to the general fund, half a cent up, the rest
to the Bureau.
"""

from __future__ import annotations

import pytest

from tests.support.town_over_http import StoryTown, TownOverHttp

BUREAU = "Fox Cities Convention and Tourist Bureau"
VILLAGE = "General fund"


@pytest.mark.slow
@pytest.mark.database
def test_a_year_in_a_fox_cities_village_comes_to_the_cent(story_town: StoryTown) -> None:
    town = story_town("fox_cities_village", "Fox Cities Village")
    the_village_opens_once_its_fee_is_set(town)
    the_last_period_of_2025_on_time_zero_and_estimated(town)
    the_first_period_with_a_check_that_comes_back_and_an_extension(town)
    the_first_distribution(town)
    a_return_is_amended_down_after_the_distribution(town)
    the_next_distribution_leaves_the_bureau_owing(town)
    the_credit_is_paid_out_with_interest(town)
    a_return_is_amended_up_and_the_interest_waived(town)
    the_second_period_with_a_moved_payment_and_two_findings(town)
    the_last_distribution_nets_what_was_to_be_made_good(town)
    the_third_period_late_and_unpaid(town)
    the_books_at_the_end_of_the_year(town)


def the_village_opens_once_its_fee_is_set(town: TownOverHttp) -> None:
    town.day("2025-12-15")
    # The fee for a returned payment is optional; without a resolution there is none.
    refused = town.open(expect=422)
    assert [fault["field"] for fault in refused["errors"]] == ["resolutions.late_filing_fee"]
    town.resolve("late_filing_fee", "40.00", "VB 26-01", since="2025-12-01")
    town.open()
    town.register("Paper Valley Lodging LLC", "Paper Valley Suites", "Lock House", opened_on="2025-10-01")
    town.register("Riverwalk Inn Inc.", "Riverwalk Inn", opened_on="2025-10-01")
    town.give_login("Paper Valley Lodging LLC", "paper.valley@example.org")
    town.daily()


def the_last_period_of_2025_on_time_zero_and_estimated(town: TownOverHttp) -> None:
    # Due January 31, 2026, a Saturday: met on Monday, February 2.
    town.day("2026-02-02")
    # 90,000.00 - 15,000.00 = 75,000.00 x 3% = 2,250.00, and a return of nothing, in one submission.
    filed = town.file(
        {"place": "Paper Valley Suites", "period": "2025-Q4", "gross": "90000.00", "marketplace": "15000.00"},
        {"place": "Lock House", "period": "2025-Q4", "gross": "0.00"},
        by="filer",
    )
    assert filed == {"Paper Valley Suites": "2250.00", "Lock House": "0.00"}
    paid = town.pay("Paper Valley Suites", "2025-Q4", "2250.00", method="ach", reference="trace 2")
    assert paid["applied"] == {"tax": "2250.00"}
    assert paid["balance"] == "0.00"

    town.day("2026-02-09")
    town.daily()
    # 20,000.00 x 3% = 600.00; 10% = 60.00; fee 40.00; February: 600.00 x 7%/12 = 3.50. Together 703.50.
    assert town.estimate("Riverwalk Inn", "2025-Q4", "20000.00")["balance"] == "703.50"
    town.day("2026-02-17")
    # 300.00 - 40.00 - 60.00 - 3.50 = 196.50 to tax; left 403.50.
    paid = town.pay("Riverwalk Inn", "2025-Q4", "300.00", method="check", reference="77")
    assert paid["applied"] == {
        "late_filing_fee": "40.00",
        "estimate_penalty": "60.00",
        "interest": "3.50",
        "tax": "196.50",
    }
    assert paid["balance"] == "403.50"

    town.day("2026-03-16")
    # 16,000.00 x 3% = 480.00 supersedes the estimate. February bears 480.00, March 480.00 - 196.50 = 283.50:
    # 763.50 x 7%/12 = 4.454 = 4.45. The 60.00 of the estimate's penalty goes to interest, 0.95, and to tax, 59.05.
    # Left: 480.00 - 196.50 - 59.05 = 224.45.
    assert town.file({"place": "Riverwalk Inn", "period": "2025-Q4", "gross": "16000.00"}) == {
        "Riverwalk Inn": "224.45"
    }
    preview = town.preview("Riverwalk Inn", "2025-Q4", "224.45")
    paid = town.pay("Riverwalk Inn", "2025-Q4", "224.45", method="cash")
    assert paid["applied"] == preview["applied"] == {"tax": "224.45"}
    assert paid["balance"] == preview["balance"] == "0.00"


def the_first_period_with_a_check_that_comes_back_and_an_extension(town: TownOverHttp) -> None:
    # Due April 30, 2026, a Thursday.
    town.day("2026-04-20")
    town.daily()
    town.extend("Lock House", "2026-Q1", until="2026-05-29")

    town.day("2026-04-29")
    # 30,000.00 x 3% = 900.00.
    town.file({"place": "Riverwalk Inn", "period": "2026-Q1", "gross": "30000.00"})
    town.pay("Riverwalk Inn", "2026-Q1", "900.00", method="marketplace", reference="batch 3")

    town.day("2026-04-30")
    # 70,000.00 x 3% = 2,100.00, paid by a check that comes back.
    town.file({"place": "Paper Valley Suites", "period": "2026-Q1", "gross": "70000.00"}, by="filer")
    check = town.pay("Paper Valley Suites", "2026-Q1", "2100.00", method="check", reference="310")

    town.day("2026-05-11")
    # 2,100.00 is owed again, with no fee, and interest for May: 2,100.00 x 7%/12 = 12.25.
    assert town.came_back(check, "insufficient funds")["balance"] == "2112.25"
    town.day("2026-05-15")
    paid = town.pay("Paper Valley Suites", "2026-Q1", "2112.25", method="ach", reference="trace 5")
    assert paid["applied"] == {"interest": "12.25", "tax": "2100.00"}
    assert paid["balance"] == "0.00"

    town.day("2026-05-27")
    # In time by the extension, so no fee; interest is not moved: 10,000.00 x 3% = 300.00; May: 300.00 x 7%/12 = 1.75.
    town.file({"place": "Lock House", "period": "2026-Q1", "gross": "10000.00"}, by="filer")
    paid = town.pay("Lock House", "2026-Q1", "301.75", method="card", reference="auth 8")
    assert paid["applied"] == {"interest": "1.75", "tax": "300.00"}
    assert paid["balance"] == "0.00"


def the_first_distribution(town: TownOverHttp) -> None:
    town.day("2026-06-03")
    town.daily()
    # 2025-Q4: 2,250.00 + 0.00 + 480.00 = 2,730.00: x 5% = 136.50, the rest 2,593.50.
    # 2026-Q1: 2,100.00 + 300.00 + 900.00 = 3,300.00: x 5% = 165.00, the rest 3,135.00.
    assert town.share() == {
        ("2025-Q4", VILLAGE, ""): "136.50",
        ("2025-Q4", BUREAU, ""): "2593.50",
        ("2026-Q1", VILLAGE, ""): "165.00",
        ("2026-Q1", BUREAU, ""): "3135.00",
    }
    # 2,593.50 + 3,135.00 = 5,728.50.
    assert town.remit(BUREAU, method="check", reference="601") == "5728.50"


def a_return_is_amended_down_after_the_distribution(town: TownOverHttp) -> None:
    town.day("2026-06-16")
    # 24,000.00 x 3% = 720.00; 900.00 was paid: a credit of 180.00.
    assert town.file({"place": "Riverwalk Inn", "period": "2026-Q1", "gross": "24000.00"}) == {
        "Riverwalk Inn": "-180.00"
    }
    assert town.credits() == {("Riverwalk Inn", "2026-Q1"): "180.00"}


def the_next_distribution_leaves_the_bureau_owing(town: TownOverHttp) -> None:
    town.day("2026-07-01")
    town.daily()
    # 2026-Q1: 2,100.00 + 300.00 + 720.00 = 3,120.00: x 5% = 156.00, 9.00 less; the rest 2,964.00, 171.00 less.
    preview = town.preview_share()
    shared = town.share()
    assert shared == preview == {("2026-Q1", VILLAGE, ""): "-9.00", ("2026-Q1", BUREAU, ""): "-171.00"}
    assert town.advice(BUREAU) == "0.00"


def the_credit_is_paid_out_with_interest(town: TownOverHttp) -> None:
    town.day("2026-07-07")
    # From April 30, the due date, since the payment was earlier: May, June and July, 180.00 x 3 x 7%/12 = 3.15.
    refund = town.refund("Riverwalk Inn", "2026-Q1")
    assert (refund["amount"], refund["interest"], refund["balance"]) == ("180.00", "3.15", "0.00")
    assert town.credits() == {}


def a_return_is_amended_up_and_the_interest_waived(town: TownOverHttp) -> None:
    town.day("2026-07-09")
    # 71,111.11 x 3% = 2,133.333 = 2,133.33, 33.33 more. Interest anew: May 2,133.33, June and July 33.33:
    # 2,199.99 x 7%/12 = 12.833 = 12.83, of which 12.25 is paid: 0.58. Together 33.91.
    assert town.file({"place": "Paper Valley Suites", "period": "2026-Q1", "gross": "71111.11"}, by="filer") == {
        "Paper Valley Suites": "33.91"
    }
    waived = town.waive("Paper Valley Suites", "2026-Q1", "interest", "0.58", "reported by the filer")
    assert waived["balance"] == "33.33"
    paid = town.pay("Paper Valley Suites", "2026-Q1", "33.33", method="cash")
    assert paid["applied"] == {"tax": "33.33"}
    assert paid["balance"] == "0.00"


def the_second_period_with_a_moved_payment_and_two_findings(town: TownOverHttp) -> None:
    # Due July 31, 2026, a Friday.
    town.day("2026-07-30")
    town.daily()
    # 11,500.00 x 3% = 345.00, paid for the period before by mistake: there it is a credit.
    town.file({"place": "Lock House", "period": "2026-Q2", "gross": "11500.00"}, by="filer")
    astray = town.pay("Lock House", "2026-Q1", "345.00", method="check", reference="19")
    assert (astray["balance"], astray["credit"]) == ("-345.00", "345.00")
    assert town.credits() == town.credits(by="filer") == {("Lock House", "2026-Q1"): "345.00"}

    town.day("2026-07-31")
    # 120,000.00 - 12,000.00 - 3,000.00 - 5,000.00 = 100,000.00 x 3% = 3,000.00, entered twice.
    town.file(
        {
            "place": "Paper Valley Suites",
            "period": "2026-Q2",
            "gross": "120000.00",
            "marketplace": "12000.00",
            "long_stay": "3000.00",
            "exempt_entity": "5000.00",
        },
        by="filer",
    )
    town.pay("Paper Valley Suites", "2026-Q2", "3000.00", method="check", reference="322")
    twice = town.pay("Paper Valley Suites", "2026-Q2", "3000.00", method="check", reference="322 again")
    assert twice["balance"] == "-3000.00"
    town.day("2026-08-03")
    assert town.void(twice, "entered twice")["balance"] == "0.00"

    town.day("2026-08-05")
    moved = town.move(astray, "Lock House", "2026-Q2", "meant for the second period")
    assert moved == {"2026-Q1": "0.00", "2026-Q2": "0.00"}

    town.day("2026-08-10")
    town.notify("Riverwalk Inn", "2026-Q2")
    town.day("2026-08-24")
    # 40,000.00 x 3% = 1,200.00; fee 40.00; August: 1,200.00 x 7%/12 = 7.00. Together 1,247.00.
    assert town.file({"place": "Riverwalk Inn", "period": "2026-Q2", "gross": "40000.00"}) == {
        "Riverwalk Inn": "1247.00"
    }
    town.day("2026-09-01")
    # The return was late: 25% = 300.00; August and September: 14.00. Together 1,554.00.
    assert town.find("Riverwalk Inn", "2026-Q2", "negligence", "no record of the rooms let")["balance"] == "1554.00"
    town.day("2026-09-10")
    # 1,000.00 - 40.00 - 300.00 - 14.00 = 646.00 to tax; left 554.00.
    paid = town.pay("Riverwalk Inn", "2026-Q2", "1000.00", method="check", reference="90")
    assert paid["applied"] == {
        "late_filing_fee": "40.00",
        "negligence_penalty": "300.00",
        "interest": "14.00",
        "tax": "646.00",
    }
    assert paid["balance"] == "554.00"
    town.day("2026-09-21")
    # 50% = 600.00 in place of the 25%, whose 300.00 goes to it: left 300.00 + 554.00 = 854.00.
    assert town.find("Riverwalk Inn", "2026-Q2", "fraud", "two sets of books")["balance"] == "854.00"
    town.day("2026-09-30")
    town.daily()
    town.day("2026-10-08")
    # August and September bear 1,200.00, October 554.00: 2,954.00 x 7%/12 = 17.232 = 17.23, of which 14.00 is paid:
    # 3.23. Together 300.00 + 3.23 + 554.00 = 857.23.
    paid = town.pay("Riverwalk Inn", "2026-Q2", "857.23", method="ach", reference="trace 44")
    assert paid["applied"] == {"fraud_penalty": "300.00", "interest": "3.23", "tax": "554.00"}
    assert paid["balance"] == "0.00"


def the_last_distribution_nets_what_was_to_be_made_good(town: TownOverHttp) -> None:
    town.day("2026-10-15")
    # 2026-Q1: 2,133.33 + 300.00 + 720.00 = 3,153.33: x 5% = 157.667 = 157.67, 1.67 more; the rest 2,995.66, 31.66 more.
    # 2026-Q2: 3,000.00 + 345.00 + 1,200.00 = 4,545.00: x 5% = 227.25, the rest 4,317.75.
    assert town.share() == {
        ("2026-Q1", VILLAGE, ""): "1.67",
        ("2026-Q1", BUREAU, ""): "31.66",
        ("2026-Q2", VILLAGE, ""): "227.25",
        ("2026-Q2", BUREAU, ""): "4317.75",
    }
    # 31.66 + 4,317.75 = 4,349.41, less 171.00 still to be made good = 4,178.41; not paid out before the year ends.
    assert town.advice(BUREAU) == "4178.41"


def the_third_period_late_and_unpaid(town: TownOverHttp) -> None:
    # Due October 31, 2026, a Saturday: met on Monday, November 2.
    town.day("2026-11-02")
    town.daily()
    # 80,000.00 x 3% = 2,400.00.
    town.file({"place": "Paper Valley Suites", "period": "2026-Q3", "gross": "80000.00"}, by="filer")
    assert town.pay("Paper Valley Suites", "2026-Q3", "2400.00", method="check", reference="340")["balance"] == "0.00"
    # 21,212.12 x 3% = 636.3636 = 636.36, not paid.
    assert town.file({"place": "Riverwalk Inn", "period": "2026-Q3", "gross": "21212.12"}) == {
        "Riverwalk Inn": "636.36"
    }
    town.day("2026-11-10")
    # Late: 7,777.77 x 3% = 233.333 = 233.33; fee 40.00; November: 233.33 x 7%/12 = 1.361 = 1.36. Together 274.69.
    assert town.file({"place": "Lock House", "period": "2026-Q3", "gross": "7777.77"}, by="filer") == {
        "Lock House": "274.69"
    }
    assert town.pay("Lock House", "2026-Q3", "274.69", method="cash")["balance"] == "0.00"


def the_books_at_the_end_of_the_year(town: TownOverHttp) -> None:
    town.day("2026-12-31")
    town.daily()
    # Unpaid: 636.36, and for November and December 636.36 x 2 x 7%/12 = 7.424 = 7.42.
    assert town.overdue() == {("Riverwalk Inn", "2026-Q3"): "643.78"}
    town.require_sound_books()
    # Tax: 2,730.00 + 3,153.33 + 4,545.00 + (2,400.00 + 233.33 + 636.36 = 3,269.69) = 13,698.02, of which 636.36 is
    # receivable and 13,061.66 came in. Shared out: 2,730.00 + 3,153.33 + 4,545.00 = 10,428.33, to the Bureau 2,593.50 +
    # 2,995.66 + 4,317.75 = 9,906.91 and to the Village 136.50 + 157.67 + 227.25 = 521.42. Paid to the Bureau 5,728.50,
    # so 4,178.41 is due. Cash: 13,061.66 - 521.42 - 5,728.50 = 6,811.74.
    assert town.trial_balance("210") == {
        "11100": "6811.74",
        "12410": "636.36",
        "56700": "10428.33",
        "24500-01": "-4178.41",
        "41210": "-13698.02",
    }
    # Fees 3 x 40.00; 600.00 on intent; interest 4.45 + 12.25 + 1.75 + 17.23 + 1.36 + 7.42 = 44.46 (of 12.83 in Q1, 0.58
    # was waived), of which 7.42 is receivable; interest on the refund 3.15.
    # Cash: 521.42 + 120.00 + 600.00 + 37.04 - 3.15 = 1,275.31.
    assert town.trial_balance("100") == {
        "11100": "1275.31",
        "12480-06": "7.42",
        "51900": "3.15",
        "41800-01": "-120.00",
        "41800-05": "-600.00",
        "41800-06": "-44.46",
        "49210": "-521.42",
    }
