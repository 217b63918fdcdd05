"""Routes that name a permission. Without one a route cannot be declared: the default is no.

    blueprint = GuardedBlueprint("payments", __name__, url_prefix="/api/v1")

    @blueprint.route("/municipalities/<key>/payments", methods=["POST"], permission=PAYMENT_RECORD, once=True)
    @blueprint.arguments(PaymentsSchema)
    @blueprint.response(201, AnswerSchema)
    def record_payments(given, key):
        "One line for the document."
        return pay(g.visit.engines.app, g.visit.here, g.visit.request(), …)

`g.visit` (core.web.visit.Visit) says who asks, in which municipality, on which day, and whose records are in reach.
`once=True`: the request makes something, and so comes with a key under which it is answered once (g.visit.request()).
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
from core.web.reading import Reader
from core.web.versions import IF_MATCH
from core.web.visit import NotFound, visit

View = Callable[..., Any]
IDEMPOTENCY_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    "description": "A text of your own choice, new for each new request. The same one again gives the same answer.",
}


class GuardedBlueprint(Blueprint):
    """A blueprint each of whose routes names the permission that it takes."""

    ARGUMENTS_PARSER = Reader()

    def arguments(self, schema: Any, **options: Any) -> Callable[[View], View]:
        """Reads a request by a schema, which is made once: to make one takes longer than to read with it."""
        declared: Callable[[View], View] = super().arguments(
            schema() if isinstance(schema, type) else schema, **options
        )
        return declared

    def route(self, rule: str, *, permission: Permission, once: bool = False, **options: Any) -> Callable[[View], View]:
        """Declares a route; `permission` is a constant of core.auth.permissions."""
        if not isinstance(permission, Permission):
            raise TypeError(f"{rule}: a route names its permission, not {permission!r}")
        methods = options.get("methods", ["GET"])
        headers = ([IDEMPOTENCY_KEY] if once else []) + ([IF_MATCH] if "PUT" in methods else [])
        declare = super().route(rule, **options)

        def guard(view: View) -> View:
            @wraps(view)
            def guarded(*args: Any, **kwargs: Any) -> Any:
                # No text of the database has this letter, so what a path names by it is not there.
                nowhere = any("\0" in name for name in kwargs.values() if isinstance(name, str))
                g.visit = visit(permission, "" if nowhere else kwargs.get("key"))
                if nowhere:
                    raise NotFound
                if once:
                    g.visit.request()
                return view(*args, **kwargs)

            guarded.permission = permission  # type: ignore[attr-defined]
            security: list[dict[str, list[str]]] = [] if permission is PUBLIC else [{"bearer": []}]
            told = getattr(view, "_apidoc", {}).get("manual_doc", {})
            described = self.doc(
                operationId=told.get("operationId", view.__name__),
                security=security,
                responses=documented(permission, rule, methods),
                **{"x-permission": permission.name},
                **({"parameters": headers} if headers else {}),
            )(guarded)
            declare(described)
            return guarded

        return guard
