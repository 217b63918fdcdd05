"""What is owed and why: a charge carries its clause, the law values used, and the computation in words."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from core.domain.clause import Clause, LawValue, Words

TAX = "tax"
INTEREST = "interest"


class Charge(NamedTuple):
    """One line of what is owed, in cents.

    `arose_on` is the first day on which it was owed. `values` are the law values used and `depends_on` the inputs
    from other accounts, so that a replay can pin them and an act elsewhere can find whom it concerns.
    """

    kind: str
    cents: int
    clause: Clause
    arose_on: date
    words: Words
    values: tuple[LawValue, ...] = ()
    depends_on: tuple[str, ...] = ()


class Exposure(NamedTuple):
    """What a court could impose, in cents. Fisc computes it and never bills it (READINGS 17).

    `most_cents` is None where the text has no cap on the total or the cap cannot be known yet.
    """

    kind: str
    least_cents: int
    most_cents: int | None
    clause: Clause
    words: Words


class Caution(NamedTuple):
    """Something that an officer should know about an account, with the section it rests on."""

    section: str
    message: str
