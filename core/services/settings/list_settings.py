"""Lists what may be set, what holds on a day and why, and everything that was recorded for it."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.contract.law import Law
from core.contract.settings import SettingValue
from core.db.unit_of_work import reading
from core.domain.clause import Clause
from core.services.settings.values import as_words, unit_of
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.openings import opened_on
from core.tenants.settings import Setting, in_force
from core.tenants.settings_recorded import SettingRecorded, settings_recorded


class Recording(NamedTuple):
    """One recording of a setting. `value` is as_words; `withdrawn_*` are None where it stands."""

    id: UUID
    value: str
    since: date
    number: str
    reason: str
    recorded_by: str
    recorded_on: date
    withdrawn_on: date | None
    withdrawn_by: str | None
    withdrawal_reason: str | None


class SettingShown(NamedTuple):
    """What may be set. `kind` is "resolution" or "reading"; `value` is what holds on the day, None where nothing does.

    `source` says where that comes from: "resolution", "reading", or "default" for a reading of the plugin's.
    """

    kind: str
    name: str
    title: str
    clause: Clause
    unit: str
    set_by: str
    required: bool
    value: str | None
    source: str | None
    since: date | None
    reason: str
    recordings: tuple[Recording, ...]


class SettingsShown(NamedTuple):
    """Everything that may be set; since when the municipality is open; and what it still lacks to open, by name."""

    on: date
    open_since: date | None
    lacking: tuple[str, ...]
    settings: tuple[SettingShown, ...]


def list_settings(engine: Engine, tenant: Tenant, on: date) -> SettingsShown:
    """What may be set here, with what holds on a day as known now."""
    with reading(engine, tenant.id) as uow:
        law = open_tenant(uow, tenant.key).law
        recorded = settings_recorded(uow)
        since = opened_on(uow)
    shown = (*_resolutions(law, recorded, on), *_readings(law, recorded, on))
    lacking = tuple(one.name for one in shown if one.required and one.value is None)
    return SettingsShown(on, since, lacking, shown)


def _resolutions(law: Law, recorded: tuple[SettingRecorded, ...], on: date) -> tuple[SettingShown, ...]:
    found = []
    for slot in law.resolution_slots.values():
        holds = _standing(recorded, "resolution", slot.key, on)
        found.append(
            SettingShown(
                "resolution",
                slot.key,
                slot.title,
                slot.clause,
                slot.unit,
                slot.set_by,
                slot.required,
                as_words(slot.unit, holds.value) if holds else None,
                "resolution" if holds else None,
                holds.since if holds else None,
                f"by resolution {holds.number}" if holds else "",
                _recordings(recorded, "resolution", slot.key, slot.unit),
            )
        )
    return tuple(found)


def _readings(law: Law, recorded: tuple[SettingRecorded, ...], on: date) -> tuple[SettingShown, ...]:
    found = []
    for slot in law.reading_slots.values():
        holds = _standing(recorded, "reading", slot.key, on)
        unit = unit_of(slot.default)
        value: SettingValue = holds.value if holds else slot.default
        begun = holds is not None or slot.since <= on
        found.append(
            SettingShown(
                "reading",
                slot.key,
                slot.key.replace("_", " "),
                slot.clause,
                unit,
                slot.set_by,
                False,
                as_words(unit, value) if begun else None,
                ("reading" if holds else "default") if begun else None,
                (holds.since if holds else slot.since) if begun else None,
                holds.reason if holds else slot.reason,
                _recordings(recorded, "reading", slot.key, unit),
            )
        )
    return tuple(found)


def _standing(recorded: tuple[SettingRecorded, ...], kind: str, key: str, on: date) -> Setting | None:
    standing = tuple(one.setting for one in recorded if one.withdrawn is None and one.setting.kind == kind)
    return in_force(standing, key, on)


def _recordings(recorded: tuple[SettingRecorded, ...], kind: str, key: str, unit: str) -> tuple[Recording, ...]:
    return tuple(
        Recording(
            one.setting.id,
            as_words(unit, one.setting.value),
            one.setting.since,
            one.setting.number,
            one.setting.reason,
            one.setting.recorded.by,
            one.setting.recorded.on,
            one.withdrawn.recorded.on if one.withdrawn else None,
            one.withdrawn.recorded.by if one.withdrawn else None,
            one.withdrawn.reason if one.withdrawn else None,
        )
        for one in recorded
        if (one.setting.kind, one.setting.key) == (kind, key)
    )
