"""The receipts of the two real hotels for five filing periods, as the demonstration files them ten years later.

`python -m tests.support.hotel_periods bayfield` prints the columns of a sheet that change with the hotel.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from core.contract.loading import open_municipality
from core.domain.money import dollars
from core.services.reservations.draft import draft_returns
from core.services.reservations.map import read_map

YEARS = 10
PERIODS = ("2025-Q3", "2025-Q4", "2026-Q1", "2026-Q2", "2026-Q3")
HOTELS = ("Resort Hotel", "City Hotel")
RESERVATIONS = Path(__file__).parents[1] / "data" / "reservations"


class Reported(NamedTuple):
    """A hotel's return for a period: receipts and deductions in cents, by line, lines of zero left out."""

    place: str
    period: str
    gross: dict[str, int]
    deductions: dict[str, int]


def hotel_periods(plugin: str) -> tuple[Reported, ...]:
    """What `fisc returns from-reservations` drafts under an ordinance, its periods ten years later.

    The reservations of the City Hotel end with its second period, those of the Resort Hotel go on.
    """
    columns = read_map(RESERVATIONS / "map.toml")
    drafts = draft_returns(RESERVATIONS / "reservations.csv", columns, open_municipality(plugin)).drafts
    found = []
    for draft in drafts:
        year, rest = int(draft.period.key[:4]), draft.period.key[4:]
        (part,) = draft.parts
        gross = {line: cents for line, cents in part.gross.items() if cents}
        deductions = {line: cents for line, cents in part.deductions.items() if cents}
        found.append(Reported(draft.place, f"{year + YEARS}{rest}", gross, deductions))
    return tuple(one for one in found if one.period in PERIODS)


if __name__ == "__main__":
    for one in hotel_periods(sys.argv[1]):
        amounts = ", ".join(f"{line} {dollars(cents)}" for line, cents in {**one.gross, **one.deductions}.items())
        print(f"{one.place}, {one.period}: {amounts}")
