"""Switch a module of a municipality on or off. The newest row holds; the others say when it was otherwise, and why."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on

from core.db.base import of_tenant
from core.db.next_number import next_number
from core.db.unit_of_work import UnitOfWork
from core.tenants.tables import switches

_ALL = (
    select(switches.c.module, switches.c.is_on)
    .where(of_tenant(switches))
    .ext(distinct_on(switches.c.module))
    .order_by(switches.c.module, switches.c.seq.desc())
)


def switch_module(uow: UnitOfWork, module: str, *, on: bool, reason: str, recorded_by: str) -> None:
    """Switch a module on or off from now on."""
    seq = next_number(uow, "switches")
    uow.insert(switches, {"seq": seq, "module": module, "is_on": on, "reason": reason, "recorded_by": recorded_by})


def modules_switched(uow: UnitOfWork) -> dict[str, bool]:
    """Each module that was ever switched, and whether it is on. Of the others the plugin's declaration says it."""
    return {row.module: row.is_on for row in uow.rows(_ALL)}
