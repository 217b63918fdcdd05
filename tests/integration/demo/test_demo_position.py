"""The demonstration as it is played: where each municipality stands at its end, worked out again from the sheets."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import Engine

from core.auth.passwords import Passwords
from core.db.roles import Role
from core.domain.money import parse_dollars
from core.ledger.heads import HeadsFile
from core.services.accounts.replay import replay_books
from core.services.demo.data import LAST_DAY, Town, towns
from core.services.demo.play import play
from core.services.demo.position import PeriodPosition, Position, position
from core.services.sharing.remittances import distributions
from core.services.tenants.add import municipalities
from tests.support.postgres import Cluster
from tests.support.tenants import opened_engine

pytestmark = [pytest.mark.slow, pytest.mark.database]

TOWNS = {town.key: town for town in towns()}
each_town = pytest.mark.parametrize("key", TOWNS)
RATES = {"bayfield": Fraction("0.065"), "montello": Fraction("0.045"), "fox-cities-village": Fraction("0.03")}

# Of thirteen places one opens in 2026 and one closes at the end of 2025; one (in Bayfield two) is closed all of
# 2026-Q1 for the season. (owed, in time, later, estimated, missing)
COUNTS = {
    # Later: the one estimated at first; the late and the extended one; the one whose fee was waived; the estimated one.
    "bayfield": [(12, 11, 1, 0, 0), (12, 10, 2, 0, 0), (9, 8, 1, 0, 0), (12, 11, 1, 0, 0), (12, 11, 0, 0, 1)],
    # Here the late one is late for the fourth period.
    "montello": [(12, 11, 1, 0, 0), (12, 11, 1, 0, 0), (10, 9, 1, 0, 0), (12, 10, 2, 0, 0), (12, 11, 0, 0, 1)],
    # Here it is late for the first, and the one estimated for the fourth never files.
    "fox-cities-village": [
        (12, 10, 2, 0, 0),
        (12, 11, 1, 0, 0),
        (10, 9, 1, 0, 0),
        (12, 11, 0, 1, 0),
        (12, 11, 0, 0, 1),
    ],
}


class Played(NamedTuple):
    """The demonstration in a database of its own."""

    app: Engine
    heads: HeadsFile

    def stands(self, key: str) -> Position:
        return position(self.app, municipalities(self.app, key)[0], LAST_DAY, self.heads)


@pytest.fixture(scope="module")
def played(postgres: Cluster, migrated_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    heads = HeadsFile(tmp_path_factory.mktemp("heads") / "heads.txt")
    with (
        postgres.database(migrated_template) as database,
        opened_engine(database, Role.APP) as app,
        opened_engine(database, Role.HOST) as host,
    ):
        play(app, host, heads, Passwords(memory_kib=8), lambda step: None)
        yield Played(app, heads)


def half_up(amount: Fraction) -> int:
    return floor(amount + Fraction(1, 2))


def tax_by_period(town: Town) -> dict[str, int]:
    """The tax on the last return of each place and period in the sheets, else on its estimate, in cents."""
    last: dict[tuple[str, str], tuple[bool, int]] = {}
    for _, path in town.sheets:
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                is_return = not row["act"] and bool(row["name"])
                key = row["place"], row["period"]
                if not is_return and (row["act"] != "estimate" or last.get(key, (False, 0))[0]):
                    continue
                cents = {line: parse_dollars(text) for line, text in row.items() if text and line in LINES}
                gross = sum(cents.get(line, 0) for line in RECEIPTS)
                last[key] = (is_return, 2 * gross - sum(cents.values()))
    found: dict[str, int] = {}
    for (_, period), (_, taxable) in last.items():
        found[period] = found.get(period, 0) + half_up(taxable * RATES[town.key])
    return found


RECEIPTS = ("rooms", "site_receipts")
LINES = (*RECEIPTS, "marketplace", "long_stay", "exempt_entity")


@each_town
def test_each_period_shows_how_many_filed_in_time_later_or_not_at_all(played: Played, key: str) -> None:
    periods = played.stands(key).periods
    assert [(one.owed, one.in_time, one.later, one.estimated, one.missing) for one in periods] == COUNTS[key]


@each_town
def test_the_tax_in_the_books_is_what_the_sheets_say(played: Played, key: str) -> None:
    stands = played.stands(key)
    expected = tax_by_period(TOWNS[key])
    assert {one.period.key: one.assessed_cents for one in stands.periods} == expected
    assert stands.tax.charged_cents == sum(expected.values())
    assert stands.tax.collected_cents == sum(one.collected_cents for one in stands.periods)


@each_town
def test_what_was_collected_is_shared_out_to_the_cent(played: Played, key: str) -> None:
    stands = played.stands(key)
    assert stands.held_cents == 0
    assert sum(one.shared_cents for one in stands.payees) == stands.tax.collected_cents
    outside = next(one for one in stands.payees if one.paid_cents != one.shared_cents)
    assert outside.shared_cents == sum(outside_share(key, one) for one in stands.periods)


def outside_share(key: str, one: PeriodPosition) -> int:
    """What of a period's tax goes to the payee that is not the municipality, in cents."""
    base = one.collected_cents
    if key == "montello":  # 75%, rounded
        return half_up(base * Fraction("0.75"))
    if key == "fox-cities-village":  # all but 5%, which is rounded
        return base - half_up(base * Fraction("0.05"))
    # As agreed for the year, any part of a cent up.
    return ceil(base * Fraction("0.75" if one.period.key.startswith("2025") else "0.725"))


