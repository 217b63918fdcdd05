"""Who can sign in to the demonstration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core.services.demo.data import Town

# Known to everybody: the demonstration listens on this machine alone, and all that is in it is invented.
PASSWORD = "demonstration only 2026"  # noqa: S105
HOST = "host@fisc.example"
STAFF = ("treasurer", "clerk", "auditor", "council")


class Login(NamedTuple):
    """A login: its e-mail, its role, and the key of the municipality where it has it (None: on the instance)."""

    email: str
    role: str
    municipality: str | None


def logins(towns: Iterable[Town]) -> tuple[Login, ...]:
    """Every login, the host's first. The first filer of each municipality has one; a filer may have it in several."""
    found = [Login(HOST, "host", None)]
    for town in towns:
        found += [Login(f"{role}@{town.domain}", role, town.key) for role in STAFF]
        found.append(Login(town.places[0].email, "filer", town.key))
    return tuple(found)
