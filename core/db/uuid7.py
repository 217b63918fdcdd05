"""Ids that are shown outside: UUID version 7 (RFC 9562), made here because PostgreSQL has them only since 18."""

from __future__ import annotations

import secrets
import time
from uuid import UUID


def uuid7() -> UUID:
    """A new id: 48 bits of milliseconds since 1970, 12 bits of a fraction of one, 62 random bits.

    They sort by the time of making, to 244 nanoseconds where the clock is that fine (RFC 9562, 6.2
    method 3). Which tenant they belong to, or how many others there are, they do not tell.
    """
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    fraction = nanoseconds * 4096 // 1_000_000
    return UUID(
        int=(milliseconds & 0xFFFF_FFFF_FFFF) << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | secrets.randbits(62)
    )
