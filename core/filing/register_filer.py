"""Enter a filer, and change its details. Each version is kept as it stood."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import bindparam

from core.db.base import of_tenant
from core.db.next_number import next_number
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7
from core.domain.errors import Fault, Refused
from core.filing.records import ChangedMeanwhile, Filer, FilerDetails, FilerUnknown
from core.filing.search_name import search_name
from core.filing.tables import filers, revisions

_CHANGE = (
    filers.update()
    .where(of_tenant(filers), filers.c.id == bindparam("id_"), filers.c.version == bindparam("version_"))
    .values(
        version=filers.c.version + 1,
        **{name: bindparam(f"{name}_") for name in (*FilerDetails._fields, "search_name")},
    )
)
_EXISTS = filers.select().where(of_tenant(filers), filers.c.id == bindparam("id_"))


def register_filer(uow: UnitOfWork, details: FilerDetails, recorded: Recorded) -> Filer:
    """A new filer with the municipality's next number. Raises Refused."""
    _require_sound(details)
    filer = Filer(uuid7(), next_number(uow, "filers"), 1, details)
    row = {"id": filer.id, "number": filer.number, "version": 1, "search_name": search_name(details.name)}
    uow.insert(filers, {**row, **details._asdict(), **recorded.columns()})
    _keep(uow, filer.id, 1, details, recorded)
    return filer


def change_filer(uow: UnitOfWork, filer: UUID, version: int, details: FilerDetails, recorded: Recorded) -> int:
    """New details in place of version `version`; gives the new version.

    Raises Refused, FilerUnknown, ChangedMeanwhile.
    """
    _require_sound(details)
    values = {f"{name}_": value for name, value in details._asdict().items()}
    names = {"id_": filer, "version_": version, "search_name_": search_name(details.name)}
    if uow.execute(_CHANGE, {**values, **names}).rowcount != 1:
        if uow.row(_EXISTS, id_=filer) is None:
            raise FilerUnknown("no filer here has this id")
        raise ChangedMeanwhile("the filer was changed after you opened it: look at it again and repeat your change")
    _keep(uow, filer, version + 1, details, recorded)
    return version + 1


def _keep(uow: UnitOfWork, filer: UUID, version: int, details: FilerDetails, recorded: Recorded) -> None:
    row = {"record": "filer", "record_id": filer, "version": version, "content": details._asdict()}
    uow.insert(revisions, {**row, **recorded.columns()})


def _require_sound(details: FilerDetails) -> None:
    faults: list[Fault] = []
    if not details.name.strip():
        faults.append(Fault("name", "the name is empty: write it as the filer does"))
    if details.year_end_month is not None and details.year_end_month not in range(1, 13):
        faults.append(Fault("year_end_month", f"{details.year_end_month} is no month: write 1 to 12"))
    if faults:
        raise Refused(faults)
