"""Loads the State's law, on which a municipality's own is laid."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from core.contract.law import Law
from core.contract.lawfiles import load_law


@lru_cache(maxsize=1)
def state_law() -> Law:
    """The values of state law. Raises LawFileInvalid."""
    return load_law(Path(__file__).parent / "law")


@lru_cache(maxsize=16)
def under_state_law(folder: Path) -> Law:
    """A municipality's law folder on top of the State's. Raises LawFileInvalid."""
    return load_law(folder, under=state_law())
