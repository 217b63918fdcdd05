"""The refusal of a whole file, in one form for every reason."""

from __future__ import annotations

from pathlib import Path

from core.domain.errors import Fault, Refused


def refused(path: Path, message: str) -> Refused:
    """A refusal that names the file; the message follows its name and says what to do."""
    return Refused([Fault(str(path), message)])
