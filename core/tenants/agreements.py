"""Agreements that fix a payee's share for a term. The share never changes; no two of a payee share a day."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, bindparam, select
from sqlalchemy.exc import IntegrityError

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, constraint_name
from core.db.uuid7 import uuid7
from core.domain.clause import Clause
from core.domain.errors import Fault, FiscError, Refused
from core.domain.shares import Agreement
from core.tenants.tables import agreements


class AgreementUnknown(FiscError):
    """No agreement of this municipality has this id."""


class RecordedAgreement(NamedTuple):
    """An agreement as recorded: its terms, where the law asks for it, and whether it was withdrawn as an error."""

    id: UUID
    terms: Agreement
    longest_months: int
    clause: Clause
    recorded: Recorded
    withdrawn_on: date | None
    withdrawal_reason: str | None


_ALL = select(agreements).where(of_tenant(agreements)).order_by(agreements.c.first_day, agreements.c.id)
_WITHDRAW = (
    agreements.update()
    .where(of_tenant(agreements), agreements.c.id == bindparam("id_"), agreements.c.withdrawn_on.is_(None))
    .values(withdrawn_on=bindparam("on_"), withdrawn_by=bindparam("by_"), withdrawal_reason=bindparam("reason_"))
)


def record_agreement(
    uow: UnitOfWork, terms: Agreement, longest_months: int, clause: Clause, recorded: Recorded
) -> UUID:
    """Record an agreement. Raises Refused where another of the payee's shares a day with it, or it runs too long."""
    identity = uuid7()
    row = {
        "id": identity,
        "number": terms.number,
        "payee": terms.payee,
        "share": format(terms.share.normalize(), "f"),
        "first_day": terms.first_day,
        "last_day": terms.last_day,
        "longest_months": longest_months,
        "clause_id": clause.id,
        "section": clause.section,
    }
    try:
        uow.insert(agreements, {**row, **recorded.columns()})
    except IntegrityError as error:
        if constraint_name(error) == "ex_agreements_no_overlap":
            raise Refused([overlap_fault(terms, None)]) from error
        raise
    return identity


def overlap_fault(terms: Agreement, other: Agreement | None) -> Fault:
    """That an agreement shares days with another, which is named where it is known."""
    which = f"agreement {other.number} ({other.first_day} to {other.last_day})" if other is not None else "another"
    days = f"{terms.first_day} to {terms.last_day}"
    return Fault("first_day", f"{days} shares days with {which} of {terms.payee}: let one end before the next begins")


def all_agreements(uow: UnitOfWork) -> tuple[RecordedAgreement, ...]:
    """Every agreement, withdrawn ones too, by term."""
    return tuple(_agreement(row) for row in uow.rows(_ALL))


def withdraw_agreement(uow: UnitOfWork, agreement: UUID, reason: str, recorded: Recorded) -> None:
    """Record that an agreement was entered in error. Raises AgreementUnknown."""
    values = {"id_": agreement, "on_": recorded.on, "by_": recorded.by, "reason_": reason}
    if uow.execute(_WITHDRAW, values).rowcount != 1:
        raise AgreementUnknown("no agreement in force has this id: take it from the list")


def _agreement(row: Row[Any]) -> RecordedAgreement:
    terms = Agreement(row.number, row.payee, Decimal(row.share), row.first_day, row.last_day)
    recorded = Recorded(row.recorded_by, row.recorded_on)
    clause = Clause(row.clause_id, row.section)
    return RecordedAgreement(
        row.id, terms, row.longest_months, clause, recorded, row.withdrawn_on, row.withdrawal_reason
    )
