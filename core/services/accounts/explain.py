"""Explains an account or an entry: what is owed and why, from the same rules that posted it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.unit_of_work import reading
from core.domain.calendar import day_for_reading
from core.domain.charge import TAX
from core.domain.money import dollars_for_reading
from core.ledger.read import JournalEntry, journal_of
from core.services.accounts.stated import Stated, stated
from core.tenants.directory import Tenant


def explain_account(
    engine: Engine, tenant: Tenant, account_id: UUID, as_of: date, known_on: date | None = None
) -> Generator[str, None, None]:
    """The statement of a period account as of a day, as known at the end of a day (None: of `as_of`), line by line.

    Each line cites clause and section and shows its computation. What has accrued and is not in the books yet is
    marked. Raises Refused, AccountUnknown, ResolutionMissing, ValueNotInForce.
    """
    with reading(engine, tenant.id) as uow:
        found = stated(uow, tenant, account_id, as_of, known_on)
    yield from _statement_lines(found)
    for one in found.not_posted:
        amount = dollars_for_reading(one.cents)
        yield f"accrued and not posted yet: {one.kind} {amount}, {one.debit} from {one.credit} ({one.section})"


def explain_entries(engine: Engine, tenant: Tenant, account_id: UUID) -> Generator[str, None, None]:
    """The entries of a period account as they were posted, each transfer with clause, section and computation."""
    with reading(engine, tenant.id) as uow:
        for posted in journal_of(uow, account_id):
            yield from _entry_lines(posted)


def _statement_lines(found: Stated) -> Iterator[str]:
    statement, titles = found.statement, found.municipality.taxes[found.record.tax].titles
    yield f"{found.municipality.declared.name}: {titles[TAX]}, {found.record.period.key}"
    yield f"as of {day_for_reading(statement.as_of)}, basis: {statement.basis}"
    for charge in statement.lines:
        cited = f"{charge.clause.section} [{charge.clause.id}]"
        yield f"{titles[charge.kind]:<42} {dollars_for_reading(charge.cents):>14}   {cited}"
        yield f"    {charge.words}"
        if charge.values:
            yield f"    rests on {', '.join(value.id for value in charge.values)}"
    for one in statement.applications:
        cause = f"event {one.cause}" if one.cause is not None else "the passing of days"
        yield f"applied on {one.on} to {titles[one.kind].lower()}: {dollars_for_reading(one.cents)} (by {cause})"
    yield f"{'Balance':<42} {dollars_for_reading(statement.balance):>14}"


def _entry_lines(posted: JournalEntry) -> Iterator[str]:
    entry = posted.entry
    yield f"entry {posted.posted.id}: {entry.narrative}"
    yield f"    effective {entry.effective_on}, booked {entry.booked_on}, from events {list(entry.event_seqs)}"
    for one in entry.transfers:
        amount = dollars_for_reading(one.cents)
        yield f"    fund {one.fund}: {one.debit} from {one.credit} {amount:>14}   {one.section} [{one.clause_id}]"
        yield f"        {one.computation}"
