"""Gives logins: the host to staff, the treasurer to filers; and tells who is what."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Engine

from core.auth.memberships import Login, Membership, add_login, all_logins, disable_login, join, memberships_of
from core.auth.passwords import Passwords, require_good
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused
from core.filing.find_filers import find_filer
from core.tenants.directory import Tenant, find_tenant


def give_staff_login(
    host: Engine, passwords: Passwords, email: str, name: str, password: str, role: str, key: str | None, by: str
) -> UUID:
    """A login with a role in the municipality with this key (None: a host). Raises Refused, TenantUnknown.

    An e-mail that has a login keeps its password and gets the role beside those it has.
    """
    require_good(password, email, name)
    if role == "filer":
        raise Refused([Fault("role", "a filer's login is given by the treasurer, who knows the filer")])
    kept = passwords.hash(password)
    with host.begin() as connection:
        tenant_id = find_tenant(connection, key).id if key is not None else None
        login_id = add_login(connection, email, name, kept)
        join(connection, login_id, tenant_id, role, None, by)
    return login_id


def give_filer_login(
    engine: Engine, passwords: Passwords, tenant: Tenant, filer: UUID, email: str, name: str, password: str, by: str
) -> None:
    """A login that acts for a filer of this municipality. Raises Refused, FilerUnknown.

    Whether the e-mail had a login before, as of another municipality, is told to nobody.
    """
    require_good(password, email, name)
    kept = passwords.hash(password)

    def give(uow: UnitOfWork) -> None:
        find_filer(uow, filer)
        login_id = add_login(uow.connection, email, name, kept)
        join(uow.connection, login_id, tenant.id, "filer", filer, by)

    in_transaction(engine, tenant.id, give)


def own_memberships(engine: Engine, login_id: UUID) -> tuple[Membership, ...]:
    """What a login is, in every municipality."""
    with engine.begin() as connection:
        return memberships_of(connection, login_id)


def logins(host: Engine) -> tuple[Login, ...]:
    """Every login of the instance, filers' as bare ids."""
    with host.connect() as connection:
        return all_logins(connection)


def disable(host: Engine, login_id: UUID, now: datetime) -> None:
    """A login is good for nothing any more, at once. Raises LoginUnknown."""
    with host.begin() as connection:
        disable_login(connection, login_id, now)
