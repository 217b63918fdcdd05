"""Open a municipality: its plugin with its own resolutions and readings in it."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from core.contract.loading import open_municipality
from core.contract.municipality import OpenMunicipality
from core.contract.settings import ReadingChoice, Resolution
from core.db.unit_of_work import UnitOfWork
from core.tenants.directory import TenantUnknown, tenant_with_id
from core.tenants.settings import Setting, settings_and_seq, settings_from_text, settings_known


def open_tenant(uow: UnitOfWork, key: str, known_on: date | None = None) -> OpenMunicipality:
    """The municipality with this key, its law as known at the end of a day (None: now).

    The law of a day as known on a day: `open_tenant(uow, key, known_on).law.resolution(name, on)`.
    Raises TenantUnknown where the transaction is another tenant's, MunicipalityUnknown where the plugin is gone.
    """
    tenant = tenant_with_id(uow.connection, uow.tenant)
    if tenant.key != key:
        raise TenantUnknown(f"no municipality here has the key {key!r}")
    return with_settings(tenant.plugin, settings_known(uow, known_on))


def open_tenant_pinned(uow: UnitOfWork, key: str) -> tuple[OpenMunicipality, int]:
    """The municipality with its law as known now, and the seq of the last setting in it, which a replay pins.

    Raises TenantUnknown, MunicipalityUnknown.
    """
    tenant = tenant_with_id(uow.connection, uow.tenant)
    if tenant.key != key:
        raise TenantUnknown(f"no municipality here has the key {key!r}")
    known, seq = settings_and_seq(uow)
    return with_settings(tenant.plugin, known), seq


def with_settings(plugin: str, known: tuple[Setting, ...]) -> OpenMunicipality:
    """A plugin with these settings in force."""
    resolutions = tuple(setting.resolution() for setting in known if setting.kind == "resolution")
    readings = tuple(setting.reading() for setting in known if setting.kind == "reading")
    return _opened(plugin, resolutions, readings)


@lru_cache(maxsize=256)
def with_settings_as_recorded(plugin: str, text: str) -> tuple[OpenMunicipality, int]:
    """The same from the columns of all settings as JSON, and the seq of the last of them, 0 where there is none."""
    known, seq = settings_from_text(text)
    return with_settings(plugin, known), seq


@lru_cache(maxsize=256)
def _opened(plugin: str, resolutions: tuple[Resolution, ...], readings: tuple[ReadingChoice, ...]) -> OpenMunicipality:
    # Opening asks every hook; most requests find the settings unchanged.
    return open_municipality(plugin).with_settings(resolutions, readings)
