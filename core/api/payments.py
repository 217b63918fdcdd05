"""Payments: previewed and made, come back, struck out, moved, paid back; each answer tells what became of accounts."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from flask import Response, g

from core.auth.permissions import (
    ACCOUNT_READ,
    FINDING_RECORD,
    PAYMENT_CORRECT,
    PAYMENT_PREVIEW,
    PAYMENT_RECORD,
)
from core.schemas.paging import page_of
from core.schemas.payments import (
    CameBack,
    NewPayments,
    NewRefund,
    PaymentMoved,
    PaymentShown,
    PaymentsListed,
    PaymentsMade,
    PaymentsOfAccount,
    PaymentsPreviewed,
    PaymentsSought,
    PaymentVoided,
    RefundMade,
    RefundPreviewed,
    StruckOut,
    ToMove,
)
from core.services.money.move_payment import move_payment
from core.services.money.pay import Named, PaymentForm, pay
from core.services.money.preview import preview
from core.services.money.read_payments import RecordedPayment, account_payments, list_payments, read_payment
from core.services.money.refund import RefundForm, preview_refund, refund
from core.services.money.return_payment import return_payment
from core.services.money.void_payment import void_payment
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint("payments", __name__, url_prefix="/api/v1", description="Money paid and paid back.")


@blueprint.route("/municipalities/<key>/payments", methods=["POST"], permission=PAYMENT_RECORD, once=True)
@blueprint.arguments(NewPayments)
@blueprint.response(201, PaymentsMade)
def record_payments(given: dict[str, Any], key: str) -> Response:
    """Record payments.

    Each goes to the account that it names: within it to penalties and fees, then interest, then tax, as the law orders
    them, and never to an older balance. All of them are recorded, or none.
    """
    visit = g.visit
    forms = list(map(_payment_form, given["payments"]))
    return plain(pay(visit.engines.app, visit.here, visit.request(), forms, visit.recorded, reach=visit.reach))


@blueprint.route("/municipalities/<key>/payments/preview", methods=["POST"], permission=PAYMENT_PREVIEW)
@blueprint.arguments(NewPayments)
@blueprint.response(200, PaymentsPreviewed)
def preview_payments(given: dict[str, Any], key: str) -> Response:
    """What payments would go to.

    Cent by cent, as they would be applied if they were recorded today. Nothing is recorded.
    """
    visit = g.visit
    forms = list(map(_payment_form, given["payments"]))
    return plain(preview(visit.engines.app, visit.here, forms, visit.today, reach=visit.reach), 200)


@blueprint.route("/municipalities/<key>/payments", permission=ACCOUNT_READ)
@blueprint.arguments(PaymentsSought, location="query")
@blueprint.response(200, PaymentsListed)
def list_the_payments(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Payments by number.

    Void ones too, with the reason.
    """
    visit, limit = g.visit, given["limit"]
    after = (given["cursor"] or (0,))[0]
    found = list_payments(visit.engines.app, visit.here, after=after, most=limit + 1, reach=visit.reach)
    page = page_of(found, limit, lambda one: (one.number,))
    return {**page, "items": list(map(_payment, page["items"]))}


@blueprint.route("/municipalities/<key>/payments/<uuid:payment>", permission=ACCOUNT_READ)
@blueprint.response(200, PaymentShown)
def show_payment(key: str, payment: UUID) -> dict[str, Any]:
    """A payment as it was recorded.

    And whether it is void, and why.
    """
    visit = g.visit
    return _payment(read_payment(visit.engines.app, visit.here, payment, reach=visit.reach))


@blueprint.route("/municipalities/<key>/accounts/<uuid:account>/payments", permission=ACCOUNT_READ)
@blueprint.response(200, PaymentsOfAccount)
def list_account_payments(key: str, account: UUID) -> dict[str, Any]:
    """The payments of an account.

    By number, void ones too.
    """
    visit = g.visit
    found = account_payments(visit.engines.app, visit.here, account, reach=visit.reach)
    return {"items": list(map(_payment, found))}


@blueprint.route(
    "/municipalities/<key>/payments/<uuid:payment>/return", methods=["POST"], permission=PAYMENT_CORRECT, once=True
)
@blueprint.arguments(CameBack)
@blueprint.response(201, PaymentVoided)
def record_returned_payment(given: dict[str, Any], key: str, payment: UUID) -> Response:
    """Record that a payment came back.

    The account is as if it had never been paid, and owes the fee that a resolution sets.
    """
    visit = g.visit
    return plain(
        return_payment(
            visit.engines.app,
            visit.here,
            visit.request(),
            payment,
            given["came_back_on"],
            given["reason"],
            visit.recorded,
            reach=visit.reach,
        )
    )


