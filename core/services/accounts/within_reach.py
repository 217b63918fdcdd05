"""An account of the filers that whoever asks may look at; one of another filer's is as unknown as one there is not."""

from __future__ import annotations

from uuid import UUID

from core.db.unit_of_work import UnitOfWork
from core.filing.accounts import find_accounts
from core.filing.records import AccountUnknown, PeriodAccount

Reach = frozenset[UUID] | None


def account_in_reach(uow: UnitOfWork, account: UUID, reach: Reach) -> PeriodAccount:
    """The account with this id. `reach` are the filers whose accounts may be seen, None all. Raises AccountUnknown."""
    record = find_accounts(uow, [account])[account]
    if reach is not None and record.filer_id not in reach:
        raise AccountUnknown(f"no period account here has the id {account}")
    return record
