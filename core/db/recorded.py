"""Who recorded something, and on which day."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple


class Recorded(NamedTuple):
    """By whom, and on which day of the municipality's own calendar. The moment is the server's and is not given."""

    by: str
    on: date

    def columns(self) -> dict[str, Any]:
        """As the columns of a row."""
        return {"recorded_by": self.by, "recorded_on": self.on}
