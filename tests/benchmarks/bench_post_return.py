"""POST …/returns through gunicorn with one sync worker, beside a bare Flask route that calls one insert function."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from core.auth.passwords import Passwords
from core.db.recorded import Recorded
from core.db.roles import Role
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.filing.accounts import open_accounts
from core.filing.owed_periods import owed_periods
from core.filing.places import register_place
from core.filing.records import FilerDetails, PlaceDetails
from core.filing.register_filer import register_filer
from core.services.access.logins import give_staff_login
from core.services.database import upgrade
from core.tenants.open_tenant import open_tenant
from tests.benchmarks import Result
from tests.support.postgres import Cluster
from tests.support.tenants import opened_engine
from tests.support.towns import open_town

REQUESTS = 1_500
WARM = 200
PASSWORD = "seven harbors under fog"
FLOOR = """
    CREATE TABLE public.floor (number bigint GENERATED ALWAYS AS IDENTITY, body text);
    CREATE FUNCTION public.floor_insert(body text) RETURNS bigint LANGUAGE sql AS
        'INSERT INTO public.floor (body) VALUES (body) RETURNING number';
"""
SERVICE = """
import os
from core.app import create_app
from core.services.access.visit import make_engines
app = create_app(lambda: make_engines(os.environ["BENCH_APP"], os.environ["BENCH_HOST"]))
"""


def bench_post_return() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        try:
            with cluster.database() as database:
                upgrade(database)
                with cluster.superuser(database) as superuser:
                    superuser.execute(FLOOR)
                    superuser.commit()
                    address = cluster.server.superuser_url(superuser.info.dbname)
                with opened_engine(database, Role.APP) as app, opened_engine(database, Role.HOST) as host:
                    town = open_town(app, host, "bay", "bayfield", date(2026, 1, 1), date(2026, 6, 30))
                    places = in_transaction(app, town.tenant.id, _places)
                    give_staff_login(host, Passwords(), "c@bay.example", "C", PASSWORD, "clerk", "bay", "b")
                environment = {
                    "BENCH_APP": database.address(Role.APP),
                    "BENCH_HOST": database.address(Role.HOST),
                    "FLOOR_DATABASE": address,
                }
                floor = _measure("tests.benchmarks.http_floor:create()", environment, _floor_requests)
                module = Path(folder) / "bench_service.py"
                module.write_text(SERVICE, "utf-8")
                service = _measure(
                    "bench_service:app", {**environment, "PYTHONPATH": folder}, lambda c: _returns(c, places)
                )
        finally:
            cluster.server.stop()
    yield Result("POST returns, CPU of the worker a request", service[0], "ms", floor=floor[0], at_most=3.5 * floor[0])
    yield Result("POST returns, p99", service[1], "ms", floor=floor[1], at_most=2 * floor[1])


def _places(uow: UnitOfWork) -> list[str]:
    """A place for each request, so that each files the first return of an open account."""
    recorded = Recorded("t", date(2026, 1, 1))
    made = []
    for number in range(WARM + REQUESTS):
        filer = register_filer(uow, FilerDetails(f"Filer {number}", year_end_month=12), recorded)
        made.append(register_place(uow, filer.id, PlaceDetails(f"Place {number}"), recorded.on, ["room_tax"], recorded))
    frequencies = {"room_tax": open_tenant(uow, "bay").taxes["room_tax"].frequency}
    open_accounts(uow, owed_periods(uow, frequencies, date(2026, 3, 31)))
    return [str(place.id) for place in made]


def _floor_requests(_: HTTPConnection) -> Iterator[tuple[str, dict[str, str], Any]]:
    for number in range(WARM + REQUESTS):
        yield "/returns", {}, {"returns": [{"place": str(number), "gross": {"rooms": "10000.00"}}]}


def _returns(connection: HTTPConnection, places: list[str]) -> Iterator[tuple[str, dict[str, str], Any]]:
    signed = {"email": "c@bay.example", "password": PASSWORD}
    connection.request("POST", "/api/v1/sessions", json.dumps(signed), {"Content-Type": "application/json"})
    token = json.loads(connection.getresponse().read())["token"]
    connection.close()
    for number, place in enumerate(places):
        one = {"place": place, "period": "2026-Q1", "gross": {"rooms": f"{10_000 + number}.00"}}
        body = {"returns": [one], "signature": {"name": "Office", "capacity": "owner"}, "channel": "paper"}
        yield (
            "/api/v1/municipalities/bay/returns",
            {"Authorization": f"Bearer {token}", "Idempotency-Key": f"bench-{number}"},
            body,
        )


def _measure(target: str, environment: dict[str, str], requests: Any) -> tuple[float, float]:
    """Milliseconds of the worker's CPU a request, and the 99th percentile of the answers' times."""
    with _served(target, environment) as (port, worker):
        times = []
        connection = HTTPConnection("127.0.0.1", port)
        for number, (path, headers, body) in enumerate(requests(connection)):
            if number == WARM:
                before, times = _cpu(worker), []
            start = time.perf_counter()
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            told = answer.read()
            connection.close()
            times.append(time.perf_counter() - start)
            assert answer.status == 201, told
        cpu = (_cpu(worker) - before) / REQUESTS
    return cpu * 1000, sorted(times)[int(len(times) * 0.99)] * 1000


@contextmanager
def _served(target: str, environment: dict[str, str]) -> Iterator[tuple[int, int]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["-m", "gunicorn", "--no-control-socket", "-w", "1", "-b", f"127.0.0.1:{port}", target]
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH", "")]))
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, *command], env={**os.environ, **environment, "PYTHONPATH": path}, stderr=log, cwd=root
        )
        try:
            yield port, _worker(process.pid, port)
        finally:
            process.terminate()
            process.wait(timeout=20)


def _worker(parent: int, port: int) -> int:
    for _ in range(200):
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        with socket.socket() as probe:
            if children and probe.connect_ex(("127.0.0.1", port)) == 0:
                return int(children[0])
        time.sleep(0.05)
    raise RuntimeError("the server does not answer")


def _cpu(process: int) -> float:
    """Seconds of user and system time that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
