"""A sheet of 10,000 rows, each with a return and the check that came with it, into an empty year of 1,250 places."""

import resource
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from core.db.recorded import Recorded
from core.db.roles import Role
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.filing.places import register_place
from core.filing.records import FilerDetails, PlaceDetails
from core.filing.register_filer import register_filer
from core.services.database import upgrade
from core.services.imports.import_returns import import_returns
from tests.benchmarks import Result
from tests.support.postgres import Cluster
from tests.support.tenants import opened_engine
from tests.support.towns import open_town

PLACES = 1_250
FIRST = date(2024, 1, 1)


def _sheet() -> bytes:
    rows = ["place,period,on,rooms,name,capacity,paid_on,paid,method,reference"]
    for place in range(PLACES):
        for year in (2024, 2025):
            days = (f"{year}-04-20", f"{year}-07-20", f"{year}-10-20", f"{year + 1}-01-20")
            for number, day in enumerate(days, start=1):
                receipts, paid = 1000 + place, 50 + place % 100
                reference = f"{place}-{year}-{number}"
                said = f"{day},{receipts}.00,Office,owner,{day},{paid}.00,check,{reference}"
                rows.append(f"Place {place},{year}-Q{number},{said}")
    return "\n".join(rows).encode()


def bench_import() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        try:
            with cluster.database() as database:
                upgrade(database)
                with opened_engine(database, Role.APP) as app, opened_engine(database, Role.HOST) as host:
                    town = open_town(app, host, "bay", "bayfield", FIRST, date(2024, 3, 31))
                    in_transaction(app, town.tenant.id, _fill)
                    sheet = _sheet()
                    start = time.perf_counter()
                    told = import_returns(app, town.tenant, "year.csv", sheet, Recorded("t", date(2026, 6, 1)))
                    took = time.perf_counter() - start
        finally:
            cluster.server.stop()
    assert told.recorded == 10_000
    yield Result("import, rows of a return and a payment", told.recorded / took, "rows/s", at_least=2_000)
    yield Result("import, acts recorded and posted", 2 * told.recorded / took, "acts/s", at_least=2_000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Result("import, peak memory of the process", peak, "MB", at_most=300)


def _fill(uow: UnitOfWork) -> None:
    recorded = Recorded("t", FIRST)
    for number in range(PLACES):
        filer = register_filer(uow, FilerDetails(f"Filer {number}"), recorded)
        register_place(uow, filer.id, PlaceDetails(f"Place {number}"), FIRST, ["room_tax"], recorded)
