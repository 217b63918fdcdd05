"""The one fold over a period account: events in the order of recording in, what is owed and where payments went out.

What is owed is asked of the municipality and is a pure function of the facts and a day. Where payments went is
decided here, once, when they are recorded, and is never rewritten (READINGS 19 to 22).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple, Protocol

from core.domain.account import Account, Basis
from core.domain.calendar import day_for_reading
from core.domain.charge import TAX, Charge
from core.domain.clause import Words
from core.domain.errors import Fault, ResolutionMissing
from core.domain.events import Estimate, Event, Payment, PaymentReturned, Refunded, ReturnFiled, Voided, Waiver
from core.domain.money import dollars_for_reading

_MONEY_LAST: Mapping[type, int] = {Payment: 1, Refunded: 2}
InputsByDay = Sequence[tuple[date, Mapping[str, int | None]]]
MOST_CENTS = 10**13


class Rules(Protocol):
    """What the fold asks of a municipality."""

    @property
    def application_order(self) -> tuple[str, ...]:
        """The kinds of charge in the order in which a payment is applied to them; the last is the tax."""

    def charges(self, account: Account, on: date) -> Sequence[Charge]:
        """All that has arisen by `on`, before any waiver, as the facts stand."""

    def charges_without_unset(self, account: Account, on: date) -> Sequence[Charge]:
        """The same, with nothing for an amount that a council or board has yet to set."""

    def objections(self, account: Account, event: Event) -> Sequence[Fault]:
        """Why the law refuses this act on this account; `field` is relative to the event."""


class Application(NamedTuple):
    """`cents` were applied to `kind` (negative: moved away). `on` is the day it counts for.

    `cause` is the seq of the event that did it, None where a charge arose by the passing of days.
    """

    on: date
    kind: str
    cents: int
    cause: int | None


@dataclass(frozen=True, slots=True)
class Statement:
    """A period account as of a day: what is owed line by line, where payments went, and the balance in cents.

    `lines` holds every charge and every waiver as a line of its own; `charges` sums them by kind, `applied` sums
    the applications. A credit, and money held before any return, stands in `applied` as tax. A negative balance is
    a credit.
    """

    account: Account
    as_of: date
    lines: tuple[Charge, ...]
    charges: dict[str, int]
    applied: dict[str, int]
    applications: tuple[Application, ...]

    @property
    def basis(self) -> Basis:
        """What the tax rests on."""
        return self.account.basis

    @property
    def balance(self) -> int:
        """Charges less what was applied, in cents."""
        return sum(self.charges.values()) - sum(self.applied.values())


class _Look(NamedTuple):
    """What was owed on a day: the charges, and their sums by kind after waivers."""

    account: Account
    on: date
    charges: Sequence[Charge]
    net: dict[str, int]


class Fold:
    """A period account in the making. `record` takes events in the order of recording; `statement` looks at a day.

    Looking changes nothing: the same question always has the same answer.
    """

    def __init__(self, account: Account, rules: Rules) -> None:
        self.account = account
        self._rules = rules
        self._applied: dict[str, int] = {}
        self._applications: list[Application] = []
        self._settled_to = date.min
        self._seen: _Look | None = None

    def record(self, event: Event) -> None:
        """Takes one more event. Whether the law allows it is asked before, by `objections`."""
        self._settle_to(event.recorded)
        self.account = self.account.with_event(event)
        if isinstance(event, Payment):
            self._pay(event)
        elif isinstance(event, Refunded):
            # Out of what stood as tax and was not owed; where its payment has come back since, that falls below zero,
            # and what was paid out is owed with the tax. The interest on a refund is no part of the account.
            self._apply({TAX: -event.cents}, event.on, event.seq)
        self._reapply_excess(event.recorded, event.seq)
        self._settled_to = event.recorded

    def learn(self, day: date, inputs: Mapping[str, int | None]) -> None:
        """Takes what other accounts give from this day on; what payments were applied to before stays as it was."""
        self._settle_to(day)
        self.account = self.account._replace(inputs=inputs)
        self._reapply_excess(day, None)
        self._settled_to = max(self._settled_to, day)

    def statement(self, as_of: date) -> Statement:
        """The account as of `as_of`, which is not before the last recorded event."""
        looking = self._copy()
        looking._settle_to(as_of)
        lines, charges = net_of_waivers(looking.account, looking._look(as_of).charges)
        applied = {kind: cents for kind, cents in looking._applied.items() if cents}
        return Statement(looking.account, as_of, lines, charges, applied, tuple(looking._applications))

    def _copy(self) -> Fold:
        other = Fold(self.account, self._rules)
        other._applied = dict(self._applied)
        other._applications = list(self._applications)
        other._settled_to = self._settled_to
        other._seen = self._seen
        return other

    def _net(self, on: date) -> dict[str, int]:
        """What is owed by kind as of `on`, in cents, before payments."""
        return self._look(on).net

    def _look(self, on: date) -> _Look:
        """The charges as of `on`; the last look is kept, since one day is often looked at twice."""
        if self._seen is not None and self._seen.account is self.account and self._seen.on == on:
            return self._seen
        charges = self._rules.charges(self.account, on)
        self._seen = _Look(self.account, on, charges, self._sums(charges))
        return self._seen

    def _sums(self, charges: Sequence[Charge]) -> dict[str, int]:
        """The charges by kind after waivers, in cents."""
        net: dict[str, int] = {}
        for charge in charges:
            net[charge.kind] = net.get(charge.kind, 0) + charge.cents
        for waiver in self.account.waivers:
            if waiver.kind in net:
                net[waiver.kind] = max(0, net[waiver.kind] - waiver.cents)
        return net

    def _net_where_set(self, on: date) -> tuple[dict[str, int], ResolutionMissing | None]:
        """What is owed by kind as far as it is set, and the resolution that is missing for the rest.

        An act may take back a fee that was never set before anybody asks for it, as an extension does; so a missing
        amount stops the fold only where money has to go somewhere.
        """
        try:
            return self._net(on), None
        except ResolutionMissing as missing:
            return self._sums(self._rules.charges_without_unset(self.account, on)), missing

    def _pay(self, payment: Payment) -> None:
        """To what was owed on the payment's own day, as now known; the rest is held as tax (READINGS 20, 21)."""
        net = self._net(payment.on)
        left = payment.cents
        moves: dict[str, int] = {}
        for kind in self._rules.application_order:
            owed = net.get(kind, 0) - self._applied.get(kind, 0)
            if owed > 0:
                moves[kind] = min(owed, left)
                left -= moves[kind]
        moves[TAX] = moves.get(TAX, 0) + left
        self._apply(moves, payment.on, payment.seq)

    def _reapply_excess(self, day: date, cause: int | None) -> None:
        """Moves what is applied above what is owed as of `day` to what else is owed; the rest stays as tax credit."""
        if not self._applied:
            return
        net, missing = self._net_where_set(day)
        moves: dict[str, int] = {}
        freed = 0
        for kind, applied in self._applied.items():
            excess = applied - net.get(kind, 0)
            if excess > 0 and (kind != TAX or self.account.basis != "none"):
                moves[kind] = -excess
                freed += excess
        if not freed:
            return
        if missing is not None:
            raise missing
        for kind in self._rules.application_order:
            owed = net.get(kind, 0) - self._applied.get(kind, 0)
            if owed > 0:
                moves[kind] = min(owed, freed)
                freed -= moves[kind]
        moves[TAX] = moves.get(TAX, 0) + freed
        self._apply(moves, day, cause)

    def _settle_to(self, day: date) -> None:
        """Applies a standing tax credit to each charge on the day on which it arose by the passing of days."""
        credit = self._applied.get(TAX, 0)
        if credit <= 0 or self.account.basis == "none" or day <= self._settled_to:
            return
        if credit <= self._net_where_set(day)[0].get(TAX, 0):
            return
        arisen = {charge.arose_on for charge in self._look(day).charges}
        for arose_on in sorted(arose_on for arose_on in arisen if self._settled_to < arose_on <= day):
            self._reapply_excess(arose_on, None)
        self._reapply_excess(day, None)
        self._settled_to = day

    def _apply(self, moves: dict[str, int], on: date, cause: int | None) -> None:
        for kind, cents in moves.items():
            if cents:
                self._applied[kind] = self._applied.get(kind, 0) + cents
                self._applications.append(Application(on, kind, cents, cause))
        to_tax = moves.get(TAX, 0)
        if to_tax:
            self.account = self.account._replace(tax_applied=(*self.account.tax_applied, (on, to_tax)))


