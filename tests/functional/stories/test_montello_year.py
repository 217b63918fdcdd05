"""A year of the City of Montello over HTTP, from opening to shared out; every figure is worked by hand beside its act.

Room tax 4.5%, due on the last day of the month after the period; interest 12% a year by whole months, each calendar
month after the due month bearing the tax unpaid at its start; late filing fee $25.00 by the text; a forfeiture of 25%
of last year's tax, at most $1,000.00, where the tax is not paid in 30 days; 10% on an estimate, 50% on intent; 75% to
the commission of the zone, half a cent up.
"""

from __future__ import annotations

import pytest

from tests.support.town_over_http import StoryTown, TownOverHttp

COMMISSION = "Commission of the zone"
CITY = "General fund"


@pytest.mark.slow
@pytest.mark.database
def test_a_year_in_montello_comes_to_the_cent(story_town: StoryTown) -> None:
    town = story_town("montello", "City of Montello")
    the_city_opens(town)
    the_last_period_of_2025_on_time_zero_and_estimated(town)
    the_first_period_with_a_check_that_comes_back_and_an_extension(town)
    the_first_distribution(town)
    a_return_is_amended_down_and_the_credit_paid_out_with_interest(town)
    the_next_distribution_leaves_the_commission_owing(town)
    a_return_is_amended_up_and_the_interest_waived(town)
    the_second_period_with_a_moved_payment_a_forfeiture_and_a_finding(town)
    the_last_distribution_nets_what_was_to_be_made_good(town)
    the_third_period_late_and_unpaid(town)
    the_books_at_the_end_of_the_year(town)


def the_city_opens(town: TownOverHttp) -> None:
    # The text sets the late filing fee itself; a fee for a returned payment needs a resolution.
    town.day("2025-12-15")
    town.resolve("returned_payment_fee", "30.00", "R-1", since="2025-12-01")
    town.open()
    town.register("Granite Lodging LLC", "Granite Lodge", "Mill Pond Cottages", opened_on="2025-10-01")
    town.register("Lakeside Motel Inc.", "Lakeside Motel", opened_on="2025-10-01")
    town.give_login("Granite Lodging LLC", "granite.lodging@example.org")
    town.daily()


def the_last_period_of_2025_on_time_zero_and_estimated(town: TownOverHttp) -> None:
    # Due January 31, 2026, a Saturday: met on Monday, February 2.
    town.day("2026-02-02")
    # 24,000.00 - 4,000.00 = 20,000.00 x 4.5% = 900.00, and a return of nothing, in one submission.
    filed = town.file(
        {"place": "Granite Lodge", "period": "2025-Q4", "gross": "24000.00", "long_stay": "4000.00"},
        {"place": "Mill Pond Cottages", "period": "2025-Q4", "gross": "0.00"},
        by="filer",
    )
    assert filed == {"Granite Lodge": "900.00", "Mill Pond Cottages": "0.00"}
    paid = town.pay("Granite Lodge", "2025-Q4", "900.00", method="check", reference="201")
    assert paid["applied"] == {"tax": "900.00"}
    assert paid["balance"] == "0.00"

    town.day("2026-02-10")
    town.daily()
    # 10,000.00 x 4.5% = 450.00; 10% = 45.00; fee 25.00; February is begun: 450.00 x 1% = 4.50. Together 524.50.
    assert town.estimate("Lakeside Motel", "2025-Q4", "10000.00")["balance"] == "524.50"

    town.day("2026-03-16")
    # The return supersedes the estimate and its 10%: 8,000.00 x 4.5% = 360.00; fee 25.00; February and March:
    # 360.00 x 2% = 7.20. Together 392.20.
    assert town.file({"place": "Lakeside Motel", "period": "2025-Q4", "gross": "8000.00"}) == {
        "Lakeside Motel": "392.20"
    }
    preview = town.preview("Lakeside Motel", "2025-Q4", "392.20")
    paid = town.pay("Lakeside Motel", "2025-Q4", "392.20", method="cash")
    assert paid["applied"] == preview["applied"] == {"late_filing_fee": "25.00", "interest": "7.20", "tax": "360.00"}
    assert paid["balance"] == preview["balance"] == "0.00"


