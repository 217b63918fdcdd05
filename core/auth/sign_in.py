"""Sign in with a password for a bearer token, find out whose a token is, and sign out."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy import Connection, Engine, func, select

from core.auth.actor import Actor, NotSignedIn
from core.auth.passwords import Passwords
from core.auth.tables import login_attempts, logins, tokens
from core.db.uuid7 import uuid7
from core.domain.errors import FiscError

LIFE = timedelta(hours=12)
WINDOW = timedelta(minutes=15)
# From one address: so many failures for one e-mail, and for all together. A stranger elsewhere locks nobody out.
MOST_FOR_ONE = 5
MOST_FROM_ONE = 50
LONGEST_SOURCE = 64
_AUTHENTICATE = "SELECT platform.authenticate(%s, %s, %s)"


class SignInRefused(FiscError):
    """E-mail and password do not belong together. Which of them is wrong is not said."""


class TooManyAttempts(FiscError):
    """Too many attempts failed from this address."""


class Token(NamedTuple):
    """A bearer token, told once, and when it ends."""

    text: str
    expires_at: datetime


def sign_in(engine: Engine, passwords: Passwords, email: str, password: str, source: str, now: datetime) -> Token:
    """A token for this login. Raises SignInRefused, TooManyAttempts, and does the same work whichever is wrong."""
    key, source = email_key(email), _network(source)
    with engine.begin() as connection:
        _require_few_failures(connection, key, source, now)
        row = connection.execute(select(logins).where(logins.c.email_key == key)).one_or_none()
        standing = row is not None and row.disabled_at is None
        matches = passwords.matches(row.password_hash if row is not None and standing else None, password)
        attempt = {"id": uuid7(), "source": source, "email_hash": _hash(key), "succeeded": matches, "at": now}
        connection.execute(login_attempts.insert(), attempt)
        if row is not None and matches:
            if passwords.is_old(row.password_hash):
                renewed = logins.update().where(logins.c.id == row.id)
                connection.execute(renewed.values(password_hash=passwords.hash(password)))
            token = Token(secrets.token_urlsafe(32), now + LIFE)
            issued = {"token_hash": _hash(token.text), "login_id": row.id, "issued_at": now}
            connection.execute(tokens.insert(), {**issued, "expires_at": token.expires_at})
            return token
    raise SignInRefused("e-mail and password do not belong together")


def sign_out(engine: Engine, token: str, now: datetime) -> None:
    """The token is good for nothing any more."""
    with engine.begin() as connection:
        mine = tokens.update().where(tokens.c.token_hash == _hash(token), tokens.c.revoked_at.is_(None))
        connection.execute(mine.values(revoked_at=now))


def authenticate(engine: Engine, token: str, tenant_key: str, now: datetime) -> tuple[Actor, list[Any] | None]:
    """Whose token it is, and the municipality's columns in the directory, in one statement. Raises NotSignedIn.

    They are None where there is none with this key, or where the login has no part in it: the two look
    alike to whoever asks. A host is in none.
    """
    found = _asked(engine, _hash(token), tenant_key, now)
    if found is None:
        raise NotSignedIn("the token is not valid, or its time is over: sign in again")
    return _who(found)


def email_key(email: str) -> str:
    """An e-mail address as it is compared."""
    return email.strip().casefold()


def _asked(engine: Engine, *question: object) -> Any:
    """The function's answer, by the driver and in autocommit: one statement, one way there and back.

    A connection that lay in the pool may have died with its back end; the pool is then made anew and asked once more.
    """
    for last_try in (False, True):
        raw = engine.raw_connection()
        driver: Any = raw.driver_connection
        try:
            return driver.execute(_AUTHENTICATE, question).fetchone()[0]
        except psycopg.OperationalError:
            if last_try or not driver.closed:
                raise
            raw.invalidate()
            engine.dispose()
        finally:
            raw.close()
    raise AssertionError("unreachable: the last try returns or raises")


def _network(source: str) -> str:
    """Where an attempt comes from: an address; of the newer kind the network, all of which is one subscriber's."""
    try:
        address = ipaddress.ip_address(source)
    except ValueError:
        return source[:LONGEST_SOURCE]
    if isinstance(address, ipaddress.IPv4Address):
        return source
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address), 64), strict=False))


def _who(found: Mapping[str, Any]) -> tuple[Actor, list[Any] | None]:
    login_id, email, name = found["login"]
    memberships = found["memberships"] or ()
    roles = frozenset(role for role, _ in memberships)
    filers = frozenset(UUID(filer) for _, filer in memberships if filer is not None)
    actor = Actor(UUID(login_id), email, name, roles, filers)
    if found["tenant"] is None or not roles - {"host"}:
        return actor, None
    columns: list[Any] = found["tenant"]
    return actor, columns


def _require_few_failures(connection: Connection, key: str, source: str, now: datetime) -> None:
    failed = (
        select(func.count(), func.count().filter(login_attempts.c.email_hash == _hash(key)))
        .where(login_attempts.c.source == source, login_attempts.c.at > now - WINDOW)
        .where(login_attempts.c.succeeded.is_(False))
    )
    total, for_this = connection.execute(failed).one()
    if for_this >= MOST_FOR_ONE or total >= MOST_FROM_ONE:
        minutes = int(WINDOW.total_seconds()) // 60
        raise TooManyAttempts(f"too many attempts failed from your address: wait {minutes} minutes")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
