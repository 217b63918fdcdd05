"""Reads law files: TOML beside a plugin's code, strict to the last key.

An unknown key, a missing clause, section or date, a section that the clause table does not carry, a float: each
stops loading, and the message says in which file and at which entry.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from core.contract.clauses import ClauseTable, read_clause_table
from core.contract.law import Absence, Entry, Law, ReadingSlot, ResolutionSlot, default_reading
from core.domain.clause import Clause, LawValue
from core.domain.errors import LawFileInvalid

VALUE_KEYS = ("rate", "dollars", "days", "months", "text", "flag", "unknown")
_COMMON = {"key", "clause", "section", "from", "set_by"}
_TABLES: dict[str, tuple[set[str], set[str]]] = {
    # table: (required keys, optional keys)
    "ordinance": (_COMMON, {"until", "note", "not_enacted", *VALUE_KEYS}),
    "resolution": (_COMMON | {"title", "unit", "required"}, {"note"}),
    "reading": (_COMMON | {"default", "reason"}, {"note"}),
}
_TEXTS = _COMMON - {"from"} | {"title", "reason", "note", "unknown", "not_enacted"}
UNITS = ("cents", "rate")


def load_law(folder: Path, under: Law | None = None) -> Law:
    """The law of one folder: clauses.csv and every *.toml in it, on top of the law that it stands under.

    Raises LawFileInvalid.
    """
    clauses = read_clause_table(folder / "clauses.csv")
    if under is not None:
        clauses = under.clauses.merged(clauses)
    entries: dict[str, list[Entry]] = {}
    resolutions: dict[str, ResolutionSlot] = {}
    readings: dict[str, ReadingSlot] = {}
    for path in sorted(folder.glob("*.toml")):
        for table, where, raw in _read_file(path):
            clause = _clause(raw, where, clauses)
            if table == "ordinance":
                entries.setdefault(raw["key"], []).append(_entry(raw, where, clause))
            elif table == "resolution":
                _once(resolutions, raw["key"], where)
                resolutions[raw["key"]] = _resolution_slot(raw, where, clause)
            else:
                _once(readings, raw["key"], where)
                readings[raw["key"]] = _reading_slot(raw, where, clause)
    if under is not None:
        _nothing_twice(entries, under.entries)
        _nothing_twice(resolutions, under.resolution_slots)
        _nothing_twice(readings, under.reading_slots)
    return Law(
        entries={**(under.entries if under else {}), **_in_order(entries)},
        resolution_slots={**(under.resolution_slots if under else {}), **resolutions},
        reading_slots={**(under.reading_slots if under else {}), **readings},
        clauses=clauses,
        resolutions=under.resolutions if under else {},
        readings={
            **(under.readings if under else {}),
            **{key: (default_reading(slot),) for key, slot in readings.items()},
        },
    )


def _read_file(path: Path) -> Iterable[tuple[str, str, dict[str, Any]]]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise LawFileInvalid(f"{path.name}: {error}") from error
    for table, rows in document.items():
        if table not in _TABLES or not isinstance(rows, list) or not all(isinstance(raw, dict) for raw in rows):
            raise LawFileInvalid(f"{path.name}: [[{table}]] is not known: use {', '.join(_TABLES)}")
        required, optional = _TABLES[table]
        for number, raw in enumerate(rows, start=1):
            where = f"{path.name}, [[{table}]] {number} ({raw.get('key', 'no key')})"
            unknown = sorted(set(raw) - required - optional)
            if unknown:
                raise LawFileInvalid(f"{where}: unknown key {', '.join(unknown)}")
            missing = sorted(required - set(raw))
            if missing:
                raise LawFileInvalid(f"{where}: {', '.join(missing)} missing")
            blank = sorted(
                name for name in _TEXTS & set(raw) if not isinstance(raw[name], str) or not raw[name].strip()
            )
            if blank:
                raise LawFileInvalid(f"{where}: {', '.join(blank)}: write a text")
            if type(raw["from"]) is not date or type(raw.get("until", raw["from"])) is not date:
                raise LawFileInvalid(f"{where}: from and until are dates, written 2026-01-31")
            yield table, where, raw


def _clause(raw: dict[str, Any], where: str, clauses: ClauseTable) -> Clause:
    row = clauses.get(raw["clause"])
    if row is None:
        raise LawFileInvalid(f"{where}: clause {raw['clause']!r} is not in the clause table")
    if row.clause.section != raw["section"]:
        raise LawFileInvalid(
            f"{where}: section {raw['section']!r} is not that of clause {raw['clause']}, {row.clause.section!r}"
        )
    return row.clause


def _entry(raw: dict[str, Any], where: str, clause: Clause) -> Entry:
    given = [name for name in VALUE_KEYS if name in raw]
    if len(given) != 1:
        raise LawFileInvalid(f"{where}: give exactly one of {', '.join(VALUE_KEYS)}")
    absence: Absence | None = None
    note = raw.get("note", "")
    if given[0] == "unknown":
        absence, note = "unknown", raw["unknown"]
    elif "not_enacted" in raw:
        absence, note = "not_enacted", raw["not_enacted"]
    value = None if given[0] == "unknown" else _value(given[0], raw[given[0]], where)
    until = raw.get("until")
    if until is not None and until < raw["from"]:
        raise LawFileInvalid(f"{where}: until lies before from")
    ratio = value.as_integer_ratio() if isinstance(value, int | Decimal) else (0, 1)
    key, since = raw["key"], raw["from"]
    identity = f"{key}@{since.isoformat()}"
    return Entry(LawValue(identity, key, value, clause, since, until, "ordinance", raw["set_by"], ratio), absence, note)


def _value(unit: str, value: Any, where: str) -> int | Decimal | bool | str:
    if isinstance(value, Decimal) and value.is_finite() and value >= 0:
        if unit == "rate" and value <= 1:
            return value
        if unit == "dollars" and value * 100 == int(value * 100):
            return int(value * 100)
    if unit in ("days", "months") and type(value) is int and value >= 0:
        return value
    if unit == "text" and isinstance(value, str):
        return value
    if unit == "flag" and isinstance(value, bool):
        return value
    raise LawFileInvalid(
        f"{where}: {unit} = {value!r} is not allowed: a rate is a fraction of one with a point, "
        "dollars have two decimals, days and months are whole numbers"
    )


def _resolution_slot(raw: dict[str, Any], where: str, clause: Clause) -> ResolutionSlot:
    if raw["unit"] not in UNITS or not isinstance(raw["required"], bool):
        raise LawFileInvalid(f"{where}: unit is one of {', '.join(UNITS)}, required is true or false")
    return ResolutionSlot(raw["key"], raw["title"], clause, raw["unit"], raw["set_by"], raw["required"], raw["from"])


def _reading_slot(raw: dict[str, Any], where: str, clause: Clause) -> ReadingSlot:
    default = raw["default"]
    endless = isinstance(default, Decimal) and not default.is_finite()
    if endless or not isinstance(default, bool | int | Decimal | str):
        raise LawFileInvalid(f"{where}: a default is a truth value, a number or a text")
    return ReadingSlot(raw["key"], clause, default, raw["from"], raw["set_by"], raw["reason"])


def _once(slots: dict[str, Any], key: str, where: str) -> None:
    if key in slots:
        raise LawFileInvalid(f"{where}: this key stands twice")


def _nothing_twice(own: Iterable[str], under: Iterable[str]) -> None:
    twice = sorted(set(own) & set(under))
    if twice:
        raise LawFileInvalid(f"keys that the law above already has: {', '.join(twice)}")


def _in_order(entries: dict[str, list[Entry]]) -> dict[str, tuple[Entry, ...]]:
    ordered: dict[str, tuple[Entry, ...]] = {}
    for key, listed in entries.items():
        listed.sort(key=lambda entry: entry.value.since, reverse=True)
        for newer, older in zip(listed, listed[1:], strict=False):
            if newer.value.since == older.value.since:
                raise LawFileInvalid(f"{key}: two entries from {newer.value.since}")
            if older.value.until is not None and older.value.until >= newer.value.since:
                raise LawFileInvalid(f"{key}: the entries from {older.value.since} and {newer.value.since} overlap")
        ordered[key] = tuple(listed)
    return ordered
