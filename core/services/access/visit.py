"""Who a request comes from and which municipality it is about; the engines that a process works with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import Engine

from core.auth.actor import Actor
from core.auth.passwords import Passwords
from core.auth.sign_in import Token, authenticate, sign_in, sign_out
from core.db.engine import make_engine
from core.db.remember import Request
from core.tenants.directory import Tenant

__all__ = ["Actor", "Engines", "Passwords", "Request", "Tenant", "Token", "make_engines", "sign_in", "sign_out", "who"]


@dataclass(frozen=True, slots=True)
class Engines:
    """The application's engine and the host's, of one process."""

    app: Engine
    host: Engine


def make_engines(app_address: str, host_address: str) -> Engines:
    """Engines for a process that answers one request at a time. Nothing is connected yet."""
    return Engines(make_engine(app_address, pool_size=2), make_engine(host_address, pool_size=1))


def who(engine: Engine, token: str, key: str, now: datetime) -> tuple[Actor, Tenant | None]:
    """Whose token it is, and the municipality with this key if they have a part in it. Raises NotSignedIn."""
    actor, columns = authenticate(engine, token, key, now)
    if columns is None:
        return actor, None
    tenant_id, tenant_key, plugin, name, zone, closed_on = columns
    closed = date.fromisoformat(closed_on) if closed_on is not None else None
    return actor, Tenant(tenant_id, tenant_key, plugin, name, zone, closed)
