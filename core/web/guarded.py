"""Routes that name a permission. Without one a route cannot be declared: the default is no.

    blueprint = GuardedBlueprint("payments", __name__, url_prefix="/api/v1")

    @blueprint.route("/municipalities/<key>/payments", methods=["POST"], permission=PAYMENT_RECORD)
    @blueprint.arguments(PaymentsSchema)
    @blueprint.answer(201, AnswerSchema)
    def record_payments(given, key):
        "One line for the document."
        return pay(g.visit.engines.app, g.visit.here, g.visit.request(), …)

`g.visit` (core.web.visit.Visit) says who asks, in which municipality, on which day, and whose records are in reach.
Whoever is not signed in gets 401, who has no part in the municipality 404, and who may not do this there 403.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import g
from flask_smorest import Blueprint

from core.auth.permissions import PUBLIC, Permission
from core.web.problems import documented
from core.web.visit import visit

View = Callable[..., Any]


class GuardedBlueprint(Blueprint):
    """A blueprint each of whose routes names the permission that it takes."""

    def route(self, rule: str, *, permission: Permission, **options: Any) -> Callable[[View], View]:
        """Declares a route; `permission` is a constant of core.auth.permissions."""
        if not isinstance(permission, Permission):
            raise TypeError(f"{rule}: a route names its permission, not {permission!r}")
        declare = super().route(rule, **options)

        def guard(view: View) -> View:
            @wraps(view)
            def guarded(*args: Any, **kwargs: Any) -> Any:
                g.visit = visit(permission, kwargs.get("key"))
                return view(*args, **kwargs)

            guarded.permission = permission  # type: ignore[attr-defined]
            security: list[dict[str, list[str]]] = [] if permission is PUBLIC else [{"bearer": []}]
            described = self.doc(
                security=security,
                responses=documented(permission, rule, options.get("methods", ["GET"])),
                **{"x-permission": permission.name},
            )(guarded)
            declare(described)
            return guarded

        return guard
