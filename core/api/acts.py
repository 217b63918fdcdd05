"""What an officer does about an account: estimate, extend, notify, find, waive. Each answer tells what is owed then."""

from __future__ import annotations

from typing import Any

from flask import Response, g

from core.api.payments import account_meant, plain
from core.auth.permissions import FINDING_RECORD, NOTICE_RECORD
from core.schemas.acts import ActMade, NewEstimate, NewExtension, NewFinding, NewNotice, NewWaiver
from core.services.enforcement.estimate import EstimateForm, Part, estimate
from core.services.enforcement.extend import extend
from core.services.enforcement.find import find
from core.services.enforcement.notify import notify
from core.services.enforcement.waive import waive
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint("acts", __name__, url_prefix="/api/v1", description="What an officer does.")


@blueprint.route("/municipalities/<key>/estimates", methods=["POST"], permission=FINDING_RECORD, once=True)
@blueprint.arguments(NewEstimate)
@blueprint.response(201, ActMade)
def record_estimate(given: dict[str, Any], key: str) -> Response:
    """Estimate the receipts of a period without a return.

    Not before the return is late. A later estimate replaces it, and so does a return.
    """
    visit = g.visit
    form = EstimateForm(given["gross"], [Part(**part) for part in given["parts"]], given["on"])
    named = account_meant(given)
    return plain(
        estimate(visit.engines.app, visit.here, visit.request(), named, form, visit.recorded, reach=visit.reach)
    )


@blueprint.route("/municipalities/<key>/extensions", methods=["POST"], permission=NOTICE_RECORD, once=True)
@blueprint.arguments(NewExtension)
@blueprint.response(201, ActMade)
def record_extension(given: dict[str, Any], key: str) -> Response:
    """Extend the time to file.

    At most as long as the law allows; of several the latest holds. Interest is not moved.
    """
    visit = g.visit
    return plain(
        extend(
            visit.engines.app,
            visit.here,
            visit.request(),
            account_meant(given),
            given["until"],
            visit.recorded,
            on=given["on"],
            reach=visit.reach,
        )
    )


@blueprint.route("/municipalities/<key>/notices", methods=["POST"], permission=NOTICE_RECORD, once=True)
@blueprint.arguments(NewNotice)
@blueprint.response(201, ActMade)
def record_notice(given: dict[str, Any], key: str) -> Response:
    """Record that the notice to file or pay was mailed.

    Or delivered. The first notice governs.
    """
    visit = g.visit
    named = account_meant(given)
    return plain(
        notify(
            visit.engines.app,
            visit.here,
            visit.request(),
            named,
            given["mailed_on"],
            visit.recorded,
            reach=visit.reach,
        )
    )


@blueprint.route("/municipalities/<key>/findings", methods=["POST"], permission=FINDING_RECORD, once=True)
@blueprint.arguments(NewFinding)
@blueprint.response(201, ActMade)
def record_finding(given: dict[str, Any], key: str) -> Response:
    """Record a finding of negligence or intent.

    By an officer who is named and gives reasons. What follows from it is the law's.
    """
    visit = g.visit
    return plain(
        find(
            visit.engines.app,
            visit.here,
            visit.request(),
            account_meant(given),
            given["finding"],
            given["officer"],
            given["reasons"],
            visit.recorded,
            on=given["on"],
            reach=visit.reach,
        )
    )


@blueprint.route("/municipalities/<key>/waivers", methods=["POST"], permission=FINDING_RECORD, once=True)
@blueprint.arguments(NewWaiver)
@blueprint.response(201, ActMade)
def record_waiver(given: dict[str, Any], key: str) -> Response:
    """Waive or lower a fee, penalty or interest.

    For a reason that is kept and shown. The tax itself is never waived.
    """
    visit = g.visit
    return plain(
        waive(
            visit.engines.app,
            visit.here,
            visit.request(),
            account_meant(given),
            given["kind"],
            given["amount"],
            given["reason"],
            visit.recorded,
            on=given["on"],
            reach=visit.reach,
        )
    )
