"""Records what a council or board set, and the treasurer's own readings, several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar
from uuid import UUID

from sqlalchemy import Engine

from core.contract.settings import ReadingChoice, Resolution
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.record_setting import record_reading, record_resolution

Item = TypeVar("Item", Resolution, ReadingChoice)


def set_resolutions(
    engine: Engine, tenant: Tenant, resolutions: Sequence[Resolution], recorded: Recorded, reason: str = ""
) -> tuple[UUID, ...]:
    """Record resolutions in one transaction, all or none; answers their ids. Raises Refused with every fault."""

    def work(uow: UnitOfWork) -> tuple[UUID, ...]:
        law = open_tenant(uow, tenant.key).law
        law.with_settings(resolutions)

        def record(one: Resolution) -> UUID:
            return record_resolution(uow, law, one, recorded, reason=reason)

        return _each(resolutions, record)

    return in_transaction(engine, tenant.id, work)


def set_readings(
    engine: Engine, tenant: Tenant, choices: Sequence[ReadingChoice], recorded: Recorded
) -> tuple[UUID, ...]:
    """Record readings in one transaction, all or none; answers their ids. Raises Refused with every fault."""

    def work(uow: UnitOfWork) -> tuple[UUID, ...]:
        law = open_tenant(uow, tenant.key).law
        law.with_settings(readings=choices)
        return _each(choices, lambda one: record_reading(uow, law, one, recorded))

    return in_transaction(engine, tenant.id, work)


def _each(items: Iterable[Item], record: Callable[[Item], UUID]) -> tuple[UUID, ...]:
    ids: list[UUID] = []
    faults: list[Fault] = []
    for one in items:
        try:
            ids.append(record(one))
        except Refused as refused:
            faults.extend(Fault(f"{one.key}.{fault.field}", fault.message) for fault in refused.faults)
    if faults:
        raise Refused(faults)
    return tuple(ids)
