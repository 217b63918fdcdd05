"""What waits for a resolution, over HTTP."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Engine

from tests.support.towns import Town, a_payment, a_return, open_town, set_fee
from tests.support.web import Web

pytestmark = pytest.mark.database


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    """A town whose council never set the late filing fee; a return 20 days late, due on April 30."""
    town = open_town(app, host, "bay", "bayfield", resolutions=())
    day = date(2026, 5, 20)
    town.act(day, ("2026-Q1", a_return(day, town.accounts["2026-Q1"], 1_000_000)))
    return town


@pytest.fixture
def web(app: Engine, host: Engine) -> Web:
    return Web(app, host)


def test_an_account_says_which_resolution_it_waits_for(web: Web, bay: Town) -> None:
    listed = web.staff("treasurer", bay.tenant).get("/waiting").json["items"]
    account = bay.accounts["2026-Q1"]
    assert [(one["account"], one["period"]) for one in listed] == [(str(account.id), "2026-Q1")]
    assert "late filing fee" in listed[0]["waits_for"].lower()


def test_once_the_resolution_is_recorded_the_account_is_posted_and_waits_no_more(web: Web, bay: Town) -> None:
    treasurer = web.staff("treasurer", bay.tenant)
    set_fee(bay, "late_filing_fee", 2_500)
    account = str(bay.accounts["2026-Q1"].id)
    assert treasurer.get("/waiting").json["items"][0]["waits_for"].startswith("nothing is missing")
    posted = treasurer.post("/waiting", {"accounts": [account]}).json["accounts"]
    # 10,000.00 x 6.5% = 650.00; fee 25.00; May 1 to July 1 = 62 days: 650.00 x 10% x 62/365 = 11.041 = 11.04.
    assert [(one["account"], one["balance"], one["waiting"]) for one in posted] == [(account, "686.04", None)]
    assert treasurer.get("/waiting").json == {"items": [], "next": None}
    assert treasurer.post("/waiting", {"accounts": [account]}).json["accounts"][0]["entry"] is None


def test_a_payment_on_an_account_that_waits_is_kept_and_waits_with_it(web: Web, bay: Town) -> None:
    day = date(2026, 6, 1)
    answer = bay.act(day, ("2026-Q1", a_payment(day, 10_000)))
    assert answer["accounts"][0]["waiting"]
    assert len(web.staff("clerk", bay.tenant).get("/waiting").json["items"]) == 1


def test_a_filer_sees_only_what_is_their_own(web: Web, bay: Town, app: Engine, host: Engine) -> None:
    own = web.filer(bay.tenant, bay.accounts["2026-Q1"].filer_id)
    assert len(own.get("/waiting").json["items"]) == 1
    other = open_town(app, host, "mon", "montello")
    assert web.filer(other.tenant, other.accounts["2026-Q1"].filer_id).get("/waiting").json["items"] == []


def test_an_account_that_nobody_has_is_not_found(web: Web, bay: Town) -> None:
    treasurer = web.staff("treasurer", bay.tenant)
    nobody = "019a0000-0000-7000-8000-000000000000"
    assert treasurer.post("/waiting", {"accounts": [nobody]}).status_code == 404
    assert treasurer.post("/waiting", {"accounts": []}).status_code == 422
    assert treasurer.post("/waiting", {"accounts": ["x"]}).status_code == 422
