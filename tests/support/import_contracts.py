"""Import contracts that already name the floors still to be built.

The stock types stop on a module that does not exist. These pass over it, so that a contract holds
from the first line of a new package on. tests/unit/test_ground.py checks the names for misspellings.
"""

from grimp import ImportGraph
from importlinter import ContractCheck
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.protected import ProtectedContract


class ForbiddenWhenPresent(ForbiddenContract):
    """`forbidden`, without the modules of core and plugins that do not exist yet."""

    type_name = "forbidden_when_present"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        self.source_modules = _present(self.source_modules, graph)
        self.forbidden_modules = _present(self.forbidden_modules, graph)
        return super().check(graph, verbose)


class ProtectedWhenPresent(ProtectedContract):
    """`protected`, without the modules of core and plugins that do not exist yet."""

    type_name = "protected_when_present"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        self.protected_modules = _present(self.protected_modules, graph)
        self.allowed_importers = _present(self.allowed_importers, graph)
        return super().check(graph, verbose)


def _present(expressions, graph: ImportGraph):
    """Those that match a module, in the same kind of collection."""
    return type(expressions)(e for e in expressions if graph.find_matching_modules(e.expression))