@each_town
def test_a_returned_check_and_an_amendment_take_back_what_was_shared_out(played: Played, key: str) -> None:
    made = distributions(played.app, municipalities(played.app, key)[0])
    taken_back = {
        (one.distributed_on.isoformat()[:7], line.period) for one in made for line in one.lines if line.now_cents < 0
    }
    # The check for 2025-Q4 came back in March and was made good in July: May takes back, August gives again. The return
    # for 2026-Q1 was amended down in June. (In Bayfield the tax of that period was held in May, and let go in August.)
    assert taken_back == {("2026-05", "2025-Q4"), ("2026-08", "2026-Q1")}


def test_what_is_held_without_an_agreement_is_let_go_when_there_is_one(played: Played) -> None:
    made = distributions(played.app, municipalities(played.app, "bayfield")[0])
    held = [(one.distributed_on.isoformat(), line.now_cents) for one in made for line in one.lines if line.held]
    (first_day, first), (second_day, second) = held
    assert (first_day, second_day) == ("2026-05-26", "2026-08-24")
    assert first > 0
    assert second == -first


@each_town
def test_the_books_are_proved_replay_is_the_same_and_nothing_waits(played: Played, key: str) -> None:
    stands = played.stands(key)
    assert stands.books.whole
    assert stands.books.unsealed == 0
    assert stands.books.sealed > 60
    assert stands.waiting == ()
    replayed = replay_books(played.app, municipalities(played.app, key)[0])
    assert replayed.count > 60
    assert replayed.differences == ()


@each_town
def test_credits_stand_where_too_much_was_paid(played: Played, key: str) -> None:
    # The overpayment of 2025-Q3 and the tax by which a return was amended down: nothing else is owed for these periods.
    overpaid = {"bayfield": 27_000, "montello": 9_000, "fox-cities-village": 90_000}
    amended_down = {"bayfield": 14_566, "montello": 7_807, "fox-cities-village": 39_576}
    assert played.stands(key).credits_cents == overpaid[key] + amended_down[key]


def test_places_that_closed_are_counted(played: Played) -> None:
    registered = played.stands("bayfield").registered
    # Twelve filers: one has two of the thirteen places. The City Hotel closed.
    assert (registered.filers, registered.places, registered.closed) == (12, 13, 1)


def test_a_file_of_heads_that_does_not_agree_shows_as_broken(played: Played, tmp_path: Path) -> None:
    text = played.heads.path.read_text("ascii")
    forged = tmp_path / "heads.txt"
    forged.write_text("".join(f"{line[:-1]}{'0' if line[-1] != '0' else '1'}\n" for line in text.splitlines()), "ascii")
    tenant = municipalities(played.app, "bayfield")[0]
    assert not position(played.app, tenant, LAST_DAY, HeadsFile(forged)).books.whole
