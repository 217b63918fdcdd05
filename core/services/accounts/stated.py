"""A period account as of a day: the statement, and what of it the books do not show yet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork, reading
from core.domain.errors import Fault, Refused
from core.domain.fold import Statement
from core.filing.assessments import last_assessments
from core.filing.records import PeriodAccount
from core.ledger.difference import difference
from core.ledger.read import posted_state
from core.services.accounts.assess import signed
from core.services.accounts.load import LoadedAccount, load_accounts
from core.services.accounts.post import credit
from core.services.accounts.state import desired_state
from core.services.accounts.within_reach import Reach, account_in_reach
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant


class NotPosted(NamedTuple):
    """`cents` of a kind of charge that have accrued and are to go from `credit` to `debit` with the next posting."""

    kind: str
    cents: int
    debit: str
    credit: str
    section: str


class Stated(NamedTuple):
    """The statement of an account, with the day as known on which it was made, the credit in cents, and what has
    accrued and is not in the books yet.
    """

    record: PeriodAccount
    municipality: OpenMunicipality
    statement: Statement
    known_on: date
    credit_cents: int
    not_posted: tuple[NotPosted, ...]


def state_account(
    engine: Engine, tenant: Tenant, account: UUID, as_of: date, known_on: date | None, reach: Reach = None
) -> Stated:
    """The statement of an account as of a day, as known at the end of a day (None: of `as_of`).

    Raises Refused (field "known_on"), AccountUnknown, also for one out of reach, ResolutionMissing, ValueNotInForce.
    """
    with reading(engine, tenant.id) as uow:
        return stated(uow, tenant, account, as_of, known_on, reach)


def stated(
    uow: UnitOfWork, tenant: Tenant, account: UUID, as_of: date, known_on: date | None, reach: Reach = None
) -> Stated:
    """The same in a transaction that is open."""
    known = known_on or as_of
    if known > as_of:
        message = f"{known} is after {as_of}: a statement as of a day knows only what was recorded by then"
        raise Refused([Fault("known_on", message)])
    account_in_reach(uow, account, reach)
    municipality = open_tenant(uow, tenant.key, known)
    loaded = load_accounts(uow, municipality, [account], known)[account]
    statement = loaded.statement(as_of)
    assessed = last_assessments(uow, [account]).get(account)
    # Of an earlier day the books show more than it knew.
    open_moves = assessed is None or assessed.as_of <= as_of
    moves = tuple(_not_posted(uow, loaded, statement)) if open_moves else ()
    return Stated(loaded.record, municipality, statement, known, credit(statement), moves)


def _not_posted(uow: UnitOfWork, account: LoadedAccount, statement: Statement) -> Iterator[NotPosted]:
    """What the books do not show yet, by kind; what they show and is no longer owed comes below zero."""
    municipality = account.municipality
    chart, version = municipality.chart(account.record.tax), municipality.declared.version
    owed = signed(desired_state(statement, chart, version).values())
    posted = posted_state(uow, [account.record.id])[account.record.id]
    for move in difference(posted, owed):
        _, first, second, kind, _, section = move.key.split("|")
        debit, credit_ = (first, second) if move.up else (second, first)
        yield NotPosted(kind, move.cents, debit, credit_, section)
