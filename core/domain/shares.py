"""Dividing an amount among payees so that the parts always sum to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from core.domain.calendar import add_months
from core.domain.clause import Clause, LawValue, Words
from core.domain.money import half_up, round_up


class Share(NamedTuple):
    """One payee's part of the base, in cents. `held` means that it is kept as a liability and paid to nobody yet."""

    payee: str
    cents: int
    clause: Clause
    words: Words
    values: tuple[LawValue, ...] = ()
    held: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """A written agreement that fixes a payee's share: `share` is a fraction of one, both days are inside its term."""

    number: str
    payee: str
    share: Decimal
    first_day: date
    last_day: date

    def __contains__(self, day: date) -> bool:
        return self.first_day <= day <= self.last_day

    def is_longer_than(self, months: int) -> bool:
        """Whether the term runs past the day on which `months` months from its first day are complete."""
        return self.last_day >= add_months(self.first_day, months)


class Collected(NamedTuple):
    """The cumulative base of a distribution: tax collected for a period so far, in cents, as of a day."""

    cents: int
    on: date
    agreements: tuple[Agreement, ...] = ()


class Distribution(NamedTuple):
    """Shares that sum to the base, and what the treasurer should be warned about."""

    shares: tuple[Share, ...]
    warnings: tuple[str, ...] = ()


def rounded_part(base_cents: int, ratio: tuple[int, int]) -> int:
    """The part `ratio` (numerator, denominator) of the base in cents, half a cent up."""
    return half_up(base_cents * ratio[0], ratio[1])


def part_rounded_up(base_cents: int, ratio: tuple[int, int]) -> int:
    """The part of the base in cents, any part of a cent up."""
    return round_up(base_cents * ratio[0], ratio[1])


def overlapping(agreements: Iterable[Agreement]) -> list[tuple[Agreement, Agreement]]:
    """Each pair of agreements whose terms share a day."""
    ordered = sorted(agreements, key=lambda agreement: agreement.first_day)
    return [
        (one, other)
        for place, one in enumerate(ordered)
        for other in ordered[place + 1 :]
        if other.first_day <= one.last_day
    ]
