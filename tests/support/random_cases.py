"""Cases at random: one municipality, one period, up to eight events near the days on which something turns.

`random_case` draws from a `random.Random` and is fast; `cases` is the same builder as a hypothesis strategy.
`smallest` makes a failing case as small as it gets, so that a person can follow it.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st

from tests.support.oracle import ORDER, due_date, roll, same_day_next_month

Case = dict[str, Any]
# Takes one of the values that it is given: the only source of chance here.
Pick = Callable[[Sequence[Any]], Any]

# A kind that a municipality's text does not have cannot be named in a waiver there.
UNKNOWN = {
    "bayfield": ("nonpayment_forfeiture",),
    "montello": ("negligence_penalty",),
    "fox_cities_village": ("nonpayment_forfeiture",),
}
TYPES = (
    *("payment",) * 7,
    *("return_filed",) * 4,
    *("estimate",) * 2,
    *("extension",) * 2,
    *("finding",) * 2,
    *("waiver",) * 2,
    *("payment_returned",) * 2,
    "notice",
)
RECEIPTS = ("20000.00", "0.00", "0.07", "1001.00", "1000.50", "3333.33", "14999.99", "25000.00", "100000.00")
AMOUNTS = ("100.00", "0.01", "5.00", "25.00", "35.00", "60.00", "400.00", "999.99", "1000.00", "2500.00", "9999.99")
RATES = {"bayfield": 65, "montello": 45, "fox_cities_village": 30}


def random_case(source: random.Random) -> Case:
    """A case drawn from a seeded source."""
    return build(source.choice)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """The same cases, for hypothesis to choose and to shrink."""
    return build(lambda options: draw(st.sampled_from(options)))


def build(pick: Pick) -> Case:
    """A case whose events stand in the order of recording."""
    place = pick(tuple(RATES))
    period = f"{pick((2026, 2025, 2027))}-Q{pick((1, 2, 3, 4))}"
    days = interesting_days(place, period)
    events: list[dict[str, Any]] = standing_credit(pick, place, period) if pick((False, False, False, True)) else []
    first = recorded_on(events[-1]) if events else days[0]
    after = [day for day in days if day >= first]
    recorded = sorted(pick(after) for _ in range(pick(range(9 - len(events)))))
    for day in recorded:
        event = build_event(pick, place, days, day, events)
        if event is not None:
            events.append(event)
    case = {
        "municipality": place,
        "tax": "room_tax",
        "period": period,
        "as_of": as_of(pick, days, [first, *recorded]).isoformat(),
        "resolutions": fees(pick, place, events),
        "events": events,
    }
    if pick((True, True, True, False)):
        case["previous_year_tax"] = pick(("1200.00", "0.00", "350.10", "3999.99", "9000.00"))
    return case


def standing_credit(pick: Pick, place: str, period: str) -> list[dict[str, Any]]:
    """An estimate paid with more than it asks, amid acts from which a charge arises later by the passing of days.

    Such a credit seldom comes about by chance, and is applied on a day on which nothing is recorded.
    """
    due = due_date(place, period)
    estimated = roll(due) + timedelta(days=pick((1, 2, 6)))
    early = [due + timedelta(days=step) for step in (-12, -2, 1) if due + timedelta(days=step) < estimated]
    before: list[dict[str, Any]] = [{"type": "notice"}, {"type": "finding", "finding": "negligence"}]
    extension = {"type": "extension", "until": same_day_next_month(due).isoformat()}
    chosen = [(pick(early), event) for event in before if pick((True, False))]
    chosen.append((estimated, {"type": "estimate", "gross_receipts": pick(("1001.00", "3333.33", "20000.00"))}))
    chosen.append((estimated, {"type": "payment", "amount": pick(("2000.00", "1500.00", "600.00", "150.00"))}))
    if pick((True, True, False)):
        chosen.append((estimated + timedelta(days=pick((0, 1, 4, 9))), extension))
    chosen.sort(key=lambda one: one[0])
    return [{"on": day.isoformat(), **event} for day, event in chosen]


def recorded_on(event: dict[str, Any]) -> date:
    return date.fromisoformat(event.get("recorded", event["on"]))


BOTH_FEES = {"late_filing_fee": "25.00", "returned_payment_fee": "35.00"}
LATE_FEE_ONLY = {"late_filing_fee": "15.00"}
RETURNED_FEE_ONLY = {"returned_payment_fee": "20.00"}


def fees(pick: Pick, place: str, events: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The fees that are set by resolution, now and then without one that is needed."""
    if place == "montello":
        return pick((RETURNED_FEE_ONLY, {}))
    # Where two are missing at once they do not say which is named first: in Bayfield one is always set.
    one_missing = (LATE_FEE_ONLY, RETURNED_FEE_ONLY if place == "bayfield" else {})
    return pick((BOTH_FEES, BOTH_FEES, BOTH_FEES, BOTH_FEES, *one_missing))


