"""Record the agreements that fix shares, list them, withdraw one that was entered in error."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from sqlalchemy import Engine

from core.contract.municipality import OpenMunicipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.clause import Clause
from core.domain.errors import Fault, Refused
from core.domain.shares import Agreement
from core.ledger.distributions import distributed_under, take_turns
from core.tenants.agreements import (
    RecordedAgreement,
    all_agreements,
    overlap_fault,
    record_agreement,
    withdraw_agreement,
)
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

MOST_DECIMALS = 12  # of a fraction of one


def add_agreement(engine: Engine, tenant: Tenant, request: Request, terms: Agreement, recorded: Recorded) -> Answer:
    """Record an agreement; its share is locked for its term (READINGS 25). Answers its id.

    Raises Refused with every fault: an unknown payee, a term that is too long or shares days with another's.
    """

    def add(uow: UnitOfWork) -> Answer:
        municipality = open_tenant(uow, tenant.key)
        standing = [one.terms for one in all_agreements(uow) if one.withdrawn_on is None]
        faults = list(_faults(municipality, terms, standing))
        if faults:
            raise Refused(faults)
        asked = next(one for one in municipality.agreement_terms(terms.first_day) if one.payee == terms.payee)
        clause = Clause(asked.clause.id, asked.clause.section)
        return {"id": str(record_agreement(uow, terms, asked.longest_months, clause, recorded))}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: add(uow)))


def list_agreements(engine: Engine, tenant: Tenant) -> tuple[RecordedAgreement, ...]:
    """Every agreement, withdrawn ones too, by term."""
    with reading(engine, tenant.id) as uow:
        return all_agreements(uow)


def take_back_agreement(
    engine: Engine, tenant: Tenant, request: Request, agreement: UUID, reason: str, recorded: Recorded
) -> Answer:
    """Record that an agreement was entered in error. The same request does so once. Answers the id.

    Raises Refused, AgreementUnknown, RequestKeyReused.
    """

    def withdraw(uow: UnitOfWork) -> Answer:
        take_turns(uow)  # so that no distribution at work shares out under it meanwhile
        faults = []
        if not reason.strip():
            faults.append(Fault("reason", "say what was wrong with it"))
        if distributed_under(uow, agreement):
            faults.append(Fault("agreement", "money was shared out under it: its share is locked for its term"))
        if faults:
            raise Refused(faults)
        withdraw_agreement(uow, agreement, reason, recorded)
        return {"id": str(agreement)}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: withdraw(uow)))


def _faults(municipality: OpenMunicipality, terms: Agreement, standing: list[Agreement]) -> Iterator[Fault]:
    if not municipality.declared.shares_by_agreement:
        name = municipality.declared.name
        yield Fault("payee", f"{name} shares by its ordinance, not by agreement: there is nothing to record")
        return
    if not terms.number.strip():
        yield Fault("number", "the agreement has no number: write the one it is filed under")
    if not 0 <= terms.share <= 1:
        yield Fault("share", f"{terms.share} is no share of a whole: write a percentage from 0 to 100")
    elif terms.share != round(terms.share, MOST_DECIMALS):
        yield Fault("share", f"{terms.share} has too many decimals: write a percentage with at most ten")
    if terms.last_day < terms.first_day:
        yield Fault("last_day", f"{terms.last_day} is before {terms.first_day}: an agreement ends after it begins")
        return
    asked = {one.payee: one for one in municipality.agreement_terms(terms.first_day)}
    if terms.payee not in asked:
        yield Fault("payee", f"{terms.payee!r} has no share by agreement: name {', '.join(asked)}")
        return
    longest = asked[terms.payee]
    if terms.is_longer_than(longest.longest_months):
        cited = longest.clause.section
        yield Fault(
            "last_day", f"an agreement runs for at most {longest.longest_months} months ({cited}): end it sooner"
        )
    for other in standing:
        if other.payee == terms.payee and terms.first_day <= other.last_day and other.first_day <= terms.last_day:
            yield overlap_fault(terms, other)
