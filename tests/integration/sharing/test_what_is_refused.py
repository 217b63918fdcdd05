"""What an agreement, a distribution and a remittance refuse, and what they warn of."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from uuid import UUID

import pytest
from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Request
from core.db.unit_of_work import in_transaction
from core.domain.errors import Refused
from core.domain.shares import Agreement
from core.ledger.distributions import DistributionUnknown, RemittanceUnknown
from core.ledger.errors import PeriodClosed
from core.services.accounts.errors import TenantNotOpen
from core.services.books.check import close_books
from core.services.sharing import remittances
from core.services.sharing.agreements import add_agreement, list_agreements, take_back_agreement
from core.services.sharing.remittances import pay_remittance
from core.services.sharing.share_out import preview
from core.tenants.agreements import AgreementUnknown, record_agreement
from core.tenants.open_tenant import open_tenant
from tests.support.money import Desk
from tests.support.sharing import CHAMBER, OWN, agree, made, remit, remittance, share_out, shared_now
from tests.support.tenants import new_tenant
from tests.support.towns import Town, open_town, set_fee

pytestmark = pytest.mark.database

TREASURER = Recorded("treasurer", date(2026, 5, 4))
IN_TIME, SHARED = date(2026, 4, 20), date(2026, 5, 4)
YEAR = (date(2026, 1, 1), date(2026, 12, 31))


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    """10,000.00 x 6.5% = 650.00 of 2026-Q1, filed and paid in time."""
    town = open_town(app, host, "bay", "bayfield")
    desk = Desk(town)
    desk.files(IN_TIME, "2026-Q1", 1_000_000)
    desk.pays(IN_TIME, "2026-Q1", 65_000)
    return town


def fields(refused: pytest.ExceptionInfo[Refused]) -> list[str]:
    return [fault.field for fault in refused.value.faults]


def add(town: Town, terms: Agreement) -> None:
    add_agreement(town.engine, town.tenant, Request.of("t", repr(terms), b""), terms, TREASURER)


def withdraw(town: Town, agreement: str, reason: str) -> None:
    request = Request.of("t", f"withdraw {agreement} {reason}", b"")
    take_back_agreement(town.engine, town.tenant, request, UUID(agreement), reason, TREASURER)


def test_every_fault_of_an_agreement_is_told_at_once(bay: Town) -> None:
    agree(bay, *YEAR)
    with pytest.raises(Refused) as refused:
        add(bay, Agreement(" ", CHAMBER, Decimal("1.01"), date(2026, 6, 1), date(2027, 6, 1)))
    assert fields(refused) == ["number", "share", "last_day", "first_day"]
    with pytest.raises(Refused) as refused:
        add(bay, Agreement("", "The tailor", Decimal("-0.01"), date(2028, 1, 1), date(2028, 12, 31)))
    assert fields(refused) == ["number", "share", "payee"]
    assert f"name {CHAMBER}" in str(refused.value)


def test_a_share_with_more_decimals_than_can_be_kept_is_refused_and_not_rounded(bay: Town) -> None:
    with pytest.raises(Refused) as refused:
        add(bay, Agreement("2026-1", CHAMBER, Decimal(2) / 3, *YEAR))
    assert fields(refused) == ["share"]
    add(bay, Agreement("2026-1", CHAMBER, Decimal("0.666666666667"), *YEAR))
    assert [one.terms.share for one in list_agreements(bay.engine, bay.tenant)] == [Decimal("0.666666666667")]


def test_an_agreement_ends_after_it_begins(bay: Town) -> None:
    with pytest.raises(Refused) as refused:
        add(bay, Agreement("2026-1", CHAMBER, Decimal("0.5"), date(2026, 2, 1), date(2026, 1, 31)))
    assert fields(refused) == ["last_day"]


def test_an_agreement_of_one_day_and_one_of_a_leap_year_to_its_last_day_are_allowed(bay: Town) -> None:
    agree(bay, date(2026, 1, 1), date(2026, 1, 1))
    agree(bay, date(2027, 3, 1), date(2028, 2, 29))
    with pytest.raises(Refused, match="at most 12 months"):
        agree(bay, date(2028, 3, 1), date(2029, 3, 1))


def test_the_database_refuses_two_that_share_a_day_with_the_same_message(bay: Town) -> None:
    agree(bay, *YEAR)
    terms = Agreement("2026-2", CHAMBER, Decimal("0.5"), date(2026, 12, 31), date(2027, 6, 30))

    def past_the_friendly_check(uow):
        (asked,) = open_tenant(uow, bay.tenant.key).agreement_terms(terms.first_day)
        record_agreement(uow, terms, asked.longest_months, asked.clause, TREASURER)

    with pytest.raises(Refused, match="shares days with another of Bayfield Chamber") as refused:
        in_transaction(bay.engine, bay.tenant.id, past_the_friendly_check)
    assert fields(refused) == ["first_day"]


def test_one_that_was_withdrawn_makes_room_for_another(bay: Town) -> None:
    wrong = agree(bay, *YEAR, "0.57")
    withdraw(bay, wrong, "digits in the wrong order")
    agree(bay, *YEAR, "0.75")
    assert shared_now(bay, SHARED)["2026-Q1", CHAMBER, False] == 48_750
    with pytest.raises(AgreementUnknown):
        withdraw(bay, wrong, "once more")


def test_an_agreement_that_gives_the_payee_nothing_is_used_all_the_same_and_not_withdrawn(bay: Town) -> None:
    used = agree(bay, *YEAR, "0")
    assert shared_now(bay, SHARED) == {("2026-Q1", OWN, False): 65_000}
    assert [str(line.agreement_id) for line in made(bay, 1).lines] == [used]
    with pytest.raises(Refused) as refused:
        withdraw(bay, used, " ")
    assert fields(refused) == ["reason", "agreement"]


def test_a_distribution_names_every_period_that_it_cannot_share(bay: Town) -> None:
    with pytest.raises(Refused) as refused:
        share_out(bay, SHARED, "2026-Q1", "2026-Q2", "2031-Q9")
    assert [fault.message.split()[0] for fault in refused.value.faults] == ["'2026-Q2'", "'2031-Q9'"]


def test_a_period_is_shared_from_the_day_after_its_last_and_not_before(bay: Town) -> None:
    assert share_out(bay, date(2026, 4, 20))["number"] == 1
    desk = Desk(bay)
    desk.pays(date(2026, 6, 30), "2026-Q1", 1)
    with pytest.raises(Refused):
        share_out(bay, date(2026, 6, 30), "2026-Q2")
    assert share_out(bay, date(2026, 7, 1), "2026-Q2")["number"] is None


def test_a_tax_that_is_not_levied_here_is_refused(bay: Town) -> None:
    with pytest.raises(Refused) as refused:
        preview(bay.engine, bay.tenant, "window_tax", None, TREASURER)
    assert fields(refused) == ["tax"]


def test_nothing_is_shared_before_the_municipality_is_open(app: Engine, host: Engine) -> None:
    town = Town(app, new_tenant(host, "mon", "montello"), {})
    with pytest.raises(TenantNotOpen):
        share_out(town, SHARED)


def test_nothing_is_shared_or_paid_into_books_that_are_closed(bay: Town) -> None:
    share_out(bay, SHARED)
    agree(bay, *YEAR)
    share_out(bay, SHARED)
    close_books(bay.engine, bay.tenant, SHARED, "audit", Recorded("treasurer", date(2026, 5, 5)))
    with pytest.raises(PeriodClosed):
        share_out(bay, SHARED)
    with pytest.raises(PeriodClosed):
        remit(bay, SHARED, 1)


def test_what_waits_for_a_resolution_is_told_and_shared_once_it_is_recorded(app: Engine, host: Engine) -> None:
    bay = open_town(app, host, "bay", "bayfield", resolutions=())
    agree(bay, *YEAR)
    desk = Desk(bay)
    # Late, so that the fee is due which no resolution has set: the payment is recorded and not in the books.
    desk.files(SHARED, "2026-Q1", 1_000_000)
    desk.pays(SHARED, "2026-Q1", 70_000)
    answer = share_out(bay, SHARED)
    assert answer["number"] is None
    (warning,) = answer["warnings"]  # and none for the periods in which nothing is recorded
    assert warning.startswith("2026-Q1: 1 account waits, so what was last paid there is not shared yet: The late ")
    set_fee(bay, "late_filing_fee", 2_500)
    # Of 700.00, 25.00 pay the fee; April 30 to May 4 = 4 days: 650.00 x 10% x 4/365 = 0.712 = 0.71; 650.00 the tax.
    assert shared_now(bay, SHARED) == {("2026-Q1", CHAMBER, False): 48_750, ("2026-Q1", OWN, False): 16_250}


def test_what_is_held_is_told_each_time_and_what_the_city_keeps_only_when_it_moves(bay: Town) -> None:
    assert "record the yearly agreement" in share_out(bay, SHARED)["warnings"][0]
    assert "record the yearly agreement" in share_out(bay, SHARED)["warnings"][0]
    agree(bay, *YEAR, "0.60")
    first, again = share_out(bay, SHARED)["warnings"], share_out(bay, SHARED)["warnings"]
    assert [warning.split(":")[0] for warning in first] == ["2026-Q1"]
    assert "keeps 40%" in first[0]
    assert again == []


def test_a_remittance_is_refused_with_every_fault_at_once(bay: Town) -> None:
    agree(bay, *YEAR)
    share_out(bay, SHARED)

    def pay(number: int, paid_on: date, method: str) -> None:
        request = Request.of("t", f"{number} {paid_on} {method}", b"")
        pay_remittance(bay.engine, bay.tenant, request, number, paid_on, method, "", TREASURER)

    with pytest.raises(Refused) as refused:
        pay(1, date(2026, 5, 3), "barter")
    assert fields(refused) == ["method", "paid_on"]
    assert "is before remittance 1 was made, on 2026-05-04" in str(refused.value)
    with pytest.raises(Refused, match="2026-05-05 has not come on 2026-05-04"):
        pay(1, date(2026, 5, 5), "check")
    with pytest.raises(RemittanceUnknown):
        pay(2, SHARED, "check")


def test_a_remittance_that_was_netted_to_nothing_is_not_paid(bay: Town) -> None:
    agree(bay, *YEAR)
    share_out(bay, SHARED)
    Desk(bay).files(date(2026, 5, 5), "2026-Q1", 500_000)
    share_out(bay, date(2026, 5, 6))
    assert remittance(bay, 2).payable_cents == 0
    with pytest.raises(Refused, match="was netted"):
        remit(bay, date(2026, 5, 6), 2)


def test_a_distribution_is_found_by_its_number(bay: Town) -> None:
    share_out(bay, SHARED)
    assert remittances.distribution(bay.engine, bay.tenant, 1) == made(bay, 1)
    with pytest.raises(DistributionUnknown):
        remittances.distribution(bay.engine, bay.tenant, 2)
