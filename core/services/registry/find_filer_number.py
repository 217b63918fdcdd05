"""The filer that has a number in a municipality."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Engine, bindparam, select

from core.db.base import of_tenant
from core.db.unit_of_work import reading
from core.filing.records import FilerUnknown
from core.filing.tables import filers
from core.tenants.directory import Tenant

_BY_NUMBER = select(filers.c.id).where(of_tenant(filers), filers.c.number == bindparam("number"))


def filer_with_number(engine: Engine, tenant: Tenant, number: int) -> UUID:
    """The id of the filer with this number. Raises FilerUnknown."""
    with reading(engine, tenant.id) as uow:
        row = uow.row(_BY_NUMBER, number=number)
    if row is None:
        raise FilerUnknown(f"no filer here has the number {number}")
    found: UUID = row.id
    return found
