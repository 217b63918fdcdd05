"""Records acts on period accounts: judged by the law, kept in their order, and posted, all or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused
from core.domain.events import Event
from core.domain.money import dollars
from core.services.accounts.act import CHANNELS, METHODS, Act, PaymentDetails
from core.services.accounts.assess import assess
from core.services.accounts.judge import judge, placed
from core.services.accounts.keep import Kept, keep
from core.services.accounts.look import Looked, look
from core.services.accounts.post import Posted, posted
from core.tenants.directory import Tenant

__all__ = [
    "CHANNELS",
    "METHODS",
    "Act",
    "PaymentDetails",
    "Recording",
    "by_account",
    "look",
    "record_acts",
    "record_in",
    "record_looked",
    "require_key",
]

LONGEST_KEY = 200


class Recording(NamedTuple):
    """Acts that are recorded: their events, what was kept, and what became of each account."""

    acts: tuple[Act, ...]
    events: tuple[Event, ...]
    kept: Kept
    accounts: tuple[Posted, ...]

    @property
    def answer(self) -> Answer:
        """In plain JSON, amounts as texts in dollars."""
        return {
            "acts": [
                _act(act, event, numbered)
                for act, event, numbered in zip(self.acts, self.events, self.kept.numbered, strict=True)
            ],
            "accounts": [_account(one) for one in self.accounts],
        }


def record_acts(engine: Engine, tenant: Tenant, request: Request, acts: Sequence[Act], recorded: Recorded) -> Answer:
    """Record acts of one municipality in one transaction and post what they change. The same request acts once.

    Everything that stands against any of the acts is found in one pass. An amount that waits for a resolution does
    not keep the act from being recorded: `waiting` says for which. The answer holds amounts as texts in dollars.
    Raises Refused (fields "acts[n].name"), TenantNotOpen, TenantClosed, RequestKeyReused, AccountUnknown,
    PeriodClosed, TooBusy.
    """
    require_key(request)

    def work(uow: UnitOfWork) -> Answer:
        return remember(uow, request, lambda: record_in(uow, acts, recorded).answer)

    return in_transaction(engine, tenant.id, work)


def record_in(uow: UnitOfWork, acts: Sequence[Act], recorded: Recorded) -> Recording:
    """Record acts in a transaction that goes on. Raises what record_acts raises."""
    return record_looked(uow, look(uow, {act.account_id for act in acts}), acts, recorded)


def record_looked(uow: UnitOfWork, looked: Looked, acts: Sequence[Act], recorded: Recorded) -> Recording:
    """Record acts on accounts that were locked and looked at in this transaction, once in it."""
    looked.require_tenant_open(recorded.on)
    looked.require_books_open(recorded.on)
    events = placed(looked, acts, recorded.on)
    judge(looked, acts, events)
    after = looked.with_events(by_account(acts, events))
    assessed = assess(after, recorded.on, recorded)
    kept = keep(uow, acts, events, assessed, looked.municipality.declared, recorded)
    return Recording(tuple(acts), tuple(events), kept, posted(assessed, kept.entry_ids))


def require_key(request: Request) -> None:
    """A request's key can be kept. Raises Refused."""
    if not 1 <= len(request.key) <= LONGEST_KEY:
        message = f"a request's key has 1 to {LONGEST_KEY} letters: this one has {len(request.key)}"
        raise Refused([Fault("key", message)])


def by_account(acts: Iterable[Act], events: Iterable[Event]) -> dict[UUID, list[Event]]:
    """The events of acts by the account that each is on."""
    found: dict[UUID, list[Event]] = {}
    for act, event in zip(acts, events, strict=True):
        found.setdefault(act.account_id, []).append(event)
    return found


def _act(act: Act, event: Event, numbered: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"account": str(act.account_id), "seq": event.seq}
    if numbered is not None:
        told |= {"id": str(numbered.id), "number": numbered.number}
    return told


def _account(one: Posted) -> dict[str, Any]:
    return {
        "account": str(one.account_id),
        "balance": dollars(one.balance_cents) if one.balance_cents is not None else None,
        "credit": dollars(one.credit_cents) if one.credit_cents is not None else None,
        "entry": str(one.entry_id) if one.entry_id is not None else None,
        "waiting": one.waiting,
    }
