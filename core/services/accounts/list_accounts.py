"""Lists period accounts as of a day: when each is due, whether it is filed, what is owed and what is in credit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork, reading
from core.domain.account import Account, Basis
from core.domain.errors import ResolutionMissing, ValueNotInForce
from core.domain.fold import Statement
from core.filing.find_accounts import NamedAccount, Sought, accounts_page
from core.filing.records import AccountUnknown
from core.services.accounts.load import LoadedAccount, load_accounts
from core.services.accounts.post import credit
from core.services.accounts.within_reach import account_in_reach
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

__all__ = ["STATES", "AccountListed", "Sought", "list_accounts", "look_up_account"]

CHUNK = 200
# So many accounts are looked at for one page; one of a rare state may be short, and still says where it ended.
MOST_LOOKED_AT = 1_000


class AccountListed(NamedTuple):
    """An account as of a day, in cents. `due_on` is the day in the text, `met_by` where it falls on a business day.

    `file_by` is `met_by`, or later where the return is extended; `filed_on` the earliest day that a return counts
    for. Balance and credit are None where they wait for a resolution, and `waiting` says for which.
    """

    account: NamedAccount
    due_on: date
    met_by: date
    file_by: date
    filed_on: date | None
    basis: Basis
    balance_cents: int | None
    credit_cents: int | None
    waiting: str | None


STATES: dict[str, Callable[[AccountListed], bool]] = {
    "owing": lambda one: (one.balance_cents or 0) > 0,
    "credit": lambda one: (one.credit_cents or 0) > 0,
    "settled": lambda one: one.waiting is None and one.balance_cents == 0 and not one.credit_cents,
    "unfiled": lambda one: one.filed_on is None,
    "waiting": lambda one: one.waiting is not None,
}


class Listed(NamedTuple):
    """A page of accounts, and the last day and id of the last one looked at; None where the list ends."""

    accounts: tuple[AccountListed, ...]
    ended_at: tuple[date, UUID] | None


def list_accounts(
    engine: Engine,
    tenant: Tenant,
    sought: Sought,
    as_of: date,
    *,
    state: str | None,
    after: tuple[date, UUID] | None,
    most: int,
) -> Listed:
    """At most `most` of the accounts sought, by last day, as of a day and as known at its end.

    `state` is a word of STATES, None for all. `after` is what the page before ended at.
    """
    wanted = STATES[state] if state is not None else _any
    found: list[AccountListed] = []
    with reading(engine, tenant.id) as uow:
        municipality = open_tenant(uow, tenant.key, as_of)
        size = most if state is None else CHUNK
        for _ in range(0, MOST_LOOKED_AT, size):
            page = accounts_page(uow, sought, after, size + 1)
            for one in _as_of(uow, municipality, page[:size], as_of):
                after = (one.account.record.period.last_day, one.account.record.id)
                found += [one] if wanted(one) else []
                if len(found) == most:
                    return Listed(tuple(found), after if one.account is not page[-1] else None)
            if len(page) <= size:
                return Listed(tuple(found), None)
    return Listed(tuple(found), after)


def look_up_account(
    engine: Engine, tenant: Tenant, account: UUID, as_of: date, reach: frozenset[UUID] | None
) -> AccountListed:
    """One account as of a day. Raises AccountUnknown, also for one out of reach."""
    with reading(engine, tenant.id) as uow:
        record = account_in_reach(uow, account, reach)
        sought = Sought(frozenset({record.filer_id}), record.place_id, record.tax, record.period.key)
        named = accounts_page(uow, sought, None, 1)
        if not named:
            raise AccountUnknown(f"no period account here has the id {account}")
        return next(_as_of(uow, open_tenant(uow, tenant.key, as_of), named, as_of))


def _any(one: AccountListed) -> bool:
    return True


def _as_of(
    uow: UnitOfWork, municipality: OpenMunicipality, page: Sequence[NamedAccount], as_of: date
) -> Iterator[AccountListed]:
    loaded = load_accounts(uow, municipality, [one.record.id for one in page], as_of)
    for one in page:
        account = loaded[one.record.id]
        dates = municipality.deadlines(one.record.period)
        statement, waiting = _statement(account, as_of)
        now = statement.account if statement is not None else _facts(account)
        filed = min((event.on for event in now.returns), default=None)
        balance = statement.balance if statement is not None else None
        in_credit = credit(statement) if statement is not None else None
        yield AccountListed(
            one, dates.nominal, dates.effective, now.filing_date, filed, now.basis, balance, in_credit, waiting
        )


def _facts(account: LoadedAccount) -> Account:
    facts = account.municipality.open_account(account.record.tax, account.record.period)
    for event in account.events:
        facts = facts.with_event(event)
    return facts


def _statement(account: LoadedAccount, as_of: date) -> tuple[Statement | None, str | None]:
    try:
        return account.statement(as_of), None
    except (ResolutionMissing, ValueNotInForce) as error:
        return None, str(error)
