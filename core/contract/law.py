"""The law as dated, cited values, from three sources that are never mixed: ordinance, resolution, reading.

A value that has ended, one that is unknown and one that is not yet enacted are three different things, and none of
them is zero: each is refused by a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal, NamedTuple

from core.contract.clauses import ClauseTable
from core.contract.settings import ReadingChoice, Resolution, SettingValue
from core.domain.calendar import day_for_reading
from core.domain.clause import Clause, LawValue
from core.domain.errors import (
    Fault,
    Refused,
    ResolutionMissing,
    ValueEnded,
    ValueNotEnacted,
    ValueNotInForce,
    ValueNotYetInForce,
    ValueUnknown,
)

Absence = Literal["unknown", "not_enacted"]


class Entry(NamedTuple):
    """A law file's entry: a value, or the reason why there is none from its day on."""

    value: LawValue
    absence: Absence | None
    note: str


@dataclass(frozen=True, slots=True)
class ResolutionSlot:
    """An amount that the text leaves to a council or board. `required`: a tenant opens only when it is set."""

    key: str
    title: str
    clause: Clause
    unit: str
    set_by: str
    required: bool
    since: date


@dataclass(frozen=True, slots=True)
class ReadingSlot:
    """A doubtful passage with the default reading, its reason and where the reading is numbered."""

    key: str
    clause: Clause
    default: SettingValue
    since: date
    set_by: str
    reason: str


@dataclass(frozen=True)
class Law:
    """All values of one municipality. Immutable; `with_settings` gives a copy with a tenant's own acts in it."""

    entries: Mapping[str, tuple[Entry, ...]]
    resolution_slots: Mapping[str, ResolutionSlot]
    reading_slots: Mapping[str, ReadingSlot]
    clauses: ClauseTable
    resolutions: Mapping[str, tuple[LawValue, ...]]
    readings: Mapping[str, tuple[LawValue, ...]]
    unset_counts_nothing: bool = False

    def ordinance(self, key: str, on: date) -> LawValue:
        """The value that the text itself gives on a day. Raises one of the ValueNotInForce errors, never a zero."""
        for value, absence, note in self.entries[key]:
            if value.since <= on:
                if absence is None:
                    if value.until is None or on <= value.until:
                        return value
                    raise ValueEnded(self._not_in_force(value, on, f"ended on {day_for_reading(value.until)}"))
                if absence == "unknown":
                    raise ValueUnknown(self._not_in_force(value, on, f"is not known: {note}"))
        return self._before_the_first(key, on)

    def resolution(self, key: str, on: date) -> LawValue:
        """What the council or board set, in force on a day. Raises ResolutionMissing, naming the missing act."""
        for value in self.resolutions.get(key, ()):
            if value.since <= on:
                return value
        slot = self.resolution_slots[key]
        if self.unset_counts_nothing:
            return LawValue(f"{key}@unset", key, 0, slot.clause, on, None, "resolution", slot.set_by, (0, 1))
        raise ResolutionMissing(
            key,
            f"{slot.title} is set by resolution of the {slot.set_by} ({slot.clause.section}), and none in force on "
            f"{day_for_reading(on)} is recorded: record the resolution with its number, date and amount",
        )

    def has_resolution(self, key: str, on: date) -> bool:
        """Whether a resolution in force on the day sets this amount."""
        return any(value.since <= on for value in self.resolutions.get(key, ()))

    def reading(self, key: str, on: date) -> LawValue:
        """The reading in force on a day: the treasurer's own, else the plugin's default."""
        for value in self.readings[key]:
            if value.since <= on:
                return value
        value = self.readings[key][-1]
        raise ValueNotYetInForce(self._not_in_force(value, on, f"begins on {day_for_reading(value.since)}"))

    def where_set(self) -> Law:
        """The law with nothing for an amount that is not set: for a look at what else is owed, never for a posting."""
        return replace(self, unset_counts_nothing=True)

    def spans(self, key: str, first: date, last: date) -> list[tuple[LawValue, date, date]]:
        """The ordinance's values from `first` to `last`, each with the days on which it is in force."""
        newest = self.ordinance(key, last)
        if newest.since <= first:
            return [(newest, first, last)]
        return [*self.spans(key, first, newest.since - timedelta(days=1)), (newest, newest.since, last)]

    def clause(self, clause_id: str) -> Clause:
        """The clause with this id. Raises LawFileInvalid when the table has none."""
        return self.clauses.clause(clause_id)

    def with_settings(self, resolutions: Iterable[Resolution] = (), readings: Iterable[ReadingChoice] = ()) -> Law:
        """A copy with a tenant's resolutions and readings. Raises Refused with every key that the law does not have."""
        faults: list[Fault] = []
        set_values = {key: list(values) for key, values in self.resolutions.items()}
        for resolution in resolutions:
            slot = self.resolution_slots.get(resolution.key)
            if slot is None:
                faults.append(_unknown_key("resolutions", resolution.key, self.resolution_slots))
                continue
            set_values.setdefault(slot.key, []).append(_resolved(slot, resolution))
        chosen = {key: list(values) for key, values in self.readings.items()}
        for choice in readings:
            reading = self.reading_slots.get(choice.key)
            if reading is None:
                faults.append(_unknown_key("readings", choice.key, self.reading_slots))
            elif type(choice.value) is not type(reading.default):
                kind = type(reading.default).__name__
                faults.append(Fault(f"readings.{choice.key}", f"{choice.value!r} is not of type {kind}"))
            else:
                chosen[reading.key].append(_chosen(reading, choice))
        if faults:
            raise Refused(faults)
        return replace(self, resolutions=_newest_first(set_values), readings=_newest_first(chosen))

    def _before_the_first(self, key: str, on: date) -> LawValue:
        earliest = self.entries[key][-1]
        if earliest.absence == "not_enacted":
            raise ValueNotEnacted(self._not_in_force(earliest.value, on, f"is not enacted: {earliest.note}"))
        begins = f"begins on {day_for_reading(earliest.value.since)}"
        raise ValueNotYetInForce(self._not_in_force(earliest.value, on, begins))

    def _not_in_force(self, value: LawValue, on: date, why: str) -> str:
        asked = day_for_reading(on)
        return f"{value.key} ({value.clause.section}) has no value on {asked}: it {why}"


