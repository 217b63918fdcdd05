"""What the host does: enter municipalities, give staff their logins. It reads no return, no filer and no amount."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import current_app, g

from core.auth.permissions import HOST_ADMINISTER, LOGIN_WRITE
from core.schemas.identity import (
    Done,
    FilerLogin,
    Logins,
    Municipalities,
    MunicipalityShown,
    NewMunicipality,
    Plugins,
    StaffLogin,
)
from core.services.access.logins import disable, give_filer_login, give_staff_login, logins
from core.services.tenants.add import add_municipality, municipalities
from core.services.tenants.plugins import plugins
from core.web.guarded import GuardedBlueprint
from core.web.visit import EXTENSION

blueprint = GuardedBlueprint("host", __name__, url_prefix="/api/v1", description="For the host of the instance.")


@blueprint.route("/host/municipalities", permission=HOST_ADMINISTER)
@blueprint.response(200, Municipalities)
def list_municipalities() -> dict[str, Any]:
    """The municipalities of this instance.

    Each with the plugin that carries its ordinance; closed ones too.
    """
    return {"municipalities": [one._asdict() for one in municipalities(g.visit.engines.app)]}


@blueprint.route("/host/municipalities", methods=["POST"], permission=HOST_ADMINISTER)
@blueprint.arguments(NewMunicipality)
@blueprint.response(201, MunicipalityShown)
def enter_municipality(given: dict[str, Any]) -> dict[str, Any]:
    """Enter a municipality.

    Under the plugin that carries its ordinance. It opens when its resolutions are set.
    """
    engines = g.visit.engines
    return add_municipality(engines.app, engines.host, **given, by=g.visit.who.by)._asdict()


@blueprint.route("/host/plugins", permission=HOST_ADMINISTER)
@blueprint.response(200, Plugins)
def list_plugins() -> dict[str, Any]:
    """The ordinances that are installed.

    A municipality is entered under one of them.
    """
    return {"plugins": [one._asdict() for one in plugins()]}


@blueprint.route("/host/logins", permission=HOST_ADMINISTER)
@blueprint.response(200, Logins)
def list_logins() -> dict[str, Any]:
    """Every login.

    Staff with their roles, filers as ids and no more.
    """
    return {"logins": [_shown(one) for one in logins(g.visit.engines.host)]}


@blueprint.route("/host/logins", methods=["POST"], permission=HOST_ADMINISTER)
@blueprint.arguments(StaffLogin)
@blueprint.response(201, Done)
def give_staff(given: dict[str, Any]) -> dict[str, Any]:
    """Give somebody on the staff a login.

    With a role in a municipality, or as a host. An e-mail that has a login keeps its password.
    """
    key = given.pop("municipality")
    passwords = current_app.extensions[EXTENSION]["passwords"]
    give_staff_login(g.visit.engines.host, passwords, **given, key=key, by=g.visit.who.by)
    return {"done": True}


@blueprint.route("/host/logins/<uuid:login>/disable", methods=["POST"], permission=HOST_ADMINISTER)
@blueprint.response(200, Done)
def disable_login(login: UUID) -> dict[str, Any]:
    """Disable a login.

    It is good for nothing from its next request on.
    """
    disable(g.visit.engines.host, login, g.visit.now)
    return {"done": True}


@blueprint.route("/municipalities/<key>/logins", methods=["POST"], permission=LOGIN_WRITE)
@blueprint.arguments(FilerLogin)
@blueprint.response(201, Done)
def give_filer(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Give a login that acts for a filer.

    The answer is the same whether the e-mail had a login before or not.
    """
    passwords = current_app.extensions[EXTENSION]["passwords"]
    visit = g.visit
    give_filer_login(visit.engines.app, passwords, visit.here, **given, by=visit.who.by)
    return {"done": True}


def _shown(one: Any) -> dict[str, Any]:
    memberships = [{"municipality": m.tenant, "name": m.name, "role": m.role, "filer": None} for m in one.memberships]
    return {**one._asdict(), "memberships": memberships}
