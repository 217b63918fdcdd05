"""The typed face of a municipality: a tenant's own settings, and what core refuses for every municipality."""

from datetime import date

import pytest

from core.contract.loading import open_municipality, open_plugin
from core.contract.settings import ReadingChoice, Resolution
from core.domain.errors import Refused
from core.domain.events import Estimate, ReturnFiled
from tests.support.stories import Story, day
from tests.support.testville import plugin as testville

TOWN = open_plugin(testville, "testville")


def test_two_tenants_of_one_plugin_have_their_own_settings():
    one = open_municipality("bayfield").with_settings([Resolution("late_filing_fee", 25_00, date(2020, 1, 1), "1")])
    other = open_municipality("bayfield").with_settings([Resolution("late_filing_fee", 99_00, date(2020, 1, 1), "1")])
    assert Story(one, "2026-Q1").owed("2026-05-01")["late_filing_fee"] == "25.00"
    assert Story(other, "2026-Q1").owed("2026-05-01")["late_filing_fee"] == "99.00"


def test_settings_add_to_the_settings_that_are_there():
    fee = Resolution("late_filing_fee", 25_00, date(2020, 1, 1), "1")
    choice = ReadingChoice("extension_moves_interest", True, date(2020, 1, 1), "counsel")
    town = open_municipality("bayfield").with_settings([fee]).with_settings((), [choice])
    assert town.law.has_resolution("late_filing_fee", date(2026, 1, 1))
    assert town.law.reading("extension_moves_interest", date(2026, 1, 1)).value is True


def test_a_plugin_asked_anew_has_no_settings():
    town = open_municipality("bayfield").with_settings([Resolution("late_filing_fee", 1, date(2020, 1, 1), "1")])
    assert not town.asked_anew().law.has_resolution("late_filing_fee", date(2026, 1, 1))


def test_settings_that_the_law_does_not_know_are_refused():
    with pytest.raises(Refused, match=r"resolutions\.late_fee"):
        open_municipality("montello").with_settings([Resolution("late_fee", 1, date(2020, 1, 1), "1")])


def test_an_extension_beyond_the_longest_is_refused_for_any_municipality():
    # Testville's own rules say nothing of it: due April 20, 2026, ten days at most.
    assert Story(TOWN, "2026-M03").extends("2026-04-20", "2026-04-30").refusals() == []
    (fault,) = Story(TOWN, "2026-M03").extends("2026-04-20", "2026-05-01").refusals()
    assert fault == "until: 2026-05-01 is too long an extension: name a day up to 2026-04-30 (Art. 3)"


@pytest.mark.parametrize("kind", [ReturnFiled, Estimate])
@pytest.mark.parametrize(
    ("first", "last", "refused"),
    [
        ("2026-03-01", "2026-03-31", True),
        ("2026-03-15", "2026-03-16", True),
        ("2026-03-01", "2026-03-15", False),
        ("2026-03-16", "2026-03-31", False),
    ],
)
def test_receipts_over_a_change_of_the_rate_are_refused_undivided(kind, first, last, refused):
    story = Story(TOWN, "2026-M03")
    on = day("2026-05-04")
    faults = TOWN.objections(story.account, kind(0, on, on, (story.receipts("100.00", first, last),)))
    assert ("parts" in [fault.field for fault in faults]) is refused


def test_deductions_above_the_receipts_and_a_waiver_of_the_tax_are_refused_for_any_municipality():
    (fault,) = Story(TOWN, "2026-M04").files("2026-05-04", "1.00", airline_crew="1.01").refusals()
    assert fault.startswith("deductions: ")
    (fault,) = Story(TOWN, "2026-M04").waives("2026-05-04", "tax", "1.00").refusals()
    assert fault.startswith("kind: 'tax' cannot be waived here")
