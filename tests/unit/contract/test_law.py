"""A value of the law on a day: from three sources, never mixed, and never zero where there is none."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.lawfiles import load_law
from core.contract.settings import ReadingChoice, Resolution
from core.domain.errors import (
    Refused,
    ResolutionMissing,
    ValueEnded,
    ValueNotEnacted,
    ValueNotInForce,
    ValueNotYetInForce,
    ValueUnknown,
)

CLAUSES = """\
id,section,actor,duty,kind,claim,question
T-1,§ 1,all,Rate,rate,implemented,
"""
TOWN = """
[[ordinance]]
key = "rate"
clause = "T-1"
section = "§ 1"
from = 2010-01-01
set_by = "Board"
unknown = "the page is lost"

[[ordinance]]
key = "rate"
clause = "T-1"
section = "§ 1"
from = 2015-01-01
until = 2019-12-31
set_by = "Board"
rate = 0.04

[[ordinance]]
key = "rate"
clause = "T-1"
section = "§ 1"
from = 2021-07-16
set_by = "Board"
rate = 0.05

[[ordinance]]
key = "threshold"
clause = "T-1"
section = "§ 1"
from = 2030-01-01
set_by = "Legislature"
dollars = 5000.00
not_enacted = "a bill in committee"

[[resolution]]
key = "fee"
title = "The fee"
clause = "T-1"
section = "§ 1"
from = 2010-01-01
set_by = "Board"
unit = "cents"
required = true

