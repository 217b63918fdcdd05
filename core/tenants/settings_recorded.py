"""Every resolution and reading that was ever recorded, those withdrawn among them, for whoever looks back."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.tenants.settings import Setting, from_text
from core.tenants.tables import settings

_ALL = select(settings).where(of_tenant(settings)).order_by(settings.c.seq)


class Withdrawal(NamedTuple):
    """That a setting was recorded in error: why, and who recorded that."""

    reason: str
    recorded: Recorded


class SettingRecorded(NamedTuple):
    """A setting as it was recorded; `withdrawn` is None where it stands."""

    setting: Setting
    withdrawn: Withdrawal | None


def settings_recorded(uow: UnitOfWork) -> tuple[SettingRecorded, ...]:
    """All of them, in the order of recording, in one statement."""
    rows = uow.rows(_ALL)
    withdrawn = {
        row.withdraws: Withdrawal(row.reason, Recorded(row.recorded_by, row.recorded_on))
        for row in rows
        if row.withdraws is not None
    }
    return tuple(
        SettingRecorded(
            Setting(
                row.seq,
                row.id,
                row.kind,
                row.key,
                from_text(row.value_kind, row.value),
                row.since,
                row.number,
                row.reason,
                Recorded(row.recorded_by, row.recorded_on),
            ),
            withdrawn.get(row.seq),
        )
        for row in rows
        if row.withdraws is None
    )
