"""A tenant's resolutions and readings as recorded, and as known on a day. Nothing here is ever edited."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, bindparam, func, select

from core.contract.settings import ReadingChoice, Resolution, SettingValue
from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.tenants.tables import settings


class Setting(NamedTuple):
    """A resolution or a reading: in force from `since` until a later one of its key begins.

    `seq` is the order of recording. A resolution has the number of the act; a reading has its reason.
    """

    seq: int
    id: UUID
    kind: str
    key: str
    value: SettingValue
    since: date
    number: str
    reason: str
    recorded: Recorded

    def resolution(self) -> Resolution:
        """As the contract takes it."""
        assert self.kind == "resolution"
        assert isinstance(self.value, int | Decimal)
        return Resolution(self.key, self.value, self.since, self.number)

    def reading(self) -> ReadingChoice:
        """As the contract takes it."""
        assert self.kind == "reading"
        return ReadingChoice(self.key, self.value, self.since, self.reason)


_ALL = select(settings).where(of_tenant(settings)).order_by(settings.c.seq)
_KNOWN = _ALL.where(settings.c.recorded_on <= bindparam("known_on"))
_UP_TO = _ALL.where(settings.c.seq <= bindparam("seq"))
_LAST_DAY = select(func.max(settings.c.recorded_on)).where(of_tenant(settings))


def settings_known(uow: UnitOfWork, known_on: date | None = None) -> tuple[Setting, ...]:
    """What was recorded by the end of a day (None: until now) and not withdrawn by then, in the order of recording."""
    rows = uow.rows(_ALL) if known_on is None else uow.rows(_KNOWN, known_on=known_on)
    withdrawn = {row.withdraws for row in rows if row.withdraws is not None}
    return tuple(_setting(row) for row in rows if row.withdraws is None and row.seq not in withdrawn)


def settings_up_to(uow: UnitOfWork, seq: int) -> tuple[Setting, ...]:
    """What was recorded up to this seq and not withdrawn by then: the settings that an earlier posting knew."""
    rows = uow.rows(_UP_TO, seq=seq)
    withdrawn = {row.withdraws for row in rows if row.withdraws is not None}
    return tuple(_setting(row) for row in rows if row.withdraws is None and row.seq not in withdrawn)


def settings_and_seq(uow: UnitOfWork) -> tuple[tuple[Setting, ...], int]:
    """What is recorded and not withdrawn, and the seq of the last of all settings (0: none), from one look."""
    rows = uow.rows(_ALL)
    withdrawn = {row.withdraws for row in rows if row.withdraws is not None}
    known = tuple(_setting(row) for row in rows if row.withdraws is None and row.seq not in withdrawn)
    return known, max((row.seq for row in rows), default=0)


def settings_from_text(text: str) -> tuple[tuple[Setting, ...], int]:
    """What `settings_and_seq` gives, from the columns of every setting as a JSON list."""
    rows = json.loads(text)
    withdrawn = {row[9] for row in rows if row[9] is not None}
    known = tuple(
        Setting(
            seq,
            UUID(setting_id),
            kind,
            key,
            from_text(value_kind, value),
            date.fromisoformat(since),
            number,
            reason,
            Recorded(by, date.fromisoformat(recorded_on)),
        )
        for seq, setting_id, kind, key, value_kind, value, since, number, reason, withdraws, by, recorded_on in rows
        if withdraws is None and seq not in withdrawn
    )
    return known, max((row[0] for row in rows), default=0)


def last_recorded_on(uow: UnitOfWork) -> date | None:
    """The day on which the last setting was recorded, None where there is none."""
    row = uow.row(_LAST_DAY)
    return row[0] if row is not None else None


def in_force(known: tuple[Setting, ...], key: str, on: date) -> Setting | None:
    """The setting of this key that holds on a day: the latest `since`; of one day, the one recorded last."""
    begun = [setting for setting in known if setting.key == key and setting.since <= on]
    return max(begun, key=lambda setting: (setting.since, setting.seq), default=None)


def as_text(value: SettingValue) -> tuple[str, str]:
    """A value as the columns value_kind and value hold it."""
    if isinstance(value, bool):
        return "flag", "true" if value else "false"
    if isinstance(value, int):
        return "whole", str(value)
    if isinstance(value, Decimal):
        return "fraction", format(value, "f")
    return "text", value


def from_text(kind: str, text: str) -> SettingValue:
    """The value that `as_text` wrote."""
    if kind == "flag":
        return text == "true"
    if kind == "whole":
        return int(text)
    return Decimal(text) if kind == "fraction" else text


def _setting(row: Row[Any]) -> Setting:
    return Setting(
        row.seq,
        row.id,
        row.kind,
        row.key,
        from_text(row.value_kind, row.value),
        row.since,
        row.number,
        row.reason,
        Recorded(row.recorded_by, row.recorded_on),
    )
