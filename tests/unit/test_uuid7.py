"""Ids outward are UUIDs of version 7, as RFC 9562 lays them out."""

import time
from uuid import RFC_4122

from core.db.uuid7 import uuid7


def test_version_and_variant_are_as_the_rfc_says():
    made = uuid7()
    assert (made.version, made.variant) == (7, RFC_4122)


def test_the_first_48_bits_are_the_milliseconds():
    before = time.time_ns() // 1_000_000
    stamp = uuid7().int >> 80
    assert before <= stamp <= time.time_ns() // 1_000_000


def test_the_next_12_bits_are_the_fraction_of_the_millisecond(monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_000_000_000 + 500_000)
    assert uuid7().int >> 64 & 0xFFF == 2048


def test_ids_made_one_after_the_other_sort_so(monkeypatch):
    clock = iter(range(10**18, 10**18 + 10**6, 250))
    monkeypatch.setattr(time, "time_ns", lambda: next(clock))
    made = [uuid7() for _ in range(1000)]
    assert made == sorted(made)


def test_of_one_moment_none_is_made_twice(monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 10**18)
    assert len({uuid7() for _ in range(10_000)}) == 10_000
