"""Records acts on period accounts: judged by the law, kept in their order, and posted, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from core.contract.municipality import OpenMunicipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused
from core.domain.events import Event, ReturnFiled
from core.domain.money import dollars
from core.filing.accounts import find_accounts, lock_accounts
from core.filing.events import next_seq, record_events
from core.filing.records import PeriodAccount, Submission
from core.filing.returns import record_return
from core.services.accounts.load import LoadedAccount, dependants, load_accounts
from core.services.accounts.post import Posted, post_accounts
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that happened on an account. The event's `seq` and `recorded` are given to it when it is recorded.

    A return comes with its form as it was filled in.
    """

    account_id: UUID
    event: Event
    form: dict[str, Any] | None = None
    channel: str = "paper"


def record_acts(engine: Engine, tenant: Tenant, request: Request, acts: Sequence[Act], recorded: Recorded) -> Answer:
    """Record acts of one municipality in one transaction and post what they change. The same request acts once.

    Everything that stands against any of the acts is found in one pass. An amount that waits for a resolution does
    not keep the act from being recorded: `waiting` says for which. The answer holds amounts as texts in dollars.
    Raises Refused (fields "acts[n].name"), RequestKeyReused, AccountUnknown, TooBusy.
    """

    def work(uow: UnitOfWork) -> Answer:
        return remember(uow, request, lambda: _record(uow, tenant, acts, recorded))

    return in_transaction(engine, tenant.id, work)


def _record(uow: UnitOfWork, tenant: Tenant, acts: Sequence[Act], recorded: Recorded) -> Answer:
    municipality = open_tenant(uow, tenant.key)
    ids = {act.account_id for act in acts}
    touched = find_accounts(uow, ids)
    others = dependants(uow, municipality, touched.values())
    lock_accounts(uow, {*ids, *(other.id for other in others)})
    loaded = load_accounts(uow, municipality, ids)
    placed = _placed(loaded, acts, recorded)
    _judge(loaded, acts, placed)
    for act, event in zip(acts, placed, strict=True):
        _keep(uow, municipality, loaded[act.account_id].record, act, event, recorded)
    posted = post_accounts(uow, municipality, {*ids, *(other.id for other in others)}, recorded.on, recorded)
    return _answer(acts, placed, posted)


def _placed(loaded: dict[UUID, LoadedAccount], acts: Sequence[Act], recorded: Recorded) -> list[Event]:
    """The events with their seq and their day of recording."""
    seqs = {account_id: next_seq(account.events) for account_id, account in loaded.items()}
    placed: list[Event] = []
    for act in acts:
        seq = seqs[act.account_id]
        seqs[act.account_id] = seq + 1
        placed.append(act.event._replace(seq=seq, recorded=recorded.on))
    return placed


def _judge(loaded: dict[UUID, LoadedAccount], acts: Sequence[Act], placed: Sequence[Event]) -> None:
    """Raises Refused with everything that stands against the acts."""
    faults: list[Fault] = []
    numbers: dict[tuple[UUID, int], int] = {}
    for number, (act, event) in enumerate(zip(acts, placed, strict=True)):
        numbers[act.account_id, event.seq] = number
        if event.recorded < event.on:
            message = f"{event.on} has not come on {event.recorded}: an act is recorded on its day or later"
            faults.append(Fault(f"acts[{number}].on", message))
    for account_id, account in loaded.items():
        faults += _out_of_order(account, account_id, acts, placed)
        new = [event for act, event in zip(acts, placed, strict=True) if act.account_id == account_id]
        for fault in account.refusals(new):
            seq, _, name = fault.field.removeprefix("events[").partition("].")
            faults.append(Fault(f"acts[{numbers[account_id, int(seq)]}].{name}", fault.message))
    if faults:
        raise Refused(faults)


def _out_of_order(
    account: LoadedAccount, account_id: UUID, acts: Sequence[Act], placed: Sequence[Event]
) -> list[Fault]:
    """Acts recorded on a day before the last one's: what was known on an earlier day would change."""
    last = max((event.recorded for event in account.events), default=None)
    if last is None:
        return []
    return [
        Fault(
            f"acts[{number}].recorded",
            f"the last act was recorded on {last}: record this one then or later, and give its own day as `on`",
        )
        for number, (act, event) in enumerate(zip(acts, placed, strict=True))
        if act.account_id == account_id and event.recorded < last
    ]


def _keep(
    uow: UnitOfWork,
    municipality: OpenMunicipality,
    account: PeriodAccount,
    act: Act,
    event: Event,
    recorded: Recorded,
) -> None:
    if isinstance(event, ReturnFiled):
        declared = municipality.declared
        form = Submission(act.form or {}, act.channel, recorded.on, declared.key, declared.version)
        record_return(uow, account, event, form, recorded.by)
    else:
        record_events(uow, [(account.id, event)], recorded.by)


def _answer(acts: Sequence[Act], placed: Sequence[Event], posted: Sequence[Posted]) -> Answer:
    return {
        "acts": [{"account": str(act.account_id), "seq": event.seq} for act, event in zip(acts, placed, strict=True)],
        "accounts": [
            {
                "account": str(one.account_id),
                "balance": dollars(one.balance_cents) if one.balance_cents is not None else None,
                "entry": str(one.entry_id) if one.entry_id is not None else None,
                "waiting": one.waiting,
            }
            for one in posted
        ],
    }
