"""Enters a place of business, changes what it is called, and lets it owe one more tax."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused, shown
from core.filing.find_places import taxes_of_places
from core.filing.places import add_place_tax, change_place, find_place, register_place
from core.filing.record_place_fact import lock_place
from core.filing.records import PlaceDetails
from core.services.registry.find_places import PlaceFound, found_place
from core.tenants.directory import Tenant

__all__ = ["PlaceDetails", "add_tax", "change_place_details", "enter_place"]


def enter_place(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    filer: UUID,
    details: PlaceDetails,
    opened_on: date,
    taxes: Iterable[str],
    recorded: Recorded,
) -> Answer:
    """Enter a place of business of a filer, open from a day on and owing these taxes from then. The same request
    enters one.

    The answer has `id`, `number` and `version`. Raises Refused, FilerUnknown, RequestKeyReused.
    """
    wanted = list(taxes)

    def enter(uow: UnitOfWork) -> Answer:
        declared = open_municipality(tenant.plugin).taxes
        faults = [_no_tax(f"taxes[{n}]", tax, declared) for n, tax in enumerate(wanted) if tax not in declared]
        if not wanted:
            faults.append(Fault("taxes", f"a place owes a tax: name one of {', '.join(declared)}"))
        if faults:
            raise Refused(faults)
        place = register_place(uow, filer, details, opened_on, wanted, recorded)
        return {"id": str(place.id), "number": place.number, "version": place.version}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: enter(uow)))


def change_place_details(
    engine: Engine, tenant: Tenant, place: UUID, version: int, details: PlaceDetails, recorded: Recorded
) -> PlaceFound:
    """Put new details in place of version `version`; each version is kept. Answers the place as it is then.

    Raises Refused, PlaceUnknown, ChangedMeanwhile.
    """

    def change(uow: UnitOfWork) -> PlaceFound:
        change_place(uow, place, version, details, recorded)
        return found_place(uow, place, recorded.on)

    return in_transaction(engine, tenant.id, change)


def add_tax(
    engine: Engine, tenant: Tenant, request: Request, place: UUID, tax: str, since: date, recorded: Recorded
) -> Answer:
    """Let a place owe one more tax from a day on. The same request does it once.

    The answer has `tax` and `since`. Raises Refused, PlaceUnknown, RequestKeyReused.
    """

    def add(uow: UnitOfWork) -> Answer:
        lock_place(uow, place)
        declared = open_municipality(tenant.plugin).taxes
        if tax not in declared:
            raise Refused([_no_tax("tax", tax, declared)])
        known = taxes_of_places(uow, [place])[place]
        if tax in known:
            raise Refused([Fault("tax", f"{find_place(uow, place).details.name} owes {tax} since {known[tax]}")])
        add_place_tax(uow, place, tax, since, recorded)
        return {"tax": tax, "since": since.isoformat()}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: add(uow)))


def _no_tax(field: str, tax: str, declared: Collection[str]) -> Fault:
    return Fault(field, f"{shown(tax)} is no tax here: use {', '.join(declared)}")