def the_first_period_with_a_check_that_comes_back_and_an_extension(town: TownOverHttp) -> None:
    # Due April 30, 2026, a Thursday.
    town.day("2026-04-22")
    town.daily()
    town.extend("Mill Pond Cottages", "2026-Q1", until="2026-05-29")

    town.day("2026-04-28")
    # 16,000.00 x 4.5% = 720.00, paid by a check that comes back.
    town.file({"place": "Granite Lodge", "period": "2026-Q1", "gross": "16000.00"}, by="filer")
    check = town.pay("Granite Lodge", "2026-Q1", "720.00", method="check", reference="207")

    town.day("2026-04-30")
    # 9,000.00 x 4.5% = 405.00.
    town.file({"place": "Lakeside Motel", "period": "2026-Q1", "gross": "9000.00"})
    town.pay("Lakeside Motel", "2026-Q1", "405.00", method="marketplace", reference="batch 9")

    town.day("2026-05-08")
    # 720.00 is owed again with a fee of 30.00 and interest for May: 7.20. Together 757.20.
    assert town.came_back(check, "account closed")["balance"] == "757.20"

    town.day("2026-05-28")
    # In time by the extension, so no fee; interest is not moved: 5,000.00 x 4.5% = 225.00; May: 2.25.
    town.file({"place": "Mill Pond Cottages", "period": "2026-Q1", "gross": "5000.00"}, by="filer")
    paid = town.pay("Mill Pond Cottages", "2026-Q1", "227.25", method="card", reference="auth 12")
    assert paid["applied"] == {"interest": "2.25", "tax": "225.00"}
    assert paid["balance"] == "0.00"

    town.day("2026-05-29")
    # Within the 30 days, which end on Saturday, May 30, and so on Monday, June 1: no forfeiture.
    paid = town.pay("Granite Lodge", "2026-Q1", "757.20", method="ach", reference="trace 14")
    assert paid["applied"] == {"returned_payment_fee": "30.00", "interest": "7.20", "tax": "720.00"}
    assert paid["balance"] == "0.00"


def the_first_distribution(town: TownOverHttp) -> None:
    town.day("2026-06-02")
    town.daily()
    # 2025-Q4: 900.00 + 0.00 + 360.00 = 1,260.00: x 75% = 945.00, the rest 315.00.
    # 2026-Q1: 720.00 + 225.00 + 405.00 = 1,350.00: x 75% = 1,012.50, the rest 337.50.
    assert town.share() == {
        ("2025-Q4", COMMISSION, ""): "945.00",
        ("2025-Q4", CITY, ""): "315.00",
        ("2026-Q1", COMMISSION, ""): "1012.50",
        ("2026-Q1", CITY, ""): "337.50",
    }
    town.day("2026-06-05")
    # 945.00 + 1,012.50 = 1,957.50.
    assert town.remit(COMMISSION, method="ach", reference="trace 20") == "1957.50"


def a_return_is_amended_down_and_the_credit_paid_out_with_interest(town: TownOverHttp) -> None:
    town.day("2026-06-15")
    # 7,000.00 x 4.5% = 315.00; 405.00 was paid: a credit of 90.00.
    assert town.file({"place": "Lakeside Motel", "period": "2026-Q1", "gross": "7000.00"}) == {
        "Lakeside Motel": "-90.00"
    }
    assert town.credits() == {("Lakeside Motel", "2026-Q1"): "90.00"}
    town.day("2026-06-22")
    # From April 30, the due date and the payment, to the first of the month after: May and June, 90.00 x 2% = 1.80.
    refund = town.refund("Lakeside Motel", "2026-Q1")
    assert (refund["amount"], refund["interest"], refund["balance"]) == ("90.00", "1.80", "0.00")
    assert town.credits() == {}


def the_next_distribution_leaves_the_commission_owing(town: TownOverHttp) -> None:
    town.day("2026-07-01")
    town.daily()
    # 2026-Q1: 720.00 + 225.00 + 315.00 = 1,260.00: x 75% = 945.00, 67.50 less; the rest 315.00, 22.50 less.
    preview = town.preview_share()
    shared = town.share()
    assert shared == preview == {("2026-Q1", COMMISSION, ""): "-67.50", ("2026-Q1", CITY, ""): "-22.50"}
    assert town.advice(COMMISSION) == "0.00"


