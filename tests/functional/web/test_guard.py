"""No route without a permission; and whoever has no part in a municipality cannot tell it from none."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Engine, text
from werkzeug.test import TestResponse

from core.auth.permissions import ACCOUNT_READ, PUBLIC
from core.tenants.directory import close_tenant
from core.web.guarded import GuardedBlueprint
from tests.support.statements import counted_statements
from tests.support.towns import Town, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

ACCOUNTS = "/api/v1/municipalities/{}/accounts"


def alike(*answers: TestResponse) -> bool:
    """Whether nothing tells the answers apart: status, headers and body."""
    return len({(one.status, one.data, str(sorted(one.headers))) for one in answers}) == 1


@pytest.mark.parametrize("permission", [None, "account:read", ["account:read"]])
def test_a_route_without_a_permission_cannot_be_declared(permission: object) -> None:
    blueprint = GuardedBlueprint("bare", __name__)
    with pytest.raises(TypeError, match="names its permission"):
        blueprint.route("/bare", permission=permission)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        blueprint.route("/bare")  # type: ignore[call-arg]


def test_only_these_routes_ask_for_no_sign_in(web: Web) -> None:
    public = {
        rule.rule
        for rule in web.app.url_map.iter_rules()
        if web.app.view_functions[rule.endpoint].permission is PUBLIC  # type: ignore[attr-defined]
    }
    assert public == {
        "/",
        "/healthz",
        "/portal/<name>",
        "/api/v1/docs",
        "/api/v1/docs/<name>",
        "/api/v1/openapi.json",
        "/api/v1/sessions",
        "/api/v1/municipalities",
        "/api/v1/municipalities/<key>",
    }


def test_a_municipality_that_one_has_no_part_in_looks_like_none(web: Web, bay: Town, app: Engine, host: Engine) -> None:
    open_town(app, host, "mon", "montello")
    client = web.staff("treasurer", bay.tenant)
    assert client.get(ACCOUNTS.format("bay")).status_code == 200
    answers = [client.get(ACCOUNTS.format(key)) for key in ("mon", "nowhere", "BAY", "x" * 63, "bay%00", "..%2fbay")]
    assert answers[0].status_code == 404
    assert alike(*answers)


def test_a_path_that_is_none_is_answered_like_a_record_that_is_not_there(web: Web, bay: Town) -> None:
    client = web.staff("treasurer", bay.tenant)
    assert alike(client.get("/api/v1/nothing"), client.get(ACCOUNTS.format("nowhere")))


def test_the_host_is_in_no_municipality(web: Web, bay: Town) -> None:
    host = web.staff("host", None)
    assert alike(host.get(ACCOUNTS.format("bay")), host.get(ACCOUNTS.format("nowhere")))
    assert host.get(ACCOUNTS.format("bay")).status_code == 404


def test_whoever_may_not_do_this_here_is_told_which_permission_it_takes(web: Web, bay: Town) -> None:
    answer = web.staff("council", bay.tenant).get(ACCOUNTS.format("bay"))
    assert answer.status_code == 403
    assert (answer.json or {})["name"] == "Forbidden"
    assert ACCOUNT_READ.name in (answer.json or {})["title"]


def test_a_role_in_one_municipality_is_none_in_another(web: Web, bay: Town, app: Engine, host: Engine) -> None:
    mon = open_town(app, host, "mon", "montello")
    web.staff("treasurer", bay.tenant, "both@towns.example")
    both = web.staff("council", mon.tenant, "both@towns.example")
    assert both.get(ACCOUNTS.format("bay")).status_code == 200
    assert both.get(ACCOUNTS.format("mon")).status_code == 403
    assert both.get("/api/v1/host/logins").status_code == 403


def test_a_host_who_is_also_treasurer_has_there_what_a_treasurer_has(web: Web, bay: Town) -> None:
    web.staff("host", None, "both@bay.example")
    both = web.staff("treasurer", bay.tenant, "both@bay.example")
    assert both.get("/api/v1/host/logins").status_code == 200
    assert both.get(ACCOUNTS.format("bay")).status_code == 200


def test_a_membership_that_ended_counts_on_the_next_request(web: Web, bay: Town) -> None:
    client = web.staff("treasurer", bay.tenant)
    assert client.get(ACCOUNTS.format("bay")).status_code == 200
    with web.engines.host.begin() as connection:
        connection.execute(text("UPDATE platform.memberships SET ended_at = now() WHERE role = 'treasurer'"))
    assert alike(client.get(ACCOUNTS.format("bay")), client.get(ACCOUNTS.format("nowhere")))
    assert (client.get("/api/v1/me").json or {})["memberships"] == []


def test_the_records_of_a_closed_municipality_can_still_be_read_by_its_own(web: Web, bay: Town, host: Engine) -> None:
    client = web.staff("treasurer", bay.tenant)
    with host.begin() as connection:
        close_tenant(connection, "bay", date(2026, 6, 30))
    assert client.get(ACCOUNTS.format("bay")).status_code == 200


def test_who_asks_is_found_out_in_one_statement(web: Web, bay: Town) -> None:
    client = web.staff("treasurer", bay.tenant)
    with counted_statements() as sent:
        assert client.get("/api/v1/municipalities/nowhere/settings").status_code == 404
    assert sent == ["SELECT platform.authenticate(%s, %s, %s)"]


def test_neither_host_nor_address_nor_a_header_chooses_the_municipality(
    web: Web, bay: Town, app: Engine, host: Engine
) -> None:
    open_town(app, host, "mon", "montello")
    client = web.staff("treasurer", bay.tenant)
    for name in ("Host", "X-Forwarded-Host", "X-Forwarded-Prefix", "X-Original-URL", "X-Tenant", "Forwarded"):
        value = "host=mon.example" if name == "Forwarded" else "mon.example"
        assert client.get(ACCOUNTS.format("bay"), headers={name: value}).status_code == 200
        assert client.get(ACCOUNTS.format("mon"), headers={name: "bay.example"}).status_code == 404


@pytest.mark.parametrize(
    "token",
    [
        # A signed token of another scheme, one without a signature, one that SQL would like, one that is too long.
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ0cmVhc3VyZXIifQ.",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ0cmVhc3VyZXIifQ.c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJl",
        "' OR token_hash IS NOT NULL OR token_hash = '",
        "a" * 5000,
        "0" * 64,
    ],
)
def test_a_token_of_another_kind_is_refused_as_any_other(web: Web, bay: Town, token: str) -> None:
    told = Client(web.app, token, bay.tenant).get("/settings")
    assert told.status_code == 401
    known = web.staff("treasurer", bay.tenant)
    assert known.token is not None
    cut = Client(web.app, known.token[:-1] + ("A" if known.token[-1] != "A" else "B"), bay.tenant).get("/settings")
    assert cut.status_code == 401


def test_what_is_kept_of_a_token_is_no_token(web: Web, bay: Town) -> None:
    client = web.staff("treasurer", bay.tenant)
    with web.engines.host.connect() as connection:
        (kept,) = connection.execute(text("SELECT token_hash FROM platform.tokens")).scalars().all()
    assert Client(web.app, kept, bay.tenant).get("/settings").status_code == 401
    assert client.get("/settings").status_code == 200


def test_signing_in_anew_gives_another_token_and_leaves_the_first(web: Web, bay: Town) -> None:
    first = web.staff("clerk", bay.tenant, "clerk@bay.example")
    second = web.signed_in("clerk@bay.example", bay.tenant)
    assert first.token != second.token
    assert second.delete("/api/v1/sessions/current").status_code == 200
    assert first.get("/api/v1/me").status_code == 200
