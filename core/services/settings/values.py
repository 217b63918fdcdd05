"""Values of settings as text: an amount in dollars, a share in percent, a number of days, true or false, a word."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from core.contract.settings import SettingValue
from core.domain.errors import shown
from core.domain.money import NotMoney, dollars, parse_dollars

CENTS, RATE, FLAG, TEXT = "cents", "rate", "flag", "text"
MOST = 10**11


def unit_of(default: SettingValue) -> str:
    """What a reading is counted in, by its default."""
    if isinstance(default, bool):
        return FLAG
    if isinstance(default, str):
        return TEXT
    return RATE if isinstance(default, Decimal) else "number"


def as_words(unit: str, value: SettingValue) -> str:
    """The value as it is written outside: cents as dollars, a fraction of one as percent."""
    if unit == CENTS and isinstance(value, int):
        return dollars(value)
    if unit == RATE and isinstance(value, Decimal):
        text = f"{value * 100:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def from_words(unit: str, text: str) -> SettingValue:
    """The value that a text means. Raises ValueError with a message that says how to write it."""
    if unit == CENTS:
        try:
            cents = parse_dollars(text)
        except NotMoney as error:
            raise ValueError(str(error)) from error
        return cents
    if unit == RATE:
        return _share(text)
    if unit == FLAG:
        if text not in ("true", "false"):
            raise ValueError(f"{shown(text)} is neither true nor false: write one of the two")
        return text == "true"
    if unit == TEXT:
        return text
    if not (text.isascii() and text.isdigit()) or int(text) >= MOST:
        raise ValueError(f"{shown(text)} is no whole number: write one, such as 30")
    return int(text)


def _share(text: str) -> Decimal:
    try:
        share = Decimal(text.removesuffix("%")) / 100
    except InvalidOperation:
        share = Decimal("NaN")
    if not share.is_finite() or not 0 <= share <= 1:
        raise ValueError(f"{shown(text)} is no percentage: write one from 0 to 100, such as 62.5")
    return share
