"""Record what happened on period accounts, and read it back as known on a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, func, select
from sqlalchemy.exc import IntegrityError

from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork, constraint_name
from core.db.uuid7 import uuid7
from core.domain.errors import FiscError
from core.domain.events import Event
from core.filing.event_codec import as_row, from_row
from core.filing.records import AccountUnknown, RecordedEvent
from core.filing.tables import events

_OF_ACCOUNTS = (
    select(events)
    .where(of_tenant(events), events.c.account_id == func.any(bindparam("ids", type_=ARRAY(Uuid))))
    .order_by(events.c.account_id, events.c.seq)
)
_KNOWN = _OF_ACCOUNTS.where(events.c.recorded_on <= bindparam("known_on"))


class EventOutOfOrder(FiscError):
    """Another event took this place on the account: the account was not locked before its events were read."""


class PaymentAlreadyVoid(FiscError):
    """The payment came back, or was struck out as an error, before."""


REFUSALS: dict[str | None, tuple[type[FiscError], str]] = {
    "pk_events": (EventOutOfOrder, "another event was recorded here meanwhile: lock the account, then read it"),
    "uq_events_tenant_id_account_id_voids_seq": (PaymentAlreadyVoid, "this payment is void already"),
    "fk_events_tenant_id_account_id": (AccountUnknown, "no period account here has this id"),
}


def next_seq(recorded: Iterable[Event]) -> int:
    """The seq that the next event of an account gets: one more than the last one's. The account is locked."""
    return max((event.seq for event in recorded), default=0) + 1


def record_events(uow: UnitOfWork, new: Iterable[tuple[UUID, Event]], recorded_by: str) -> tuple[RecordedEvent, ...]:
    """Add events to accounts that are locked, each with its account's id and its next seq.

    Whether the law allows them was asked before. Raises EventOutOfOrder, PaymentAlreadyVoid, AccountUnknown; nothing
    of the transaction is then left to commit.
    """
    made = tuple(RecordedEvent(uuid7(), account, event, recorded_by) for account, event in new)
    rows = [
        {"account_id": one.account_id, "id": one.id, "recorded_by": recorded_by, **as_row(one.event)} for one in made
    ]
    try:
        uow.insert(events, *rows)
    except IntegrityError as error:
        refusal = REFUSALS.get(constraint_name(error))
        if refusal is None:
            raise
        raise refusal[0](refusal[1]) from error
    return made


def events_of(
    uow: UnitOfWork, accounts: Iterable[UUID], known_on: date | None = None
) -> dict[UUID, tuple[RecordedEvent, ...]]:
    """The events of each account in the order of recording, in one statement for all accounts.

    Only those recorded by the end of `known_on` (None: all). An account without any has an empty tuple.
    """
    ids = list(accounts)
    rows = uow.rows(_OF_ACCOUNTS, ids=ids) if known_on is None else uow.rows(_KNOWN, ids=ids, known_on=known_on)
    found: dict[UUID, list[RecordedEvent]] = {account: [] for account in ids}
    for row in rows:
        found[row.account_id].append(RecordedEvent(row.id, row.account_id, from_row(row), row.recorded_by))
    return {account: tuple(listed) for account, listed in found.items()}


def facts(recorded: Sequence[RecordedEvent]) -> tuple[Event, ...]:
    """The bare events, as the fold takes them."""
    return tuple(one.event for one in recorded)
