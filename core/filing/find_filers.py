"""Find filers: one by id, all whose name begins with a text, and the versions of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Row, Text, Uuid, bindparam, func, select, tuple_

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.filing.records import Filer, FilerDetails, FilerUnknown
from core.filing.search_name import end_of_prefix, search_name
from core.filing.tables import filers, revisions

_BY_ID = select(filers).where(of_tenant(filers), filers.c.id == bindparam("id"))
# By > and <, which are leakproof and so may use the index under row security; LIKE may not.
_BY_NAME = (
    select(filers)
    .where(
        of_tenant(filers), filers.c.search_name >= bindparam("first"), filers.c.search_name < bindparam("after_last")
    )
    .order_by(filers.c.search_name, filers.c.id)
    .limit(bindparam("most"))
)
_AFTER = _BY_NAME.where(
    tuple_(filers.c.search_name, filers.c.id) > tuple_(bindparam("name", type_=Text), bindparam("id", type_=Uuid))
)
_AMONG = filers.c.id == func.any(bindparam("among", type_=ARRAY(Uuid)))
_VERSIONS = (
    select(revisions)
    .where(of_tenant(revisions), revisions.c.record == "filer", revisions.c.record_id == bindparam("id"))
    .order_by(revisions.c.version)
)


def find_filer(uow: UnitOfWork, filer: UUID) -> Filer:
    """The filer with this id. Raises FilerUnknown."""
    row = uow.row(_BY_ID, id=filer)
    if row is None:
        raise FilerUnknown("no filer here has this id")
    return _filer(row)


def filers_named(
    uow: UnitOfWork,
    prefix: str = "",
    *,
    most: int = 100,
    after: tuple[str, UUID] | None = None,
    among: Iterable[UUID] | None = None,
) -> tuple[Filer, ...]:
    """At most `most` filers whose name begins so, whatever the case and the accents; by name as it is searched.

    `after` is the searched name and the id of the filer before the first; `among` are the filers that may be found.
    """
    first = search_name(prefix)
    parameters: dict[str, Any] = {"first": first, "after_last": end_of_prefix(first), "most": most}
    statement = _BY_NAME
    if after is not None:
        statement, parameters = _AFTER, {**parameters, "name": after[0], "id": after[1]}
    if among is not None:
        statement, parameters = statement.where(_AMONG), {**parameters, "among": list(among)}
    return tuple(_filer(row) for row in uow.rows(statement, **parameters))


def filer_versions(uow: UnitOfWork, filer: UUID) -> tuple[tuple[int, FilerDetails, Recorded], ...]:
    """Each version of a filer's details, with who recorded it and when; the oldest first."""
    return tuple(
        (row.version, FilerDetails(**row.content), Recorded(row.recorded_by, row.recorded_on))
        for row in uow.rows(_VERSIONS, id=filer)
    )


def _filer(row: Row[Any]) -> Filer:
    details = FilerDetails(row.name, row.address, row.email, row.phone, row.year_end_month)
    return Filer(row.id, row.number, row.version, details)
