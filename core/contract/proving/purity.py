"""Whether a plugin's rules are pure: what their source may not say, and what they may not do while they answer."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any

# Of core a plugin builds with these and nothing else.
FLOORS_FOR_PLUGINS = ("core.domain", "core.contract", "core.kit")
# fmt: off
MODULES_REFUSED = frozenset({
    "asyncio", "concurrent", "ctypes", "getpass", "http", "io", "locale", "logging", "multiprocessing", "os",
    "platform", "queue", "random", "requests", "sched", "secrets", "select", "shelve", "shutil", "signal", "smtplib",
    "socket", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time", "urllib", "uuid", "zoneinfo",
})
NAMES_REFUSED = frozenset({"open", "input", "print", "eval", "exec", "float", "__import__"})
ATTRIBUTES_REFUSED = frozenset({
    "today", "now", "utcnow", "fromtimestamp", "environ", "getenv", "open", "read_text", "read_bytes", "write_text",
    "write_bytes",
})
_CLOCKS = frozenset({"today", "now", "utcnow"})
_DOORS_OUT = frozenset({
    "io", "_io", "posix", "nt", "time", "_socket", "socket", "_random", "random", "subprocess", "select", "_ssl",
})
# fmt: on
_HARMLESS = frozenset({"strftime", "fspath"})


def faults_of_source(plugin: object) -> list[str]:
    """Each place in the plugin's modules that reads a clock, opens something, or makes a float: "file:line: what"."""
    return [
        f"{path.name}:{line}: {what}"
        for path in modules_of(plugin)
        for line, what in _faults(ast.parse(path.read_text(encoding="utf-8")))
    ]


def modules_of(plugin: object) -> list[Path]:
    """The files that a plugin loads: its own module and whatever it imports from its top-level package."""
    name = plugin.__name__ if isinstance(plugin, ModuleType) else type(plugin).__module__
    found: dict[str, Path] = {}
    waiting = [name]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        spec = find_spec(module)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            continue
        found[module] = Path(spec.origin)
        package = module if spec.submodule_search_locations is not None else module.rpartition(".")[0]
        tree = ast.parse(found[module].read_text(encoding="utf-8"))
        waiting += [one for one in _imported(tree, package) if one.partition(".")[0] == name.partition(".")[0]]
    return sorted(found.values())


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    """The names of modules that a file imports; a name that is none is found out by the caller."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names if _is_module(alias.name)]
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module or ""
            yield from [name for name in (base, *[f"{base}.{alias.name}" for alias in node.names]) if _is_module(name)]


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _faults(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in _named(node):
                if name.partition(".")[0] in MODULES_REFUSED:
                    yield node.lineno, f"imports {name}"
                elif name.partition(".")[0] == "core" and not name.startswith(FLOORS_FOR_PLUGINS):
                    yield node.lineno, f"imports {name}: of core a plugin has {', '.join(FLOORS_FOR_PLUGINS)}"
        elif isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES_REFUSED:
            yield node.lineno, f"uses .{node.attr}"
        elif isinstance(node, ast.Name) and node.id in NAMES_REFUSED:
            yield node.lineno, f"uses {node.id}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield node.lineno, f"writes the float {node.value}"


def _named(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if node.module and not node.level else []


class Watch:
    """While it lasts, notes every call that reads a clock or reaches out of the program. Nothing is replaced.

    A profiler sees each call to a built-in function, also one that a rule imported by name, which a replaced
    attribute would miss.
    """

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __enter__(self) -> Watch:
        self._before = sys.getprofile()
        sys.setprofile(self._look)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.setprofile(self._before)

    def _look(self, frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call":
            name = called.__name__
            module = called.__module__ or type(getattr(called, "__self__", None)).__module__
            if name in _CLOCKS or (module in _DOORS_OUT and name not in _HARMLESS):
                self.seen.append(f"{name} ({frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno})")
        elif event == "call" and frame.f_globals.get("__name__") in _DOORS_OUT:
            self.seen.append(f"{frame.f_globals['__name__']}.{frame.f_code.co_name}")
