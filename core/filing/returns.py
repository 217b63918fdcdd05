"""Returns: recorded once with the form as it was filled in, and read back as they were filed."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Row, and_, bindparam, select

from core.db.base import of_tenant
from core.db.next_number import next_number
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7
from core.domain.calendar import Period
from core.domain.events import ReturnFiled
from core.filing.event_codec import from_row
from core.filing.events import record_events
from core.filing.records import FiledReturn, PeriodAccount, ReturnUnknown, Submission
from core.filing.tables import events, period_accounts, returns

_FILED = (
    select(
        returns,
        events.c.seq,
        events.c.kind,
        events.c.counts_on,
        events.c.voids_seq,
        events.c.payload,
        period_accounts.c.filer_id,
        period_accounts.c.place_id,
        period_accounts.c.tax,
        period_accounts.c.period,
        period_accounts.c.first_day,
        period_accounts.c.last_day,
    )
    .join_from(
        returns,
        events,
        and_(
            events.c.tenant_id == returns.c.tenant_id,
            events.c.account_id == returns.c.account_id,
            events.c.seq == returns.c.event_seq,
        ),
    )
    .join(
        period_accounts,
        and_(period_accounts.c.tenant_id == returns.c.tenant_id, period_accounts.c.id == returns.c.account_id),
    )
    .where(of_tenant(returns), of_tenant(events), of_tenant(period_accounts))
)
_BY_ID = _FILED.where(returns.c.id == bindparam("id"))
_OF_ACCOUNT = _FILED.where(returns.c.account_id == bindparam("account")).order_by(returns.c.event_seq)


def record_return(
    uow: UnitOfWork, account: PeriodAccount, event: ReturnFiled, submission: Submission, recorded_by: str
) -> FiledReturn:
    """Record a return on a locked account, with the form as it was filled in. Nothing of it changes after this.

    An amended return is another one. Raises what record_events raises.
    """
    record_events(uow, [(account.id, event)], recorded_by)
    recorded = Recorded(recorded_by, event.recorded)
    filed = FiledReturn(uuid7(), next_number(uow, "returns"), account, event, submission, recorded)
    uow.insert(
        returns,
        {
            "id": filed.id,
            "number": filed.number,
            "account_id": account.id,
            "event_seq": event.seq,
            "submission": submission.form,
            "channel": submission.channel,
            "received_on": submission.received_on,
            "plugin": submission.plugin,
            "plugin_version": submission.plugin_version,
            **recorded.columns(),
        },
    )
    return filed


def return_as_filed(uow: UnitOfWork, filed: UUID) -> FiledReturn:
    """The return with this id, as it was filed. Raises ReturnUnknown."""
    row = uow.row(_BY_ID, id=filed)
    if row is None:
        raise ReturnUnknown("no return here has this id")
    return _filed(row)


def returns_of(uow: UnitOfWork, account: UUID) -> tuple[FiledReturn, ...]:
    """The returns of an account in the order of recording: the first, and each that amends the one before."""
    return tuple(_filed(row) for row in uow.rows(_OF_ACCOUNT, account=account))


def _filed(row: Row[Any]) -> FiledReturn:
    first_day: date = row.first_day
    period = Period(row.period, first_day, row.last_day)
    account = PeriodAccount(row.account_id, row.filer_id, row.place_id, row.tax, period)
    submission = Submission(row.submission, row.channel, row.received_on, row.plugin, row.plugin_version)
    recorded = Recorded(row.recorded_by, row.recorded_on)
    return FiledReturn(row.id, row.number, account, from_row(row), submission, recorded)
