"""The first page: the municipalities on this instance, and in a demonstration where each of them stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Response, current_app, g, render_template, send_from_directory

from core.auth.permissions import PUBLIC
from core.contract.loading import open_municipality
from core.domain.calendar import day_for_reading
from core.domain.money import dollars_for_reading
from core.services.demo.pages import Login, PeriodPosition, Position, Shown, Sums, Tenant, position
from core.services.tenants.add import municipalities
from core.web.guarded import GuardedBlueprint
from core.web.visit import EXTENSION, NotFound

blueprint = GuardedBlueprint("portal", __name__, template_folder="templates")
STATIC = Path(__file__).parent / "static"
FILES = ("portal.css", "mark.svg")


@blueprint.app_context_processor
def links() -> dict[str, Any]:
    """The links that every page has."""
    return {
        "portal_file": lambda name: f"/portal/{name}",
        "home_page": "/",
        "api_page": "/api/v1/docs",
        "openapi_document": "/api/v1/openapi.json",
    }


@blueprint.route("/", permission=PUBLIC)
def home() -> str:
    """Names alone; figures are pooled and only of a demonstration, whose data is invented."""
    demo: Shown | None = current_app.extensions[EXTENSION]["demo"]
    found = municipalities(g.visit.engines.app)
    if demo is None:
        return render_template("portal/municipalities.html", municipalities=[one.name for one in found])
    towns = [_town(one, position(g.visit.engines.app, one, demo.as_of, demo.heads)) for one in found]
    return render_template(
        "portal/position.html", as_of=day_for_reading(demo.as_of), towns=towns, logins=_logins(demo.logins, found)
    )


@blueprint.route("/portal/<name>", permission=PUBLIC)
def portal_file(name: str) -> Response:
    """A style sheet or picture of the pages."""
    if name not in FILES:
        raise NotFound
    return send_from_directory(STATIC, name, max_age=3600)


def _town(tenant: Tenant, stands: Position) -> dict[str, Any]:
    share = f"{stands.tax.collected_cents * 100 // stands.tax.charged_cents}% of it" if stands.tax.charged_cents else ""
    declared = open_municipality(tenant.plugin).declared
    closed = f"{stands.registered.closed} closed" if stands.registered.closed else ""
    return {
        "key": stands.key,
        "name": stands.name,
        "tax": _sums(stands.tax),
        "other": _sums(stands.other),
        "collected_share": share,
        "credits": dollars_for_reading(stands.credits_cents),
        "held": dollars_for_reading(stands.held_cents),
        "places": stands.registered.places,
        "places_note": closed,
        "periods": [_period(one) for one in stands.periods],
        "payees": [
            {
                "payee": one.payee,
                "shared": dollars_for_reading(one.shared_cents),
                "paid": dollars_for_reading(one.paid_cents),
                "to_pay": dollars_for_reading(one.to_pay_cents),
            }
            for one in stands.payees
        ],
        "waiting": [
            {"accounts": f"{count} account{'s' if count > 1 else ''}", "what": what} for what, count in stands.waiting
        ],
        "council": declared.council,
        "by_agreement": declared.shares_by_agreement or stands.held_cents != 0,
        "books": _books(stands),
    }


def _sums(sums: Sums) -> dict[str, str]:
    return {
        "charged": dollars_for_reading(sums.charged_cents),
        "collected": dollars_for_reading(sums.collected_cents),
        "outstanding": dollars_for_reading(sums.outstanding_cents),
    }


def _period(one: PeriodPosition) -> dict[str, Any]:
    counts = ("owed", "in_time", "later", "estimated", "missing")
    amounts = ("assessed", "collected", "outstanding")
    return {
        "period": one.period.key,
        "due": day_for_reading(one.due_on),
        "is_missing": one.missing > 0,
        **{name: getattr(one, name) for name in counts},
        **{name: dollars_for_reading(getattr(one, f"{name}_cents")) for name in amounts},
    }


def _books(stands: Position) -> dict[str, Any]:
    books = stands.books
    state = "Proved: every entry is as it was sealed." if books.whole else "Broken: an entry is not as it was sealed."
    return {"whole": books.whole, "state": state, "count": f"{books.sealed} entries sealed, {books.unsealed} not yet."}


def _logins(logins: tuple[Login, ...], found: tuple[Tenant, ...]) -> list[dict[str, str]]:
    names = {one.key: one.name for one in found}
    return [
        {
            "email": one.email,
            "role": one.role,
            "where": names.get(one.municipality, "") if one.municipality else "This instance",
        }
        for one in logins
    ]
