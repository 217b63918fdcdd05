"""An insert that yields to a row already there must yield whichever unique key two writers meet in."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from sqlalchemy import Table, UniqueConstraint
from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.dialects.postgresql.dml import OnConflictDoNothing

import core


def _inserts() -> Iterator[tuple[str, Insert]]:
    for module in pkgutil.walk_packages(core.__path__, "core."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Insert):
                yield f"{module.name}.{name}", value


def _unique_keys(table: Table) -> list[set[str]]:
    keys = [set(table.primary_key.columns.keys())]
    keys += [set(one.columns.keys()) for one in table.constraints if isinstance(one, UniqueConstraint)]
    return keys + [set(one.columns.keys()) for one in table.indexes if one.unique]


YIELDING = {
    name: one for name, one in _inserts() if isinstance(getattr(one, "_post_values_clause", None), OnConflictDoNothing)
}


def test_there_are_such_inserts() -> None:
    assert "core.ledger.accounts._ACCOUNT" in YIELDING


@pytest.mark.parametrize("name", sorted(YIELDING))
def test_it_yields_in_every_key_that_two_writers_of_the_same_row_share(name: str) -> None:
    statement = YIELDING[name]
    clause = statement._post_values_clause
    assert isinstance(clause, OnConflictDoNothing)
    if not clause.inferred_target_elements:
        return  # no key is named: it yields in all of them
    named = {getattr(one, "key", one) for one in clause.inferred_target_elements}
    assert isinstance(statement.table, Table)
    wider = [sorted(key) for key in _unique_keys(statement.table) if key > named]
    assert wider == [], f"{name} names {sorted(named)}; two at once may meet in {wider} first, and one would raise"
