"""One period of each municipality by hand: shared out, amended, and the payment back; each time the books after it."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Engine

from core.services.sharing.remittances import advice
from tests.support.money import Desk
from tests.support.sharing import BUREAU, CHAMBER, COMMISSION, OWN, agree, remit, remittance, shared_now
from tests.support.towns import open_town

pytestmark = pytest.mark.database

CASH, SHARED_OUT, DUE, HELD, RETAINED = "11100", "56700", "24500-01", "24900", "49210"
TAX_FUND, GENERAL = "210", "100"


def day(text: str) -> date:
    return date.fromisoformat(text)


def books(desk: Desk) -> dict[tuple[str, str], int]:
    """What stands on the accounts that a distribution moves, in cents, without those of zero."""
    wanted = {(TAX_FUND, CASH), (TAX_FUND, SHARED_OUT), (TAX_FUND, DUE), (TAX_FUND, HELD), (GENERAL, RETAINED)}
    return {account: cents for account, cents in desk.books().items() if account in wanted}


def test_fox_keeps_five_percent_rounded_and_the_bureau_has_the_rest(app: Engine, host: Engine) -> None:
    fox = open_town(app, host, "fox", "fox_cities_village")
    desk = Desk(fox)
    # 12,345.67 x 3% = 370.3701 = 370.37; x 5% = 18.5185 = 18.52; the rest 351.85.
    desk.files(day("2026-04-07"), "2026-Q1", 1_234_567)
    check = desk.pays(day("2026-04-07"), "2026-Q1", 37_037)
    assert shared_now(fox, day("2026-04-08")) == {("2026-Q1", OWN, False): 1_852, ("2026-Q1", BUREAU, False): 35_185}
    assert books(desk) == {
        (TAX_FUND, SHARED_OUT): 37_037,
        (TAX_FUND, DUE): -35_185,
        (TAX_FUND, CASH): 35_185,  # 370.37 - 18.52, which is in the general fund now
        (GENERAL, RETAINED): -1_852,
    }
    remit(fox, day("2026-04-09"), 1)
    assert books(desk) == {(TAX_FUND, SHARED_OUT): 37_037, (GENERAL, RETAINED): -1_852}

    # Amended: 10,000.01 x 3% = 300.0003 = 300.00, and 70.37 is a credit; x 5% = 15.00, 3.52 less; the rest 285.00,
    # 66.85 less.
    desk.files(day("2026-04-14"), "2026-Q1", 1_000_001)
    assert shared_now(fox, day("2026-04-15")) == {("2026-Q1", OWN, False): -352, ("2026-Q1", BUREAU, False): -6_685}
    second = remittance(fox, 2)
    assert (second.share_cents, second.brought_forward_cents, second.payable_cents) == (-6_685, 0, 0)
    assert books(desk) == {
        (TAX_FUND, SHARED_OUT): 30_000,
        (TAX_FUND, DUE): 6_685,  # the Bureau has 66.85 too much
        (TAX_FUND, CASH): 352,  # 370.37 - 15.00 - 351.85
        (GENERAL, RETAINED): -1_500,
    }

    # The check comes back: nothing is collected any more.
    desk.comes_back(day("2026-04-20"), check)
    assert shared_now(fox, day("2026-04-21")) == {("2026-Q1", OWN, False): -1_500, ("2026-Q1", BUREAU, False): -28_500}
    third = remittance(fox, 3)
    assert (third.share_cents, third.brought_forward_cents, third.payable_cents) == (-28_500, -6_685, 0)
    assert books(desk) == {(TAX_FUND, DUE): 35_185, (TAX_FUND, CASH): -35_185}

    # 100,000.00 x 3% = 3,000.00: 150.00 and 2,850.00, less the 351.85 that the Bureau was paid for nothing: 2,498.15.
    desk.files(day("2026-07-07"), "2026-Q2", 10_000_000)
    desk.pays(day("2026-07-07"), "2026-Q2", 300_000)
    assert shared_now(fox, day("2026-07-08")) == {("2026-Q2", OWN, False): 15_000, ("2026-Q2", BUREAU, False): 285_000}
    fourth = remittance(fox, 4)
    assert (fourth.share_cents, fourth.brought_forward_cents, fourth.payable_cents) == (285_000, -35_185, 249_815)
    assert remit(fox, day("2026-07-09"), 4)["paid"] == "2498.15"
    assert books(desk) == {(TAX_FUND, SHARED_OUT): 300_000, (GENERAL, RETAINED): -15_000}
    assert list(advice(fox.engine, fox.tenant, 4).as_text()) == [
        f"{fox.tenant.name}: remittance 4 to {BUREAU}",
        "distribution 4 of July 8, 2026",
        f"2026-Q2 share{' ' * 27}        $2,850.00   § 18-2(B) [FOX-03]",
        "    $3,000.00 - $150.00 = $2,850.00; so far $2,850.00",
        f"Brought forward{' ' * 25}         -$351.85",
        f"To be paid{' ' * 30}        $2,498.15",
        "paid on 2026-07-09 by check 4711",
    ]


def test_montello_gives_the_commission_75_percent_rounded_and_keeps_the_rest(app: Engine, host: Engine) -> None:
    mon = open_town(app, host, "mon", "montello")
    desk = Desk(mon)
    # 3,333.77 x 4.5% = 150.01965 = 150.02; x 75% = 112.515 = 112.52; the rest 37.50.
    desk.files(day("2026-04-07"), "2026-Q1", 333_377)
    desk.pays(day("2026-04-07"), "2026-Q1", 15_002)
    assert shared_now(mon, day("2026-04-08")) == {
        ("2026-Q1", COMMISSION, False): 11_252,
        ("2026-Q1", OWN, False): 3_750,
    }

    # Amended: 4,000.00 x 4.5% = 180.00, and the 29.98 more are paid; x 75% = 135.00, 22.48 more; the rest 45.00,
    # 7.50 more.
    desk.files(day("2026-04-14"), "2026-Q1", 400_000)
    more = desk.pays(day("2026-04-14"), "2026-Q1", 2_998)
    assert shared_now(mon, day("2026-04-15")) == {("2026-Q1", COMMISSION, False): 2_248, ("2026-Q1", OWN, False): 750}
    assert [remittance(mon, number).payable_cents for number in (1, 2)] == [11_252, 2_248]
    assert books(desk) == {
        (TAX_FUND, SHARED_OUT): 18_000,
        (TAX_FUND, DUE): -13_500,
        (TAX_FUND, CASH): 13_500,
        (GENERAL, RETAINED): -4_500,
    }

    # The second payment comes back: 150.02 is collected again, and each has what it had at first.
    desk.comes_back(day("2026-04-20"), more)
    assert shared_now(mon, day("2026-04-21")) == {("2026-Q1", COMMISSION, False): -2_248, ("2026-Q1", OWN, False): -750}
    assert books(desk) == {
        (TAX_FUND, SHARED_OUT): 15_002,
        (TAX_FUND, DUE): -11_252,
        (TAX_FUND, CASH): 11_252,
        (GENERAL, RETAINED): -3_750,
    }


def test_bayfield_rounds_the_chambers_share_up_under_its_agreement(app: Engine, host: Engine) -> None:
    bay = open_town(app, host, "bay", "bayfield")
    desk = Desk(bay)
    # 1,234.57 x 6.5% = 80.24705 = 80.25; no agreement is in force on March 31, 2026: held.
    desk.files(day("2026-04-07"), "2026-Q1", 123_457)
    check = desk.pays(day("2026-04-07"), "2026-Q1", 8_025)
    assert shared_now(bay, day("2026-04-08")) == {("2026-Q1", CHAMBER, True): 8_025}
    assert books(desk) == {(TAX_FUND, SHARED_OUT): 8_025, (TAX_FUND, HELD): -8_025, (TAX_FUND, CASH): 8_025}

    # The agreement turns up: 80.25 x 62.5% = 50.15625, any part of a cent up = 50.16; the rest 30.09.
    agree(bay, day("2026-01-01"), day("2026-12-31"), "0.625")
    assert shared_now(bay, day("2026-04-10")) == {
        ("2026-Q1", CHAMBER, True): -8_025,
        ("2026-Q1", CHAMBER, False): 5_016,
        ("2026-Q1", OWN, False): 3_009,
    }
    assert books(desk) == {
        (TAX_FUND, SHARED_OUT): 8_025,
        (TAX_FUND, DUE): -5_016,
        (TAX_FUND, CASH): 5_016,
        (GENERAL, RETAINED): -3_009,
    }

    # Amended: 1,000.00 x 6.5% = 65.00; x 62.5% = 40.625 = 40.63, 9.53 less; the rest 24.37, 5.72 less.
    desk.files(day("2026-04-14"), "2026-Q1", 100_000)
    assert shared_now(bay, day("2026-04-15")) == {("2026-Q1", CHAMBER, False): -953, ("2026-Q1", OWN, False): -572}

    # The check comes back, and all is taken back.
    desk.comes_back(day("2026-04-20"), check)
    assert shared_now(bay, day("2026-04-21")) == {("2026-Q1", CHAMBER, False): -4_063, ("2026-Q1", OWN, False): -2_437}
    assert books(desk) == {}
