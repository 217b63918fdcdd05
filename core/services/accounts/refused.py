"""Says of a form what is refused of the acts that were made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date

from core.domain.errors import Fault, Refused
from core.services.accounts.act import Act
from core.services.accounts.judge import judge, placed
from core.services.accounts.look import Looked

LONGEST_REASON = 500


def renamed(faults: Iterable[Fault], paths: Sequence[str], names: Mapping[str, str]) -> list[Fault]:
    """Faults of acts as faults of what was given: "acts[0].on" becomes paths[0] and the name that "on" has there."""
    made = []
    for fault in faults:
        number, _, name = fault.field.removeprefix("acts[").partition("].")
        made.append(Fault(f"{paths[int(number)]}{names.get(name, name)}", fault.message))
    return made


@contextmanager
def refused_as(paths: Sequence[str], names: Mapping[str, str]) -> Iterator[None]:
    """Within it, a refusal of acts comes out in the names of the form."""
    try:
        yield
    except Refused as refused:
        raise Refused(renamed(refused.faults, paths, names)) from refused


def law_faults(
    looked: Looked, acts: Sequence[Act], today: date, paths: Sequence[str], names: Mapping[str, str]
) -> list[Fault]:
    """What stands against acts that are not going to be recorded, since something else is wrong."""
    try:
        judge(looked, acts, placed(looked, acts, today))
    except Refused as refused:
        return renamed(refused.faults, paths, names)
    return []


def reason_faults(reason: str, name: str = "reason", what: str = "the reason") -> list[Fault]:
    """What is wrong with a text that somebody must be able to read later."""
    if reason.strip() and len(reason) <= LONGEST_REASON and reason.isprintable():
        return []
    return [Fault(name, f"give {what} in 1 to {LONGEST_REASON} letters, on one line")]
