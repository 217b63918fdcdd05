"""The first page as Flask answers it: names alone, unless it is a demonstration."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.app import create_app
from core.ledger.heads import HeadsFile
from core.services.access.visit import Engines
from core.services.demo.logins import Login
from core.services.demo.pages import Shown
from tests.support.towns import Town, a_payment, a_return, open_town

pytestmark = pytest.mark.database
TAX = "$130.00"  # on rooms of $2,000.00 at 6.5%


@pytest.fixture
def town(app: Engine, host: Engine) -> Town:
    town = open_town(app, host, "lakeside", "bayfield")
    period = town.accounts["2025-Q1"]
    paid = a_payment(date(2025, 4, 20), 10_000)
    town.act(date(2025, 4, 20), ("2025-Q1", a_return(date(2025, 4, 20), period, 200_000)), ("2025-Q1", paid))
    return town


def page(town: Town, host: Engine, shown: Shown | None) -> str:
    client = create_app(lambda: Engines(town.engine, host), demo=shown).test_client()
    answer = client.get("/")
    assert answer.status_code == 200
    return answer.text


def test_outside_a_demonstration_it_shows_names_and_no_figure(town: Town, host: Engine) -> None:
    text = page(town, host, None)
    assert "The Town of Lakeside" in text
    assert "/api/v1/docs" in text
    assert "$" not in text
    assert "2025-Q1" not in text


def test_in_a_demonstration_it_shows_figures_and_names_no_filer(town: Town, host: Engine, tmp_path: Path) -> None:
    login = Login("treasurer@lakeside.example", "treasurer", "lakeside")
    text = page(town, host, Shown(date(2025, 5, 1), HeadsFile(tmp_path / "heads.txt"), (login,)))
    # $130.00 assessed, $100.00 paid: 76% and a bit of it, $30.00 outstanding.
    assert TAX in text
    assert "$100.00" in text
    assert "76% of it" in text
    assert "$30.00" in text
    assert "treasurer@lakeside.example" in text
    assert "Lake House" not in text


def test_of_what_waits_it_says_for_which_act_and_how_many_accounts(app: Engine, host: Engine, tmp_path: Path) -> None:
    town = open_town(app, host, "lakeside", "bayfield", resolutions=())
    late = date(2025, 5, 20)
    town.act(late, ("2025-Q1", a_return(late, town.accounts["2025-Q1"], 200_000)))
    text = page(town, host, Shown(late, HeadsFile(tmp_path / "heads.txt"), ()))
    assert "1 account: The late filing fee" in text
    assert "Nothing waits" not in text


def test_a_name_is_text_and_never_markup(app: Engine, host: Engine) -> None:
    town = open_town(app, host, "lakeside", "bayfield")
    with host.begin() as connection:
        connection.exec_driver_sql("UPDATE platform.tenants SET name = '<script>alert(1)</script>'")
    assert "<script>" not in page(town, host, None)


def test_only_the_files_of_the_pages_are_given_away(town: Town, host: Engine) -> None:
    client = create_app(lambda: Engines(town.engine, host)).test_client()
    assert client.get("/portal/portal.css").mimetype == "text/css"
    for path in ("/portal/home.py", "/portal/..%2fhome.py", "/portal/", "/portal/nothing"):
        assert client.get(path).status_code == 404
