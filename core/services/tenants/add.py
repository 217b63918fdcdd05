"""Adds a municipality: entered in the directory by the host, its books opened with the chart of its taxes."""

from __future__ import annotations

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.ledger.read import trial_balance
from core.services.accounts.post import open_books
from core.tenants.directory import Tenant, TenantKeyTaken, add_tenant, all_tenants, find_tenant
from core.tenants.open_tenant import open_tenant


def add_municipality(app: Engine, host: Engine, key: str, plugin: str, name: str, time_zone: str, by: str) -> Tenant:
    """Enter a municipality and open its books; without a name it has the plugin's.

    One that was entered under this plugin and whose books were never opened, as after a crash, is finished.
    Raises Refused, TenantKeyTaken, MunicipalityUnknown.
    """
    name = name or open_municipality(plugin).declared.name
    try:
        with host.begin() as connection:
            tenant = add_tenant(connection, key=key, plugin=plugin, name=name, time_zone=time_zone, added_by=by)
    except TenantKeyTaken:
        tenant = municipalities(app, key)[0]
        with reading(app, tenant.id) as uow:
            if tenant.plugin != plugin or trial_balance(uow):
                raise

    def make(uow: UnitOfWork) -> None:
        open_books(uow, open_tenant(uow, key))

    in_transaction(app, tenant.id, make)
    return tenant


def municipalities(app: Engine, key: str | None = None) -> tuple[Tenant, ...]:
    """The municipality with this key, or all of them. Raises TenantUnknown."""
    with app.connect() as connection:
        return all_tenants(connection) if key is None else (find_tenant(connection, key),)


def missing_resolutions(app: Engine, tenant: Tenant) -> tuple[str, ...]:
    """The resolutions that the law requires before the municipality opens and that nobody has recorded, by title."""

    def look(uow: UnitOfWork) -> tuple[str, ...]:
        law = open_tenant(uow, tenant.key).law
        return tuple(
            slot.title for slot in law.resolution_slots.values() if slot.required and not law.resolutions.get(slot.key)
        )

    return in_transaction(app, tenant.id, look)
