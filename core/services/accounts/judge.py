"""Everything that stands against acts, found in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from uuid import UUID

from core.domain.errors import Fault, Refused
from core.domain.events import Event, Payment, ReturnFiled
from core.filing.assessments import Assessment
from core.filing.events import next_seq
from core.services.accounts.act import CHANNELS, LONGEST_REFERENCE, METHODS, Act
from core.services.accounts.load import LoadedAccount
from core.services.accounts.look import Looked


def placed(looked: Looked, acts: Sequence[Act], recorded_on: date) -> list[Event]:
    """The events of the acts with their seq and their day of recording."""
    seqs: dict[UUID, int] = {}
    events: list[Event] = []
    for act in acts:
        seq = seqs.get(act.account_id) or next_seq(looked.accounts[act.account_id].events)
        seqs[act.account_id] = seq + 1
        events.append(act.event._replace(seq=seq, recorded=recorded_on))
    return events


def judge(looked: Looked, acts: Sequence[Act], events: Sequence[Event]) -> None:
    """Raises Refused with everything that stands against the acts; the fields are "acts[n].name"."""
    faults: list[Fault] = []
    by_account: dict[UUID, list[tuple[int, Event]]] = {}
    for number, (act, event) in enumerate(zip(acts, events, strict=True)):
        by_account.setdefault(act.account_id, []).append((number, event))
        faults.extend(Fault(f"acts[{number}].{fault.field}", fault.message) for fault in _own_faults(act, event))
    for account_id, listed in by_account.items():
        faults.extend(_faults_on(looked.accounts[account_id], looked.assessed.get(account_id), listed))
    if faults:
        raise Refused(sorted(faults, key=_by_number))


def _own_faults(act: Act, event: Event) -> Iterator[Fault]:
    """What is wrong with an act whatever the account."""
    if event.recorded < event.on:
        message = f"{event.on} has not come on {event.recorded}: an act is recorded on its day or later"
        yield Fault("on", message)
    if isinstance(event, ReturnFiled):
        if act.form is None:
            yield Fault("form", "a return comes with its form as it was filled in: give it")
        if act.channel not in CHANNELS:
            yield Fault("channel", f"{act.channel!r} is no way in which a return comes: use {', '.join(CHANNELS)}")
    if isinstance(event, Payment) and act.payment is not None:
        if act.payment.method not in METHODS:
            yield Fault("method", f"{act.payment.method!r} is no way of paying: use {', '.join(METHODS)}")
        if len(act.payment.reference) > LONGEST_REFERENCE:
            yield Fault("reference", f"a reference has at most {LONGEST_REFERENCE} letters: shorten it")
    if act.received_on is not None and act.received_on > event.recorded:
        yield Fault("received_on", f"{act.received_on} has not come on {event.recorded}: correct the day of receipt")


def _faults_on(
    account: LoadedAccount, assessed: Assessment | None, listed: Sequence[tuple[int, Event]]
) -> Iterator[Fault]:
    """What stands against acts on one account: recorded before the last look at it, or refused by the law."""
    # What was known on the day of the last act, or of the last posting, must not change.
    last = max(account.last_recorded, assessed.as_of if assessed is not None else date.min)
    for number, event in listed:
        if event.recorded < last:
            yield Fault(
                f"acts[{number}].recorded",
                f"the account was last written to on {last}: record this then or later, and give its own day as `on`",
            )
    numbers = {event.seq: number for number, event in listed}
    for fault in account.refusals([event for _, event in listed]):
        seq, _, name = fault.field.removeprefix("events[").partition("].")
        yield Fault(f"acts[{numbers[int(seq)]}].{name}", fault.message)


def _by_number(fault: Fault) -> int:
    return int(fault.field.removeprefix("acts[").partition("]")[0])
