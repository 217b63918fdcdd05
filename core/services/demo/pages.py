"""What the page of a demonstration shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.ledger.heads import HeadsFile
from core.services.demo.logins import Login
from core.services.demo.position import PeriodPosition, Position, Sums, position
from core.tenants.directory import Tenant

__all__ = ["Login", "PeriodPosition", "Position", "Shown", "Sums", "Tenant", "position"]


@dataclass(frozen=True, slots=True)
class Shown:
    """The last day that was played, the file of heads by which the books are proved, and who can sign in."""

    as_of: date
    heads: HeadsFile
    logins: tuple[Login, ...]