def net_of_waivers(account: Account, charges: Sequence[Charge]) -> tuple[tuple[Charge, ...], dict[str, int]]:
    """The charges with a line for each waiver that lowers them, and the sums by kind (tax always, others above zero).

    A waiver takes nothing below zero; what it does not use up waits for what arises later (READINGS 22).
    """
    totals: dict[str, int] = {TAX: 0}
    for charge in charges:
        totals[charge.kind] = totals.get(charge.kind, 0) + charge.cents
    lines = list(charges)
    for waiver in account.waivers:
        used = min(waiver.cents, totals.get(waiver.kind, 0))
        if used > 0:
            totals[waiver.kind] -= used
            lines.append(_waived(waiver, used, charges))
    return tuple(lines), {kind: cents for kind, cents in totals.items() if cents or kind == TAX}


def _waived(waiver: Waiver, used: int, charges: Sequence[Charge]) -> Charge:
    clause = next(charge.clause for charge in charges if charge.kind == waiver.kind)
    reason = f": {waiver.reason}" if waiver.reason else ""
    words = Words("waived on {0:day}, {1:money} of {2:money}{3}", (waiver.on, used, waiver.cents, reason))
    return Charge(waiver.kind, -used, clause, waiver.on, words)


def in_recording_order(events: Iterable[Event]) -> list[Event]:
    """Events by the day of recording; of one day, everything else before payments (READINGS 20), refunds after them."""
    return sorted(events, key=lambda event: (event.recorded, _MONEY_LAST.get(type(event), 0), event.seq))


