"""Tax on receipts that fall under one rate or several, rounded once over the whole."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from core.domain.clause import LawValue
from core.domain.money import half_up


def tax_by_part(parts: Sequence[tuple[int, LawValue]]) -> list[int]:
    """Tax in cents for each (taxable cents, rate). The exact sum is rounded half a cent up once (READINGS 7).

    Each part's figure is the difference of rounded totals, so that the parts sum to the tax.
    """
    if len(parts) == 1:
        taxable, rate = parts[0]
        return [half_up(taxable * rate.ratio[0], rate.ratio[1])]
    exact, before, by_part = Fraction(0), 0, []
    for taxable, rate in parts:
        exact += Fraction(taxable * rate.ratio[0], rate.ratio[1])
        total = half_up(exact.numerator, exact.denominator)
        by_part.append(total - before)
        before = total
    return by_part


def percentage(cents: int, rate: LawValue) -> int:
    """A percentage of an amount in cents, half a cent up (READINGS 10)."""
    return half_up(cents * rate.ratio[0], rate.ratio[1])
