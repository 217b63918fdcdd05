"""Sharing out in a town of the tests: distributions, agreements and remittances, each request with a key of its own."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import count

from core.db.recorded import Recorded
from core.db.remember import Answer, Request
from core.domain.shares import Agreement
from core.ledger.distributions import Distributed, Remittance
from core.services.sharing.agreements import add_agreement
from core.services.sharing.remittances import distributions, pay_remittance
from core.services.sharing.share_out import distribute
from tests.support.towns import Town

CHAMBER = "Bayfield Chamber of Commerce"
COMMISSION = "Commission of the zone"
BUREAU = "Fox Cities Convention and Tourist Bureau"
OWN = "General fund"
NUMBERS = count(1)

Shared = dict[tuple[str, str, bool], int]


def share_out(town: Town, on: date, *periods: str) -> Answer:
    """Shares out the room tax on a day, without periods every one that has ended."""
    request = Request.of("treasurer", f"share out {next(NUMBERS)}", b"")
    return distribute(town.engine, town.tenant, request, "room_tax", periods or None, Recorded("treasurer", on))


def shared_now(town: Town, on: date, *periods: str) -> Shared:
    """Shares out on a day; what that gave in cents, by period, payee and held."""
    number = share_out(town, on, *periods)["number"]
    lines = made(town, number).lines if number is not None else ()
    return {(line.period, line.payee, line.held): line.now_cents for line in lines}


def made(town: Town, number: int) -> Distributed:
    """The distribution with this number."""
    return distributions(town.engine, town.tenant)[number - 1]


def remittance(town: Town, number: int) -> Remittance:
    """The one remittance of the distribution with this number."""
    (one,) = made(town, number).remittances
    return one


def remit(town: Town, on: date, number: int) -> Answer:
    """Pays the remittance with this number on a day."""
    request = Request.of("treasurer", f"remit {next(NUMBERS)}", b"")
    recorded = Recorded("treasurer", on)
    return pay_remittance(town.engine, town.tenant, request, number, on, "check", "4711", recorded)


def agree(town: Town, first: date, last: date, share: str = "0.75", on: date = date(2026, 1, 2)) -> str:
    """An agreement with the first payee that the law asks one for; its id."""
    terms = Agreement(f"A-{next(NUMBERS)}", CHAMBER, Decimal(share), first, last)
    request = Request.of("treasurer", f"agree {next(NUMBERS)}", b"")
    return str(add_agreement(town.engine, town.tenant, request, terms, Recorded("treasurer", on))["id"])
