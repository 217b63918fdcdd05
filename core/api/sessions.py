"""Sign in, sign out, who am I."""

from __future__ import annotations

from typing import Any

from flask import current_app, g, request

from core.auth.permissions import PUBLIC, SIGNED_IN
from core.schemas.identity import Done, Me, SignIn, TokenGiven
from core.services.access.logins import own_memberships
from core.services.access.visit import sign_in, sign_out
from core.web.guarded import GuardedBlueprint
from core.web.problems import answers
from core.web.visit import EXTENSION, bearer

blueprint = GuardedBlueprint("sessions", __name__, url_prefix="/api/v1", description="Signing in.")


@blueprint.route("/sessions", methods=["POST"], permission=PUBLIC)
@blueprint.arguments(SignIn)
@blueprint.response(201, TokenGiven)
@blueprint.doc(responses=answers(401, 429))
def open_session(given: dict[str, Any]) -> dict[str, Any]:
    """Sign in with e-mail and password.

    For a bearer token, which is told once and good for twelve hours.
    """
    passwords = current_app.extensions[EXTENSION]["passwords"]
    source = request.remote_addr or ""
    token = sign_in(g.visit.engines.app, passwords, given["email"], given["password"], source, g.visit.now)
    return {"token": token.text, "expires_at": token.expires_at}


@blueprint.route("/sessions/current", methods=["DELETE"], permission=SIGNED_IN)
@blueprint.response(200, Done)
def close_session() -> dict[str, Any]:
    """Sign out.

    The token is good for nothing any more.
    """
    sign_out(g.visit.engines.app, bearer(), g.visit.now)
    return {"done": True}


@blueprint.route("/me", permission=SIGNED_IN)
@blueprint.response(200, Me)
def me() -> dict[str, Any]:
    """Who is signed in.

    And what they are in which municipality.
    """
    actor = g.visit.who
    found = own_memberships(g.visit.engines.app, actor.login_id)
    shown = [{"municipality": m.tenant, "name": m.name, "role": m.role, "filer": m.filer_id} for m in found]
    return {"id": actor.login_id, "email": actor.email, "name": actor.name, "memberships": shown}
