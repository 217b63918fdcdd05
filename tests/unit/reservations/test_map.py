"""MAP.toml: strict, and every fault at once."""

import copy

import pytest

from core.domain.errors import Refused
from core.services.reservations.map import DateColumn, DateColumns, line_faults, parse_map, read_map
from tests.support.small_town import lodging_tax

SMALLEST = {
    "place": {"column": "hotel"},
    "arrival": {"column": "arrival"},
    "nights": {"columns": ["nights"]},
    "amount": {"columns": ["rate"], "per": "night"},
}


def changed(**tables):
    content = copy.deepcopy(SMALLEST)
    content.update(tables)
    return {key: value for key, value in content.items() if value is not None}


def faults_of(content):
    with pytest.raises(Refused) as refused:
        parse_map(content)
    return {fault.field: fault.message for fault in refused.value.faults}


def test_the_smallest_map_reads_dates_as_year_month_day():
    columns = parse_map(SMALLEST)
    assert isinstance(columns.arrival, DateColumn)
    assert columns.arrival.format.text == "YYYY-MM-DD"
    assert list(columns.columns) == ["rate", "nights", "arrival", "hotel"]


def test_a_date_may_stand_in_three_columns():
    columns = parse_map(changed(arrival={"year": "y", "month": "m", "day": "d"}))
    assert columns.arrival == DateColumns("y", "m", "d")


def test_all_faults_are_listed_at_once():
    content = changed(
        place={"column": "hotel", "colour": "red"},
        nights=None,
        amount={"columns": "rate", "per": "week"},
        line=[{"name": "marketplace", "column": "channel", "values": []}],
        cancelled={"column": 3, "values": ["1"]},
        hotels={},
    )
    assert set(faults_of(content)) == {
        "map, place.colour",
        "map, nights",
        "map, amount.columns",
        "map, amount.per",
        "map, line[1].values",
        "map, cancelled.column",
        "map, hotels",
    }


@pytest.mark.parametrize("key", SMALLEST)
def test_a_missing_table_is_named(key):
    assert f"map, {key}" in faults_of(changed(**{key: None}))


def test_nights_and_departure_together_are_refused():
    assert "not both" in faults_of(changed(departure={"column": "departure"}))["map, nights"]


def test_a_place_is_a_column_or_a_name_and_not_both():
    assert "map, place.column" in faults_of(changed(place={"column": "hotel", "name": "Inn"}))
    assert "map, place.column" in faults_of(changed(place={}))
    assert parse_map(changed(place={"name": "Inn"})).place_name == "Inn"


@pytest.mark.parametrize("written", ["YY-MM-DD", "YYYY-MM", "YYYY-MM-DD DD", "year", ""])
def test_a_date_format_that_gives_no_date_is_refused(written):
    assert "map, arrival.format" in faults_of(changed(arrival={"column": "arrival", "format": written}))


def test_a_delimiter_is_one_of_four():
    assert parse_map(changed(file={"delimiter": ";"})).delimiter == ";"
    assert "map, file.delimiter" in faults_of(changed(file={"delimiter": "x"}))


def test_a_rule_names_a_line_that_the_return_has():
    rule = {"column": "channel", "values": ["x"]}
    columns = parse_map(changed(line=[{"name": "staff", **rule}], receipts=[{"name": "boats", **rule}]))
    faults = line_faults(columns, lodging_tax())
    assert [fault.field for fault in faults] == ["map, line[1].name", "map, receipts[1].name"]
    assert "marketplace, exempt_entity" in faults[0].message
    assert "rooms, sites" in faults[1].message


def test_a_rule_for_long_stays_is_refused_since_the_municipality_has_its_own():
    columns = parse_map(changed(line=[{"name": "long_stay", "column": "stay", "values": ["long"]}]))
    assert "municipality's own rule" in line_faults(columns, lodging_tax())[0].message


@pytest.mark.parametrize("content", [b"place = ", b"\xff\xfe", b"x" * 300_000, b"a = " + b"[" * 100_000])
def test_a_file_that_is_no_map_is_refused(tmp_path, content):
    path = tmp_path / "map.toml"
    path.write_bytes(content)
    with pytest.raises(Refused, match=r"map\.toml"):
        read_map(path)


def test_a_map_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(Refused, match="cannot be read"):
        read_map(tmp_path / "map.toml")
