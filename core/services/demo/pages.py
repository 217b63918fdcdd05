"""What the page of a demonstration shows."""

from __future__ import annotations

from core.services.demo.position import Position, position
from core.tenants.directory import Tenant

__all__ = ["Position", "Tenant", "position"]
