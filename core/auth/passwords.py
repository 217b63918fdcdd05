"""Passwords: argon2id, at least fifteen characters, none that everybody tries first, no rules of composition."""

from __future__ import annotations

import threading
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from core.domain.errors import Fault, Refused

SHORTEST = 15
LONGEST = 256
AT_ONCE = 2
_ROWS = ("qwertyuiopasdfghjklzxcvbnm" * 2, "abcdefghijklmnopqrstuvwxyz" * 2, "0123456789" * 4)
# What fingers run along, either way.
_RUNS = _ROWS + tuple(row[::-1] for row in _ROWS)


@cache
def _common() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("common_passwords.txt").read_text("utf-8").split())


def require_good(password: str, *known: str) -> None:
    """A password that may be chosen. `known` are words that anybody would try, such as the e-mail. Raises Refused."""
    faults = []
    plain = unicodedata.normalize("NFKC", password)
    if not SHORTEST <= len(plain) <= LONGEST:
        message = f"a password has {SHORTEST} to {LONGEST} characters: four words that you make up are easy to remember"
        faults.append(Fault("password", message))
    folded = "".join(plain.casefold().split())
    repeats = any(folded == folded[:n] * (len(folded) // n) for n in range(1, 6) if folded and len(folded) % n == 0)
    own = any(word and folded == "".join(word.casefold().split()) for word in known)
    if folded in _common() or repeats or own or any(folded and folded in run for run in _RUNS):
        faults.append(Fault("password", "that one is among the first that are tried: choose another"))
    if faults:
        raise Refused(faults)


@dataclass(frozen=True)
class Passwords:
    """Hashes with argon2id: `memory_kib` of memory, so that guessing costs. At most two at once in a process."""

    memory_kib: int = 46 * 1024
    _slots: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(AT_ONCE))

    def hash(self, password: str) -> str:
        """The hash to keep."""
        with self._slots:
            return self._hasher.hash(unicodedata.normalize("NFKC", password))

    def matches(self, kept: str | None, password: str) -> bool:
        """Whether it is this password. Without a hash as much work is done, so that time tells nothing."""
        # Made before it is known whether it is needed: also the first of its kind shall take no longer.
        dummy = self._dummy
        with self._slots:
            try:
                self._hasher.verify(kept or dummy, unicodedata.normalize("NFKC", password))
            except (VerificationError, InvalidHashError):
                return False
        return kept is not None

    def is_old(self, kept: str) -> bool:
        """Whether a hash was made with other parameters than today's, and so is to be made anew at the next sign-in."""
        return self._hasher.check_needs_rehash(kept)

    @property
    def _hasher(self) -> PasswordHasher:
        return PasswordHasher(time_cost=1, memory_cost=self.memory_kib, parallelism=1)

    @property
    def _dummy(self) -> str:
        return _dummy_hash(self.memory_kib)


@cache
def _dummy_hash(memory_kib: int) -> str:
    return PasswordHasher(time_cost=1, memory_cost=memory_kib, parallelism=1).hash("nobody has this one")
