"""Reads of any length in bounded memory: a cursor on the server, fetched a part at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Executable, Row

from core.db.unit_of_work import UnitOfWork

Item = TypeVar("Item")

PART = 2_000


def stream(uow: UnitOfWork, statement: Executable) -> Iterator[Row[Any]]:
    """The rows of one statement, PART of them in memory at a time. All are of the moment at which the first is read."""
    result = uow.connection.execute(statement, {"tenant": uow.tenant}, execution_options={"yield_per": PART})
    try:
        yield from result
    finally:
        result.close()


def parts(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The same items, in lists of PART."""
    remaining = iter(items)
    while part := list(islice(remaining, PART)):
        yield part
