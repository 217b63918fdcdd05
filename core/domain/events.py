"""What happened on a period account. An event has the day it counts for, the day it was recorded, and its place.

`seq` is the order of recording, `on` the day it counts for (postmark, payment, mailing), `recorded` the day on which
it was entered, never before `on`. Amounts are in cents.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from core.domain.receipts import Receipts

NEGLIGENCE = "negligence"
FRAUD = "fraud"


class ReturnFiled(NamedTuple):
    """A return; a later one amends the earlier. `receipts` has one part for each rate in the period."""

    seq: int
    on: date
    recorded: date
    receipts: tuple[Receipts, ...]


class Estimate(NamedTuple):
    """The officer's estimate of the receipts of a period for which no return was filed."""

    seq: int
    on: date
    recorded: date
    receipts: tuple[Receipts, ...]


class Payment(NamedTuple):
    """Money received for the period."""

    seq: int
    on: date
    recorded: date
    cents: int


class PaymentReturned(NamedTuple):
    """A payment came back, for the bank's `reason`: `payment_seq` is void from the start, `on` the day it came back."""

    seq: int
    on: date
    recorded: date
    payment_seq: int
    payment_on: date
    cents: int
    reason: str = ""


class Voided(NamedTuple):
    """A payment was entered in error: `payment_seq` is void from the start. It adds no fee (READINGS 22)."""

    seq: int
    on: date
    recorded: date
    payment_seq: int
    reason: str = ""


class Refunded(NamedTuple):
    """Money of a standing credit was paid back: `cents`, with interest of `interest_cents` or a reasoned none.

    Clause, section and reason are those of the interest as it was worked out on that day (READINGS 9).
    """

    seq: int
    on: date
    recorded: date
    cents: int
    interest_cents: int = 0
    clause_id: str = ""
    section: str = ""
    reason: str = ""


class Waiver(NamedTuple):
    """An officer lowers a fee, penalty or interest of `kind` by `cents`, for `reason`."""

    seq: int
    on: date
    recorded: date
    kind: str
    cents: int
    reason: str = ""


class Extension(NamedTuple):
    """The filing date is moved to `until`."""

    seq: int
    on: date
    recorded: date
    until: date


class Notice(NamedTuple):
    """The notification to file or pay was mailed or delivered on `on`."""

    seq: int
    on: date
    recorded: date


class Finding(NamedTuple):
    """A finding of `finding` ("negligence" or "fraud"), by a named officer with reasons."""

    seq: int
    on: date
    recorded: date
    finding: str
    officer: str = ""
    reasons: str = ""


Event = ReturnFiled | Estimate | Payment | PaymentReturned | Voided | Waiver | Extension | Notice | Finding | Refunded
