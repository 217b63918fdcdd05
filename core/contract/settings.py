"""Resolutions and readings as plain values that a caller supplies; where they are stored is the caller's affair."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

SettingValue = int | Decimal | bool | str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a council or board set: `value` is cents (int) or a fraction of one (Decimal), from `since` on."""

    key: str
    value: int | Decimal
    since: date
    number: str


@dataclass(frozen=True, slots=True)
class ReadingChoice:
    """A treasurer's own reading of a doubtful passage, in place of the plugin's default, from `since` on."""

    key: str
    value: SettingValue
    since: date
    reason: str
