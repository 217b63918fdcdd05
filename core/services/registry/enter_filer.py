"""Enters a filer, and changes what is known of one."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.contract.municipality import OpenMunicipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.calendar import Election
from core.domain.errors import Fault, Refused
from core.filing.find_filers import find_filer
from core.filing.records import Filer, FilerDetails
from core.filing.register_filer import change_filer, register_filer
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

__all__ = ["FilerDetails", "change_filer_details", "enter_filer"]


def enter_filer(engine: Engine, tenant: Tenant, request: Request, details: FilerDetails, recorded: Recorded) -> Answer:
    """Enter a filer under the municipality's next number. The same request enters one.

    The answer has `id`, `number` and `version`. Raises Refused, RequestKeyReused.
    """

    def enter(uow: UnitOfWork) -> Answer:
        _require_year(open_tenant(uow, tenant.key), details.year_end_month, recorded.on)
        filer = register_filer(uow, details, recorded)
        return {"id": str(filer.id), "number": filer.number, "version": filer.version}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: enter(uow)))


def change_filer_details(
    engine: Engine, tenant: Tenant, filer: UUID, version: int, details: FilerDetails, recorded: Recorded
) -> Filer:
    """Put new details in place of version `version`; each version is kept. Answers the filer as it is then.

    Raises Refused, FilerUnknown, ChangedMeanwhile.
    """

    def change(uow: UnitOfWork) -> Filer:
        if find_filer(uow, filer).details.year_end_month != details.year_end_month:
            _require_year(open_tenant(uow, tenant.key), details.year_end_month, recorded.on)
        change_filer(uow, filer, version, details, recorded)
        return find_filer(uow, filer)

    return in_transaction(engine, tenant.id, change)


def _require_year(municipality: OpenMunicipality, month: int | None, on: date) -> None:
    """The law lets a filer keep a year that ends in this month. Raises Refused."""
    if month is None or month not in range(1, 13):
        return  # what is no month is refused with the other details
    if municipality.annual_return(Election(month), on.year).year_end.month != month:
        message = f"the annual return covers the calendar year here: leave month {month} out"
        raise Refused([Fault("year_end_month", message)])
