"""A fourth municipality, as unlike the others as the contract allows, and not a line of core knows it."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from core.contract.declarations import Stay
from core.contract.loading import municipality_keys, open_plugin
from core.contract.proving.purity import faults_of_source, modules_of
from core.domain.shares import Collected
from tests.support.stories import Story, day
from tests.support.testville import plugin

ROOT = Path(__file__).resolve().parents[2]
TOWN = open_plugin(plugin, "testville")


def march(readings=None) -> Story:
    """March 2026, in the middle of which the rate changes."""
    return Story(TOWN, "2026-M03", readings=readings)


def divided(before: str, after: str, readings=None, on: str = "2026-04-21") -> Story:
    """A return with the nights before and from March 16 apart."""
    story = march(readings)
    first = story.receipts(before, "2026-03-01", "2026-03-15")
    return story.files_parts(on, first, story.receipts(after, "2026-03-16", "2026-03-31"))


@pytest.mark.clause("ALL-04")
def test_no_file_of_core_or_of_another_plugin_names_it():
    for folder in ("core", "plugins", "migrations"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".toml", ".csv", ".md"):
                assert "testville" not in path.read_text("utf-8").lower(), path
    assert "testville" not in municipality_keys()


@pytest.mark.clause("ALL-04")
def test_it_builds_with_the_contract_and_the_domain_alone():
    assert faults_of_source(plugin) == []
    assert {path.parent.name for path in modules_of(plugin)} <= {"testville", "tests"}


def test_it_files_by_the_month():
    frequency = TOWN.taxes["lodging_tax"].frequency
    assert frequency.period("2026-M03").last_day == day("2026-03-31")
    assert len(frequency.of_year(2026)) == 12


def test_it_has_holidays_of_its_own_and_is_open_on_saturdays():
    # Monday, April 20, 2026 is Founders' Day there and nowhere else.
    assert (march().account.deadlines.nominal, march().account.deadlines.effective) == (
        day("2026-04-20"),
        day("2026-04-21"),
    )
    assert TOWN.is_business_day(day("2026-04-25"))


def test_a_return_over_the_new_rate_is_refused_undivided():
    (fault,) = march().files("2026-04-21", "3000.00").refusals()
    assert fault.startswith("parts: the rate changes on 2026-03-16")
    assert "Art. 1" in fault
    assert divided("1000.00", "2000.00").refusals() == []


def test_each_part_is_taxed_at_its_rate_and_a_part_of_a_cent_is_dropped_once():
    # $1,000.19 x 5% = $50.0095, $2,000.00 x 6% = $120.00: $170.0095, so $170.00; less 2%, $3.40
    story = divided("1000.19", "2000.00")
    lines = [(line.cents, line.clause.id) for line in story.statement("2026-04-21").lines]
    assert lines == [(50_00, "TST-01"), (120_00, "TST-01"), (-3_40, "TST-05")]
    assert story.owed("2026-04-21") == {"tax": "166.60"}


def test_the_discount_is_kept_by_paying_in_time():
    story = divided("1000.00", "2000.00").pays("2026-04-21", "166.60")
    assert story.owed("2026-12-31") == {"tax": "166.60"}
    assert story.statement("2026-12-31").balance == 0


def test_the_discount_is_lost_with_the_due_date():
    # From the nominal day: 2 days of $170.00 x 6% / 365 = $0.0559
    story = divided("1000.00", "2000.00").pays("2026-04-21", "166.59")
    assert story.owed("2026-04-21") == {"tax": "166.60"}
    assert divided("1000.00", "2000.00").owed("2026-04-22") == {"tax": "170.00", "interest": "0.06"}
    assert story.owed("2026-04-22") == {"tax": "170.00"}
    assert story.statement("2026-04-22").balance == 3_41


def test_a_payment_that_comes_back_takes_the_discount_along():
    story = divided("1000.00", "2000.00").pays("2026-04-21", "166.60").bounces("2026-04-25")
    assert story.owed("2026-04-24") == {"tax": "166.60"}
    assert story.owed("2026-04-25")["tax"] == "170.00"


def test_whether_the_discount_needs_the_payment_is_a_reading():
    assert divided("1000.00", "2000.00", {"discount_needs_payment": False}).owed("2026-04-22")["tax"] == "166.60"


def test_a_late_return_has_no_discount():
    story = divided("1000.00", "2000.00", on="2026-04-22")
    assert story.owed("2026-04-22") == {"tax": "170.00", "interest": "0.06", "late_fee": "10.00"}


def test_its_own_lines_are_left_out():
    story = Story(TOWN, "2026-M04")
    answer = TOWN.taxability(story.receipts("1000.00", breakfasts="50.00", airline_crew="200.00", long_stay="100.00"))
    assert answer.taxable_cents == 750_00
    assert [(part.line, part.clause_id) for part in answer.excluded] == [
        ("airline_crew", "TST-02B"),
        ("long_stay", "TST-02"),
    ]
    arrival = date(2026, 4, 1)
    assert [TOWN.is_long_stay(Stay(arrival, arrival + timedelta(days=nights))) for nights in (13, 14)] == [False, True]


def test_it_shares_in_whole_dollars():
    # A fifth of $12,345.67 is $2,469.13
    shares = TOWN.distribution(Collected(12345_67, date(2026, 5, 1))).shares
    assert [(share.payee, share.cents) for share in shares] == [("Library", 2469_00), ("Town", 9876_67)]


def test_it_makes_no_estimates():
    (fault,) = Story(TOWN, "2026-M04").estimates("2026-06-01", "1.00").refusals()
    assert "bring it before the justice (Art. 6)" in fault
