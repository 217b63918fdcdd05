"""Which payments a refund comes from: the last ones made the overpayment, so they are taken first. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from core.domain.events import Event, Payment, PaymentReturned, Refunded, Voided
from core.domain.fold import in_recording_order


class Slice(NamedTuple):
    """A part of a refund in cents, and the day on which it was paid."""

    paid_on: date
    cents: int


def slices(events: Iterable[Event], cents: int) -> tuple[Slice, ...]:
    """The parts of a refund of `cents` by the day on which they were paid, the last first.

    Earlier refunds came out of the payments known on their own day. What one of them took of a payment that is void
    by now, the payments after it have made good first. At most what stands paid is answered.
    """
    known = list(events)
    void = {event.payment_seq for event in known if isinstance(event, PaymentReturned | Voided)}
    left: list[Payment] = []
    short = 0
    for event in in_recording_order(known):
        if isinstance(event, Payment) and event.seq not in void:
            made_good = min(short, event.cents)
            short -= made_good
            left.append(event._replace(cents=event.cents - made_good))
        elif isinstance(event, Refunded):
            taken, left = _taken(left, event.cents)
            short += event.cents - sum(one.cents for one in taken)
    by_day: dict[date, int] = {}
    for one in _taken(left, cents)[0]:
        by_day[one.on] = by_day.get(one.on, 0) + one.cents
    return tuple(Slice(day, part) for day, part in by_day.items())


def _taken(left: Iterable[Payment], cents: int) -> tuple[list[Payment], list[Payment]]:
    """What `cents` take of payments, the last first, and what they leave of them."""
    taken, rest = [], []
    for payment in sorted(left, key=lambda paid: (paid.on, paid.seq), reverse=True):
        part = min(payment.cents, cents)
        cents -= part
        taken += [payment._replace(cents=part)] if part else []
        rest += [payment._replace(cents=payment.cents - part)] if payment.cents > part else []
    return taken, rest
