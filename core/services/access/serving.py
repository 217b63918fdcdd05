"""What a serving process needs of the installation: the addresses by which its workers reach the database."""

from __future__ import annotations

from collections.abc import Callable

from core.db.roles import Role
from core.db.server.identity import die_with_parent
from core.services.access.visit import Engines, make_engines
from core.services.installation import Installation

__all__ = ["die_with_parent", "engines_of"]


def engines_of(installed: Installation) -> Callable[[], Engines]:
    """Makes the engines of a worker, in the worker: connections do not survive a fork."""
    app, host = installed.database.address(Role.APP), installed.database.address(Role.HOST)
    return lambda: make_engines(app, host)
