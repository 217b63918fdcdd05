"""The form of a return as plain values, and how it becomes what the law looks at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from core.contract.declarations import Line, Tax
from core.domain.calendar import ANNUAL, ONE_DAY, Period
from core.domain.errors import Fault, shown
from core.domain.fold import MOST_CENTS
from core.domain.money import dollars_for_reading
from core.domain.receipts import Receipts
from core.services.accounts.act import CHANNELS

LONGEST_NAME = 200
NO_LINES: Mapping[str, int] = {}


class Part(NamedTuple):
    """Receipts and deductions in cents by the key of their line, for nights of the period (both inside).

    Without nights the part begins where the one before ends, and the last ends with the period.
    """

    gross: Mapping[str, int]
    deductions: Mapping[str, int] = NO_LINES
    first_night: date | None = None
    last_night: date | None = None


@dataclass(frozen=True, slots=True)
class ReturnForm:
    """One return. Receipts are given for the whole period, or in `parts`, as where the rate changes in it.

    A line that is left out is zero. `tax` may be left out where there is one. The two days are of a return on paper.
    `form` is the return as it was filled in, which is kept letter for letter.
    """

    place_id: UUID
    period: str
    gross: Mapping[str, int] = field(default_factory=dict)
    deductions: Mapping[str, int] = field(default_factory=dict)
    parts: Sequence[Part] = ()
    tax: str | None = None
    postmarked_on: date | None = None
    received_on: date | None = None
    form: Mapping[str, Any] = field(default_factory=dict)


class Signature(NamedTuple):
    """Who signs, and in which capacity ("owner", "bookkeeper"). There is no oath."""

    name: str
    capacity: str


def signature_faults(signature: Signature) -> list[Fault]:
    """What is wrong with a signature."""
    return [
        Fault(f"signature.{name}", f"give the {what} of the person who signs, in 1 to {LONGEST_NAME} letters")
        for name, what, text in (("name", "name", signature.name), ("capacity", "capacity", signature.capacity))
        if not text.strip() or len(text) > LONGEST_NAME
    ]


def channel_faults(channel: str) -> list[Fault]:
    """What is wrong with the way a return is said to come."""
    if channel in CHANNELS:
        return []
    return [Fault("channel", f"{shown(channel)} is no way in which a return comes: use {', '.join(CHANNELS)}")]


def as_kept(form: Mapping[str, Any], signature: Signature) -> dict[str, Any]:
    """What is kept of a return: the form as it was filled in, with the signature."""
    return {"return": form, "signature": signature._asdict()}


def tax_of(taxes: Mapping[str, Tax], key: str | None, path: str, faults: list[Fault]) -> Tax | None:
    """The declared tax with this key; without a key the only one there is."""
    if key is None and len(taxes) == 1:
        return next(iter(taxes.values()))
    tax = taxes.get(key or "")
    if tax is None:
        given = f"{shown(key)} is no tax here" if key is not None else "tax is missing"
        faults.append(Fault(f"{path}tax", f"{given}: use {', '.join(taxes)}"))
    return tax


def period_of(tax: Tax, key: str, path: str, faults: list[Fault]) -> Period | None:
    """The filing period with this key."""
    if key.endswith(ANNUAL):
        faults.append(Fault(f"{path}period", f"{shown(key)} is the annual return: file it as such"))
        return None
    try:
        return tax.frequency.period(key)
    except ValueError as error:
        faults.append(Fault(f"{path}period", str(error)))
        return None


class Dated(Protocol):
    """A form that may have come on paper."""

    @property
    def postmarked_on(self) -> date | None:
        """The postmark."""

    @property
    def received_on(self) -> date | None:
        """The day it arrived."""


def day_that_counts(form: Dated, channel: str, recorded_on: date, path: str, faults: list[Fault]) -> date:
    """The day a return counts for: the postmark, else the day it arrived, else the day of recording."""
    if channel not in ("paper", "import"):
        for name in ("postmarked_on", "received_on"):
            if getattr(form, name) is not None:
                faults.append(Fault(f"{path}{name}", "only a return on paper has this day: leave it out"))
        return recorded_on
    received = form.received_on or recorded_on
    if received > recorded_on:
        message = f"{received} has not come on {recorded_on}: correct the day of receipt"
        faults.append(Fault(f"{path}received_on", message))
    counts = form.postmarked_on or received
    if counts > received:
        message = f"{counts} is after {received}, the day of receipt: correct one of the two"
        faults.append(Fault(f"{path}postmarked_on", message))
    return min(counts, recorded_on)


def receipts_of(
    form: ReturnForm,
    tax: Tax,
    period: Period,
    furnished_by: str,
    private_benefit: bool,
    path: str,
    faults: list[Fault],
) -> tuple[Receipts, ...]:
    """The receipts of a return, one for each part. What is at fault is added to `faults`, all of it."""
    if not form.parts:
        part = Part(form.gross, form.deductions, period.first_day, period.last_day)
        return (_part(part, period.first_day, period.last_day, tax, furnished_by, private_benefit, path, faults),)
    if form.gross or form.deductions:
        faults.append(Fault(f"{path}gross", "the receipts stand in the parts: leave them out beside them"))
    made = []
    expected: date | None = period.first_day
    for number, part in enumerate(form.parts):
        inside = f"{path}parts[{number}]."
        first = part.first_night or expected or period.first_day
        last = part.last_night or period.last_day
        made.append(_part(part, first, last, tax, furnished_by, private_benefit, inside, faults))
        if first != (expected or first) or last < first or last > period.last_day:
            message = f"the parts must follow one another from {period.first_day} to {period.last_day}"
            faults.append(Fault(f"{inside}first_night", f"{first} to {last}: {message}"))
            expected = None
        else:
            expected = last + ONE_DAY
    if expected is not None and expected != period.last_day + ONE_DAY:
        message = f"the last part ends on {made[-1].last_night}: let it end on {period.last_day}"
        faults.append(Fault(f"{path}parts", message))
    return tuple(made)


def _part(
    part: Part,
    first: date,
    last: date,
    tax: Tax,
    furnished_by: str,
    private_benefit: bool,
    path: str,
    faults: list[Fault],
) -> Receipts:
    faults.extend(line_faults(part.gross, tax.receipts, f"{path}gross"))
    faults.extend(line_faults(part.deductions, tax.deductions, f"{path}deductions"))
    gross, deductions = part.gross, part.deductions
    return Receipts(
        first,
        last,
        tuple([(line.key, gross.get(line.key, 0)) for line in tax.receipts]),
        tuple([(line.key, deductions[line.key]) for line in tax.deductions if deductions.get(line.key)]),
        furnished_by,
        private_benefit,
    )


def line_faults(amounts: Mapping[str, int], lines: Sequence[Line], path: str) -> Iterator[Fault]:
    """Lines that the return does not have, and amounts that cannot be."""
    if not amounts:
        return
    declared = [line.key for line in lines]
    for key, cents in amounts.items():
        if key not in declared:
            message = f"{shown(key)} is no line of this return: use {', '.join(declared)}"
            yield Fault(f"{path}.{key}", message)
        elif not 0 <= cents < MOST_CENTS:
            message = f"{dollars_for_reading(cents)} cannot be: give zero or more, below "
            yield Fault(f"{path}.{key}", message + dollars_for_reading(MOST_CENTS))
