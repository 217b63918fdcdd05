"""Each dated value of a law the day before, on and after its dates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

from core.contract.declarations import Stay
from core.contract.law import Entry, Law
from core.contract.municipality import OpenMunicipality
from core.contract.settings import Resolution
from core.domain.calendar import ONE_DAY, Election
from core.domain.clause import LawValue
from core.domain.errors import ResolutionMissing, ValueEnded, ValueNotInForce
from core.domain.events import ReturnFiled
from core.domain.receipts import Receipts
from core.domain.shares import Collected


def faults_of_dates(law: Law) -> Iterator[str]:
    """Where a value, a reading or a resolution does not begin and end on its days. `law` has no settings in it."""
    for key, listed in law.entries.items():
        for entry in listed:
            yield from _of_entry(law, key, entry)
    for key, reading in law.reading_slots.items():
        if not isinstance(_asked(law.reading, key, reading.since), LawValue):
            yield f"the reading {key} has no value on {reading.since}"
        if isinstance(_asked(law.reading, key, reading.since - ONE_DAY), LawValue):
            yield f"the reading {key} begins before {reading.since}"
    for key, amount in law.resolution_slots.items():
        own = law.with_settings([Resolution(key, 1, amount.since, "kit")])
        if not isinstance(_asked(own.resolution, key, amount.since - ONE_DAY), ResolutionMissing):
            yield f"the amount {key} has a value before any resolution sets it"
        if own.resolution(key, amount.since).value != 1:
            yield f"the amount {key} is not what the resolution sets"


def _of_entry(law: Law, key: str, entry: Entry) -> Iterator[str]:
    since, until = entry.value.since, entry.value.until
    before, there = _asked(law.ordinance, key, since - ONE_DAY), _asked(law.ordinance, key, since)
    if isinstance(before, LawValue) and before.since >= since:
        yield f"{key} has its value of {since} a day too early"
    if entry.absence is None and there != entry.value:
        yield f"{key} does not have its value on {since}: {there}"
    if entry.absence is not None and isinstance(there, LawValue) and there.since == since:
        yield f"{key} is {entry.absence} from {since} and has a value all the same"
    if entry.absence is not None or until is None:
        return
    after = _asked(law.ordinance, key, until + ONE_DAY)
    if _asked(law.ordinance, key, until) != entry.value:
        yield f"{key} does not have its value on its last day {until}"
    if not isinstance(after, ValueEnded) and (not isinstance(after, LawValue) or after.since <= until):
        yield f"{key} goes on after its last day {until}"


def _asked(ask: Callable[[str, date], LawValue], key: str, day: date) -> LawValue | Exception:
    try:
        return ask(key, day)
    except (ValueNotInForce, ResolutionMissing) as refusal:
        return refusal


def ask_around_each_date(municipality: OpenMunicipality) -> None:
    """Asks the dated hooks the day before, on and after each date of the law.

    A hook answers, or says by a refusal which value is not in force; anything else that it raises is raised.
    """
    listed = municipality.law.entries.values()
    dates = sorted({entry.value.since for entries in listed for entry in entries if entry.value.since.year > 1900})
    for changed in dates:
        for day in (changed - ONE_DAY, changed, changed + ONE_DAY):
            for ask in (_ask_for_a_stay, _ask_for_shares, _ask_for_the_yearly_return, _ask_for_charges):
                try:
                    ask(municipality, day)
                except (ValueNotInForce, ResolutionMissing):
                    continue


def _ask_for_a_stay(municipality: OpenMunicipality, day: date) -> None:
    municipality.is_long_stay(Stay(day, day + ONE_DAY))


def _ask_for_shares(municipality: OpenMunicipality, day: date) -> None:
    municipality.distribution(Collected(10_000, day))


def _ask_for_the_yearly_return(municipality: OpenMunicipality, day: date) -> None:
    municipality.annual_return(Election(), day.year)


def _ask_for_charges(municipality: OpenMunicipality, day: date) -> None:
    for tax in municipality.taxes.values():
        account = municipality.open_account(tax.key, tax.frequency.containing(day))
        filed = ReturnFiled(0, day, day, (Receipts(day, day, ((tax.usual_line.key, 10_000),)),))
        municipality.charges(account.with_event(filed), day)
