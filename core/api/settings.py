"""What a municipality sets for itself: resolutions of its council, the treasurer's readings, its opening."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import g

from core.auth.permissions import SETTING_READ, SETTING_RECORD
from core.schemas.filers import Reason
from core.schemas.settings import (
    NewReadings,
    NewResolutions,
    OnDay,
    Opened,
    Opening,
    SettingsListed,
    SettingsMade,
    WithdrawalMade,
)
from core.services.settings.list_settings import SettingShown, list_settings
from core.services.settings.open_for_business import open_for_business
from core.services.settings.record_settings import (
    ReadingGiven,
    ResolutionGiven,
    record_readings,
    record_resolutions,
    withdraw,
)
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint(
    "settings", __name__, url_prefix="/api/v1", description="What the council set and how the law is read."
)


@blueprint.route("/municipalities/<key>/settings", permission=SETTING_READ)
@blueprint.arguments(OnDay, location="query")
@blueprint.response(200, SettingsListed)
def list_the_settings(given: dict[str, Any], key: str) -> dict[str, Any]:
    """What may be set, and what holds.

    Each resolution and reading with its clause, what holds on a day, and everything recorded for it.
    """
    visit = g.visit
    found = list_settings(visit.engines.app, visit.here, given["on"] or visit.today)
    return {
        "on": found.on,
        "open_since": found.open_since,
        "lacking": list(found.lacking),
        "items": [_setting(one) for one in found.settings],
    }


@blueprint.route("/municipalities/<key>/settings/resolutions", methods=["POST"], permission=SETTING_RECORD, once=True)
@blueprint.arguments(NewResolutions)
@blueprint.response(201, SettingsMade)
def record_the_resolutions(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Record what the council or board set.

    Each holds from its day until a later one; all are recorded, or none.
    """
    visit = g.visit
    resolutions = [ResolutionGiven(**one) for one in given["resolutions"]]
    return record_resolutions(
        visit.engines.app, visit.here, visit.request(), resolutions, given["note"], visit.recorded
    )


@blueprint.route("/municipalities/<key>/settings/readings", methods=["POST"], permission=SETTING_RECORD, once=True)
@blueprint.arguments(NewReadings)
@blueprint.response(201, SettingsMade)
def record_the_readings(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Record how a doubtful passage is read.

    In place of the default, from a day on and with the reason; all are recorded, or none.
    """
    visit = g.visit
    readings = [ReadingGiven(**one) for one in given["readings"]]
    return record_readings(visit.engines.app, visit.here, visit.request(), readings, visit.recorded)


@blueprint.route(
    "/municipalities/<key>/settings/<uuid:setting>/withdrawal", methods=["POST"], permission=SETTING_RECORD, once=True
)
@blueprint.arguments(Reason)
@blueprint.response(201, WithdrawalMade)
def withdraw_setting(given: dict[str, Any], key: str, setting: UUID) -> dict[str, Any]:
    """Record that a resolution or reading was entered in error.

    Until now it counted, and that stays known. To replace one that was right, record the later one instead.
    """
    visit = g.visit
    return withdraw(visit.engines.app, visit.here, visit.request(), setting, given["reason"], visit.recorded)


@blueprint.route("/municipalities/<key>/opening", methods=["POST"], permission=SETTING_RECORD, once=True)
@blueprint.arguments(Opening)
@blueprint.response(201, Opened)
def open_the_municipality(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Open the municipality for business.

    It opens once, when what the law leaves to its council and requires is set; what is missing is told all at once.
    """
    visit = g.visit
    open_for_business(visit.engines.app, visit.here, visit.request(), given["on"], visit.recorded)
    return {"open_since": given["on"]}


def _setting(one: SettingShown) -> dict[str, Any]:
    return {
        **one._asdict(),
        "clause": one.clause.id,
        "section": one.clause.section,
        "recordings": [recording._asdict() for recording in one.recordings],
    }