def interesting_days(place: str, period: str) -> tuple[date, ...]:
    """The days on which something turns, and their neighbours; some stand twice, to come up more often."""
    due = due_date(place, period)
    extended = same_day_next_month(due)
    turning = [due, roll(due), extended, roll(extended)]
    turning += [roll(day + timedelta(days=30)) for day in turning]
    turning += [day + timedelta(days=10) for day in turning]
    near = [day + timedelta(days=step) for day in turning for step in (-1, 0, 1)]
    firsts = [day for day in (due + timedelta(days=step) for step in range(1, 300)) if day.day == 1]
    near += [day + timedelta(days=step) for day in firsts for step in (-1, 0, 1)]
    near += [due + timedelta(days=step) for step in (-25, -20, -10, -5, -2, 2, 3, 5, 7, 12, 20, 40, 75, 130, 200, 290)]
    return tuple(sorted(near))


def as_of(pick: Pick, days: Sequence[date], recorded: Sequence[date]) -> date:
    """On the last day of recording, some time after it, or in the middle."""
    last = recorded[-1] if recorded else days[0]
    after = [day for day in days if day >= last]
    return pick((pick(after), pick(after), last, pick(days)))


def build_event(pick: Pick, place: str, days: Sequence[date], day: date, before: list[Any]) -> dict[str, Any] | None:
    """One event recorded on a day; now and then one that the law refuses."""
    kind = pick(TYPES)
    # The law refuses an estimate after a return; a few are left in.
    if kind == "estimate" and any(event["type"] == "return_filed" for event in before) and pick(range(12)):
        kind = "return_filed"
    if kind in ("estimate", "return_filed"):
        return {"on": day.isoformat(), "type": kind, **receipts(pick, kind)}
    if kind == "payment":
        return payment(pick, place, days, day, before)
    if kind == "payment_returned":
        payments = [event for event in before if event["type"] == "payment"]
        if not payments:
            return None
        paid = pick(payments)
        return {"on": day.isoformat(), "type": kind, "payment_on": paid["on"], "amount": paid["amount"]}
    return {"on": day.isoformat(), "type": kind, **other_fields(pick, place, days, kind)}


def other_fields(pick: Pick, place: str, days: Sequence[date], kind: str) -> dict[str, str]:
    """What an extension, a waiver or a finding holds beside its day."""
    if kind == "extension":
        due = days[0] + timedelta(days=25)
        longest = same_day_next_month(due)
        until = [day for day in days if due < day <= longest + timedelta(days=not pick(range(15)))]
        return {"until": pick((longest, pick(until))).isoformat()}
    if kind == "waiver":
        amount = pick((*AMOUNTS[:7], f"{pick(range(1, 3000)) / 100:.2f}"))
        kinds = [kind for kind in ORDER[:-1] if kind not in UNKNOWN[place]]
        return {"kind": pick((*kinds, "interest", "late_filing_fee")), "amount": amount}
    if kind == "finding":
        return {"finding": pick(("negligence", "negligence", "fraud"))}
    return {}


def receipts(pick: Pick, kind: str) -> dict[str, Any]:
    """Gross receipts; on a return sometimes with deductions."""
    gross = pick((pick(RECEIPTS), pick(RECEIPTS), f"{pick(range(1, 5_000_000)) / 100:.2f}"))
    if kind == "estimate":
        return {"gross_receipts": gross}
    parts = pick(((), (), ("marketplace",), ("marketplace", "long_stay", "exempt_entity")))
    return {"gross_receipts": gross, "deductions": {name: f"{float(gross) / 7:.2f}" for name in parts}}


def payment(pick: Pick, place: str, days: Sequence[date], day: date, before: Sequence[Any]) -> dict[str, Any]:
    """A payment, often of the very tax that was shown, or recorded later than its own day."""
    gross = [float(event["gross_receipts"]) for event in before if "gross_receipts" in event] or [1000.0]
    tax = gross[-1] * RATES[place] / 1000
    amounts = [tax, tax + 25, tax / 2, tax / 3, tax * 1.2, tax * 2]
    amount = pick((pick(AMOUNTS), f"{max(0.01, pick(amounts)):.2f}"))
    event = {"on": day.isoformat(), "type": "payment", "amount": amount}
    if pick((True, False, False)):
        event["on"] = pick([one for one in days if one <= day]).isoformat()
        event["recorded"] = day.isoformat()
    return event


# --- making a failing case small


def smallest(case: Case, fails: Callable[[Case], bool]) -> Case:
    """A case that still fails and from which nothing can be left out or made simpler."""
    for simpler in simpler_cases(case):
        if fails(simpler):
            return smallest(simpler, fails)
    return case


def simpler_cases(case: Case) -> Iterator[Case]:
    """The same case with one thing less, or one amount rounder."""
    events = case["events"]
    for number, event in enumerate(events):
        yield {**case, "events": [*events[:number], *events[number + 1 :]]}
        for simpler in simpler_events(event):
            yield {**case, "events": [*events[:number], simpler, *events[number + 1 :]]}
    if "previous_year_tax" in case:
        yield {name: value for name, value in case.items() if name != "previous_year_tax"}


def simpler_events(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "recorded" in event:
        yield {name: value for name, value in event.items() if name != "recorded"} | {"on": event["recorded"]}
    if event.get("deductions"):
        yield {**event, "deductions": {}}
    for name, rounder in (("amount", ("1000.00", "100.00", "10.00")), ("gross_receipts", ("20000.00", "10000.00"))):
        if name in event and event[name] not in rounder:
            yield from ({**event, name: amount} for amount in rounder)
