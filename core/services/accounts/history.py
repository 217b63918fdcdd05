"""What happened on an account: every event with who recorded it and when, returns and payments with their numbers,
and the entries that were posted for it; a return as it was filed.
"""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.db.unit_of_work import reading
from core.filing.event_codec import kind_of
from core.filing.events import events_of
from core.filing.payments_of import PaymentKept, payments_of_account
from core.filing.records import FiledReturn, PeriodAccount, RecordedEvent, ReturnUnknown
from core.filing.returns import return_as_filed, returns_of
from core.ledger.read import JournalEntry, journal_of
from core.services.accounts.within_reach import Reach, account_in_reach
from core.tenants.directory import Tenant

__all__ = ["FiledReturn", "Happened", "History", "JournalEntry", "entries_of", "filed_return", "history_of"]


class Happened(NamedTuple):
    """An event with the word of its kind; the return or the payment that it is, None where it is neither."""

    kind: str
    recorded: RecordedEvent
    filed: FiledReturn | None
    payment: PaymentKept | None


class History(NamedTuple):
    """An account and all that was recorded on it, in the order of recording."""

    record: PeriodAccount
    events: tuple[Happened, ...]


def history_of(engine: Engine, tenant: Tenant, account: UUID, reach: Reach) -> History:
    """All that was recorded on an account. Raises AccountUnknown, also for one out of reach."""
    with reading(engine, tenant.id) as uow:
        record = account_in_reach(uow, account, reach)
        filed = {one.event.seq: one for one in returns_of(uow, account)}
        paid = {one.event_seq: one for one in payments_of_account(uow, account)}
        events = tuple(
            Happened(kind_of(one.event), one, filed.get(one.event.seq), paid.get(one.event.seq))
            for one in events_of(uow, [account])[account]
        )
        return History(record, events)


def entries_of(engine: Engine, tenant: Tenant, account: UUID, reach: Reach) -> tuple[JournalEntry, ...]:
    """The entries posted for an account, in the order of recording. Raises AccountUnknown."""
    with reading(engine, tenant.id) as uow:
        account_in_reach(uow, account, reach)
        return journal_of(uow, account)


def filed_return(engine: Engine, tenant: Tenant, filed: UUID, reach: Reach) -> FiledReturn:
    """A return as it was filed, letter for letter. Raises ReturnUnknown, also for one out of reach."""
    with reading(engine, tenant.id) as uow:
        found = return_as_filed(uow, filed)
    if reach is not None and found.account.filer_id not in reach:
        raise ReturnUnknown("no return here has this id")
    return found
