"""The municipalities of this instance, as anybody may see them."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from flask import g

from core.auth.permissions import PUBLIC
from core.schemas.municipalities import MunicipalitiesListed, MunicipalityDescribed, OfYear
from core.services.tenants.add import municipalities
from core.services.tenants.describe import TaxDescribed, describe
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint(
    "municipalities", __name__, url_prefix="/api/v1", description="The municipalities of this instance."
)


@blueprint.route("/municipalities", permission=PUBLIC)
@blueprint.response(200, MunicipalitiesListed)
def list_the_municipalities() -> dict[str, Any]:
    """The municipalities of this instance.

    The key of each stands in every path below it.
    """
    return {"items": [one._asdict() for one in municipalities(g.visit.engines.app)]}


@blueprint.route("/municipalities/<key>", permission=PUBLIC)
@blueprint.arguments(OfYear, location="query")
@blueprint.response(200, MunicipalityDescribed)
def describe_municipality(given: dict[str, Any], key: str) -> dict[str, Any]:
    """A municipality with its taxes.

    The lines of each return, the kinds of charge, and the dates of a year's periods; the annual return is that of a
    filer whose year is the calendar year.
    """
    engine = g.visit.engines.app
    zone = ZoneInfo(municipalities(engine, key)[0].time_zone)
    year = given["year"] or g.visit.now.astimezone(zone).year
    found = describe(engine, key, year)
    return {
        **found.tenant._asdict(),
        "open_since": found.open_since,
        "year": year,
        "taxes": [_tax(one, found.kinds) for one in found.taxes],
    }


def _tax(one: TaxDescribed, kinds: tuple[str, ...]) -> dict[str, Any]:
    tax = one.tax
    return {
        "key": tax.key,
        "title": tax.title,
        "frequency": tax.frequency.name,
        "receipts": [_line(line) for line in tax.receipts],
        "deductions": [_line(line) for line in tax.deductions],
        "charges": [{"key": kind, "title": tax.titles[kind]} for kind in kinds if kind in tax.titles],
        "deadlines": [
            {
                "period": period.key,
                "first_day": period.first_day,
                "last_day": period.last_day,
                "due_on": dates.nominal,
                "met_by": dates.effective,
                "longest_extension": dates.longest_extension,
                "sections": list(dict.fromkeys(clause.section for clause in dates.clauses)),
            }
            for period, dates in one.dates
        ],
    }


def _line(line: Any) -> dict[str, Any]:
    return {"key": line.key, "title": line.title, "clause": line.clause.id, "section": line.clause.section}
