"""The directory of tenants: read by everybody, written by the host. It spans tenants, so no tenant is set."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple
from zoneinfo import available_timezones

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from core.contract.loading import municipality_keys
from core.domain.errors import Fault, FiscError, Refused
from core.tenants.tables import tenants

_KEY = re.compile(r"[a-z][a-z0-9-]{0,62}")
_COLUMNS = (
    tenants.c.id,
    tenants.c.key,
    tenants.c.plugin,
    tenants.c.name,
    tenants.c.time_zone,
    tenants.c.closed_on,
)


class TenantUnknown(FiscError):
    """No municipality on this instance has this key."""


class TenantKeyTaken(FiscError):
    """Another municipality on this instance has this key."""


class Tenant(NamedTuple):
    """A municipality on this instance. `plugin` names the ordinance, which several tenants may share."""

    id: int
    key: str
    plugin: str
    name: str
    time_zone: str
    closed_on: date | None


_ALL = select(*_COLUMNS).order_by(tenants.c.key)
_BY_KEY = select(*_COLUMNS).where(tenants.c.key == bindparam("key"))
_BY_ID = select(*_COLUMNS).where(tenants.c.id == bindparam("id"))
_ADD = insert(tenants).on_conflict_do_nothing(index_elements=[tenants.c.key]).returning(*_COLUMNS)


def add_tenant(connection: Connection, *, key: str, plugin: str, name: str, time_zone: str, added_by: str) -> Tenant:
    """Enter a municipality in the directory, as fisc_host. Raises Refused with every fault, TenantKeyTaken."""
    faults = _faults(key, plugin, name, time_zone)
    if faults:
        raise Refused(faults)
    entered = {"key": key, "plugin": plugin, "name": name, "time_zone": time_zone, "added_by": added_by}
    row = connection.execute(_ADD, entered).one_or_none()
    if row is None:
        raise TenantKeyTaken(f"{key!r} is taken: choose another key")
    return Tenant(*row)


def all_tenants(connection: Connection) -> tuple[Tenant, ...]:
    """Every municipality, by key; closed ones too."""
    return tuple(Tenant(*row) for row in connection.execute(_ALL))


def find_tenant(connection: Connection, key: str) -> Tenant:
    """The municipality with this key. Raises TenantUnknown."""
    row = connection.execute(_BY_KEY, {"key": key}).one_or_none()
    if row is None:
        raise TenantUnknown(f"no municipality here has the key {key!r}")
    return Tenant(*row)


def tenant_with_id(connection: Connection, tenant: int) -> Tenant:
    """The municipality with this id. Raises TenantUnknown."""
    row = connection.execute(_BY_ID, {"id": tenant}).one_or_none()
    if row is None:
        raise TenantUnknown(f"no municipality here has the number {tenant}")
    return Tenant(*row)


def close_tenant(connection: Connection, key: str, on: date) -> None:
    """Mark a municipality as closed from a day on, as fisc_host. Its records stay. Raises TenantUnknown."""
    closed = connection.execute(tenants.update().where(tenants.c.key == key).values(closed_on=on))
    if closed.rowcount != 1:
        raise TenantUnknown(f"no municipality here has the key {key!r}")


def _faults(key: str, plugin: str, name: str, time_zone: str) -> list[Fault]:
    faults: list[Fault] = []
    if not _KEY.fullmatch(key):
        message = f"{key!r} is no key: write small letters, digits and dashes, a letter first"
        faults.append(Fault("key", message))
    if plugin not in municipality_keys():
        known = ", ".join(municipality_keys()) or "(none is installed)"
        faults.append(Fault("plugin", f"{plugin!r} is not installed: name one of {known}"))
    if not name.strip():
        faults.append(Fault("name", "the name is empty: write it as it stands on letters"))
    if time_zone not in available_timezones():
        faults.append(Fault("time_zone", f'{time_zone!r} is no time zone: write one such as "America/Denver"'))
    return faults
