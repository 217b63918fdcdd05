"""The real application over a test database, and clients of it who are signed in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from core.app import create_app
from core.auth.passwords import Passwords
from core.services.access.logins import give_filer_login, give_staff_login
from core.services.access.visit import Engines
from core.tenants.directory import Tenant

PASSWORD = "seven harbors under fog"
_NUMBERS = count(1)


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def on(self, year: int, month: int, day: int) -> None:
        """Noon of a day in the municipalities' time zone, about."""
        self.now = datetime(year, month, day, 18, tzinfo=UTC)


class Web:
    """The application, and clients by what they are."""

    def __init__(self, app: Engine, host: Engine, now: datetime = datetime(2026, 7, 1, 18, tzinfo=UTC)) -> None:
        self.engines = Engines(app, host)
        self.clock = Clock(now)
        self.passwords = Passwords(memory_kib=8)
        self.app: Flask = create_app(lambda: self.engines, passwords=self.passwords, clock=self.clock)

    def staff(self, role: str, tenant: Tenant | None, email: str = "") -> Client:
        """Somebody with a staff role in a municipality (None: a host), signed in."""
        email = email or f"{role}{next(_NUMBERS)}@{tenant.key if tenant else 'host'}.example"
        key = tenant.key if tenant else None
        give_staff_login(self.engines.host, self.passwords, email, f"The {role}", PASSWORD, role, key, "test")
        return self.signed_in(email, tenant)

    def filer(self, tenant: Tenant, filer: UUID, email: str = "") -> Client:
        """A filer's login, signed in."""
        email = email or f"filer{next(_NUMBERS)}@{tenant.key}.example"
        give_filer_login(self.engines.app, self.passwords, tenant, filer, email, "The operator", PASSWORD, "test")
        return self.signed_in(email, tenant)

    def signed_in(self, email: str, tenant: Tenant | None = None) -> Client:
        """Whoever has this e-mail, signed in."""
        client = Client(self.app, None, tenant)
        token = client.post("/api/v1/sessions", {"email": email, "password": PASSWORD}).json
        assert token is not None
        return Client(self.app, token["token"], tenant)

    def nobody(self, tenant: Tenant | None = None) -> Client:
        """Somebody who is not signed in."""
        return Client(self.app, None, tenant)


class Client:
    """Sends requests; a path that does not begin with /api is one below the client's municipality."""

    def __init__(self, app: Flask, token: str | None, tenant: Tenant | None) -> None:
        self.client = app.test_client()
        self.token = token
        self.tenant = tenant

    def get(self, path: str, **options: Any) -> TestResponse:
        """GET."""
        return self.send(self.client.get, path, **options)

    def post(self, path: str, body: Any = None, *, key: str = "", **options: Any) -> TestResponse:
        """POST with JSON, under a key of its own unless one is given."""
        headers = {"Idempotency-Key": key or f"key-{next(_NUMBERS)}", **options.pop("headers", {})}
        return self.send(self.client.post, path, json=body, headers=headers, **options)

    def put(self, path: str, body: Any, **options: Any) -> TestResponse:
        """PUT with JSON."""
        return self.send(self.client.put, path, json=body, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        """DELETE."""
        return self.send(self.client.delete, path, **options)

    def send(self, method: Callable[..., TestResponse], path: str, **options: Any) -> TestResponse:
        """A request with the client's token."""
        headers = dict(options.pop("headers", {}))
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if not path.startswith(("/api", "/healthz")) and path != "/":
            assert self.tenant is not None
            path = f"/api/v1/municipalities/{self.tenant.key}{path}"
        return method(path, headers=headers, **options)