def fold(
    account: Account, events: Iterable[Event], rules: Rules, as_of: date, inputs_by_day: InputsByDay = ()
) -> Statement:
    """The statement of a period account as of `as_of`, knowing only what was recorded by then (READINGS 20).

    `account` holds no events yet. A payment that came back or was entered in error is left out from the start
    (READINGS 22). The acts are taken as allowed: `refusals` asks the law about them. `inputs_by_day` holds what
    other accounts give from a day on, in the order of the days; without it the account's own inputs stand throughout.
    """
    known = [event for event in events if event.recorded <= as_of]
    void = {event.payment_seq for event in known if isinstance(event, PaymentReturned | Voided)}
    making = Fold(account, rules)
    learned = 0
    for event in in_recording_order(known):
        while learned < len(inputs_by_day) and inputs_by_day[learned][0] <= event.recorded:
            making.learn(*inputs_by_day[learned])
            learned += 1
        if event.seq not in void or not isinstance(event, Payment):
            making.record(event)
    for day, inputs in inputs_by_day[learned:]:
        if day <= as_of:
            making.learn(day, inputs)
    return making.statement(as_of)


def refusals(account: Account, events: Iterable[Event], rules: Rules, above: int = -1) -> list[Fault]:
    """Why the law refuses acts among these, in the order of recording; the field is "events[seq].name".

    Acts up to the seq `above` were allowed when they were recorded and are not judged again. A refused act counts
    as not done for those after it.
    """
    known = in_recording_order(events)
    faults: list[Fault] = []
    void: set[int] = set()
    for event in known:
        refused: list[Fault] = []
        if isinstance(event, PaymentReturned | Voided):
            refused = _void_faults(event, known, void)
            void.add(event.payment_seq)
        refused += [*_general_objections(account, event, rules), *rules.objections(account, event)]
        if refused and event.seq > above:
            faults.extend(Fault(f"events[{event.seq}].{fault.field}", fault.message) for fault in refused)
        else:
            account = account.with_event(event)
    return faults


