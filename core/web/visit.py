"""A visit: who asks, about which municipality, on which day there. One for each request."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from flask import current_app, g, request

from core.auth.actor import NotSignedIn
from core.auth.permissions import PUBLIC, SIGNED_IN, Permission
from core.domain.errors import Fault, FiscError, Refused
from core.services.access.visit import Actor, Engines, Request, Tenant, who
from core.services.installation import Recorded

EXTENSION = "fisc"


class NotFound(FiscError):
    """There is nothing here, or nothing that the visitor has a part in: the two look alike."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Who asks, the municipality of the path, the day there, and the filers whose records are in reach (None: all)."""

    actor: Actor | None
    tenant: Tenant | None
    permission: Permission
    reach: frozenset[UUID] | None
    now: datetime
    engines: Engines

    @property
    def who(self) -> Actor:
        """The one who is signed in."""
        assert self.actor is not None
        return self.actor

    @property
    def here(self) -> Tenant:
        """The municipality of the path."""
        assert self.tenant is not None
        return self.tenant

    @property
    def today(self) -> date:
        """The day in the municipality."""
        return self.now.astimezone(ZoneInfo(self.here.time_zone)).date()

    @property
    def recorded(self) -> Recorded:
        """By whom and on which day what is done now is recorded."""
        return Recorded(self.who.by, self.today)

    def request(self) -> Request:
        """The request for being answered once: its key is in the header Idempotency-Key. Raises Refused."""
        key = request.headers.get("Idempotency-Key", "")
        if not 1 <= len(key) <= 200 or not key.isprintable() or not key.isascii():
            message = "give this header 1 to 200 printable characters of your own choice, new for each new request"
            raise Refused([Fault("Idempotency-Key", message)])
        signed = request.method.encode() + b" " + request.path.encode() + b"\n" + request.get_data()
        return Request.of(str(self.who.login_id), key, signed, self.permission.name)


def engines() -> Engines:
    """The engines of this process: a worker that was forked makes its own."""
    made: dict[str, Any] = current_app.extensions[EXTENSION]
    if made.get("pid") != os.getpid():
        made["engines"], made["pid"] = made["make_engines"](), os.getpid()
    found: Engines = made["engines"]
    return found


def visit(permission: Permission, key: str | None) -> Visit:
    """Who asks, and whether they may. Raises NotSignedIn, NotFound, Forbidden.

    One municipality's path under another's token, and a key that nobody has, are the same NotFound.
    """
    now: datetime = current_app.extensions[EXTENSION]["clock"]()
    opened = engines()
    if permission is PUBLIC:
        return Visit(None, None, permission, frozenset(), now, opened)
    actor, tenant = who(opened.app, bearer(), key or "", now)
    g.login = actor.login_id
    if key is not None and tenant is None:
        raise NotFound
    reach = frozenset() if permission is SIGNED_IN else actor.reach(permission)
    return Visit(actor, tenant, permission, reach, now, opened)


def bearer() -> str:
    """The token that came with the request. Raises NotSignedIn."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not 20 <= len(token) <= 200:
        raise NotSignedIn("sign in: send the token as Authorization: Bearer …")
    return token
