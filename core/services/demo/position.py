"""Where a municipality stands on a day, in pooled sums: no filer and no place of business is named or can be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.contract.declarations import Chart, LedgerAccount
from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork, reading
from core.domain.calendar import Period
from core.domain.charge import TAX
from core.filing.filings import Filing, Registered, filings, registered
from core.ledger.heads import HeadsFile
from core.ledger.read import Balance, movements, posted_state, transfer_key, trial_balance
from core.ledger.verify import verify
from core.services.accounts.waiting import waiting
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

Balances = dict[tuple[str, str], Balance]


@dataclass(frozen=True, slots=True)
class PeriodPosition:
    """One tax and period: how many returns are owed and what became of them, and the tax in cents.

    `in_time` were filed by the due date, `later` after it; `estimated` have an estimate and no return, `missing`
    neither though the due date is past, `awaited` neither while it is not.
    """

    tax_title: str
    period: Period
    due_on: date
    owed: int
    in_time: int
    later: int
    estimated: int
    missing: int
    awaited: int
    assessed_cents: int
    collected_cents: int

    @property
    def outstanding_cents(self) -> int:
        """Tax assessed and not collected."""
        return self.assessed_cents - self.collected_cents


@dataclass(frozen=True, slots=True)
class PayeePosition:
    """A payee of the tax: its share so far, what of it was paid and what is still to be paid, in cents.

    Below zero `to_pay_cents` is to be made good by the payee. A share of the municipality's own is paid at once.
    """

    payee: str
    shared_cents: int
    paid_cents: int

    @property
    def to_pay_cents(self) -> int:
        """The share that is not paid yet."""
        return self.shared_cents - self.paid_cents


@dataclass(frozen=True, slots=True)
class Sums:
    """Charged and collected, in cents; what is charged and not collected is outstanding."""

    charged_cents: int
    collected_cents: int

    @property
    def outstanding_cents(self) -> int:
        """Charged and not collected."""
        return self.charged_cents - self.collected_cents


@dataclass(frozen=True, slots=True)
class Books:
    """The state of the books: entries sealed, entries not sealed yet, and whether a proof found them whole."""

    sealed: int
    unsealed: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Position:
    """Where a municipality stands. `waiting` are (for what, how many accounts); amounts are in cents."""

    key: str
    name: str
    as_of: date
    registered: Registered
    periods: tuple[PeriodPosition, ...]
    tax: Sums
    other: Sums
    credits_cents: int
    held_cents: int
    payees: tuple[PayeePosition, ...]
    waiting: tuple[tuple[str, int], ...]
    books: Books


def position(engine: Engine, tenant: Tenant, as_of: date, heads: HeadsFile | None) -> Position:
    """Where a municipality stands on a day. The books are proved anew, with the file of heads where there is one."""
    with reading(engine, tenant.id) as uow:
        municipality = open_tenant(uow, tenant.key)
        listed = filings(uow)
        posted = posted_state(uow, [one.account_id for one in listed])
        balances = {(one.fund, one.number): one for one in trial_balance(uow)}
        counted = registered(uow, as_of)
        charts = {tax: municipality.chart(tax) for tax in municipality.taxes}
        payees = tuple(_payees(uow, charts.values(), balances))
        proved = verify(uow, heads)
    waits = Counter(waiting(engine, tenant, as_of).values())
    return Position(
        tenant.key,
        tenant.name,
        as_of,
        counted,
        tuple(_periods(municipality, charts, listed, posted, as_of)),
        _sums(charts.values(), balances, tax=True),
        _sums(charts.values(), balances, tax=False),
        sum(-_cents(balances, account) for account in {chart.credits for chart in charts.values()}),
        sum(-_cents(balances, account) for account in {chart.held for chart in charts.values()}),
        payees,
        tuple(sorted(waits.items())),
        Books(proved.sealed, proved.tail.count, not proved.broken),
    )


def _periods(
    municipality: OpenMunicipality,
    charts: dict[str, Chart],
    listed: Iterable[Filing],
    posted: dict[UUID, dict[str, int]],
    as_of: date,
) -> Iterator[PeriodPosition]:
    groups: dict[tuple[str, Period], list[Filing]] = {}
    for one in listed:
        groups.setdefault((one.tax, one.period), []).append(one)
    for (tax, period), members in groups.items():
        due = municipality.deadlines(period).effective
        returned = [one for one in members if one.returns]
        in_time = sum(1 for one in returned if one.first_return_on is not None and one.first_return_on <= due)
        estimated = sum(1 for one in members if one.estimates and not one.returns)
        silent = len(members) - len(returned) - estimated
        chart = charts[tax]
        receivable, revenue = chart.receivable[TAX], chart.revenue[TAX]
        cash = chart.cash[receivable.fund]
        states = [posted[one.account_id] for one in members]
        yield PeriodPosition(
            municipality.taxes[tax].title,
            period,
            due,
            len(members),
            in_time,
            len(returned) - in_time,
            estimated,
            silent if as_of > due else 0,
            0 if as_of > due else silent,
            sum(_moved(state, receivable, revenue) for state in states),
            sum(_moved(state, cash, receivable) for state in states),
        )


def _moved(state: dict[str, int], debit: LedgerAccount, credit: LedgerAccount) -> int:
    """What stands between two accounts for one period account, in cents, whatever clause it cites."""
    key, sign = transfer_key(debit.fund, debit.number, credit.number, "", "", "")
    pair = key.split("|")[:3]
    return sign * sum(cents for name, cents in state.items() if name.split("|")[:3] == pair)


def _sums(charts: Iterable[Chart], balances: Balances, *, tax: bool) -> Sums:
    """Of tax, or of everything else that is charged: the revenue, and what of it the receivables no longer show."""
    receivables, revenues = set(), set()
    for chart in charts:
        kinds = [kind for kind in chart.receivable if (kind == TAX) == tax]
        receivables |= {chart.receivable[kind] for kind in kinds}
        revenues |= {chart.revenue[kind] for kind in kinds}
    charged = sum(-_cents(balances, account) for account in revenues)
    return Sums(charged, charged - sum(_cents(balances, account) for account in receivables))


def _payees(uow: UnitOfWork, charts: Iterable[Chart], balances: Balances) -> Iterator[PayeePosition]:
    for chart in charts:
        for payee, account in chart.payable.items():
            moved = movements(uow, account.fund, account.number)
            # A share given back is booked the other way round: it lowers the share and is no payment.
            shared = -sum(one.cents for one in moved if one.other == chart.distributed.number)
            paid = sum(one.cents for one in moved if one.other == chart.cash[account.fund].number)
            yield PayeePosition(payee, shared, paid)
        for payee, account in chart.transfers_in.items():
            kept = -_cents(balances, account)
            yield PayeePosition(payee, kept, kept)


def _cents(balances: Balances, account: LedgerAccount) -> int:
    return balances[account.fund, account.number].cents