def _void_faults(event: PaymentReturned | Voided, known: Sequence[Event], void: set[int]) -> list[Fault]:
    named = next((one for one in known if one.seq == event.payment_seq and isinstance(one, Payment)), None)
    if named is None or named.recorded > event.recorded or named.seq > event.seq:
        what = f" of {dollars_for_reading(event.cents)}" if isinstance(event, PaymentReturned) else ""
        day = f" on {day_for_reading(event.payment_on)}" if isinstance(event, PaymentReturned) else ""
        message = f"no payment{what}{day} was recorded before: name a payment of this account as it was entered"
    elif event.payment_seq in void:
        message = "this payment is already void: it cannot come back twice"
    elif isinstance(event, PaymentReturned) and (named.on, named.cents) != (event.payment_on, event.cents):
        paid = f"{dollars_for_reading(named.cents)} on {day_for_reading(named.on)}"
        message = f"that payment was entered as {paid}: name it as it was entered"
    else:
        return []
    return [Fault("payment_on", message)]


def _general_objections(account: Account, event: Event, rules: Rules) -> list[Fault]:
    """What no municipality allows: impossible amounts and receipts, and a waiver of what cannot be waived."""
    if isinstance(event, ReturnFiled | Estimate):
        return _receipts_objections(account, event)
    if isinstance(event, Payment | Waiver | Refunded) and not 0 < event.cents < MOST_CENTS:
        amount = dollars_for_reading(event.cents)
        return [Fault("amount", f"{amount} cannot be: give at least one cent, below {dollars_for_reading(MOST_CENTS)}")]
    if isinstance(event, Refunded):
        return _refund_objections(account, event)
    if isinstance(event, Waiver):
        waivable = [kind for kind in rules.application_order if kind != TAX]
        if event.kind not in waivable:
            return [Fault("kind", f"{event.kind!r} cannot be waived here: name one of {', '.join(waivable)}")]
    return []


def _refund_objections(account: Account, event: Refunded) -> list[Fault]:
    """What holds whatever is owed; that a credit stands is for whoever looks at the statement to see."""
    if account.basis == "none":
        message = "nothing is filed, so what was paid is held for the period and is no credit: refund it once it is one"
        return [Fault("amount", message)]
    paid = account.paid_by(date.max)
    if event.cents > paid:
        message = f"{dollars_for_reading(paid)} stand paid here: {dollars_for_reading(event.cents)} cannot be paid back"
        return [Fault("amount", message)]
    if not 0 <= event.interest_cents < MOST_CENTS:
        return [Fault("interest", f"{dollars_for_reading(event.interest_cents)} cannot be the interest on a refund")]
    return []


def _receipts_objections(account: Account, event: ReturnFiled | Estimate) -> list[Fault]:
    for part in event.receipts:
        if part.first_night not in account.period or part.last_night not in account.period:
            nights = f"{part.first_night} to {part.last_night}"
            return [Fault("receipts", f"the nights {nights} do not lie in {account.period.key}: file them there")]
        if part.deducted_cents > part.gross_cents:
            message = (
                f"{dollars_for_reading(part.deducted_cents)} is deducted from receipts of only "
                f"{dollars_for_reading(part.gross_cents)}: correct the deductions or the gross receipts"
            )
            return [Fault("deductions", message)]
    return []