def _unknown_key(field: str, key: str, known: Mapping[str, object]) -> Fault:
    return Fault(f"{field}.{key}", f"{key!r} is not known here: name one of {', '.join(sorted(known)) or '(none)'}")


def _resolved(slot: ResolutionSlot, resolution: Resolution) -> LawValue:
    ratio = resolution.value.as_integer_ratio()
    return LawValue(
        f"{slot.key}@{resolution.since.isoformat()}#{resolution.number}",
        slot.key,
        resolution.value,
        slot.clause,
        resolution.since,
        None,
        "resolution",
        slot.set_by,
        ratio,
    )


def _chosen(slot: ReadingSlot, choice: ReadingChoice) -> LawValue:
    """The treasurer's own reading. One from before the default begins counts from when that begins, and beats it."""
    since = max(choice.since, slot.since)
    chosen = default_reading(replace(slot, default=choice.value, since=since, reason=choice.reason))
    return chosen._replace(id=f"{chosen.id}#{choice.value}")


def default_reading(slot: ReadingSlot) -> LawValue:
    """A reading's default as a value of the law."""
    key = f"{slot.key}@{slot.since.isoformat()}"
    return LawValue(key, slot.key, slot.default, slot.clause, slot.since, None, "reading", slot.set_by, (0, 1))


def _newest_first(values: Mapping[str, list[LawValue]]) -> dict[str, tuple[LawValue, ...]]:
    """By effective date, the newest first; of one date, the one recorded last."""
    return {
        key: tuple(sorted(reversed(listed), key=lambda value: value.since, reverse=True))
        for key, listed in values.items()
    }


__all__ = ["Entry", "Law", "ReadingSlot", "ResolutionSlot", "ValueNotInForce", "default_reading"]
