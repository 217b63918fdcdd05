"""The law of a municipality as it was known on each day: its settings up to those recorded by then."""

from __future__ import annotations

from datetime import date

from sqlalchemy import select

from core.contract.municipality import OpenMunicipality
from core.db.base import of_tenant
from core.db.unit_of_work import UnitOfWork
from core.tenants.directory import Tenant
from core.tenants.open_tenant import with_settings
from core.tenants.settings import settings_up_to
from core.tenants.tables import settings

_DAYS = select(settings.c.seq, settings.c.recorded_on).where(of_tenant(settings)).order_by(settings.c.seq)


class Laws:
    """Answers for any day with the municipality as known at the end of that day, and the last setting in its law.

    Settings are recorded in the order of their days, so those known by a day are those up to one seq. `newest` is
    the last of all.
    """

    def __init__(self, uow: UnitOfWork, tenant: Tenant) -> None:
        self._recorded = [(row.seq, row.recorded_on) for row in uow.rows(_DAYS)]
        seqs = {0, *(seq for seq, _ in self._recorded)}
        last_of_day = {day: seq for seq, day in self._recorded}
        wanted = seqs & {0, *last_of_day.values()}
        self._by_seq = {seq: with_settings(tenant.plugin, settings_up_to(uow, seq)) for seq in wanted}
        self._by_day: dict[date, int] = {}
        self.newest = max(seqs)

    def on(self, day: date) -> tuple[OpenMunicipality, int]:
        """The municipality and the seq of its last setting, 0 where none was recorded by then."""
        seq = self._by_day.get(day)
        if seq is None:
            seq = max((seq for seq, recorded_on in self._recorded if recorded_on <= day), default=0)
            self._by_day[day] = seq
        return self._by_seq[seq], seq

    def changes(self, after: date, through: date) -> list[date]:
        """The days after one and through another on which a setting was recorded."""
        return sorted({day for _, day in self._recorded if after < day <= through})