[[reading]]
key = "milder"
clause = "T-1"
section = "§ 1"
from = 2010-01-01
set_by = "Treasurer"
default = true
reason = "the milder one"
"""


@pytest.fixture(scope="module")
def law(tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("law")
    (folder / "clauses.csv").write_text(CLAUSES, "utf-8")
    (folder / "town.toml").write_text(TOWN, "utf-8")
    return load_law(folder)


@pytest.mark.parametrize(
    ("key", "on", "refusal", "words"),
    [
        ("rate", date(2009, 12, 31), ValueNotYetInForce, "it begins on January 1, 2010"),
        ("rate", date(2014, 12, 31), ValueUnknown, "it is not known: the page is lost"),
        ("rate", date(2020, 1, 1), ValueEnded, "it ended on December 31, 2019"),
        ("threshold", date(2030, 1, 1), ValueNotEnacted, "it is not enacted: a bill in committee"),
    ],
)
def test_four_ways_to_have_no_value_are_four_refusals(law, key, on, refusal, words):
    with pytest.raises(ValueNotInForce, match=rf"{key} \(§ 1\) has no value on .*: {words}") as refused:
        law.ordinance(key, on)
    assert type(refused.value) is refusal


@pytest.mark.parametrize(
    ("on", "rate"),
    [
        (date(2015, 1, 1), "0.04"),
        (date(2019, 12, 31), "0.04"),
        (date(2021, 7, 16), "0.05"),
        (date(2090, 1, 1), "0.05"),
    ],
)
def test_a_value_holds_on_its_first_day_and_on_its_last(law, on, rate):
    assert law.ordinance("rate", on).value == Decimal(rate)


def test_what_is_not_enacted_ends_nothing(law):
    older = law.entries["threshold"][0]
    enacted = older._replace(value=older.value._replace(since=date(2000, 1, 1), value=250_000), absence=None, note="")
    both = replace(law, entries={**law.entries, "threshold": (older, enacted)})
    assert both.ordinance("threshold", date(2031, 1, 1)).value == 250_000


def test_spans_cut_a_stretch_of_days_at_each_change(law):
    changed = law.entries["rate"][0]
    later = changed._replace(value=changed.value._replace(since=date(2022, 1, 1), value=Decimal("0.06")))
    twice = replace(law, entries={**law.entries, "rate": (later, *law.entries["rate"])})
    spans = twice.spans("rate", date(2021, 7, 20), date(2022, 3, 31))
    assert [(value.value, first, last) for value, first, last in spans] == [
        (Decimal("0.05"), date(2021, 7, 20), date(2021, 12, 31)),
        (Decimal("0.06"), date(2022, 1, 1), date(2022, 3, 31)),
    ]


def test_a_stretch_with_a_day_without_a_value_is_refused(law):
    with pytest.raises(ValueEnded):
        law.spans("rate", date(2021, 7, 1), date(2021, 7, 31))


def test_a_resolution_supersedes_the_earlier_one_from_its_day_on_in_whatever_order_they_come(law):
    acts = [Resolution("fee", 40_00, date(2026, 5, 1), "2026-9"), Resolution("fee", 25_00, date(2020, 1, 1), "2020-1")]
    for ordered in (acts, acts[::-1]):
        own = law.with_settings(ordered)
        assert [own.resolution("fee", on).value for on in (date(2026, 4, 30), date(2026, 5, 1))] == [25_00, 40_00]
        assert own.resolution("fee", date(2026, 5, 1)).id == "fee@2026-05-01#2026-9"


def test_of_one_day_the_resolution_recorded_last_holds(law):
    acts = [Resolution("fee", cents, date(2026, 5, 1), number) for cents, number in ((1, "1"), (2, "2"))]
    assert law.with_settings(acts).resolution("fee", date(2026, 5, 1)).value == 2
    assert law.with_settings(acts[:1]).with_settings(acts[1:]).resolution("fee", date(2026, 5, 1)).value == 2


def test_without_a_resolution_in_force_the_missing_act_is_named(law):
    own = law.with_settings([Resolution("fee", 25_00, date(2026, 5, 1), "2026-9")])
    message = r"The fee is set by resolution of the Board \(§ 1\), and none in force on April 30, 2026"
    with pytest.raises(ResolutionMissing, match=message) as missing:
        own.resolution("fee", date(2026, 4, 30))
    assert missing.value.resolution == "fee"
    assert own.has_resolution("fee", date(2026, 5, 1))
    assert not own.has_resolution("fee", date(2026, 4, 30))


def test_a_resolution_of_nothing_is_an_amount_and_not_a_missing_one(law):
    own = law.with_settings([Resolution("fee", 0, date(2020, 1, 1), "2020-1")])
    assert own.resolution("fee", date(2026, 1, 1)).number == 0


def test_a_reading_holds_from_its_day_on_and_the_default_before(law):
    own = law.with_settings((), [ReadingChoice("milder", False, date(2026, 5, 1), "counsel")])
    assert own.reading("milder", date(2026, 4, 30)).value is True
    assert own.reading("milder", date(2026, 5, 1)).value is False
    with pytest.raises(ValueNotYetInForce):
        own.reading("milder", date(2009, 12, 31))


def test_a_reading_from_before_the_law_counts_from_when_the_law_begins(law):
    own = law.with_settings((), [ReadingChoice("milder", False, date(1990, 1, 1), "counsel")])
    assert own.reading("milder", date(2010, 1, 1)).value is False


def test_the_id_of_a_chosen_reading_is_not_that_of_the_default(law):
    own = law.with_settings((), [ReadingChoice("milder", False, date(2010, 1, 1), "counsel")])
    ids = {one.reading("milder", date(2026, 1, 1)).id for one in (law, own)}
    assert len(ids) == 2


@pytest.mark.parametrize("value", [1, 0, "false", Decimal(1), None])
def test_a_reading_of_another_type_is_refused(law, value):
    with pytest.raises(Refused) as refused:
        law.with_settings((), [ReadingChoice("milder", value, date(2026, 1, 1), "counsel")])
    (fault,) = refused.value.faults
    assert fault.field == "readings.milder"
    assert "is not of type bool" in fault.message


def test_every_key_that_the_law_does_not_have_is_refused_in_one_pass(law):
    with pytest.raises(Refused) as refused:
        law.with_settings(
            [Resolution("fees", 1, date(2026, 1, 1), "1"), Resolution("rate", 1, date(2026, 1, 1), "2")],
            [ReadingChoice("mild", True, date(2026, 1, 1), "counsel")],
        )
    assert [fault.field for fault in refused.value.faults] == ["resolutions.fees", "resolutions.rate", "readings.mild"]
    assert "name one of fee" in refused.value.faults[0].message


def test_settings_leave_the_law_itself_alone(law):
    law.with_settings(
        [Resolution("fee", 1, date(2020, 1, 1), "1")], [ReadingChoice("milder", False, date(2020, 1, 1), "")]
    )
    assert not law.has_resolution("fee", date(2026, 1, 1))
    assert law.reading("milder", date(2026, 1, 1)).value is True


@given(st.dates(date(1950, 1, 1), date(2100, 1, 1)))
def test_on_any_day_there_is_a_value_or_a_refusal_and_never_a_zero(law, on):
    refused = None
    try:
        value = law.ordinance("rate", on).value
    except ValueNotInForce as refusal:
        refused, value = type(refusal), None
    assert (value is None) is (refused in (ValueNotYetInForce, ValueUnknown, ValueEnded))
    assert value != 0
