"""Who may do what: every route by every role, as access.toml has it; and what is another's is as unknown as nothing."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from werkzeug.test import TestResponse

from core.app import create_app
from core.db.roles import Role
from tests.support.places import a_filer, a_place, first_filer, first_place
from tests.support.postgres import Cluster
from tests.support.tenants import opened_engine
from tests.support.towns import Town, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

TABLE = Path(__file__).with_name("access.toml")
STAFF = ("treasurer", "clerk", "auditor", "council")
ROLES = (*STAFF, "filer", "stranger", "host", "outsider", "nobody")
HOST_ROUTES = "/api/v1/host/"
CHAMBER = "Bayfield Chamber of Commerce"
REFUSALS = {401, 403, 404}


@dataclass(frozen=True)
class Row:
    """A route as the table has it."""

    rule: str
    method: str
    allowed: frozenset[str]
    body: dict[str, Any] | None
    query: str
    upload: bool

    def __str__(self) -> str:
        return f"{self.method} {self.rule}"

    @property
    def of_a_municipality(self) -> bool:
        return "<key>" in self.rule

    @property
    def names_a_record(self) -> bool:
        return "<uuid:" in self.rule or "{" in f"{self.body}{self.query}".replace("{'", "")

    def expected(self, role: str) -> int | None:
        """The status that a role gets, None where it is let in."""
        if "anybody" in self.allowed:
            return None
        if role == "nobody":
            return 401
        if "signed-in" in self.allowed:
            return None
        if self.of_a_municipality and role in ("host", "outsider"):
            return 404
        known = "filer" if role == "stranger" else role if role != "outsider" else "treasurer"
        if known not in self.allowed:
            return 403
        return 404 if role == "stranger" and self.names_a_record else None


@cache
def rows() -> tuple[Row, ...]:
    table: dict[str, list[dict[str, Any]]] = tomllib.loads(TABLE.read_text("utf-8"))
    return tuple(
        Row(
            rule,
            one["method"],
            frozenset(one["allowed"]),
            one.get("body"),
            one.get("query", ""),
            one.get("upload", False),
        )
        for rule, listed in table.items()
        for one in listed
    )


class World:
    """Two municipalities, each with filers who have filed and paid; a client for each role; ids by whose they are."""

    def __init__(self, web: Web, bay: Town, mon: Town) -> None:
        self.web, self.bay = web, bay
        treasurer, outsider = web.staff("treasurer", bay.tenant), web.staff("treasurer", mon.tenant)
        other = a_filer(bay)
        theirs = a_place(bay, other).id
        self.clients = {role: web.staff(role, bay.tenant) for role in STAFF} | {
            "filer": web.filer(bay.tenant, first_filer(bay)),
            "stranger": web.filer(bay.tenant, other),
            "host": web.staff("host", None),
            "outsider": outsider,
            "nobody": web.nobody(),
        }
        pooled = shared_out(treasurer)
        self.own = {**pooled, **records(treasurer, first_filer(bay), first_place(bay))}
        self.other_filers = {**pooled, **records(treasurer, other, theirs)}
        self.foreign = {**shared_out(outsider), **records(outsider, first_filer(mon), first_place(mon))}
        self.nothing = {name: str(uuid4()) for name in self.own}
        spare = web.staff("clerk", bay.tenant).get("/api/v1/me").json
        assert spare is not None
        self.own["login"] = spare["id"]
        treasurer.post("/distributions", {"tax": "room_tax"})

    def send(self, client: Client, row: Row, ids: dict[str, str], key: str = "bay") -> TestResponse:
        """The row's request about these records, in the municipality with this key whoever asks."""
        fixed = {"key": key, "name": "none", "fund": "100", "number": "1", "seq": "99"}
        path = "/".join(filled(part, {**fixed, **ids}) for part in row.rule.split("/"))
        query = f"?{with_ids(row.query, ids)}" if row.query else ""
        headers = {"Idempotency-Key": str(uuid4()), **({"If-Match": '"1"'} if row.method == "PUT" else {})}
        if client.token is not None:
            headers["Authorization"] = f"Bearer {client.token}"
        options: dict[str, Any] = {"headers": headers, "method": row.method}
        if row.upload:
            options["data"] = {"file": (io.BytesIO(b"place,period\n"), "sheet.csv")}
        elif row.body is not None:
            options["json"] = with_ids(row.body, ids)
        return client.client.open(path + query, **options)


def records(treasurer: Client, filer: UUID, place: UUID) -> dict[str, str]:
    """A return and a payment for the first period of 2026, by id."""
    form = {"place": str(place), "period": "2026-Q1", "gross": {"rooms": "1000.00"}}
    signed = {"signature": {"name": "A. Owner", "capacity": "owner"}}
    filed = treasurer.post("/returns", {"returns": [form], **signed}).json["returns"][0]
    paid = treasurer.post("/payments", {"payments": [{"account": filed["account"], "amount": "65.00"}]}).json
    ids = {"account": filed["account"], "filed": filed["id"], "payment": paid["payments"][0]["id"]}
    return {"filer": str(filer), "place": str(place), **ids}


