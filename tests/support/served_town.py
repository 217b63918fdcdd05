"""A municipality that is served over HTTP for docs/api.md: `python -m tests.support.served_town PORT`.

It has the database of FISC_HOME to itself, and stands at a fixed day, so that what the page shows stays true: a filer
of two places whose returns of three periods came on paper in time, and another filer. It is the service of `fisc serve`
with its processes; its clock alone is the page's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from core.cli.serve import run
from core.services.database import upgrade_installation
from core.services.installation import installation
from tests.support.demo_process import answering, free_port
from tests.support.town_over_http import TownOverHttp

OWNER = "owner@lakehouse.example"
PLACES = ("Lake House", "Boat House")
QUARTERS = (("2026-Q1", "2026-04-20"), ("2026-Q2", "2026-07-20"), ("2026-Q3", "2026-10-20"))
NOW = datetime(2027, 1, 20, 18, tzinfo=UTC)


def clock() -> datetime:
    """The day of the page."""
    return NOW


def make(town: TownOverHttp) -> None:
    """What stands in the books on the day of the page."""
    town.day("2026-01-01")
    town.resolve("late_filing_fee", "25.00", "2026-1", since="2026-01-01")
    town.resolve("returned_payment_fee", "35.00", "2026-1", since="2026-01-01")
    town.open()
    town.register("Lake House LLC", *PLACES, opened_on="2025-06-01")
    town.register("Harbor Rooms", "Harbor Rooms", opened_on="2025-06-01")
    town.give_login("Lake House LLC", OWNER)
    for period, day in QUARTERS:
        town.day(day)
        town.file(*({"place": place, "period": period, "gross": "20000.00"} for place in (*PLACES, "Harbor Rooms")))
        for place in PLACES:
            town.pay(place, period, "1300.00", method="check", reference=f"{place} {period}")
    town.day(NOW.date().isoformat())
    town.daily()


@contextmanager
def served_town(home: Path) -> Iterator[str]:
    """The address of the municipality, from when it answers until it is ended."""
    port = free_port()
    command = [sys.executable, "-m", "tests.support.served_town", str(port)]
    with answering(command, port, home.with_suffix(".log"), own_home(home)) as address:
        yield address


def own_home(home: Path) -> dict[str, str]:
    """Settings under which Fisc has its database in this folder, whatever else is configured."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
    return {**kept, "FISC_HOME": str(home)}


if __name__ == "__main__":
    upgrade_installation()
    with installation() as installed:
        make(TownOverHttp(installed.app, installed.host, installed.folder, "bayfield", "City of Bayfield"))
        run(installed, f"127.0.0.1:{sys.argv[1]}", 2, None, clock=clock)
