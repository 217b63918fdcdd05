"""Accounts whose last act is not in the books: which they are, for which act they wait, and posting them."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.errors import ResolutionMissing, ValueNotInForce
from core.filing.accounts import find_accounts, lock_accounts
from core.filing.assessments import accounts_not_assessed
from core.services.accounts.load import dependants, load_accounts
from core.services.accounts.post import Posted, post_accounts
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant


def waiting(engine: Engine, tenant: Tenant) -> dict[UUID, str]:
    """The accounts whose last act is not posted, each with a message that names the act it waits for.

    An account that could be posted now, since the resolution has been recorded, says so.
    """
    with reading(engine, tenant.id) as uow:
        ids = accounts_not_assessed(uow)
        found = {}
        for account_id, account in load_accounts(uow, open_tenant(uow, tenant.key), ids).items():
            try:
                account.statement(max(event.recorded for event in account.events))
                found[account_id] = "nothing is missing any more: post it"
            except (ResolutionMissing, ValueNotInForce) as error:
                found[account_id] = str(error)
        return found


def post_again(engine: Engine, tenant: Tenant, ids: Iterable[UUID], recorded: Recorded) -> tuple[Posted, ...]:
    """Post what these accounts, and those that look back to them, owe as of the day of recording.

    For accounts that waited, and for what has accrued since. Doing it twice moves nothing. Raises AccountUnknown,
    PeriodClosed.
    """
    wanted = set(ids)

    def work(uow: UnitOfWork) -> tuple[Posted, ...]:
        municipality = open_tenant(uow, tenant.key)
        others = dependants(uow, municipality, find_accounts(uow, wanted).values())
        locked = lock_accounts(uow, {*wanted, *(other.id for other in others)})
        return post_accounts(uow, municipality, locked, recorded.on, recorded)

    return in_transaction(engine, tenant.id, work)
