"""A treasurer's desk in a town of the tests: money acts by period and day, each request with a key of its own."""

from __future__ import annotations

from datetime import date
from itertools import count
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request
from core.db.unit_of_work import reading
from core.ledger.read import trial_balance
from core.services.accounts.named import Named
from core.services.money.move_payment import move_payment
from core.services.money.pay import PaymentForm, pay
from core.services.money.refund import RefundForm, refund
from core.services.money.return_payment import return_payment
from core.services.money.void_payment import void_payment
from tests.support.towns import Town, a_return

NUMBERS = count(1)
CASH, CREDITS, REFUND_INTEREST = "11100", "21900", "51900"


def request(what: object, key: str = "") -> Request:
    """A request of the treasurer's, of its own unless a key is given."""
    return Request.of("treasurer", key or f"request {next(NUMBERS)}", repr(what).encode())


class Desk:
    """Acts on the accounts of a town, each recorded on its day. Amounts are in cents."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.engine: Engine = town.engine
        self.tenant = town.tenant

    def named(self, period: str) -> Named:
        """The account of the town's first place."""
        return Named(self.town.accounts[period].id)

    def files(self, on: date, period: str, receipts: int) -> Answer:
        """A return of room receipts."""
        filed = a_return(on, self.town.accounts[period], receipts)
        return self.town.act(on, (period, filed), key=f"return {next(NUMBERS)}")

    def pays(self, on: date, period: str, cents: int, paid_on: date | None = None, **how: Any) -> UUID:
        """A payment; its id."""
        form = PaymentForm(self.named(period), cents, paid_on=paid_on, **how)
        answer = pay(self.engine, self.tenant, request(form), [form], Recorded("treasurer", on))
        return UUID(answer["payments"][0]["id"])

    def comes_back(self, on: date, payment: UUID, reason: str = "not sufficient funds", **more: Any) -> Answer:
        """A payment comes back on a day, `came_back_on` or the day of recording."""
        day = more.pop("came_back_on", on)
        recorded = Recorded("treasurer", on)
        return return_payment(self.engine, self.tenant, request(payment), payment, day, reason, recorded, **more)

    def voids(self, on: date, payment: UUID, reason: str = "entered twice", **more: Any) -> Answer:
        """A payment was entered in error."""
        recorded = Recorded("treasurer", on)
        return void_payment(self.engine, self.tenant, request(payment), payment, reason, recorded, **more)

    def moves(self, on: date, payment: UUID, to: Named | str, reason: str = "meant for it", **more: Any) -> Answer:
        """A payment is moved to another period of the first place, or to a named account."""
        target = self.named(to) if isinstance(to, str) else to
        recorded = Recorded("treasurer", on)
        key = more.pop("key", "")
        return move_payment(
            self.engine, self.tenant, request((payment, to), key), payment, target, reason, recorded, **more
        )

    def refunds(self, on: date, period: str, cents: int | None = None, key: str = "", **more: Any) -> Answer:
        """A refund out of the credit of a period, the whole of it without `cents`."""
        reach = more.pop("reach", None)
        form = RefundForm(self.named(period), cents, **more)
        recorded = Recorded("treasurer", on)
        return refund(self.engine, self.tenant, request(form, key), form, recorded, reach=reach)

    def books(self) -> dict[tuple[str, str], int]:
        """What stands on each account of the ledger, by fund and number."""
        with reading(self.engine, self.tenant.id) as uow:
            return {(one.fund, one.number): one.cents for one in trial_balance(uow) if one.cents}

    def cash(self) -> int:
        """Cash of all funds."""
        return sum(cents for (_, number), cents in self.books().items() if number == CASH)


def on_account(answer: Answer, field: str = "balance") -> str:
    """The balance, or another field, of the one account of an answer."""
    (account,) = answer["accounts"]
    value: str = account[field]
    return value
