"""Two municipalities that are served over HTTP for a page of the docs: `python -m tests.support.served_town PORT`.

They have the database of FISC_HOME to themselves, and stand at a fixed day, so that what the page shows stays true. In
one, for docs/api.md, the returns of three periods came on paper in time; in the other, for docs/treasurer/payments.md,
those of four, and the last are not paid. It is the service of `fisc serve` with its processes; its clock alone is the
page's.
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
MOTELS = {"Granite Inn": "16000.00", "Mill Pond Cottages": "8000.00", "Quarry Rooms": "4000.00"}
QUARTERS = (("2026-Q1", "2026-04-20"), ("2026-Q2", "2026-07-20"), ("2026-Q3", "2026-10-20"))
NOW = datetime(2027, 1, 20, 18, tzinfo=UTC)


def clock() -> datetime:
    """The day of the page."""
    return NOW


def make_city(town: TownOverHttp) -> None:
    """What stands in the books of the one on the day of the page."""
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


def make_other_city(town: TownOverHttp) -> None:
    """And of the other: a return of the third period is amended to less than was paid on it."""
    town.day("2026-01-01")
    town.resolve("returned_payment_fee", "30.00", "2026-1", since="2026-01-01")
    town.open()
    town.register("Granite Inn LLC", *MOTELS, opened_on="2025-06-01")
    town.give_login("Granite Inn LLC", "owner@graniteinn.example")
    for period, day in QUARTERS:
        town.day(day)
        owed = town.file(*({"place": place, "period": period, "gross": gross} for place, gross in MOTELS.items()))
        for place, amount in owed.items():
            town.pay(place, period, amount, method="ach", reference=f"{place} {period}")
    town.day("2027-01-18")
    town.file(*({"place": place, "period": "2026-Q4", "gross": gross} for place, gross in MOTELS.items()))
    town.file({"place": "Granite Inn", "period": "2026-Q3", "gross": "14000.00"})
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
        opened = installed.app, installed.host, installed.folder
        make_city(TownOverHttp(*opened, "bayfield", "City of Bayfield"))
        make_other_city(TownOverHttp(*opened, "montello", "City of Montello"))
        run(installed, f"127.0.0.1:{sys.argv[1]}", 2, None, clock=clock)
