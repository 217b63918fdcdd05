"""What a return reports: receipts by line, what is taken off them, and the nights they are for."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

COMMERCIAL = "commercial"


class Receipts(NamedTuple):
    """Receipts for the nights from `first_night` to `last_night` (both inside), in cents.

    `gross` and `deductions` hold (line, cents) pairs in the order of the form; which lines there are, the tax
    declares. `furnished_by` says what kind of person furnishes the place ("commercial" unless the law treats it
    apart), and `private_benefit` whether net earnings benefit a private person.
    """

    first_night: date
    last_night: date
    gross: tuple[tuple[str, int], ...]
    deductions: tuple[tuple[str, int], ...] = ()
    furnished_by: str = COMMERCIAL
    private_benefit: bool = True

    @property
    def gross_cents(self) -> int:
        """All receipts of these nights, in cents."""
        return sum([cents for _, cents in self.gross])

    @property
    def deducted_cents(self) -> int:
        """All that is taken off, in cents."""
        return sum([cents for _, cents in self.deductions])


class Excluded(NamedTuple):
    """A part of receipts that is not taxed, in cents, with the clause that leaves it out."""

    line: str
    cents: int
    clause_id: str
    section: str


class Taxability(NamedTuple):
    """The answer to "what of these receipts is taxed": taxable cents, and every part that is not, with its clause."""

    taxable_cents: int
    excluded: tuple[Excluded, ...]
