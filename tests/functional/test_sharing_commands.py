"""`fisc distribute`, `fisc agreement` and `fisc remittance`, as a treasurer calls them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.filing.accounts import open_accounts
from core.filing.owed_periods import Obligation
from core.filing.places import register_place
from core.filing.records import FilerDetails, PeriodAccount, PlaceDetails
from core.filing.register_filer import register_filer
from core.services.installation import installation
from core.services.tenants.add import municipalities
from core.tenants.open_tenant import open_tenant
from tests.support.money import Desk
from tests.support.towns import Town

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.database, pytest.mark.slow]
OPENED, IN_TIME = date(2026, 1, 2), date(2026, 4, 20)
CHAMBER = "Bayfield Chamber of Commerce"
BAYFIELD = "--municipality bayfield"
TERMS = f"--payee '{CHAMBER}' --share 75 --from 2026-01-01 --to 2026-12-31 --on 2026-05-04"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Fisc's own with one municipality that is open."""
    place = tmp_path_factory.mktemp("sharing")
    set_up = [
        "db upgrade",
        "tenant add bayfield --plugin bayfield",
        "tenant resolve bayfield late_filing_fee=25.00 returned_payment_fee=35.00 --since 2026-01-01 --number 1 "
        "--by treasurer --on 2026-01-02",
        "tenant open bayfield --by treasurer --on 2026-01-02",
    ]
    for line in set_up:
        done = fisc(place, line)
        assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="module")
