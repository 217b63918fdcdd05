"""Sharing out what was collected. Everything here is pooled: no filer and no return is in it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import g

from core.auth.permissions import SETTING_READ, SETTING_RECORD, SHARING_POST, SHARING_READ
from core.domain.shares import Agreement
from core.schemas.paging import page_of
from core.schemas.sharing import (
    AdviceShown,
    AgreementMade,
    Agreements,
    ByNumber,
    DistributionMade,
    Distributions,
    DistributionShown,
    NewAgreement,
    RemittancePaid,
    RemittancePayment,
    Remittances,
    ToShareOut,
    Withdrawal,
)
from core.services.sharing import agreements as agreed
from core.services.sharing import remittances as remitted
from core.services.sharing import share_out
from core.web.guarded import GuardedBlueprint
from core.web.visit import NotFound

blueprint = GuardedBlueprint("sharing", __name__, url_prefix="/api/v1", description="Sharing out what was collected.")


@blueprint.route("/municipalities/<key>/agreements", permission=SETTING_READ)
@blueprint.response(200, Agreements)
def list_agreements(key: str) -> dict[str, Any]:
    """The agreements that fix shares.

    Withdrawn ones too, by term. Where the ordinance fixes every share there are none.
    """
    return {"items": [_agreement(one) for one in agreed.list_agreements(g.visit.engines.app, g.visit.here)]}


@blueprint.route("/municipalities/<key>/agreements", methods=["POST"], permission=SETTING_RECORD, once=True)
@blueprint.arguments(NewAgreement)
@blueprint.response(201, AgreementMade)
def record_agreement(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Record an agreement.

    Its share is locked for its term. It is refused where it runs longer than the law allows, or shares a day with
    another of the same payee.
    """
    visit = g.visit
    terms = Agreement(**given)
    return agreed.add_agreement(visit.engines.app, visit.here, visit.request(), terms, visit.recorded)


@blueprint.route(
    "/municipalities/<key>/agreements/<uuid:agreement>/withdrawal",
    methods=["POST"],
    permission=SETTING_RECORD,
    once=True,
)
@blueprint.arguments(Withdrawal)
@blueprint.response(201, AgreementMade)
def withdraw_agreement(given: dict[str, Any], key: str, agreement: UUID) -> dict[str, Any]:
    """Record that an agreement was entered in error.

    It is refused once money was shared out under it.
    """
    visit = g.visit
    return agreed.take_back_agreement(
        visit.engines.app, visit.here, visit.request(), agreement, given["reason"], visit.recorded
    )


@blueprint.route("/municipalities/<key>/distributions/preview", methods=["POST"], permission=SHARING_POST)
@blueprint.arguments(ToShareOut)
@blueprint.response(200, DistributionShown)
def preview_distribution(given: dict[str, Any], key: str) -> dict[str, Any]:
    """What would be shared out today.

    The same figures as the distribution then posts; nothing is recorded.
    """
    visit = g.visit
    made = share_out.preview(visit.engines.app, visit.here, given["tax"], given["periods"], visit.recorded)
    return {**_distribution(made), "number": None, "remittances": []}


