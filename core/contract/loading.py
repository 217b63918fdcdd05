"""Finds and loads plugins: one plugin manager each, so that a question to one can never run another's code."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

import pluggy

from core.contract.hookspecs import PROJECT, MunicipalityHooks
from core.contract.municipality import OpenMunicipality
from core.domain.clause import implements
from core.domain.errors import ContractBroken

GROUP = "fisc.municipalities"


class MunicipalityUnknown(ContractBroken):
    """No installed plugin has this key."""


@lru_cache(maxsize=1)
def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def municipality_keys() -> tuple[str, ...]:
    """The keys of the installed municipalities, in order."""
    return tuple(sorted(_installed()))


@lru_cache(maxsize=64)
def open_municipality(key: str) -> OpenMunicipality:
    """The municipality with this key, without any tenant's settings. Raises MunicipalityUnknown, ContractBroken."""
    return open_plugin(municipality_module(key), key)


def municipality_module(key: str) -> ModuleType:
    """The plugin's module. Raises MunicipalityUnknown."""
    point = _installed().get(key)
    if point is None:
        known = ", ".join(municipality_keys()) or "(none is installed)"
        raise MunicipalityUnknown(f"{key!r} is no municipality here: name one of {known}")
    module = point.load()
    assert isinstance(module, ModuleType)
    return module


@implements("ALL-04")
def open_plugin(plugin: object, name: str) -> OpenMunicipality:
    """A municipality from a plugin module. Wrong wiring stops here and names plugin and hook. Raises ContractBroken."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(MunicipalityHooks)
    try:
        manager.register(plugin, name)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise ContractBroken(f"plugin {name}: {error}") from error
    missing = [
        hook
        for hook in vars(MunicipalityHooks)
        if not hook.startswith("_") and not getattr(manager.hook, hook).get_hookimpls()
    ]
    if missing:
        raise ContractBroken(f"plugin {name} does not answer {', '.join(sorted(missing))}: every hook is required")
    opened = OpenMunicipality(manager.hook, name)
    if opened.declared.key != name:
        raise ContractBroken(f"plugin {name}, hook municipality: its key {opened.declared.key!r} is not its name")
    return opened
