"""A name as a search compares it: lower case, no accents, one blank between words."""

from __future__ import annotations

import unicodedata


def search_name(name: str) -> str:
    """ "Café  LÉVY & Co." becomes "cafe levy & co."."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(letter for letter in apart if not unicodedata.combining(letter)).split())


def end_of_prefix(prefix: str) -> str:
    """The first text that sorts after everything that begins with `prefix`, letter by letter."""
    return prefix + chr(0x10FFFF)