@blueprint.route("/municipalities/<key>/distributions", methods=["POST"], permission=SHARING_POST, once=True)
@blueprint.arguments(ToShareOut)
@blueprint.response(201, DistributionMade)
def distribute(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Share out what was collected.

    Each period's shares of all so far, less what was shared before: an amendment, a refund or a returned payment is
    taken back by itself. A period that nothing has changed in adds nothing.
    """
    visit = g.visit
    answer = share_out.distribute(
        visit.engines.app, visit.here, visit.request(), given["tax"], given["periods"], visit.recorded
    )
    return {"number": answer["number"]}


@blueprint.route("/municipalities/<key>/distributions", permission=SHARING_READ)
@blueprint.arguments(ByNumber, location="query")
@blueprint.response(200, Distributions)
def list_distributions(given: dict[str, Any], key: str) -> dict[str, Any]:
    """The distributions.

    By number, each with its shares and remittances.
    """
    after = (given["cursor"] or (0,))[0]
    later = [one for one in remitted.distributions(g.visit.engines.app, g.visit.here) if one.number > after]
    page = page_of(later, given["limit"], lambda one: (one.number,))
    return {**page, "items": [_distribution(one) for one in page["items"]]}


@blueprint.route("/municipalities/<key>/distributions/<int(max=2147483647):number>", permission=SHARING_READ)
@blueprint.response(200, DistributionShown)
def show_distribution(key: str, number: int) -> dict[str, Any]:
    """A distribution.

    With its shares and remittances.
    """
    for one in remitted.distributions(g.visit.engines.app, g.visit.here):
        if one.number == number:
            return _distribution(one)
    raise NotFound


@blueprint.route("/municipalities/<key>/remittances", permission=SHARING_READ)
@blueprint.arguments(ByNumber, location="query")
@blueprint.response(200, Remittances)
def list_remittances(given: dict[str, Any], key: str) -> dict[str, Any]:
    """The remittances.

    By number, each with the distribution that it comes from.
    """
    after = (given["cursor"] or (0,))[0]
    later = [
        _listed(made, one)
        for made in remitted.distributions(g.visit.engines.app, g.visit.here)
        for one in made.remittances
        if one.number > after
    ]
    later.sort(key=lambda one: int(one["number"]))
    return page_of(later, given["limit"], lambda one: (one["number"],))


@blueprint.route("/municipalities/<key>/remittances/<int(max=2147483647):number>", permission=SHARING_READ)
@blueprint.response(200, AdviceShown)
def show_remittance(key: str, number: int) -> dict[str, Any]:
    """The advice of a remittance.

    With every line that makes it up, those of earlier periods included, and what was brought forward.
    """
    advice = remitted.advice(g.visit.engines.app, g.visit.here, number)
    return {
        **_listed(advice.distribution, advice.remittance),
        "municipality": advice.municipality,
        "shares": list(map(_share, advice.lines)),
    }


@blueprint.route(
    "/municipalities/<key>/remittances/<int(max=2147483647):number>/payment",
    methods=["POST"],
    permission=SHARING_POST,
    once=True,
)
@blueprint.arguments(RemittancePayment)
@blueprint.response(201, RemittancePaid)
def pay_remittance(given: dict[str, Any], key: str, number: int) -> dict[str, Any]:
    """Record that a remittance was paid.

    In full and once.
    """
    visit = g.visit
    return remitted.pay_remittance(
        visit.engines.app, visit.here, visit.request(), number, **given, recorded=visit.recorded
    )


def _agreement(one: Any) -> dict[str, Any]:
    terms = one.terms
    return {
        "id": one.id,
        "number": terms.number,
        "payee": terms.payee,
        "share": terms.share,
        "first_day": terms.first_day,
        "last_day": terms.last_day,
        "clause": one.clause.id,
        "section": one.clause.section,
        "recorded_on": one.recorded.on,
        "withdrawn_on": one.withdrawn_on,
        "withdrawal_reason": one.withdrawal_reason,
    }


def _distribution(made: Any) -> dict[str, Any]:
    return {
        "number": made.number or None,
        "tax": made.tax,
        "distributed_on": made.distributed_on,
        "warnings": list(made.warnings),
        "shares": list(map(_share, made.lines)),
        "remittances": list(map(_remittance, made.remittances)),
    }


def _share(line: Any) -> dict[str, Any]:
    return {
        "period": line.period,
        "payee": line.payee,
        "held": line.held,
        "base": line.base_cents,
        "so_far": line.so_far_cents,
        "now": line.now_cents,
        "agreement": line.agreement_id,
        "clause": line.clause_id,
        "section": line.section,
        "computation": line.computation,
    }


def _remittance(one: Any) -> dict[str, Any]:
    return {
        "number": one.number,
        "payee": one.payee,
        "share": one.share_cents,
        "brought_forward": one.brought_forward_cents,
        "payable": one.payable_cents,
        "paid_on": one.paid_on,
        "method": one.method,
        "reference": one.reference,
    }


def _listed(made: Any, one: Any) -> dict[str, Any]:
    return {
        **_remittance(one),
        "distribution": made.number,
        "tax": made.tax,
        "advised_on": made.distributed_on,
    }