@blueprint.route(
    "/municipalities/<key>/payments/<uuid:payment>/void", methods=["POST"], permission=PAYMENT_CORRECT, once=True
)
@blueprint.arguments(StruckOut)
@blueprint.response(201, PaymentVoided)
def strike_out_payment(given: dict[str, Any], key: str, payment: UUID) -> Response:
    """Strike out a payment that was entered in error.

    The account is as if it had never been paid, and owes no fee for it. A statement of an earlier day still shows it.
    """
    visit = g.visit
    return plain(
        void_payment(
            visit.engines.app,
            visit.here,
            visit.request(),
            payment,
            given["reason"],
            visit.recorded,
            reach=visit.reach,
        )
    )


@blueprint.route(
    "/municipalities/<key>/payments/<uuid:payment>/move", methods=["POST"], permission=PAYMENT_CORRECT, once=True
)
@blueprint.arguments(ToMove)
@blueprint.response(201, PaymentMoved)
def move_the_payment(given: dict[str, Any], key: str, payment: UUID) -> Response:
    """Move a payment to another account.

    Of another period at the filer's request, or the right one after an error. It keeps its own day.
    """
    visit = g.visit
    return plain(
        move_payment(
            visit.engines.app,
            visit.here,
            visit.request(),
            payment,
            account_meant(given["to"]),
            given["reason"],
            visit.recorded,
            reach=visit.reach,
        )
    )


@blueprint.route("/municipalities/<key>/refunds", methods=["POST"], permission=FINDING_RECORD, once=True)
@blueprint.arguments(NewRefund)
@blueprint.response(201, RefundMade)
def record_refund(given: dict[str, Any], key: str) -> Response:
    """Record that a credit is paid back.

    Out of the last payments first. Each part bears the interest that the law gives on it, or the answer says why it
    bears none.
    """
    visit = g.visit
    form = _refund_form(given)
    return plain(refund(visit.engines.app, visit.here, visit.request(), form, visit.recorded, reach=visit.reach))


@blueprint.route("/municipalities/<key>/refunds/preview", methods=["POST"], permission=FINDING_RECORD)
@blueprint.arguments(NewRefund)
@blueprint.response(200, RefundPreviewed)
def preview_the_refund(given: dict[str, Any], key: str) -> Response:
    """What would be paid back today, with its interest.

    Nothing is recorded.
    """
    visit = g.visit
    form = _refund_form(given)
    return plain(preview_refund(visit.engines.app, visit.here, form, visit.today, reach=visit.reach), 200)


def account_meant(given: dict[str, Any]) -> Named:
    """The account that a request names."""
    return Named(given["account"], given["place"], given["period"], given["tax"])


def _payment_form(given: dict[str, Any]) -> PaymentForm:
    return PaymentForm(
        account_meant(given),
        given["amount"],
        given["method"],
        given["reference"],
        given["paid_on"],
        given["received_on"],
    )


def _refund_form(given: dict[str, Any]) -> RefundForm:
    return RefundForm(
        account_meant(given),
        given["amount"],
        given["paid_back_on"],
        given["intentional_or_careless"],
        given["complete_return"],
    )


def plain(answer: dict[str, Any], status: int = 201) -> Response:
    """An answer that is plain already goes out as it is kept."""
    return Response(json.dumps(answer), status, mimetype="application/json")


def _payment(one: RecordedPayment) -> dict[str, Any]:
    account, void = one.account, one.void
    return {
        "id": one.id,
        "number": one.number,
        "account": account.id,
        "filer": account.filer_id,
        "place": account.place_id,
        "tax": account.tax,
        "period": account.period.key,
        "seq": one.seq,
        "amount": one.cents,
        "paid_on": one.paid_on,
        "received_on": one.received_on,
        "method": one.method,
        "reference": one.reference,
        "moved_from": one.moved_from,
        "moved_to": one.moved_to,
        "recorded_by": one.recorded.by,
        "recorded_on": one.recorded.on,
        "void": void
        and {
            "kind": void.kind,
            "on": void.on,
            "reason": void.reason,
            "recorded_by": void.recorded.by,
            "recorded_on": void.recorded.on,
        },
    }
