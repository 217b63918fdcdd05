"""What is wrong with the books, as `verify` says it: one finding for each thing, and an end to their number."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

SHOWN = 1_000


class Wrong(StrEnum):
    """The kinds of findings."""

    CHANGED = "changed"  # an entry or one of its transfers is not what was sealed
    MISSING = "missing"  # an entry was sealed and is not there
    LINES = "lines"  # an entry has more or fewer transfers than it says
    BACKDATED = "backdated"  # an entry says it is older than a sealing that did not see it
    ORPHAN = "orphan"  # transfers without their entry
    SEAL_CHANGED = "seal changed"  # a seal does not follow from the one before it
    SEAL_MISSING = "seal missing"  # the chain has a gap
    CHAIN_CUT = "chain cut"  # the file outside knows more seals than there are
    OTHER_CHAIN = "other chain"  # the file outside knows another head for a position
    UNPAIRED = "unpaired"  # one fund owes what the other does not claim, or the other way round
    UNKNOWN_ACCOUNT = "unknown account"  # money was moved on an account that is not in the chart
    SNAPSHOT = "snapshot"  # a closed period is not what its entries give


class Finding(NamedTuple):
    """One thing that is wrong. `name` is the key of the entry where there is one, else what identifies the thing."""

    wrong: Wrong
    name: str
    message: str


class Findings:
    """The first SHOWN findings, and how many came after them."""

    def __init__(self) -> None:
        self.shown: list[Finding] = []
        self.further = 0

    def add(self, wrong: Wrong, name: str, message: str) -> None:
        """Keep a finding, or count it when there are too many to be read anyway."""
        if len(self.shown) < SHOWN:
            self.shown.append(Finding(wrong, name, message))
        else:
            self.further += 1
