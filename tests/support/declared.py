"""Every table that core declares, whichever floor it lives on."""

import importlib
import re
from functools import cache
from pathlib import Path

from sqlalchemy import Table

import core
from core.db.base import metadata


@cache
def declared_tables() -> tuple[Table, ...]:
    """Imports each module of core that declares a table, and gives what they declared."""
    root = Path(core.__path__[0])
    for path in sorted(root.rglob("*.py")):
        if path.name != "base.py" and re.search(r"= (tenant|platform)_table\(", path.read_text("utf-8")):
            importlib.import_module(".".join(("core", *path.relative_to(root).with_suffix("").parts)))
    return tuple(metadata.sorted_tables)