def desk(home: Path) -> Iterator[Desk]:
    """The first period of 2026: 10,000.00 x 6.5% = 650.00, filed and paid on April 20."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FISC_HOME", str(home))
        with installation() as installed:
            (tenant,) = municipalities(installed.app, "bayfield")
            account = in_transaction(installed.app, tenant.id, account_of_a_new_place)
            desk = Desk(Town(installed.app, tenant, {"2026-Q1": account}))
            desk.files(IN_TIME, "2026-Q1", 1_000_000)
            desk.pays(IN_TIME, "2026-Q1", 65_000)
            yield desk


def account_of_a_new_place(uow: UnitOfWork) -> PeriodAccount:
    recorded = Recorded("treasurer", OPENED)
    filer = register_filer(uow, FilerDetails("Lake House LLC"), recorded)
    place = register_place(uow, filer.id, PlaceDetails("Lake House"), date(2025, 1, 1), ["room_tax"], recorded)
    tax = open_tenant(uow, "bayfield").taxes["room_tax"]
    (account,) = open_accounts(uow, [Obligation(filer.id, place.id, tax.key, tax.frequency.period("2026-Q1"))])
    return account


def fisc(home: Path, line: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("FISC_")}
    return subprocess.run(
        [sys.executable, "-m", "core.cli.main", *shlex.split(line)],
        env={**environment, "FISC_HOME": str(home)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )


def told(home: Path, line: str) -> list[str]:
    """What a command that succeeds prints, blanks in a row as one."""
    done = fisc(home, line)
    assert (done.returncode, done.stderr) == (0, "")
    return [" ".join(printed.split()) for printed in done.stdout.splitlines()]


def refused(home: Path, line: str) -> list[str]:
    done = fisc(home, line)
    assert done.returncode == 1
    return done.stderr.splitlines()


def test_a_share_is_held_agreed_on_posted_paid_and_taken_back(home: Path, desk: Desk) -> None:
    held = [
        f"2026-Q1 {CHAMBER} (held) $650.00 § 54-19(B)",
        "no agreement is in force on March 31, 2026: $650.00 is held",
        "Note: 2026-Q1: § 54-19(B): record the yearly agreement with the Chamber; until then nothing is paid",
    ]
    assert told(home, f"distribute {BAYFIELD} --on 2026-05-04 --preview") == held
    assert told(home, f"distribute {BAYFIELD} --on 2026-05-04") == [*held, "Posted as distribution 1."]
    assert told(home, f"distribute {BAYFIELD} --on 2026-05-04") == [
        "Nothing has changed since the last distribution.",
        held[2],
    ]

    assert told(home, f"agreement add {BAYFIELD} --number 2026-1 {TERMS}") == [
        f"Agreement 2026-1 with {CHAMBER}: 75% from 2026-01-01 to 2026-12-31."
    ]
    # 650.00 x 75% = 487.50; the rest 162.50.
    shared = [
        f"2026-Q1 {CHAMBER} $487.50 § 54-19(B)",
        "$650.00 x 75% (agreement 2026-1), any part of a cent up = $487.50",
        f"2026-Q1 {CHAMBER} (held) -$650.00 § 54-19(B)",
        "no longer so: taken back",
        "2026-Q1 General fund $162.50 § 54-19(B)",
        "$650.00 - $487.50 = $162.50",
        f"To be paid to {CHAMBER}: $487.50",
    ]
    assert told(home, f"distribute {BAYFIELD} --on 2026-05-05 --period 2026-Q1 --preview") == shared
    posted = told(home, f"distribute {BAYFIELD} --tax room_tax --on 2026-05-05 --period 2026-Q1")
    assert posted == [*shared, "Posted as distribution 2."]

    assert told(home, f"remittance show 1 {BAYFIELD}")[-1] == "To be paid $487.50"
    pay = f"remittance pay 1 {BAYFIELD} --paid-on 2026-05-06 --reference 4711 --on 2026-05-06"
    assert told(home, pay) == ["Remittance 1: 487.50 paid."]
    assert refused(home, pay) == ["RemittancePaid: remittance 1 was paid on 2026-05-06: look at its advice"]
    assert told(home, f"remittance show 1 {BAYFIELD}")[-1] == "paid on 2026-05-06 by check 4711"

    # Amended: 8,000.00 x 6.5% = 520.00; x 75% = 390.00, 97.50 less.
    desk.files(date(2026, 5, 7), "2026-Q1", 800_000)
    assert told(home, f"distribute {BAYFIELD} --on 2026-05-08")[0] == f"2026-Q1 {CHAMBER} -$97.50 § 54-19(B)"
    assert told(home, f"remittance show 2 {BAYFIELD}")[2:] == [
        "2026-Q1 taken back -$97.50 § 54-19(B) [BAY-19B2]",
        "$520.00 x 75% (agreement 2026-1), any part of a cent up = $390.00; so far $390.00",
        "To be paid $0.00",
    ]
    assert refused(home, f"remittance pay 2 {BAYFIELD} --paid-on 2026-05-09 --on 2026-05-09") == [
        "refused: number: remittance 2 has nothing to be paid: it was netted"
    ]


def test_an_agreement_is_listed_withdrawn_with_its_reason_and_recorded_anew(home: Path, desk: Desk) -> None:
    terms = TERMS.replace("2026-01-01", "2027-01-01").replace("2026-12-31", "2027-12-31").replace("75", "62.5")
    told(home, f"agreement add {BAYFIELD} --number 2027-1 {terms}")
    assert refused(home, f"agreement add {BAYFIELD} --number 2027-2 {terms}") == [
        "refused: first_day: 2027-01-01 to 2027-12-31 shares days with agreement 2027-1 (2027-01-01 to 2027-12-31) of "
        f"{CHAMBER}: let one end before the next begins"
    ]
    (listed,) = [line for line in told(home, f"agreement list {BAYFIELD}") if "2027-1" in line]
    identity, words = listed.split(" ", 1)
    assert words == f"2027-1: {CHAMBER}, 62.5%, 2027-01-01 to 2027-12-31"
    withdraw = f"agreement withdraw {identity} {BAYFIELD} --reason 'read wrongly' --on 2026-05-11"
    assert told(home, withdraw) == ["Withdrawn."]
    assert refused(home, withdraw) == ["AgreementUnknown: no agreement in force has this id: take it from the list"]
    told(home, f"agreement add {BAYFIELD} --number 2027-1 {terms}")
    again = [line.split(" ", 1)[1] for line in told(home, f"agreement list {BAYFIELD}") if "2027-1" in line]
    assert again == [f"{words}, withdrawn on 2026-05-11: read wrongly", words]


def test_what_cannot_be_shared_is_refused_by_name(home: Path, desk: Desk) -> None:
    assert refused(home, f"distribute {BAYFIELD} --on 2026-05-12 --tax window_tax") == [
        "refused: tax: 'window_tax' is no tax here: name one of room_tax"
    ]
    assert refused(home, f"distribute {BAYFIELD} --on 2026-05-12 --period 2026-Q2") == [
        "refused: periods: '2026-Q2' has no account, or has not ended by 2026-05-12: name a period that has"
    ]
    assert refused(home, f"remittance show 99 {BAYFIELD}") == [
        "RemittanceUnknown: no remittance here has the number 99"
    ]
    percent = fisc(home, f"agreement add {BAYFIELD} --number 1 {TERMS.replace('75', '175')}")
    assert (percent.returncode, "'175' is not between 0 and 100" in percent.stderr) == (2, True)
