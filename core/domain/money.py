"""Money in integer cents. Arithmetic is exact; rounding happens in one place, half a cent up."""

from __future__ import annotations

import re
from decimal import Decimal

from core.domain.errors import shown

_DOLLARS = re.compile(r"(?P<minus>-?)(?P<dollars>[0-9]{1,13})(?:\.(?P<fraction>[0-9]{1,12}))?")


class NotMoney(ValueError):
    """A text is not an amount of money. The message says what is wrong with it and how to write it."""


def half_up(numerator: int, denominator: int) -> int:
    """The whole number nearest to numerator / denominator, a half going away from zero.

    `denominator` is positive. Cents in, cents out (READINGS 7 and 10: half a cent up, rounded once).
    """
    if numerator < 0:
        return -((-2 * numerator + denominator) // (2 * denominator))
    return (2 * numerator + denominator) // (2 * denominator)


def round_up(numerator: int, denominator: int) -> int:
    """The smallest whole number not below numerator / denominator; `denominator` is positive."""
    return -((-numerator) // denominator)


def share_of(cents: int, rate: Decimal) -> int:
    """`cents` x `rate` in cents, half a cent up. `rate` is a fraction of one (0.25 is 25%)."""
    numerator, denominator = rate.as_integer_ratio()
    return half_up(cents * numerator, denominator)


def parse_dollars(text: object) -> int:
    """Cents from a text in dollars, such as "1234.50".

    A number that is not a text is refused, since a float cannot hold cents. Zeros after the cents are read over;
    any other part of a cent is refused, never rounded. Raises NotMoney.
    """
    if isinstance(text, bool) or not isinstance(text, str):
        raise NotMoney(f'{shown(text)} is not a text: write the amount as a text in dollars, such as "1234.50"')
    match = _DOLLARS.fullmatch(text)
    if match is None:
        raise NotMoney(f'{shown(text)} is not an amount: write dollars and cents only, such as "1234.50"')
    fraction = match["fraction"] or ""
    if fraction[2:].strip("0"):
        raise NotMoney(f"{text!r} has a part of a cent: round it to whole cents before it is entered")
    cents = int(match["dollars"]) * 100 + int(fraction[:2].ljust(2, "0"))
    return -cents if match["minus"] else cents


def dollars(cents: int) -> str:
    """Cents as a plain text in dollars with two decimals, such as "-1234.50"."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def dollars_for_reading(cents: int) -> str:
    """Cents as people write them: "$1,234.50", "-$0.05"."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def percent_for_reading(rate: Decimal) -> str:
    """A fraction of one as a percentage, such as "6.5%"."""
    text = f"{rate * 100:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text}%"
