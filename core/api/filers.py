"""Filers: entered and changed by the office, found by name. A filer sees itself."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response, g

from core.auth.permissions import FILER_READ, FILER_WRITE
from core.schemas.filers import (
    Entered,
    FilerShown,
    FilersListed,
    FilersSought,
    FilerVersions,
    FilerWritten,
    NewFiler,
)
from core.schemas.paging import page_of
from core.services.registry.enter_filer import FilerDetails, change_filer_details, enter_filer
from core.services.registry.find_filers import (
    Filer,
    find_filers,
    look_up_filer,
    place_in_list,
    versions_of_filer,
)
from core.web.guarded import GuardedBlueprint
from core.web.versions import tagged, version_meant

blueprint = GuardedBlueprint("filers", __name__, url_prefix="/api/v1", description="Who files.")
_SHOWN = FilerShown()


@blueprint.route("/municipalities/<key>/filers", permission=FILER_READ)
@blueprint.arguments(FilersSought, location="query")
@blueprint.response(200, FilersListed)
def list_filers(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Filers by name.

    Those whose name begins with `name`, whatever the case and the accents.
    """
    visit, limit = g.visit, given["limit"]
    found = find_filers(visit.engines.app, visit.here, given["name"], given["cursor"], limit + 1, visit.reach)
    page = page_of(found, limit, place_in_list)
    return {**page, "items": [_filer(one) for one in page["items"]]}


@blueprint.route("/municipalities/<key>/filers", methods=["POST"], permission=FILER_WRITE, once=True)
@blueprint.arguments(NewFiler)
@blueprint.response(201, Entered)
def register_filer(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Enter a filer.

    It gets the municipality's next number. Its places of business are entered after it.
    """
    visit = g.visit
    return enter_filer(visit.engines.app, visit.here, visit.request(), FilerDetails(**given), visit.recorded)


@blueprint.route("/municipalities/<key>/filers/<uuid:filer>", permission=FILER_READ)
@blueprint.response(200, FilerShown, headers={"ETag": {"schema": {"type": "string"}}})
def show_filer(key: str, filer: UUID) -> Response:
    """A filer.

    Its ETag names the version of its details, which a change has to name.
    """
    visit = g.visit
    return _tagged(look_up_filer(visit.engines.app, visit.here, filer, visit.reach))


@blueprint.route("/municipalities/<key>/filers/<uuid:filer>", methods=["PUT"], permission=FILER_WRITE)
@blueprint.arguments(FilerWritten)
@blueprint.response(200, FilerShown, headers={"ETag": {"schema": {"type": "string"}}})
def change_filer(given: dict[str, Any], key: str, filer: UUID) -> Response:
    """Change a filer's details.

    All of them are given; each version is kept. Somebody else's change since you read it is a 412.
    """
    visit, version = g.visit, version_meant()
    details = FilerDetails(**given)
    return _tagged(change_filer_details(visit.engines.app, visit.here, filer, version, details, visit.recorded))


@blueprint.route("/municipalities/<key>/filers/<uuid:filer>/versions", permission=FILER_READ)
@blueprint.response(200, FilerVersions)
def list_filer_versions(key: str, filer: UUID) -> dict[str, Any]:
    """The versions of a filer's details.

    Each as it stood, with who recorded it and when.
    """
    visit = g.visit
    return {
        "items": [
            {"version": version, **details._asdict(), "recorded_by": recorded.by, "recorded_on": recorded.on}
            for version, details, recorded in versions_of_filer(visit.engines.app, visit.here, filer, visit.reach)
        ]
    }


def _tagged(filer: Filer) -> Response:
    return tagged(_SHOWN.dump(_filer(filer)), filer.version)


def _filer(filer: Filer) -> dict[str, Any]:
    return {"id": filer.id, "number": filer.number, "version": filer.version, **filer.details._asdict()}
