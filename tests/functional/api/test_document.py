"""The document is true: whatever is sent, every answer is one that it describes, and none is an error of ours.

schemathesis makes requests from the document, sound ones and spoilt ones, signed in as the treasurer and as a filer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import positive_data_acceptance, unsupported_method

from core.app import create_app
from core.db.roles import Role
from tests.support.places import first_filer, first_place
from tests.support.postgres import Cluster
from tests.support.tenants import opened_engine
from tests.support.towns import open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

VERBS = ("get", "post", "put", "delete", "patch")
EXAMPLES = 12
# What ends the session that the test is signed in with, and the pages of the document itself.
LEFT_OUT = {"close_session", "disable_login", "page", "page_file", "document"}
# The document cannot say which lines, periods and days a return may have: what it allows may still be refused.
EXCLUDED = [positive_data_acceptance, unsupported_method]
MOSTLY = st.sampled_from([True] * 9 + [False])
SELDOM = st.sampled_from([False] * 4 + [True])
# Two of these beside one another are seldom right.
MAY_BE_LEFT_OUT = {"parts", "corrections", "deductions", "year_end_month", "postmarked_on", "received_on", "last_day"}
LINES = {"gross": ("rooms", "site_receipts"), "deductions": ("marketplace", "long_stay", "exempt_entity")}
DAYS = ["2026-01-01", "2026-04-30", "2026-06-30", "2026-07-01", "2026-07-02", "1900-01-01", "2199-12-31"]
DAY_NAMES = ("on", "as_of", "since", "paid_on", "received_on", "postmarked_on", "mailed_on", "until", "opened_on")
WORDS = {
    "tax": ["room_tax"],
    "taxes": ["room_tax"],
    "period": ["2025-Q1", "2025-Q4", "2026-Q1", "2026-Q2", "2026-Q3", "2025-annual"],
    "periods": ["2025-Q4", "2026-Q1"],
    "plugin": ["bayfield"],
    "municipality": ["bay"],
    "time_zone": ["America/Chicago"],
    "password": ["seven harbors under fog"],
    "channel": ["api", "paper"],
    "kind": ["interest", "late_filing_fee", "tax", "opening", "closing", "seasonal_closure"],
    **dict.fromkeys(DAY_NAMES, DAYS),
    **dict.fromkeys(("first_day", "last_day", "first_night", "last_night", "first", "last", "known_on"), DAYS),
}


def document() -> dict[str, Any]:
    app = create_app(lambda: None)  # type: ignore[arg-type,return-value]
    found: dict[str, Any] = app.test_client().get("/api/v1/openapi.json").json
    return found


DOCUMENT = document()
OPERATIONS = {
    operation["operationId"]: (path, verb.upper(), operation)
    for path, operations in DOCUMENT["paths"].items()
    for verb, operation in operations.items()
    if verb in VERBS
}


class TestDocument:
    def test_names_each_operation_once(self) -> None:
        ids = Counter(
            operation["operationId"]
            for operations in DOCUMENT["paths"].values()
            for verb, operation in operations.items()
            if verb in VERBS
        )
        assert [name for name, count in ids.items() if count > 1] == []
        assert len(ids) > 70

    @pytest.mark.parametrize("name", OPERATIONS)
    def test_tells_of_each_operation_what_it_does_and_who_may(self, name: str) -> None:
        _, _, operation = OPERATIONS[name]
        assert operation["summary"].endswith(".")
        assert len(operation["description"]) > 10
        assert operation["x-permission"]
        assert "default" not in operation["responses"]

    def test_describes_every_field_that_is_sent(self) -> None:
        sent = [
            schema
            for _, _, operation in OPERATIONS.values()
            for content in operation.get("requestBody", {}).get("content", {}).values()
            for schema in [content["schema"]]
        ]
        assert sent
        for schema in DOCUMENT["components"]["schemas"].values():
            if schema.get("type") == "object" and "properties" in schema and "title" not in schema:
                assert all(one for one in schema["properties"].values())

    def test_a_post_that_makes_something_says_that_it_takes_a_key(self) -> None:
        without = {
            name
            for name, (_, verb, operation) in OPERATIONS.items()
            if verb == "POST"
            and "201" in operation["responses"]
            and all(one["name"] != "Idempotency-Key" for one in operation.get("parameters", []))
        }
        # Entering a municipality or giving a login twice makes one, by its own key or e-mail; a session is no record.
        assert without == {"open_session", "enter_municipality", "give_staff", "give_filer"}


class Signed:
    """A municipality with something in it, and the two who try."""

    def __init__(self, web: Web, treasurer: Client, filer: Client, ids: dict[str, list[str]]) -> None:
        self.treasurer, self.filer, self.host, self.ids = treasurer, filer, web.staff("host", None), ids
        self.schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", web.app)


@pytest.fixture(scope="module")
def signed(postgres: Cluster, migrated_template: str) -> Iterator[Signed]:
    with (
        postgres.database(migrated_template) as database,
        opened_engine(database, Role.APP) as app,
        opened_engine(database, Role.HOST) as host,
    ):
        town = open_town(app, host, "bay", "bayfield", through=date(2026, 6, 30))
        web = Web(app, host)
        treasurer, filer = web.staff("treasurer", town.tenant), web.filer(town.tenant, first_filer(town))
        form = {"place": str(first_place(town)), "period": "2026-Q1", "gross": {"rooms": "1000.00"}}
        signature = {"name": "A. Owner", "capacity": "owner"}
        filed = filer.post("/returns", {"returns": [form], "signature": signature}).json["returns"][0]
        paid = treasurer.post("/payments", {"payments": [{"account": filed["account"], "amount": "50.00"}]}).json
        ids = {
            "key": ["bay"],
            "filer": [str(first_filer(town))],
            "place": [str(first_place(town))],
            "account": [str(one.id) for one in town.accounts.values()],
            "filed": [filed["id"]],
            "payment": [paid["payments"][0]["id"]],
        }
        yield Signed(web, treasurer, filer, ids)


def made_sound(data: st.DataObject, value: Any, ids: dict[str, list[str]], name: str = "") -> Any:
    """The same with records, periods and lines that there are, so that it gets past the first look."""
    known = {**ids, **WORDS, "accounts": ids["account"]}
    if isinstance(value, dict) and name in LINES:
        return {line: data.draw(st.sampled_from(["0.00", "1234.50", "9999999999.99"])) for line in LINES[name]}
    if isinstance(value, dict):
        kept = [key for key in value if key not in MAY_BE_LEFT_OUT or data.draw(SELDOM)]
        return {key: made_sound(data, value[key], ids, key) for key in kept}
    if isinstance(value, list):
        return [made_sound(data, inner, ids, name) for inner in value]
    if isinstance(value, str) and name in known:
        return data.draw(st.sampled_from(known[name]))
    if isinstance(value, str):
        return "".join(letter for letter in value if letter.isprintable()).strip() or "x"
    return value


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in LEFT_OUT])
def test_whatever_is_sent_the_answer_is_as_documented(signed: Signed, name: str) -> None:
    path, verb, _ = OPERATIONS[name]
    operation = signed.schema[path][verb]

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def holds(data: st.DataObject) -> None:
        mode = data.draw(st.sampled_from([GenerationMode.POSITIVE] * 3 + [GenerationMode.NEGATIVE]))
        case = data.draw(operation.as_strategy(generation_mode=mode))
        client = data.draw(st.sampled_from([signed.treasurer, signed.treasurer, signed.filer]))
        client = signed.host if "/host/" in path else client
        spoilt = case.meta.components.get(ParameterLocation.PATH)
        spoilt_path = spoilt is not None and spoilt.mode is GenerationMode.NEGATIVE
        for part in case.path_parameters or {}:
            if part in signed.ids and not spoilt_path and data.draw(MOSTLY):
                case.path_parameters[part] = data.draw(st.sampled_from(signed.ids[part]))
        if mode is GenerationMode.POSITIVE and data.draw(MOSTLY):
            case.body, case.query = (made_sound(data, one, signed.ids) for one in (case.body, case.query))
        headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
        answer = case.call(headers=headers)
        case.validate_response(answer, excluded_checks=EXCLUDED, headers=headers)

    holds()
