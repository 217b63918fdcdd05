"""Who acts: a login, with its roles in the municipality that the request names."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from core.auth.permissions import ROLES, Permission, Scope
from core.domain.errors import FiscError


class NotSignedIn(FiscError):
    """No valid token came with the request."""


class Forbidden(FiscError):
    """The login's role does not include this."""


class Actor(NamedTuple):
    """A login and what it is here. `filers` are the filers that it acts for in this municipality."""

    login_id: UUID
    email: str
    name: str
    roles: frozenset[str] = frozenset()
    filers: frozenset[UUID] = frozenset()

    @property
    def by(self) -> str:
        """What is kept as the one who recorded something."""
        return self.email

    def reach(self, permission: Permission) -> frozenset[UUID] | None:
        """The filers whose records this permission reaches; None: all of the municipality. Raises Forbidden."""
        scopes = {ROLES[role][permission] for role in self.roles if permission in ROLES[role]}
        if not scopes:
            raise Forbidden(f"your role does not include this ({permission.name}: {permission.meaning})")
        return None if Scope.ALL in scopes else self.filers
