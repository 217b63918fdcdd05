"""Record a resolution, the treasurer's reading of a doubtful passage, or that either was recorded in error."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, select

from core.contract.law import Law, ResolutionSlot
from core.contract.settings import ReadingChoice, Resolution
from core.db.base import of_tenant
from core.db.next_number import next_number
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7
from core.domain.errors import Fault, FiscError, Refused
from core.tenants.settings import as_text, last_recorded_on
from core.tenants.tables import settings

_TARGET = select(settings).where(of_tenant(settings), settings.c.id == bindparam("id"))
_WITHDRAWN = select(settings.c.seq).where(of_tenant(settings), settings.c.withdraws == bindparam("seq"))


class SettingUnknown(FiscError):
    """No resolution or reading of this municipality has this id."""


class SettingAlreadyWithdrawn(FiscError):
    """This resolution or reading was withdrawn before."""


def record_resolution(
    uow: UnitOfWork, law: Law, resolution: Resolution, recorded: Recorded, *, reason: str = ""
) -> UUID:
    """Record what the council or board set; it holds from its day. Gives the setting's id.

    `law` says which amounts are left to a resolution. Raises Refused with every fault.
    """
    law.with_settings([resolution])
    faults = _resolution_faults(law.resolution_slots[resolution.key], resolution)
    if faults:
        raise Refused(faults)
    value_kind, value = as_text(resolution.value)
    return _record(
        uow,
        recorded,
        kind="resolution",
        key=resolution.key,
        value_kind=value_kind,
        value=value,
        since=resolution.since,
        number=resolution.number,
        reason=reason,
    )


def record_reading(uow: UnitOfWork, law: Law, choice: ReadingChoice, recorded: Recorded) -> UUID:
    """Record the treasurer's own reading, in place of the default from its day. Raises Refused with every fault."""
    law.with_settings(readings=[choice])
    if not choice.reason.strip():
        raise Refused([Fault("reason", "a reading needs its reason: say why the passage is read so")])
    value_kind, value = as_text(choice.value)
    return _record(
        uow,
        recorded,
        kind="reading",
        key=choice.key,
        value_kind=value_kind,
        value=value,
        since=choice.since,
        number="",
        reason=choice.reason,
    )


def withdraw_setting(uow: UnitOfWork, setting: UUID, recorded: Recorded, *, reason: str) -> UUID:
    """Record that a resolution or reading was recorded in error. Until now it counted, and that stays known.

    To replace one that was right, record the later one instead.
    Raises SettingUnknown, SettingAlreadyWithdrawn, Refused.
    """
    if not reason.strip():
        raise Refused([Fault("reason", "say what was wrong with it")])
    seq = next_number(uow, "settings")
    target = uow.row(_TARGET, id=setting)
    if target is None or target.kind == "withdrawal":
        raise SettingUnknown("no resolution or reading here has this id: take it from the list of settings")
    if uow.row(_WITHDRAWN, seq=target.seq) is not None:
        raise SettingAlreadyWithdrawn(f"{target.key} as recorded on {target.recorded_on} is withdrawn already")
    return _record(
        uow, recorded, seq=seq, kind="withdrawal", key=target.key, number="", reason=reason, withdraws=target.seq
    )


def _record(uow: UnitOfWork, recorded: Recorded, *, seq: int | None = None, **columns: Any) -> UUID:
    # The number is taken under a lock that lasts to the commit, so the order of seq is the order of recording.
    identity = uuid7()
    number = next_number(uow, "settings") if seq is None else seq
    last = last_recorded_on(uow)
    if last is not None and recorded.on < last:
        message = f"the last setting was recorded on {last}: record this one then or later; it holds from its own day"
        raise Refused([Fault("recorded", message)])
    uow.insert(settings, {"seq": number, "id": identity, **columns, **recorded.columns()})
    return identity


def _resolution_faults(slot: ResolutionSlot, resolution: Resolution) -> list[Fault]:
    faults: list[Fault] = []
    value = resolution.value
    if not resolution.number.strip():
        faults.append(Fault("number", f"{slot.title} needs the number of the act of the {slot.set_by}"))
    if slot.unit == "rate":
        if not isinstance(value, Decimal) or not 0 <= value <= 1:
            message = f"{slot.title} is a share: write a fraction of one, such as 0.75, not {value}"
            faults.append(Fault("value", message))
    elif type(value) is not int or value < 0:
        faults.append(Fault("value", f"{slot.title} is a whole number, not below zero: {value!r} is not one"))
    return faults
