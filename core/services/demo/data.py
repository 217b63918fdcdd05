"""The data of the demonstration, as it lies beside each plugin: `<folder of the plugin>/demo/`.

`settings.toml` says what the council set and what the treasurer does on which day, `filers.csv` who files for which
place of business. Every other CSV file is a sheet of returns and payments; its name is the day of its import.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.contract.loading import municipality_keys, municipality_module

FOLDER = "demo"
SETTINGS = "settings.toml"
FILERS = "filers.csv"
LAST_DAY = date(2026, 11, 30)


@dataclass(frozen=True, slots=True)
class SetFee:
    """A resolution that sets an amount: `amount` is a text in dollars, or a percentage where `percent`."""

    key: str
    amount: str
    percent: bool
    since: date
    number: str
    recorded_on: date


@dataclass(frozen=True, slots=True)
class AgreedShare:
    """An agreement that fixes a payee's share: `percent` is a number such as 72.5."""

    number: str
    percent: Decimal
    first_day: date
    last_day: date
    recorded_on: date


@dataclass(frozen=True, slots=True)
class SharingOut:
    """A distribution of every tax on a day, and when what it gives is paid (None: not yet)."""

    on: date
    paid_on: date | None
    method: str
    reference: str


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A row of filers.csv. The season is closed from its first to its last day; `closed_on` is the last day open."""

    filer: str
    filer_address: str
    email: str
    place: str
    place_address: str
    taxes: tuple[str, ...]
    opened_on: date
    season: tuple[date, date] | None
    closed_on: date | None


@dataclass(frozen=True, slots=True)
class Town:
    """All that the demonstration knows of one municipality. `sheets` are (day of import, file), by day."""

    key: str
    plugin: str
    time_zone: str
    domain: str
    opened_on: date
    explained: tuple[str, str] | None
    fees: tuple[SetFee, ...]
    agreements: tuple[AgreedShare, ...]
    sharing: tuple[SharingOut, ...]
    places: tuple[PlaceRow, ...]
    sheets: tuple[tuple[date, Path], ...]

    @property
    def filers(self) -> dict[str, list[PlaceRow]]:
        """The places of each filer, by the filer's name, in the order of the file."""
        found: dict[str, list[PlaceRow]] = {}
        for row in self.places:
            found.setdefault(row.filer, []).append(row)
        return found


def towns(keys: Iterable[str] | None = None) -> tuple[Town, ...]:
    """Every installed municipality that brings data for a demonstration, or those of these plugins, by plugin."""
    found = ((plugin, _folder(plugin)) for plugin in (municipality_keys() if keys is None else keys))
    return tuple(read_town(plugin, folder) for plugin, folder in found if (folder / SETTINGS).is_file())


def read_town(plugin: str, folder: Path) -> Town:
    """The data in a folder. It is part of the checkout: what is wrong in it ends the demonstration by its own error."""
    raw = tomllib.loads((folder / SETTINGS).read_text("utf-8"), parse_float=Decimal)
    explained = raw.get("explained")
    sheets = sorted(path for path in folder.glob("*.csv") if path.name != FILERS)
    return Town(
        raw["key"],
        plugin,
        raw["time_zone"],
        raw["domain"],
        raw["opened_on"],
        (explained["place"], explained["period"]) if explained else None,
        tuple(_fee(one) for one in raw.get("resolution", ())),
        tuple(AgreedShare(**{**one, "percent": Decimal(one["percent"])}) for one in raw.get("agreement", ())),
        tuple(_sharing(one) for one in raw.get("distribution", ())),
        _places(folder / FILERS),
        tuple((date.fromisoformat(path.stem), path) for path in sheets),
    )


def data_digest() -> str:
    """One text that changes whenever anything in the data does."""
    digest = sha256()
    for plugin in municipality_keys():
        for path in sorted(_folder(plugin).glob("*.*")):
            if path.suffix in {".csv", ".toml"}:
                digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _folder(plugin: str) -> Path:
    file = municipality_module(plugin).__file__
    assert file is not None
    return Path(file).parent / FOLDER


def _fee(raw: dict[str, Any]) -> SetFee:
    percent = "percent" in raw
    amount = raw["percent" if percent else "dollars"]
    return SetFee(raw["key"], amount, percent, raw["since"], raw["number"], raw["recorded_on"])


def _sharing(raw: dict[str, Any]) -> SharingOut:
    return SharingOut(raw["on"], raw.get("paid_on"), raw.get("method", "check"), raw.get("reference", ""))


def _places(file: Path) -> tuple[PlaceRow, ...]:
    with file.open(encoding="utf-8", newline="") as lines:
        return tuple(_place(row) for row in csv.DictReader(lines))


def _place(row: dict[str, str]) -> PlaceRow:
    first, last = _day(row["season_first_day"]), _day(row["season_last_day"])
    return PlaceRow(
        row["filer"],
        row["filer_address"],
        row["email"],
        row["place"],
        row["place_address"],
        tuple(row["taxes"].split()),
        date.fromisoformat(row["opened_on"]),
        (first, last) if first is not None and last is not None else None,
        _day(row["closed_on"]),
    )


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None
