"""The plugins that are installed here: the ordinances under which a municipality can be entered."""

from __future__ import annotations

from typing import NamedTuple

from core.contract.loading import municipality_keys, open_municipality
from core.domain.errors import FiscError


class Plugin(NamedTuple):
    """An installed plugin. One that does not open has no name and no version, and `fault` says why."""

    key: str
    name: str | None
    version: str | None
    fault: str | None


def plugins() -> tuple[Plugin, ...]:
    """Every installed plugin, by key. One that is broken hides none of the others."""
    return tuple(_opened(key) for key in municipality_keys())


def _opened(key: str) -> Plugin:
    try:
        declared = open_municipality(key).declared
    except FiscError as error:
        return Plugin(key, None, None, str(error))
    return Plugin(key, declared.name, declared.version, None)
