"""Opens a municipality for business by a request that is answered once."""

from __future__ import annotations

from datetime import date

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.services.tenants.open import open_in
from core.tenants.directory import Tenant


def open_for_business(engine: Engine, tenant: Tenant, request: Request, on: date, recorded: Recorded) -> Answer:
    """Open a municipality from a day on; it opens once. The answer has `open_since`.

    Raises TenantNotReady with every resolution that is missing, Refused where it is open since another day,
    TenantClosed, RequestKeyReused.
    """

    def work(uow: UnitOfWork) -> Answer:
        return {"open_since": open_in(uow, tenant, on, recorded).isoformat()}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: work(uow)))
