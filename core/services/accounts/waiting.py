"""Accounts whose last act is not in the books: which they are, for which act they wait, and posting them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.errors import ResolutionMissing, ValueNotInForce
from core.filing.assessments import accounts_not_assessed, accounts_written_to
from core.services.accounts.load import load_accounts
from core.services.accounts.post import Posted, post_accounts
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant


def waiting(engine: Engine, tenant: Tenant, on: date) -> dict[UUID, str]:
    """The accounts that could not be posted as of a day, each with a message that names the act it waits for.

    Among them are those whose charge arose by the passing of days. An account whose last act is not posted though
    nothing is missing any more, since the resolution has been recorded, says so.
    """
    with reading(engine, tenant.id) as uow:
        behind = accounts_not_assessed(uow)
        found = {}
        for account_id, account in load_accounts(uow, open_tenant(uow, tenant.key), accounts_written_to(uow)).items():
            try:
                account.statement(max(on, account.last_recorded))
                if account_id in behind:
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
        return post_accounts(uow, wanted, recorded.on, recorded)

    return in_transaction(engine, tenant.id, work)
