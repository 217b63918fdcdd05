"""The data of the demonstration: what lies beside each plugin, without a database."""

from __future__ import annotations

import csv
from datetime import date

import pytest

from core.contract.loading import municipality_keys, open_municipality
from core.domain.money import parse_dollars
from core.services.demo.data import LAST_DAY, Town, towns
from tests.support.hotel_periods import HOTELS, PERIODS, hotel_periods

TOWNS = towns()
ACTS = {"return", "payment", "returned_payment", "estimate", "extension", "notice", "waiver"}

each_town = pytest.mark.parametrize("town", TOWNS, ids=[town.key for town in TOWNS])


def rows(town: Town) -> list[tuple[date, dict[str, str]]]:
    found = []
    for day, path in town.sheets:
        with path.open(encoding="utf-8", newline="") as lines:
            found += [(day, row) for row in csv.DictReader(lines)]
    return found


def returns(town: Town) -> list[tuple[date, dict[str, str]]]:
    return [(day, row) for day, row in rows(town) if not row["act"] and row["name"]]


def test_every_installed_municipality_brings_data():
    assert {town.plugin for town in TOWNS} == set(municipality_keys())


@each_town
def test_there_are_about_a_dozen_places_and_every_row_names_one(town):
    places = {row.place for row in town.places}
    assert 12 <= len(places) <= 14
    assert {row["place"] for _, row in rows(town)} == places
    assert {row["act"] for _, row in rows(town)} <= ACTS | {""}


@each_town
def test_the_two_real_hotels_report_what_they_reserved_ten_years_before(town):
    lines = [
        line.key for tax in open_municipality(town.plugin).taxes.values() for line in (*tax.receipts, *tax.deductions)
    ]
    filed = {
        (row["place"], row["period"]): {line: parse_dollars(row[line]) for line in lines if row[line]}
        for _, row in returns(town)
        if row["place"] in HOTELS
    }
    reserved = {(one.place, one.period): {**one.gross, **one.deductions} for one in hotel_periods(town.plugin)}
    assert filed == reserved
    assert {period for place, period in filed if place == "Resort Hotel"} == set(PERIODS)


@each_town
def test_nothing_is_imported_before_it_happened_or_after_the_last_day(town):
    for day, row in rows(town):
        days = [date.fromisoformat(row[name]) for name in ("on", "received_on", "paid_on") if row[name]]
        assert days
        assert max(days) <= day <= LAST_DAY, row


@each_town
def test_every_habit_of_filing_and_paying_occurs(town):
    municipality = open_municipality(town.plugin)
    frequency = next(iter(municipality.taxes.values())).frequency
    due = {key: municipality.deadlines(frequency.period(key)).effective for key in PERIODS}
    listed = returns(town)
    times: dict[tuple[str, str], list[date]] = {}
    for _, row in listed:
        times.setdefault((row["place"], row["period"]), []).append(date.fromisoformat(row["on"]))
    first = {key: min(days) for key, days in times.items()}
    acts = {row["act"] for _, row in rows(town)}

    assert sum(1 for (_, period), day in first.items() if day <= due[period]) > 40  # in time
    assert any(day > due[period] for (_, period), day in first.items())  # late
    assert any(parse_dollars(row["rooms"] or "0") == 0 for _, row in listed)  # zero
    assert sum(1 for days in times.values() if len(days) > 1) >= 2  # amended
    assert acts >= ACTS - {"return", "payment"}  # estimated, extended, noticed, waived, a check returned
    methods = {row["method"] for _, row in rows(town) if row["paid"]}
    assert methods == {"check", "cash", "ach", "card", "marketplace"}
    seasons = {row.place for row in town.places if row.season}
    assert any((place, "2026-Q1") not in first for place in seasons)  # closed for the season
    missing = {row.place for row in town.places if row.closed_on is None} - {p for p, q in first if q == PERIODS[-1]}
    assert len(missing) == 1  # and one has filed nothing


@each_town
def test_no_one_is_named_who_signs(town):
    """The data are invented: whoever signs is an office, never a person, and no address of mail can exist."""
    assert all(row["name"] == f"Office of {row['place']}" for _, row in returns(town))
    assert all(row.email.endswith(".example") for row in town.places)
