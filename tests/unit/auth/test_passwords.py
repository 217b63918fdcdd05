"""What a password may be, and how it is kept."""

from __future__ import annotations

import threading

import pytest

from core.auth.passwords import AT_ONCE, LONGEST, Passwords, require_good
from core.domain.errors import Refused


@pytest.mark.parametrize(
    "password",
    [
        "seven harbors under fog",
        "no digits and no capitals",
        "Пятнадцать букв здесь",
        "漢字" * 7 + "x",
        "aaaaabbbbbccccc",
    ],
)
def test_a_long_password_needs_no_digit_no_capital_and_no_sign(password: str) -> None:
    require_good(password)


@pytest.mark.parametrize("password", ["", "fourteen chars", "x" * (LONGEST + 1)])
def test_a_password_that_is_too_short_or_too_long_is_refused_with_its_bounds(password: str) -> None:
    with pytest.raises(Refused) as error:
        require_good(password)
    assert "15 to 256" in error.value.faults[0].message


@pytest.mark.parametrize(
    "password",
    [
        "passwordpassword",
        "Password Password",  # capitals and blanks do not hide it
        "123456789012345",
        "aaaaaaaaaaaaaaaa",
        "abcabcabcabcabcabc",
        "qwertyuiopasdfgh",
        "mnbvcxzlkjhgfdsa",
        "PQRSTUVWXYZABCDEF",
        "0987654321098765",
    ],
)
def test_what_everybody_tries_first_is_refused(password: str) -> None:
    with pytest.raises(Refused) as error:
        require_good(password)
    assert [fault.field for fault in error.value.faults] == ["password"]
    assert password not in str(error.value)


def test_ones_own_e_mail_or_name_is_no_password() -> None:
    for password in ("treasurer@bay.example", "The Treasurer of Bay", "thetreasurerofbay"):
        with pytest.raises(Refused):
            require_good(password, "treasurer@bay.example", "The Treasurer of Bay")


def test_by_default_a_hash_takes_46_mebibytes() -> None:
    kept = Passwords().hash("seven harbors under fog")
    assert kept.startswith("$argon2id$v=19$m=47104,t=1,p=1$")


def test_a_hash_is_that_of_one_password_and_no_two_are_alike() -> None:
    passwords = Passwords(memory_kib=8)
    first, second = (passwords.hash("seven harbors under fog") for _ in range(2))
    assert first != second
    assert passwords.matches(first, "seven harbors under fog")
    assert not passwords.matches(first, "seven harbors under fo")
    assert not passwords.matches(None, "nobody has this one")
    assert not passwords.matches("no hash at all", "seven harbors under fog")


def test_only_so_many_hashes_are_made_at_once() -> None:
    passwords = Passwords(memory_kib=8)
    held = [passwords._slots.acquire(timeout=1) for _ in range(AT_ONCE)]
    assert all(held)
    waiting = threading.Thread(target=passwords.hash, args=("seven harbors under fog",))
    waiting.start()
    waiting.join(timeout=0.2)
    assert waiting.is_alive()
    passwords._slots.release()
    waiting.join(timeout=10)
    assert not waiting.is_alive()