def a_return_is_amended_up_and_the_interest_waived(town: TownOverHttp) -> None:
    town.day("2026-07-06")
    # 17,500.00 x 4.5% = 787.50, 67.50 more. Interest anew on the tax as now known: May 787.50, June and July 67.50:
    # 922.50 x 1% = 9.225 = 9.23, of which 7.20 is paid: 2.03. Together 69.53.
    assert town.file({"place": "Granite Lodge", "period": "2026-Q1", "gross": "17500.00"}, by="filer") == {
        "Granite Lodge": "69.53"
    }
    assert town.waive("Granite Lodge", "2026-Q1", "interest", "2.03", "reported by the filer")["balance"] == "67.50"
    paid = town.pay("Granite Lodge", "2026-Q1", "67.50", method="check", reference="221")
    assert paid["applied"] == {"tax": "67.50"}
    assert paid["balance"] == "0.00"


def the_second_period_with_a_moved_payment_a_forfeiture_and_a_finding(town: TownOverHttp) -> None:
    # Due July 31, 2026, a Friday.
    town.day("2026-07-29")
    town.daily()
    # 6,000.00 x 4.5% = 270.00, paid for the period before by mistake: there it is a credit.
    town.file({"place": "Mill Pond Cottages", "period": "2026-Q2", "gross": "6000.00"}, by="filer")
    astray = town.pay("Mill Pond Cottages", "2026-Q1", "270.00", method="check", reference="61")
    assert (astray["balance"], astray["credit"]) == ("-270.00", "270.00")
    assert town.credits() == town.credits(by="filer") == {("Mill Pond Cottages", "2026-Q1"): "270.00"}

    town.day("2026-07-30")
    # 50,000.00 - 10,000.00 - 1,000.00 = 39,000.00 x 4.5% = 1,755.00, entered twice.
    town.file(
        {
            "place": "Granite Lodge",
            "period": "2026-Q2",
            "gross": "50000.00",
            "marketplace": "10000.00",
            "exempt_entity": "1000.00",
        },
        by="filer",
    )
    town.pay("Granite Lodge", "2026-Q2", "1755.00", method="ach", reference="trace 31")
    twice = town.pay("Granite Lodge", "2026-Q2", "1755.00", method="ach", reference="trace 31 again")
    assert twice["balance"] == "-1755.00"
    town.day("2026-08-03")
    assert town.void(twice, "entered twice")["balance"] == "0.00"

    town.day("2026-08-04")
    moved = town.move(astray, "Mill Pond Cottages", "2026-Q2", "meant for the second period")
    assert moved == {"2026-Q1": "0.00", "2026-Q2": "0.00"}

    town.day("2026-08-10")
    town.notify("Lakeside Motel", "2026-Q2")
    # Nothing is filed, and the text reaches only a false return.
    assert town.find("Lakeside Motel", "2026-Q2", "fraud", "no books", expect=422)["errors"]
    town.day("2026-08-20")
    # 20,000.00 x 4.5% = 900.00; fee 25.00; August: 9.00. Together 934.00.
    assert town.file({"place": "Lakeside Motel", "period": "2026-Q2", "gross": "20000.00"}) == {
        "Lakeside Motel": "934.00"
    }

    town.day("2026-09-08")
    town.daily()
    # The 30 days end on Sunday, August 30, and so on August 31; 25% of last year's 360.00 = 90.00, below 1,000.00.
    # 50% = 450.00 on intent; August and September: 900.00 x 2% = 18.00. 900 + 25 + 90 + 450 + 18 = 1,483.00.
    found = town.find("Lakeside Motel", "2026-Q2", "fraud", "two sets of books")
    assert found["balance"] == "1483.00"
    town.day("2026-09-15")
    # 1,000.00 - 25.00 - 90.00 - 450.00 - 18.00 = 417.00 to tax; left 483.00.
    paid = town.pay("Lakeside Motel", "2026-Q2", "1000.00", method="check", reference="3003")
    assert paid["applied"] == {
        "late_filing_fee": "25.00",
        "nonpayment_forfeiture": "90.00",
        "fraud_penalty": "450.00",
        "interest": "18.00",
        "tax": "417.00",
    }
    assert paid["balance"] == "483.00"
    town.day("2026-09-30")
    town.daily()
    town.day("2026-10-20")
    # October: 483.00 x 1% = 4.83. Together 487.83.
    paid = town.pay("Lakeside Motel", "2026-Q2", "487.83", method="cash")
    assert paid["applied"] == {"interest": "4.83", "tax": "483.00"}
    assert paid["balance"] == "0.00"


