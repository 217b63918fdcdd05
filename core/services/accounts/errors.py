"""Why an act is not recorded, whatever it is."""

from __future__ import annotations

from core.domain.errors import FiscError


class TenantNotOpen(FiscError):
    """The municipality has not been opened on this instance yet."""


class TenantClosed(FiscError):
    """The municipality does no more business on this instance."""
