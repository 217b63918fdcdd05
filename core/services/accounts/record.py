"""Records acts on period accounts: judged by the law, kept in their order, and posted, all or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
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
from core.filing.assessments import Assessment, last_assessments
from core.filing.events import next_seq, record_events
from core.filing.records import PeriodAccount, Submission
from core.filing.returns import record_return
from core.ledger.close import require_open
from core.services.accounts.load import LoadedAccount, dependants, load_accounts, sources
from core.services.accounts.post import Locked, Posted, post_accounts
from core.tenants.directory import Tenant, tenant_with_id
from core.tenants.open_tenant import open_tenant_pinned

CHANNELS = ("portal", "api", "paper", "import")
LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that happened on an account. The event's `seq` and `recorded` are given to it when it is recorded.

    A return comes with its form as it was filled in, the way it came (a word of CHANNELS) and the day it arrived
    (None: the day of recording); the event counts for the postmark.
    """

    account_id: UUID
    event: Event
    form: dict[str, Any] | None = None
    channel: str = "paper"
    received_on: date | None = None


def record_acts(engine: Engine, tenant: Tenant, request: Request, acts: Sequence[Act], recorded: Recorded) -> Answer:
    """Record acts of one municipality in one transaction and post what they change. The same request acts once.

    Everything that stands against any of the acts is found in one pass. An amount that waits for a resolution does
    not keep the act from being recorded: `waiting` says for which. The answer holds amounts as texts in dollars.
    Raises Refused (fields "acts[n].name"), RequestKeyReused, AccountUnknown, PeriodClosed, TooBusy.
    """
    if not 1 <= len(request.key) <= LONGEST_KEY:
        raise Refused(
            [Fault("key", f"a request's key has 1 to {LONGEST_KEY} letters: this one has {len(request.key)}")]
        )

    def work(uow: UnitOfWork) -> Answer:
        return remember(uow, request, lambda: _record(uow, tenant, acts, recorded))

    return in_transaction(engine, tenant.id, work)


def _record(uow: UnitOfWork, tenant: Tenant, acts: Sequence[Act], recorded: Recorded) -> Answer:
    _require_tenant_open(uow, recorded.on)
    require_open(uow, recorded.on)
    ids = {act.account_id for act in acts}
    locked = locked_accounts(uow, tenant.key, ids)
    loaded = load_accounts(uow, locked.municipality, ids)
    placed = _placed(loaded, acts, recorded)
    _judge(loaded, acts, placed, last_assessments(uow, ids))
    for act, event in zip(acts, placed, strict=True):
        _keep(uow, locked.municipality, loaded[act.account_id].record, act, event, recorded)
    posted = post_accounts(uow, locked, recorded.on, recorded)
    return _answer(acts, placed, posted)


def locked_accounts(uow: UnitOfWork, key: str, ids: Iterable[UUID]) -> Locked:
    """Locks accounts, those that look back to them and those that they look back to, and then reads the law.

    An account that another transaction opened while this one waited is found by looking again after the locks are
    held, until nothing new is found. Raises AccountUnknown.
    """
    wanted, held = set(ids), set[UUID]()
    while True:
        municipality, settings_seq = open_tenant_pinned(uow, key)
        records = find_accounts(uow, wanted).values()
        later = {one.id for one in dependants(uow, municipality, records)}
        read = {one.id for one in sources(uow, municipality, find_accounts(uow, wanted | later).values())}
        needed = wanted | later | read
        if needed <= held:
            return Locked(municipality, settings_seq, wanted, later - wanted)
        lock_accounts(uow, needed)
        held |= needed


def _require_tenant_open(uow: UnitOfWork, on: date) -> None:
    closed_on = tenant_with_id(uow.connection, uow.tenant).closed_on
    if closed_on is not None and on >= closed_on:
        raise Refused(
            [Fault("recorded", f"the municipality is closed here since {closed_on}: nothing more is recorded")]
        )


def _placed(loaded: dict[UUID, LoadedAccount], acts: Sequence[Act], recorded: Recorded) -> list[Event]:
    """The events with their seq and their day of recording."""
    seqs = {account_id: next_seq(account.events) for account_id, account in loaded.items()}
    placed: list[Event] = []
    for act in acts:
        seq = seqs[act.account_id]
        seqs[act.account_id] = seq + 1
        placed.append(act.event._replace(seq=seq, recorded=recorded.on))
    return placed


def _judge(
    loaded: dict[UUID, LoadedAccount],
    acts: Sequence[Act],
    placed: Sequence[Event],
    assessed: dict[UUID, Assessment],
) -> None:
    """Raises Refused with everything that stands against the acts."""
    faults: list[Fault] = []
    numbers: dict[tuple[UUID, int], int] = {}
    for number, (act, event) in enumerate(zip(acts, placed, strict=True)):
        numbers[act.account_id, event.seq] = number
        faults += _form_faults(number, act)
        if event.recorded < event.on:
            message = f"{event.on} has not come on {event.recorded}: an act is recorded on its day or later"
            faults.append(Fault(f"acts[{number}].on", message))
    for account_id, account in loaded.items():
        faults += _out_of_order(account, assessed.get(account_id), acts, placed)
        new = [event for act, event in zip(acts, placed, strict=True) if act.account_id == account_id]
        for fault in account.refusals(new):
            seq, _, name = fault.field.removeprefix("events[").partition("].")
            faults.append(Fault(f"acts[{numbers[account_id, int(seq)]}].{name}", fault.message))
    if faults:
        raise Refused(faults)


def _out_of_order(
    account: LoadedAccount, assessed: Assessment | None, acts: Sequence[Act], placed: Sequence[Event]
) -> list[Fault]:
    """Acts recorded on a day before the last one's, or before a posting: what was known then would change."""
    last = max(account.last_recorded, assessed.as_of if assessed is not None else date.min)
    return [
        Fault(
            f"acts[{number}].recorded",
            f"the account was last written to on {last}: record this then or later, and give its own day as `on`",
        )
        for number, (act, event) in enumerate(zip(acts, placed, strict=True))
        if act.account_id == account.record.id and event.recorded < last
    ]


def _form_faults(number: int, act: Act) -> list[Fault]:
    """What is missing of a return's form."""
    if not isinstance(act.event, ReturnFiled):
        return []
    faults = []
    if act.form is None:
        faults.append(Fault(f"acts[{number}].form", "a return comes with its form as it was filled in: give it"))
    if act.channel not in CHANNELS:
        message = f"{act.channel!r} is no way in which a return comes: use {', '.join(CHANNELS)}"
        faults.append(Fault(f"acts[{number}].channel", message))
    return faults


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
        form = Submission(act.form or {}, act.channel, act.received_on or recorded.on, declared.key, declared.version)
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
