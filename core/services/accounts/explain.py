"""Explains an account or an entry: what is owed and why, from the same rules that posted it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.db.unit_of_work import UnitOfWork, reading
from core.domain.calendar import day_for_reading
from core.domain.charge import TAX
from core.domain.errors import Fault, Refused
from core.domain.fold import Statement
from core.domain.money import dollars_for_reading
from core.filing.assessments import last_assessments
from core.ledger.difference import difference
from core.ledger.read import JournalEntry, journal_of, posted_state
from core.services.accounts.assess import signed
from core.services.accounts.load import LoadedAccount, load_accounts
from core.services.accounts.state import desired_state
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant


def explain_account(
    engine: Engine, tenant: Tenant, account_id: UUID, as_of: date, known_on: date | None = None
) -> Generator[str, None, None]:
    """The statement of a period account as of a day, as known at the end of a day (None: of `as_of`), line by line.

    Each line cites clause and section and shows its computation. What has accrued and is not in the books yet is
    marked. Raises Refused, AccountUnknown, ResolutionMissing, ValueNotInForce.
    """
    known = known_on or as_of
    if known > as_of:
        message = f"{known} is after {as_of}: a statement as of a day knows only what was recorded by then"
        raise Refused([Fault("known-on", message)])
    with reading(engine, tenant.id) as uow:
        municipality = open_tenant(uow, tenant.key, known)
        account = load_accounts(uow, municipality, [account_id], known)[account_id]
        statement = account.statement(as_of)
        yield from _statement_lines(account, statement)
        assessed = last_assessments(uow, [account_id]).get(account_id)
        if assessed is None or assessed.as_of <= as_of:  # of an earlier day the books show more than it knew
            yield from _not_posted(uow, account, statement)


def explain_entries(engine: Engine, tenant: Tenant, account_id: UUID) -> Generator[str, None, None]:
    """The entries of a period account as they were posted, each transfer with clause, section and computation."""
    with reading(engine, tenant.id) as uow:
        for posted in journal_of(uow, account_id):
            yield from _entry_lines(posted)


def _statement_lines(account: LoadedAccount, statement: Statement) -> Iterator[str]:
    titles = account.municipality.taxes[account.record.tax].titles
    yield f"{account.municipality.declared.name}: {titles[TAX]}, {account.record.period.key}"
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


def _not_posted(uow: UnitOfWork, account: LoadedAccount, statement: Statement) -> Iterator[str]:
    """What the books do not show yet, by kind; what they show and is no longer owed comes below zero."""
    municipality = account.municipality
    chart, version = municipality.chart(account.record.tax), municipality.declared.version
    owed = signed(desired_state(statement, chart, version).values())
    posted = posted_state(uow, [account.record.id])[account.record.id]
    for move in difference(posted, owed):
        _, first, second, kind, _, section = move.key.split("|")
        debit, credit = (first, second) if move.up else (second, first)
        amount = dollars_for_reading(move.cents)
        yield f"accrued and not posted yet: {kind} {amount}, {debit} from {credit} ({section})"


def _entry_lines(posted: JournalEntry) -> Iterator[str]:
    entry = posted.entry
    yield f"entry {posted.posted.id}: {entry.narrative}"
    yield f"    effective {entry.effective_on}, booked {entry.booked_on}, from events {list(entry.event_seqs)}"
    for one in entry.transfers:
        amount = dollars_for_reading(one.cents)
        yield f"    fund {one.fund}: {one.debit} from {one.credit} {amount:>14}   {one.section} [{one.clause_id}]"
        yield f"        {one.computation}"
