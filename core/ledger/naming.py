"""Names of accounts in beancount and hledger: one for each fund and account, no two alike, valid in both."""

from __future__ import annotations

_ROOTS = {
    "asset": "Assets",
    "liability": "Liabilities",
    "equity": "Equity",
    "revenue": "Income",
    "expense": "Expenses",
}


def account_name(kind: str, fund: str, number: str) -> str:
    """The name of an account, such as "Assets:F210:A11100". `kind` is one of the chart's five; KeyError for another."""
    # The letters stand first because a part of a name may not begin with a small letter.
    return f"{_ROOTS[kind]}:F{_escaped(fund)}:A{_escaped(number)}"


def _escaped(text: str) -> str:
    """A text in letters, digits and hyphens, from which it can be read again: so two texts never get one name.

    A hyphen begins each escape: two for a hyphen, "-p" for a point, "-u", hexadecimal digits and "-" for the rest.
    """
    return "".join(map(_escaped_character, text))


def _escaped_character(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    return {"-": "--", ".": "-p"}.get(character) or f"-u{ord(character):x}-"
