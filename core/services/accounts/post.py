"""Posts period accounts: one entry for the difference between what is owed and what is in the books."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple
from uuid import UUID

from core.contract.declarations import Chart, LedgerAccount
from core.contract.municipality import OpenMunicipality
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.domain.charge import TAX
from core.domain.fold import Statement
from core.ledger.accounts import open_accounts
from core.services.accounts.assess import Assessed, assess
from core.services.accounts.keep import keep
from core.services.accounts.look import Looked, look


class Posted(NamedTuple):
    """What became of an account: its balance and its credit in cents and the entry, or the act for which it waits.

    `entry_id` is None where nothing had to move. `waiting` is a message for the treasurer, None where it is posted.
    """

    account_id: UUID
    balance_cents: int | None
    credit_cents: int | None
    entry_id: UUID | None
    waiting: str | None


def open_books(uow: UnitOfWork, municipality: OpenMunicipality) -> None:
    """Enter the funds and accounts of every tax of a municipality in the chart; what is there stays."""
    for tax in municipality.taxes:
        chart = municipality.chart(tax)
        open_accounts(uow, chart.funds, _accounts(chart))


def post_accounts(uow: UnitOfWork, ids: Iterable[UUID], as_of: date, recorded: Recorded) -> tuple[Posted, ...]:
    """Lock these accounts and post what they, and those that look back to them, owe as of a day.

    Posting the same state twice moves nothing. What lacks a resolution is left as it is and says which act it waits
    for. Raises AccountUnknown, and PeriodClosed where the books of the day of recording are closed.
    """
    return post_looked(uow, look(uow, ids), as_of, recorded)


def post_looked(uow: UnitOfWork, looked: Looked, as_of: date, recorded: Recorded) -> tuple[Posted, ...]:
    """The same for accounts that were locked and looked at in this transaction. Raises PeriodClosed."""
    looked.require_books_open(recorded.on)
    assessed = assess(looked, as_of, recorded)
    if not assessed.assessments:
        return posted(assessed, {})
    return posted(assessed, keep(uow, (), (), assessed, looked.municipality.declared, recorded).entry_ids)


def posted(assessed: Assessed, entry_ids: dict[UUID, UUID]) -> tuple[Posted, ...]:
    """What became of each account that was assessed, in the order of their ids."""
    made = [
        Posted(account_id, statement.balance, credit(statement), entry_ids.get(account_id), None)
        for account_id, statement in assessed.statements.items()
    ]
    made += [Posted(account_id, None, None, None, message) for account_id, message in assessed.waiting.items()]
    return tuple(sorted(made, key=lambda one: one.account_id))


def credit(statement: Statement) -> int:
    """What is paid and not owed, in cents. Money held before anything is filed is no credit yet (READINGS 21)."""
    if statement.basis == "none":
        return 0
    return max(0, statement.applied.get(TAX, 0) - statement.charges[TAX])


def _accounts(chart: Chart) -> Iterator[LedgerAccount]:
    yield from chart.cash.values()
    yield from chart.receivable.values()
    yield from chart.revenue.values()
    yield from chart.payable.values()
    yield from chart.transfers_in.values()
    yield from (chart.credits, chart.refund_interest, chart.distributed, chart.held)
