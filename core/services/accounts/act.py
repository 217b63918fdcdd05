"""An act on a period account: the event, and what comes with a return or a payment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from core.domain.events import Event

CHANNELS = ("portal", "api", "paper", "import")
METHODS = ("check", "cash", "ach", "card", "marketplace")
LONGEST_REFERENCE = 100


class PaymentDetails(NamedTuple):
    """How money came in: a word of METHODS, the payer's reference (a check's number), what it was moved from."""

    method: str = "check"
    reference: str = ""
    moved_from: UUID | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that happened on an account. The event's `seq` and `recorded` are given to it when it is recorded.

    A return comes with its form as it was filled in and the way it came (a word of CHANNELS); a payment with its
    details. `received_on` is the day either arrived (None: the day of recording); the event counts for the postmark.
    """

    account_id: UUID
    event: Event
    form: dict[str, Any] | None = None
    channel: str = "paper"
    received_on: date | None = None
    payment: PaymentDetails | None = None
