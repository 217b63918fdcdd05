"""What one more entry has to move so that what is posted becomes what is owed. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Move(NamedTuple):
    """`cents`, always positive, that an entry adds to `key` (up) or takes back from it."""

    key: str
    cents: int
    up: bool


def difference(posted: Mapping[str, int], owed: Mapping[str, int]) -> tuple[Move, ...]:
    """The moves of the one entry that brings `posted` to `owed`, both in cents by key, in the order of the keys.

    A key that one side lacks counts as zero there. Nothing is answered for what already agrees, so posting the
    same state twice moves nothing.
    """
    moves = []
    for key in sorted(posted.keys() | owed.keys()):
        cents = owed.get(key, 0) - posted.get(key, 0)
        if cents:
            moves.append(Move(key, abs(cents), cents > 0))
    return tuple(moves)


def after(posted: Mapping[str, int], moves: tuple[Move, ...]) -> dict[str, int]:
    """What is posted once the moves are, in cents by key."""
    result = dict(posted)
    for move in moves:
        result[move.key] = result.get(move.key, 0) + (move.cents if move.up else -move.cents)
    return result
