"""Places of business: entered and changed by the office, with the days on which they are open."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response, g

from core.auth.permissions import FILER_READ, FILER_WRITE
from core.schemas.filers import (
    Entered,
    FactMade,
    FactWithdrawn,
    NewFact,
    NewPlace,
    NewTaxOwed,
    PlaceShown,
    PlacesListed,
    PlacesSought,
    PlaceWritten,
    Reason,
    TaxOwed,
)
from core.schemas.paging import page_of
from core.services.registry.enter_place import PlaceDetails, add_tax, change_place_details, enter_place
from core.services.registry.find_places import PlaceFound, find_places, look_up_place
from core.services.registry.keep_open_days import record_fact, withdraw_fact
from core.web.guarded import GuardedBlueprint
from core.web.versions import tagged, version_meant

blueprint = GuardedBlueprint("places", __name__, url_prefix="/api/v1", description="Places of business.")
_SHOWN = PlaceShown()
_DETAILS = PlaceDetails._fields


@blueprint.route("/municipalities/<key>/places", permission=FILER_READ)
@blueprint.arguments(PlacesSought, location="query")
@blueprint.response(200, PlacesListed)
def list_places(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Places of business by number.

    A filer's, or all.
    """
    visit, limit = g.visit, given["limit"]
    after = (given["cursor"] or (0,))[0]
    found = find_places(visit.engines.app, visit.here, given["filer"], after, limit + 1, visit.today, visit.reach)
    page = page_of(found, limit, lambda one: (one.place.number,))
    return {**page, "items": [_place(one) for one in page["items"]]}


@blueprint.route("/municipalities/<key>/places", methods=["POST"], permission=FILER_WRITE, once=True)
@blueprint.arguments(NewPlace)
@blueprint.response(201, Entered)
def register_place(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Enter a place of business.

    It is open from a day on and owes its taxes from then; from that day on its periods are owed.
    """
    visit = g.visit
    details = PlaceDetails(**{name: given[name] for name in _DETAILS})
    return enter_place(
        visit.engines.app,
        visit.here,
        visit.request(),
        given["filer"],
        details,
        given["opened_on"],
        given["taxes"],
        visit.recorded,
    )


@blueprint.route("/municipalities/<key>/places/<uuid:place>", permission=FILER_READ)
@blueprint.response(200, PlaceShown, headers={"ETag": {"schema": {"type": "string"}}})
def show_place(key: str, place: UUID) -> Response:
    """A place of business.

    With its taxes and the facts that stand. Its ETag names the version of its details, which a change has to name.
    """
    visit = g.visit
    return _tagged(look_up_place(visit.engines.app, visit.here, place, visit.today, visit.reach))


@blueprint.route("/municipalities/<key>/places/<uuid:place>", methods=["PUT"], permission=FILER_WRITE)
@blueprint.arguments(PlaceWritten)
@blueprint.response(200, PlaceShown, headers={"ETag": {"schema": {"type": "string"}}})
def change_place(given: dict[str, Any], key: str, place: UUID) -> Response:
    """Change a place's details.

    All of them are given; each version is kept. Another owner's place is another place, to be entered anew.
    """
    visit, version = g.visit, version_meant()
    details = PlaceDetails(**given)
    return _tagged(change_place_details(visit.engines.app, visit.here, place, version, details, visit.recorded))


@blueprint.route("/municipalities/<key>/places/<uuid:place>/taxes", methods=["POST"], permission=FILER_WRITE, once=True)
@blueprint.arguments(NewTaxOwed)
@blueprint.response(201, TaxOwed)
def add_place_tax(given: dict[str, Any], key: str, place: UUID) -> dict[str, Any]:
    """Let a place owe one more tax.

    From a day on, as when a tax is new.
    """
    visit = g.visit
    made = add_tax(visit.engines.app, visit.here, visit.request(), place, given["tax"], given["since"], visit.recorded)
    return {"tax": made["tax"], "since": given["since"]}


@blueprint.route("/municipalities/<key>/places/<uuid:place>/facts", methods=["POST"], permission=FILER_WRITE, once=True)
@blueprint.arguments(NewFact)
@blueprint.response(201, FactMade)
def record_place_fact(given: dict[str, Any], key: str, place: UUID) -> dict[str, Any]:
    """Record that a place opened again, closed, or closes for a season.

    A closing names the last day open; a period that a closed season covers from end to end is not owed.
    """
    visit = g.visit
    return record_fact(
        visit.engines.app,
        visit.here,
        visit.request(),
        place,
        given["kind"],
        given["first_day"],
        given["last_day"],
        visit.recorded,
    )


@blueprint.route(
    "/municipalities/<key>/places/<uuid:place>/facts/<int(max=2147483647):seq>/withdrawal",
    methods=["POST"],
    permission=FILER_WRITE,
    once=True,
)
@blueprint.arguments(Reason)
@blueprint.response(201, FactWithdrawn)
def withdraw_place_fact(given: dict[str, Any], key: str, place: UUID, seq: int) -> dict[str, Any]:
    """Record that a fact was an error.

    It stays in the record and counts no more.
    """
    visit = g.visit
    return withdraw_fact(visit.engines.app, visit.here, visit.request(), place, seq, given["reason"], visit.recorded)


def _tagged(found: PlaceFound) -> Response:
    return tagged(_SHOWN.dump(_place(found)), found.place.version)


def _place(found: PlaceFound) -> dict[str, Any]:
    place = found.place
    return {
        "id": place.id,
        "filer": place.filer_id,
        "number": place.number,
        "version": place.version,
        **place.details._asdict(),
        "is_open": found.is_open,
        "taxes": [{"tax": tax, "since": since} for tax, since in found.taxes.items()],
        "facts": [fact._asdict() for fact in found.facts],
    }
