"""Logins and what they are where: made by the host for staff, by the treasurer for filers."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Connection, column, select, table
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import insert

from core.auth.permissions import ROLES
from core.auth.sign_in import email_key
from core.auth.tables import logins, memberships
from core.db.base import PLATFORM_SCHEMA
from core.db.uuid7 import uuid7
from core.domain.errors import Fault, FiscError, Refused

# The directory is another floor's; of it only these are asked.
_TENANTS = table("tenants", column("id"), column("key"), column("name"), schema=PLATFORM_SCHEMA)
_ENTER = insert(logins).on_conflict_do_nothing(index_elements=[logins.c.email_key])
_JOIN = insert(memberships).on_conflict_do_nothing()


class LoginUnknown(FiscError):
    """No login on this instance has this id."""


class Membership(NamedTuple):
    """What a login is in a municipality. `tenant` is its key, None for the host."""

    tenant: str | None
    name: str | None
    role: str
    filer_id: UUID | None


class Login(NamedTuple):
    """A login as the host sees it. A filer's has no e-mail and no name here: only its id."""

    id: UUID
    email: str | None
    name: str | None
    disabled: bool
    memberships: tuple[Membership, ...]


def add_login(connection: Connection, email: str, name: str, password_hash: str) -> UUID:
    """The login with this e-mail: a new one, or the one that is there, whose name and password stay as they are."""
    faults = []
    if email.count("@") != 1 or not all(email.strip().split("@")) or any(letter.isspace() for letter in email.strip()):
        faults.append(Fault("email", f"{email!r} is no e-mail address: write it as name@domain"))
    if not name.strip():
        faults.append(Fault("name", "the name is empty: write whom the login is for"))
    if faults:
        raise Refused(faults)
    row = {"id": uuid7(), "email": email.strip(), "email_key": email_key(email), "name": name.strip()}
    connection.execute(_ENTER, {**row, "password_hash": password_hash})
    found = connection.execute(select(logins.c.id).where(logins.c.email_key == email_key(email))).one()
    login_id: UUID = found.id
    return login_id


def join(
    connection: Connection, login_id: UUID, tenant_id: int | None, role: str, filer_id: UUID | None, by: str
) -> None:
    """The login has this role from now on; one that it has already it keeps. Raises Refused."""
    faults = []
    if role not in ROLES:
        faults.append(Fault("role", f"{role!r} is no role: name one of {', '.join(ROLES)}"))
    elif (role == "host") != (tenant_id is None):
        faults.append(Fault("municipality", "a host is of no municipality, and everybody else of one"))
    if (role == "filer") != (filer_id is not None):
        faults.append(Fault("filer", "a filer's login names the filer, and no other login does"))
    if faults:
        raise Refused(faults)
    row = {"id": uuid7(), "login_id": login_id, "tenant_id": tenant_id, "role": role, "filer_id": filer_id}
    connection.execute(_JOIN, {**row, "granted_by": by})


def memberships_of(connection: Connection, login_id: UUID) -> tuple[Membership, ...]:
    """What a login is, everywhere; the transaction is that login's own."""
    connection.execute(sql("SELECT set_config('fisc.login', :login, true)"), {"login": str(login_id)})
    rows = connection.execute(
        select(_TENANTS.c.key, _TENANTS.c.name, memberships.c.role, memberships.c.filer_id)
        .join_from(memberships, _TENANTS, _TENANTS.c.id == memberships.c.tenant_id, isouter=True)
        .where(memberships.c.login_id == login_id, memberships.c.ended_at.is_(None))
        .order_by(_TENANTS.c.key, memberships.c.role, memberships.c.id)
    )
    return tuple(Membership(*row) for row in rows)


def all_logins(connection: Connection) -> tuple[Login, ...]:
    """Every login, for the host. Whoever is only a filer, or nothing any more, is an id and no more."""
    standing = (memberships.c.login_id == logins.c.id) & memberships.c.ended_at.is_(None)
    rows = connection.execute(
        select(logins, memberships.c.role, _TENANTS.c.key, _TENANTS.c.name.label("municipality"))
        .join_from(logins, memberships, standing, isouter=True)
        .join(_TENANTS, _TENANTS.c.id == memberships.c.tenant_id, isouter=True)
        .order_by(logins.c.id, _TENANTS.c.key, memberships.c.role)
    ).all()
    found: dict[UUID, Login] = {}
    for row in rows:
        staff = row.role is not None and row.role != "filer"
        known = found.get(row.id) or Login(row.id, None, None, row.disabled_at is not None, ())
        if staff:
            membership = Membership(row.key, row.municipality, row.role, None)
            known = known._replace(email=row.email, name=row.name, memberships=(*known.memberships, membership))
        found[row.id] = known
    return tuple(found.values())


def disable_login(connection: Connection, login_id: UUID, now: datetime) -> None:
    """The login is good for nothing any more, at once. Raises LoginUnknown."""
    done = connection.execute(logins.update().where(logins.c.id == login_id).values(disabled_at=now))
    if done.rowcount != 1:
        raise LoginUnknown("no login here has this id")
