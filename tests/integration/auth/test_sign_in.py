"""Signing in: the same work whichever is wrong, and attempts counted so that a stranger locks nobody out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text

from core.auth.actor import NotSignedIn
from core.auth.memberships import disable_login
from core.auth.passwords import Passwords
from core.auth.sign_in import SignInRefused, Token, TooManyAttempts, authenticate, sign_in, sign_out
from core.services.access.logins import give_staff_login
from tests.support.statements import counted_statements
from tests.support.tenants import new_tenant

pytestmark = pytest.mark.database

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
EMAIL, PASSWORD = "treasurer@bay.example", "seven harbors under fog"
HOME, ELSEWHERE = "198.51.100.7", "203.0.113.9"


class Counting(Passwords):
    """Notes each comparison: the work that takes time."""

    def __init__(self, memory_kib: int = 8) -> None:
        super().__init__(memory_kib)
        object.__setattr__(self, "seen", [])

    def matches(self, kept: str | None, password: str) -> bool:
        self.seen.append((self.memory_kib, password))
        return super().matches(kept, password)


@pytest.fixture
def passwords() -> Counting:
    return Counting()


@pytest.fixture
def treasurer(host: Engine, passwords: Counting) -> str:
    """The e-mail of somebody who has a login."""
    new_tenant(host, "bay")
    give_staff_login(host, passwords, EMAIL, "Treasurer", PASSWORD, "treasurer", "bay", "host")
    return EMAIL


def refused(app: Engine, passwords: Passwords, email: str, source: str = HOME, now: datetime = NOON) -> str:
    with pytest.raises((SignInRefused, TooManyAttempts)) as error:
        sign_in(app, passwords, email, "not the right one at all", source, now)
    return f"{type(error.value).__name__}: {error.value}"


def test_the_right_password_gives_a_token_of_256_bits_for_twelve_hours(
    app: Engine, passwords: Counting, treasurer: str
) -> None:
    token = sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON)
    assert len(token.text) == 43  # 32 bytes in base64 without padding
    assert token.expires_at == NOON + timedelta(hours=12)
    actor, tenant = authenticate(app, token.text, "bay", NOON)
    assert (actor.email, actor.roles, actor.by) == (EMAIL, {"treasurer"}, EMAIL)
    assert tenant is not None
    assert tenant[1:4] == ["bay", "bayfield", "The Town of Bay"]


def test_an_e_mail_is_the_same_in_capitals_and_with_blanks(app: Engine, passwords: Counting, treasurer: str) -> None:
    assert sign_in(app, passwords, "  Treasurer@BAY.example ", PASSWORD, HOME, NOON)


def test_a_password_is_the_same_however_its_letters_are_put_together(app: Engine, host: Engine) -> None:
    passwords = Passwords(memory_kib=8)
    new_tenant(host, "bay")
    composed, apart = "caf\u00e9 by the harbor side", "cafe\u0301 by the harbor side"
    give_staff_login(host, passwords, EMAIL, "Treasurer", composed, "treasurer", "bay", "host")
    assert sign_in(app, passwords, EMAIL, apart, HOME, NOON)


def test_wrong_password_unknown_e_mail_and_disabled_login_take_the_same_work_and_get_the_same_answer(
    app: Engine, host: Engine, passwords: Counting, treasurer: str
) -> None:
    give_staff_login(host, passwords, "gone@bay.example", "Clerk", PASSWORD, "clerk", "bay", "host")
    disable_by_email(host, "gone@bay.example")
    refused(app, passwords, "first@bay.example")  # a first connection asks the server who it is
    work, answers = [], []
    for email in (treasurer, "nobody@bay.example", "gone@bay.example"):
        passwords.seen.clear()  # type: ignore[attr-defined]
        with counted_statements() as sent:
            answers.append(refused(app, passwords, email))
        work.append((list(passwords.seen), list(sent)))  # type: ignore[attr-defined]
    assert answers[0] == answers[1] == answers[2]
    assert work[0] == work[1] == work[2]
    # One comparison, with as much memory as a real one.
    assert work[0][0] == [(8, "not the right one at all")]


def test_a_disabled_login_is_refused_with_its_right_password(
    app: Engine, host: Engine, passwords: Counting, treasurer: str
) -> None:
    disable_by_email(host, treasurer)
    with pytest.raises(SignInRefused):
        sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON)


def test_five_failures_from_an_address_close_it_to_this_e_mail_and_to_no_other(
    app: Engine, passwords: Counting, treasurer: str
) -> None:
    assert [refused(app, passwords, treasurer)[:6] for _ in range(6)] == ["SignIn"] * 5 + ["TooMan"]
    # The right one too, from here, and none of the work is done.
    passwords.seen.clear()  # type: ignore[attr-defined]
    with pytest.raises(TooManyAttempts, match="wait 15 minutes"):
        sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON)
    assert passwords.seen == []  # type: ignore[attr-defined]
    # From elsewhere the treasurer signs in, and from here others are not shut out.
    assert sign_in(app, passwords, treasurer, PASSWORD, ELSEWHERE, NOON)
    assert refused(app, passwords, "clerk@bay.example").startswith("SignInRefused")


def test_an_e_mail_that_nobody_has_is_closed_after_as_many_failures(app: Engine, passwords: Counting) -> None:
    assert [refused(app, passwords, "nobody@bay.example")[:6] for _ in range(6)] == ["SignIn"] * 5 + ["TooMan"]


def test_a_quarter_of_an_hour_later_it_is_open_again(app: Engine, passwords: Counting, treasurer: str) -> None:
    for _ in range(5):
        refused(app, passwords, treasurer)
    with pytest.raises(TooManyAttempts):
        sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON + timedelta(minutes=14, seconds=59))
    assert sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON + timedelta(minutes=15))


def test_fifty_failures_from_an_address_close_it_to_all(app: Engine, passwords: Counting, treasurer: str) -> None:
    answers = [refused(app, passwords, f"guess{n}@bay.example")[:6] for n in range(51)]
    assert answers == ["SignIn"] * 50 + ["TooMan"]
    with pytest.raises(TooManyAttempts):
        sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON)
    assert sign_in(app, passwords, treasurer, PASSWORD, ELSEWHERE, NOON)


def test_a_subscriber_with_a_network_of_addresses_is_one_address(
    app: Engine, passwords: Counting, treasurer: str
) -> None:
    answers = [refused(app, passwords, treasurer, f"2001:db8:1:2::{n:x}")[:6] for n in range(1, 7)]
    assert answers == ["SignIn"] * 5 + ["TooMan"]
    assert refused(app, passwords, treasurer, "2001:db8:1:3::1").startswith("SignInRefused")
    # An address of the older kind written in the newer way is the same address.
    for _ in range(5):
        refused(app, passwords, treasurer, ELSEWHERE)
    assert refused(app, passwords, treasurer, f"::ffff:{ELSEWHERE}").startswith("TooManyAttempts")


def test_what_was_typed_as_an_e_mail_is_not_kept(app: Engine, passwords: Counting) -> None:
    refused(app, passwords, "a password typed here@bay.example")
    with app.connect() as connection:
        kept = str(connection.execute(text("SELECT * FROM platform.login_attempts")).all())
    assert "typed here" not in kept


def test_signing_in_makes_an_old_hash_anew(app: Engine, host: Engine, treasurer: str) -> None:
    def kept() -> str:
        with host.connect() as connection:
            return str(connection.execute(text("SELECT password_hash FROM platform.logins")).scalar_one())

    assert "m=8," in kept()
    stronger = Passwords(memory_kib=16)
    refused(app, stronger, treasurer)
    assert "m=8," in kept()
    sign_in(app, stronger, treasurer, PASSWORD, HOME, NOON)
    assert "m=16," in kept()
    before = kept()
    sign_in(app, stronger, treasurer, PASSWORD, HOME, NOON)
    assert kept() == before


def test_a_token_is_asked_for_in_one_statement(app: Engine, passwords: Counting, treasurer: str) -> None:
    token = sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON)
    with counted_statements() as sent:
        authenticate(app, token.text, "bay", NOON)
    assert sent == ["SELECT platform.authenticate(%s, %s, %s)"]


def test_whose_token_it_was_is_not_carried_over_to_the_next_transaction(
    app: Engine, passwords: Counting, treasurer: str
) -> None:
    token = sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON)
    with app.connect() as kept_open:  # so that the pool has the one connection that is used below
        backend = kept_open.execute(text("SELECT pg_backend_pid()")).scalar_one()
    authenticate(app, token.text, "bay", NOON)
    with app.connect() as connection:
        assert connection.execute(text("SELECT pg_backend_pid()")).scalar_one() == backend
        assert connection.execute(text("SELECT current_setting('fisc.login', true)")).scalar_one() in ("", None)
        assert connection.execute(text("SELECT count(*) FROM platform.memberships")).scalar_one() == 0


def test_a_token_is_good_until_its_last_second_and_not_on_it(app: Engine, passwords: Counting, treasurer: str) -> None:
    token = sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON)
    assert authenticate(app, token.text, "", token.expires_at - timedelta(seconds=1))
    with pytest.raises(NotSignedIn):
        authenticate(app, token.text, "", token.expires_at)


def test_signing_out_ends_one_token_alone(app: Engine, passwords: Counting, treasurer: str) -> None:
    first, second = (sign_in(app, passwords, treasurer, PASSWORD, HOME, NOON) for _ in range(2))
    sign_out(app, first.text, NOON)
    with pytest.raises(NotSignedIn):
        authenticate(app, first.text, "bay", NOON)
    assert authenticate(app, second.text, "bay", NOON)


def test_a_token_is_none_before_it_was_given(app: Engine, treasurer: str) -> None:
    with pytest.raises(NotSignedIn):
        authenticate(app, Token("a" * 43, NOON).text, "bay", NOON)


def disable_by_email(host: Engine, email: str) -> None:
    with host.begin() as connection:
        found = connection.execute(text("SELECT id FROM platform.logins WHERE email_key = :email"), {"email": email})
        disable_login(connection, found.scalar_one(), NOON)