def shared_out(treasurer: Client) -> dict[str, str]:
    """A resolution and an agreement, by id."""
    fee = {"name": "permit_reissue_fee", "value": "10.00", "since": "2026-01-01", "number": "9"}
    setting = treasurer.post("/settings/resolutions", {"resolutions": [fee]}).json["settings"][0]["id"]
    terms = {"payee": CHAMBER, "share": "75", "first_day": "2026-01-01", "last_day": "2026-12-31"}
    return {"setting": setting, "agreement": treasurer.post("/agreements", {"number": "1", **terms}).json["id"]}


def filled(part: str, values: dict[str, str]) -> str:
    """A part of a rule such as <uuid:account> with its value."""
    if not part.startswith("<"):
        return part
    return values[part.strip("<>").rpartition(":")[2]]


def with_ids(value: Any, ids: dict[str, str]) -> Any:
    """A body or a query with ids in place of {account} and the like."""
    if isinstance(value, dict):
        return {name: with_ids(inner, ids) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_ids(inner, ids) for inner in value]
    if isinstance(value, str) and "{" in value:
        return value.format(**ids)
    return value


@pytest.fixture(scope="module")
def world(postgres: Cluster, migrated_template: str) -> Iterator[World]:
    """One for all tests here: no request of the table takes away what another rests on."""
    with (
        postgres.database(migrated_template) as database,
        opened_engine(database, Role.APP) as app,
        opened_engine(database, Role.HOST) as host,
    ):
        bay, mon = (open_town(app, host, key, "bayfield", through=date(2026, 6, 30)) for key in ("bay", "mon"))
        yield World(Web(app, host), bay, mon)


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    app = create_app(lambda: None)  # type: ignore[arg-type,return-value]
    routes = {
        f"{method} {rule}"
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert routes - {str(row) for row in rows()} == set(), "enter these in access.toml"
    assert {str(row) for row in rows()} - routes == set()


@pytest.mark.parametrize("row", rows(), ids=str)
def test_each_role_is_let_in_or_refused_as_the_table_says(world: World, row: Row) -> None:
    for role in ROLES:
        client = world.clients[role]
        if row.method == "DELETE" and client.token is not None:
            client = world.web.signed_in(world.clients[role].get("/api/v1/me").json["email"])
        answer = world.send(client, row, world.own)
        expected = row.expected(role)
        if expected is not None:
            assert answer.status_code == expected, (role, answer.get_data(as_text=True))
        elif row.rule == "/api/v1/sessions":
            assert answer.status_code == 422
        elif "<name>" not in row.rule and "<fund>" not in row.rule and "<int" not in row.rule:
            assert answer.status_code not in REFUSALS, (role, answer.get_data(as_text=True))
        assert answer.status_code < 500, answer.get_data(as_text=True)


@pytest.mark.parametrize("row", [row for row in rows() if row.method == "GET" and row.of_a_municipality], ids=str)
def test_whoever_is_let_in_reads_something(world: World, row: Row) -> None:
    if "<fund>" in row.rule:
        first = world.clients["treasurer"].get("/ledger/trial-balance").json["items"][0]
        ids = {**world.own, "fund": first["fund"], "number": first["number"]}
    else:
        ids = world.own
    for role in ROLES:
        if row.expected(role) is None:
            assert world.send(world.clients[role], row, ids).status_code == 200, role


@pytest.mark.parametrize("row", [row for row in rows() if row.of_a_municipality and row.names_a_record], ids=str)
def test_what_is_anothers_is_as_unknown_as_what_is_not_there(world: World, row: Row) -> None:
    treasurer, filer = world.clients["treasurer"], world.clients["filer"]
    answers = [world.send(treasurer, row, ids) for ids in (world.foreign, world.nothing)]
    if "filer" in row.allowed:
        answers += [world.send(filer, row, ids) for ids in (world.other_filers, world.foreign, world.nothing)]
    assert {answer.status_code for answer in answers} == {404}, [answer.get_data(as_text=True) for answer in answers]
    assert len({answer.data for answer in answers}) == 1
    assert len({tuple(sorted(answer.headers)) for answer in answers}) == 1


@pytest.mark.parametrize("row", [row for row in rows() if row.of_a_municipality], ids=str)
def test_anothers_municipality_is_as_unknown_as_one_that_is_not_there(world: World, row: Row) -> None:
    if "anybody" in row.allowed:
        return
    answers = [
        world.send(world.clients["treasurer"], row, ids, key)
        for ids, key in ((world.foreign, "mon"), (world.own, "mon"), (world.own, "nowhere"), (world.nothing, "x" * 99))
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.data for answer in answers}) == 1
    assert len({tuple(sorted(answer.headers)) for answer in answers}) == 1
