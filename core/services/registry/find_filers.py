"""Finds filers: one, its versions, or all whose name begins with a text, in pages."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.unit_of_work import reading
from core.filing.find_filers import filer_versions, filers_named, find_filer
from core.filing.records import Filer, FilerDetails, FilerUnknown
from core.filing.search_name import search_name
from core.tenants.directory import Tenant

__all__ = ["Filer", "FilerDetails", "find_filers", "look_up_filer", "place_in_list", "versions_of_filer"]

Reach = frozenset[UUID] | None


def find_filers(
    engine: Engine, tenant: Tenant, prefix: str, after: tuple[str, UUID] | None, most: int, reach: Reach
) -> tuple[Filer, ...]:
    """At most `most` filers in reach whose name begins so, after the one that `place_in_list` gave, by name."""
    with reading(engine, tenant.id) as uow:
        return filers_named(uow, prefix, most=most, after=after, among=reach)


def place_in_list(filer: Filer) -> tuple[str, UUID]:
    """Where a filer stands in a list by name."""
    return search_name(filer.details.name), filer.id


def look_up_filer(engine: Engine, tenant: Tenant, filer: UUID, reach: Reach) -> Filer:
    """The filer with this id. Raises FilerUnknown, also for one out of reach."""
    _require_in_reach(filer, reach)
    with reading(engine, tenant.id) as uow:
        return find_filer(uow, filer)


def versions_of_filer(
    engine: Engine, tenant: Tenant, filer: UUID, reach: Reach
) -> tuple[tuple[int, FilerDetails, Recorded], ...]:
    """Each version of a filer's details, with who recorded it and when; the oldest first. Raises FilerUnknown."""
    _require_in_reach(filer, reach)
    with reading(engine, tenant.id) as uow:
        find_filer(uow, filer)
        return filer_versions(uow, filer)


def _require_in_reach(filer: UUID, reach: Reach) -> None:
    if reach is not None and filer not in reach:
        raise FilerUnknown("no filer here has this id")