def the_last_distribution_nets_what_was_to_be_made_good(town: TownOverHttp) -> None:
    town.day("2026-10-21")
    # 2026-Q1: 787.50 + 225.00 + 315.00 = 1,327.50: x 75% = 995.625 = 995.63, 50.63 more; the rest 331.87, 16.87 more.
    # 2026-Q2: 1,755.00 + 270.00 + 900.00 = 2,925.00: x 75% = 2,193.75; the rest 731.25.
    assert town.share() == {
        ("2026-Q1", COMMISSION, ""): "50.63",
        ("2026-Q1", CITY, ""): "16.87",
        ("2026-Q2", COMMISSION, ""): "2193.75",
        ("2026-Q2", CITY, ""): "731.25",
    }
    # 50.63 + 2,193.75 = 2,244.38, less 67.50 still to be made good = 2,176.88; not paid out before the year ends.
    assert town.advice(COMMISSION) == "2176.88"


def the_third_period_late_and_unpaid(town: TownOverHttp) -> None:
    # Due October 31, 2026, a Saturday: met on Monday, November 2.
    town.day("2026-11-02")
    town.daily()
    # 40,000.00 x 4.5% = 1,800.00.
    town.file({"place": "Granite Lodge", "period": "2026-Q3", "gross": "40000.00"}, by="filer")
    assert town.pay("Granite Lodge", "2026-Q3", "1800.00", method="check", reference="233")["balance"] == "0.00"
    # 12,345.67 x 4.5% = 555.555 = 555.56, not paid.
    assert town.file({"place": "Lakeside Motel", "period": "2026-Q3", "gross": "12345.67"}) == {
        "Lakeside Motel": "555.56"
    }
    town.day("2026-11-09")
    # Late: 3,333.33 x 4.5% = 149.99985 = 150.00; fee 25.00; November: 1.50. Together 176.50. Last year's tax was zero,
    # so no forfeiture can arise.
    assert town.file({"place": "Mill Pond Cottages", "period": "2026-Q3", "gross": "3333.33"}, by="filer") == {
        "Mill Pond Cottages": "176.50"
    }
    assert town.pay("Mill Pond Cottages", "2026-Q3", "176.50", method="cash")["balance"] == "0.00"


def the_books_at_the_end_of_the_year(town: TownOverHttp) -> None:
    town.day("2026-12-31")
    town.daily()
    # Unpaid: 555.56; not paid by November 30: 25% of 360.00 = 90.00; November and December: 555.56 x 2% = 11.11.
    assert town.overdue() == {("Lakeside Motel", "2026-Q3"): "656.67"}
    town.require_sound_books()
    # Tax: 1,260.00 + 1,327.50 + 2,925.00 + (1,800.00 + 150.00 + 555.56 = 2,505.56) = 8,018.06, of which 555.56 is
    # receivable and 7,462.50 came in. Shared out: 1,260.00 + 1,327.50 + 2,925.00 = 5,512.50, to the commission 945.00 +
    # 995.63 + 2,193.75 = 4,134.38 and to the City 315.00 + 331.87 + 731.25 = 1,378.12. Paid to the commission 1,957.50,
    # so 2,176.88 is due. Cash: 7,462.50 - 1,378.12 - 1,957.50 = 4,126.88.
    assert town.trial_balance("210") == {
        "11100": "4126.88",
        "12410": "555.56",
        "56700": "5512.50",
        "24500-01": "-2176.88",
        "41210": "-8018.06",
    }
    # Fees 3 x 25.00 and 30.00; forfeitures 2 x 90.00, one of them receivable; 450.00; interest 7.20 + 7.20 + 2.25 +
    # 22.83 + 1.50 + 11.11 = 52.09, of which 11.11 is receivable; interest on the refund 1.80.
    # Cash: 1,378.12 + 75.00 + 30.00 + 90.00 + 450.00 + 40.98 - 1.80 = 2,062.30.
    assert town.trial_balance("100") == {
        "11100": "2062.30",
        "12480-03": "90.00",
        "12480-06": "11.11",
        "51900": "1.80",
        "41800-01": "-75.00",
        "46100-02": "-30.00",
        "41800-03": "-180.00",
        "41800-05": "-450.00",
        "41800-06": "-52.09",
        "49210": "-1378.12",
    }
