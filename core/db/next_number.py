"""Numbers that people read: receipts, permits, filers. Each tenant counts for itself, so that none tells of another."""

from __future__ import annotations

from sqlalchemy import bindparam
from sqlalchemy.dialects.postgresql import insert

from core.db.tables import counters
from core.db.unit_of_work import UnitOfWork

_NEXT = (
    insert(counters)
    .values(tenant_id=bindparam("tenant"), name=bindparam("name_"), last=bindparam("count"))
    .on_conflict_do_update(
        index_elements=[counters.c.tenant_id, counters.c.name],
        set_={"last": counters.c.last + bindparam("count")},
    )
    .returning(counters.c.last)
)


def next_number(uow: UnitOfWork, name: str, *, count: int = 1) -> int:
    """The next number of this name, from 1 on without a gap; of `count` numbers taken at once, the first.

    Whoever asks next waits until this transaction ends. So ask late, and after the accounts are locked.
    """
    last: int = uow.execute(_NEXT, {"name_": name, "count": count}).scalar_one()
    return last - count + 1
