"""Gives what `look` gives without any lock, for a reader that shows what an act would do and records nothing."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from core.db.unit_of_work import UnitOfWork
from core.filing.accounts import accounts_of_places
from core.filing.assessments import last_assessments
from core.filing.events import events_of, facts
from core.filing.records import PeriodAccount
from core.ledger.close import closed_through
from core.services.accounts.load import LoadedAccount, inputs_by_day, places_and_years
from core.services.accounts.look import Looked
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant_pinned
from core.tenants.openings import opened_on


def glance(uow: UnitOfWork, tenant: Tenant, wanted: Iterable[PeriodAccount]) -> Looked:
    """These accounts as they stand, with those of their places that the law looks to. One may not be open yet."""
    asked = {one.id: one for one in wanted}
    municipality, settings_seq = open_tenant_pinned(uow, tenant.key)
    records = dict(asked)
    if any(municipality.taxes[one.tax].inputs for one in asked.values()):
        pairs = {(one.place_id, one.tax) for one in asked.values()}
        others = accounts_of_places(uow, {place for place, _ in pairs})
        records |= {one.id: one for one in others if (one.place_id, one.tax) in pairs}
    events = {account_id: facts(recorded) for account_id, recorded in events_of(uow, records).items()}
    by_year = places_and_years(records.values())
    accounts: dict[UUID, LoadedAccount] = {
        one.id: LoadedAccount(one, municipality, events[one.id], inputs_by_day(municipality, one, by_year, events))
        for one in records.values()
    }
    return Looked(
        municipality,
        settings_seq,
        opened_on(uow),
        tenant.closed_on,
        closed_through(uow),
        frozenset(asked),
        accounts,
        last_assessments(uow, records),
        {account_id: {} for account_id in records},
    )
