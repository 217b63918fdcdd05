"""What waits for a resolution, what is overdue, who is in credit, over HTTP."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Engine

from tests.support.places import a_filer
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
def paying(bay: Town) -> Town:
    """The same town with 700.00 too much for the fourth period of 2025, and a filer whose first period waits.

    10,000.00 x 6.5% = 650.00 was due on January 30, and 1,350.00 was paid on January 28.
    """
    day = date(2026, 1, 28)
    account = bay.accounts["2025-Q4"]
    bay.act(day, ("2025-Q4", a_return(day, account, 1_000_000)), ("2025-Q4", a_payment(day, 135_000)))
    return bay


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


@pytest.mark.parametrize("path", ["/waiting", "/overdue", "/credits"])
def test_a_filer_sees_only_what_is_its_own(web: Web, paying: Town, path: str) -> None:
    filer = paying.accounts["2026-Q1"].filer_id
    other = a_filer(paying, "Harbor Inn LLC")
    own, stranger = web.filer(paying.tenant, filer), web.filer(paying.tenant, other)
    seen = own.get(path).json
    assert {one["filer"] for one in seen["items"]} == {str(filer)}
    assert seen == web.staff("treasurer", paying.tenant).get(path).json
    assert stranger.get(path).json["items"] == []
    if path != "/waiting":
        assert stranger.get(f"{path}?filer={filer}").json["items"] == []
        assert own.get(f"{path}?filer={filer}").json == seen


def test_an_account_that_nobody_has_is_not_found(web: Web, bay: Town) -> None:
    treasurer = web.staff("treasurer", bay.tenant)
    nobody = "019a0000-0000-7000-8000-000000000000"
    assert treasurer.post("/waiting", {"accounts": [nobody]}).status_code == 404
    assert treasurer.post("/waiting", {"accounts": []}).status_code == 422
    assert treasurer.post("/waiting", {"accounts": ["x"]}).status_code == 422


def test_a_credit_is_listed_since_the_day_it_has_stood(web: Web, paying: Town) -> None:
    treasurer = web.staff("treasurer", paying.tenant)
    listed = treasurer.get("/credits").json
    credits = [(one["place_name"], one["period"], one["credit"], one["since"]) for one in listed["items"]]
    assert credits == [("Lake House", "2025-Q4", "700.00", "2026-01-28")]
    assert listed["total"] == "700.00"
    assert treasurer.get("/credits?as_of=2026-01-27").json == {"items": [], "total": "0.00", "next": None}


def test_what_is_overdue_says_for_how_long_and_what_was_done(web: Web, paying: Town) -> None:
    treasurer = web.staff("treasurer", paying.tenant)
    set_fee(paying, "late_filing_fee", 2_500)
    notice = {"account": str(paying.accounts["2026-Q1"].id), "mailed_on": "2026-07-01"}
    treasurer.post("/notices", notice)
    listed = {one["period"]: one for one in treasurer.get("/overdue").json["items"]}
    # Filed on May 20, not paid: April 30 to July 1 = 62 days. 650.00 + 25.00 + 11.04 as above.
    first = listed["2026-Q1"]
    assert (first["days_unfiled"], first["days_unpaid"], first["balance"]) == (0, 62, "686.04")
    assert first["done"] == [{"what": "notice", "on": "2026-07-01"}]
    assert "2025-Q4" not in listed


def test_the_longest_overdue_comes_first_and_the_list_goes_on(web: Web, paying: Town) -> None:
    treasurer = web.staff("treasurer", paying.tenant)
    days = [one["due_on"] for one in treasurer.get("/overdue?limit=200").json["items"]]
    assert days == sorted(days)
    assert len(days) > 2
    pages, cursor = [], ""
    while cursor is not None:
        page = treasurer.get(f"/overdue?limit=1{cursor and '&cursor=' + cursor}").json
        pages += [one["due_on"] for one in page["items"]]
        cursor = page["next"]
    assert pages == days
