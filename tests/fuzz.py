"""Searches the account fold for counterexamples: random cases against the oracle, and promises that hold for any case.

Run as `python -m tests.fuzz`. FISC_FUZZ_SECONDS says for how long, FISC_FUZZ_SEED which cases; both are printed,
and with them the smallest failing case that could be made of the one that was found.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from core.domain.errors import FiscError, Refused, ResolutionMissing
from core.domain.events import Payment, PaymentReturned
from core.domain.fold import Fold, Statement, in_recording_order
from core.services.cases.read import Case, case_from_text
from core.services.cases.write import answer, refusal
from tests.support.oracle import assess
from tests.support.random_cases import random_case, smallest

Raw = dict[str, Any]


def product_answer(raw: Raw) -> Raw:
    """What Fisc answers to a case, in the fields that the oracle has."""
    try:
        case = case_from_text(json.dumps(raw))
        result = answer(case, case.statement())
    except FiscError as error:
        result = refusal(error)
    return {name: value for name, value in result.items() if name not in ("lines", "faults", "message")}


def disagreement(raw: Raw) -> str | None:
    """What is wrong with the answer to a case, or None."""
    expected, got = assess(raw), product_answer(raw)
    if expected != got:
        return f"the oracle says {json.dumps(expected)}\nFisc says {json.dumps(got)}"
    if "error" in got:
        return None
    case = case_from_text(json.dumps(raw))
    for promise in (adds_up, no_money_made_or_lost, looking_changes_nothing, knows_only_what_was_recorded):
        broken = promise(case)
        if broken is not None:
            return f"{promise.__name__}: {broken}"
    return None


def adds_up(case: Case) -> str | None:
    """No charge is below zero, the lines of a kind sum to its charge, and the balance is charges less applied."""
    statement = case.statement()
    by_kind: dict[str, int] = {}
    for line in statement.lines:
        by_kind[line.kind] = by_kind.get(line.kind, 0) + line.cents
    if {kind: cents for kind, cents in by_kind.items() if cents} != without_zero(statement.charges):
        return f"the lines sum to {by_kind}, the charges are {statement.charges}"
    if min([*statement.charges.values(), *statement.applied.values()]) < 0:
        return f"below zero: {statement.charges}, {statement.applied}"
    if statement.balance != sum(statement.charges.values()) - sum(statement.applied.values()):
        return f"the balance is {statement.balance}"
    return None


def without_zero(amounts: dict[str, int]) -> dict[str, int]:
    return {kind: cents for kind, cents in amounts.items() if cents}


def no_money_made_or_lost(case: Case) -> str | None:
    """What is applied, kind by kind and entry by entry, sums to the payments that stand."""
    statement = case.statement()
    void = void_payments(case)
    paid = sum(event.cents for event in known(case) if isinstance(event, Payment) and event.seq not in void)
    by_kind: dict[str, int] = {}
    for entry in statement.applications:
        by_kind[entry.kind] = by_kind.get(entry.kind, 0) + entry.cents
        if by_kind[entry.kind] < 0:
            return f"more was moved away from {entry.kind} than stood there: {statement.applications}"
    if without_zero(by_kind) != statement.applied or sum(statement.applied.values()) != paid:
        return f"{paid} was paid, {statement.applied} is applied, by {statement.applications}"
    return None


def known(case: Case) -> list[Any]:
    return [event for event in case.events if event.recorded <= case.as_of]


def void_payments(case: Case) -> set[int]:
    return {event.payment_seq for event in known(case) if isinstance(event, PaymentReturned)}


def looking_changes_nothing(case: Case) -> str | None:
    """The answer is the same the second time, and when the account was looked at after each event and in between."""
    once = seen(case, case.statement())
    if seen(case, case.statement()) != once:
        return "the second statement is another"
    void = void_payments(case)
    account = case.municipality.open_account(case.tax.key, case.period, case.inputs)
    making = Fold(account, case.municipality)
    coming = [event for event in in_recording_order(known(case)) if event.seq not in void]
    days = [*(event.recorded for event in coming), case.as_of]
    for event, following in zip(coming, days[1:], strict=False):
        making.record(event)
        for day in days_between(event.recorded, following):
            look(case, making, day)
    if seen(case, making.statement(case.as_of)) != once:
        return "looking in the middle changed the answer"
    return None


def days_between(first: date, last: date) -> list[date]:
    """Both ends and the middle."""
    return [first, first + timedelta(days=(last - first).days // 2), last]


def look(case: Case, making: Fold, day: date) -> object:
    """A look at a day; an amount that is missing on it is an answer as well."""
    try:
        return seen(case, making.statement(day))
    except ResolutionMissing as missing:
        return missing.resolution


def seen(case: Case, statement: Statement) -> tuple[object, ...]:
    return answer(case, statement), statement.applications


def knows_only_what_was_recorded(case: Case) -> str | None:
    """A statement as of each day on which something was recorded is that of the case without what came later."""
    account = case.municipality.open_account(case.tax.key, case.period, case.inputs)
    for day in sorted({event.recorded for event in known(case)}):
        answers = []
        for events in (case.events, [event for event in case.events if event.recorded <= day]):
            try:
                answers.append(seen(case, case.municipality.statement(account, events, day)))
            except (ResolutionMissing, Refused) as error:
                answers.append((str(error),))
        if answers[0] != answers[1]:
            return f"as of {day} it knows what was recorded later"
    return None


def search(seed: int, seconds: float, say: Callable[[str], None]) -> bool:
    """Draws cases for so long; False when one failed, with the case made small and what is wrong with it."""
    source = random.Random(seed)
    until, tried = time.monotonic() + seconds, 0
    say(f"seed {seed}, {seconds:g} seconds")
    while time.monotonic() < until:
        raw = random_case(source)
        tried += 1
        if disagreement(raw) is not None:
            found = smallest(raw, lambda one: disagreement(one) is not None)
            say(f"case {tried} of seed {seed} fails; the smallest made of it:\n{json.dumps(found)}")
            say(str(disagreement(found)))
            return False
    say(f"{tried} cases, no counterexample")
    return True


def main() -> int:
    seconds = float(os.environ.get("FISC_FUZZ_SECONDS", "600"))
    seed = int(os.environ.get("FISC_FUZZ_SEED", random.SystemRandom().randrange(10**9)))
    return 0 if search(seed, seconds, print) else 1


if __name__ == "__main__":
    sys.exit(main())
