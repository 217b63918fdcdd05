"""State limits that are warned about and never enforced silently."""

from dataclasses import replace
from decimal import Decimal

import pytest

from core.contract.loading import open_municipality
from plugins.montello.rules.acts import cautions
from plugins.wisconsin.limits import rate_cautions
from plugins.wisconsin.state_law import state_law
from tests.support.stories import Story, day

FEES = {"late_filing_fee": "25.00", "returned_payment_fee": "35.00"}


def a_rate_of(rate: str):
    law = open_municipality("bayfield").law
    return law.ordinance("room_tax.rate", day("2026-01-01"))._replace(value=Decimal(rate))


@pytest.mark.clause("WIS-04")
def test_a_rate_above_eight_percent_is_cautioned():
    (caution,) = rate_cautions(a_rate_of("0.0801"), state_law(), day("2026-01-01"))
    assert caution.section == "Wis. Stat. § 66.0615(1m)(am)"
    assert caution.message == "the rate 8.01% is above the State's 8%"


@pytest.mark.clause("WIS-04")
def test_eight_percent_itself_is_allowed():
    assert rate_cautions(a_rate_of("0.08"), state_law(), day("2026-01-01")) == []


@pytest.mark.clause("WIS-04")
def test_an_account_under_a_rate_above_the_cap_says_so():
    town = open_municipality("montello")
    entry = town.law.entries["room_tax.rate"][0]
    higher = entry._replace(value=entry.value._replace(value=Decimal("0.09"), ratio=(9, 100)))
    law = replace(town.law, entries={**town.law.entries, "room_tax.rate": (higher,)})
    story = Story("montello", "2026-Q1").files("2026-04-20", "100.00")
    account = story.statement("2026-04-20").account
    assert [caution.message for caution in cautions(account, law, day("2026-04-20"))] == [
        "the rate 9% is above the State's 8%"
    ]


@pytest.mark.clause("WIS-07")
def test_four_years_after_the_due_date_no_determination_is_written():
    # Due April 30, 2022; four years end with April 30, 2026.
    story = Story("bayfield", "2022-Q1", FEES).files("2022-04-20", "1000.00")
    assert story.cautions("2026-04-30") == []
    (caution,) = story.cautions("2026-05-01")
    assert caution.section == "Time limit of a determination"
    assert "2026-04-30" in caution.message


@pytest.mark.clause("WIS-07")
def test_without_a_return_the_four_years_never_begin():
    story = Story("fox_cities_village", "2018-Q1", FEES)
    assert not [one for one in story.cautions("2026-05-01") if "determination" in one.message]


@pytest.mark.clause("WIS-06")
def test_a_penalty_that_the_state_does_not_name_is_marked():
    story = Story("bayfield", "2026-Q1", FEES).files("2026-05-04", "1000.00").finds("2026-05-05", "fraud")
    assert [(one.section, one.message) for one in story.cautions("2026-05-06")] == [
        ("Wis. Stat. § 66.0615(2)", "fraud penalty: authority not confirmed by counsel"),
        ("Wis. Stat. § 66.0615(2)", "late filing fee: authority not confirmed by counsel"),
    ]


@pytest.mark.clause("WIS-06")
def test_which_penalties_the_state_names_is_a_reading():
    named = {"penalties_named_by_state": "fraud_penalty late_filing_fee"}
    story = Story("bayfield", "2026-Q1", FEES, named).files("2026-05-04", "1000.00").finds("2026-05-05", "fraud")
    assert story.cautions("2026-05-06") == []


@pytest.mark.clause("WIS-06")
def test_the_forfeiture_for_nonpayment_is_named_by_the_state():
    story = Story("montello", "2026-Q1", previous_year_tax="2000.00").files("2026-04-20", "1000.00")
    assert "nonpayment_forfeiture" in story.owed("2026-06-02")
    assert story.cautions("2026-06-02") == []
