"""Every table that core declares, whichever floor it lives on."""

import importlib
from functools import cache
from pathlib import Path

from sqlalchemy import Table

import core
from core.db.base import metadata


@cache
def declared_tables() -> tuple[Table, ...]:
    """Imports each core/*/tables.py, and gives what they declared."""
    for path in sorted(Path(core.__path__[0]).glob("*/tables.py")):
        importlib.import_module(f"core.{path.parent.name}.tables")
    return tuple(metadata.sorted_tables)
