"""Distributions and remittances as recorded. What was shared out is never edited; the next one makes it right."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, bindparam, select, text
from sqlalchemy.dialects.postgresql import distinct_on

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.domain.errors import FiscError
from core.ledger.distribution_tables import distribution_shares, distributions, remittance_payments, remittances


class DistributionUnknown(FiscError):
    """No distribution of this municipality has this number."""


class RemittanceUnknown(FiscError):
    """No remittance of this municipality has this number."""


class RemittancePaid(FiscError):
    """The remittance was paid before."""


class ShareLine(NamedTuple):
    """A payee's part of a period's tax: of the base so far, and what that adds now (below 0: taken back), in cents."""

    tax: str
    period: str
    payee: str
    held: bool
    base_cents: int
    so_far_cents: int
    now_cents: int
    agreement_id: UUID | None
    clause_id: str
    section: str
    value_ids: tuple[str, ...]
    computation: str


class Remittance(NamedTuple):
    """What a distribution gives a payee, what stood before, and what is to be paid, in cents; and when it was paid."""

    id: UUID
    number: int
    payee: str
    share_cents: int
    brought_forward_cents: int
    payable_cents: int
    paid_on: date | None = None
    method: str | None = None
    reference: str | None = None


class Distributed(NamedTuple):
    """A distribution: one tax, one or several periods."""

    id: UUID
    number: int
    tax: str
    distributed_on: date
    warnings: tuple[str, ...]
    plugin: str
    plugin_version: str
    settings_seq: int
    entry_id: UUID | None
    recorded: Recorded
    lines: tuple[ShareLine, ...]
    remittances: tuple[Remittance, ...]


# A number of its own: sealing, imports and daily runs take turns among themselves by others.
_LOCK = "SELECT pg_advisory_xact_lock(5467006, %s)"
_LAST_SHARES = (
    select(distribution_shares, distributions.c.number)
    .join_from(
        distribution_shares,
        distributions,
        (distributions.c.tenant_id == distribution_shares.c.tenant_id)
        & (distributions.c.id == distribution_shares.c.distribution_id),
    )
    .where(of_tenant(distribution_shares), of_tenant(distributions), distribution_shares.c.tax == bindparam("tax"))
    .ext(distinct_on(distribution_shares.c.period, distribution_shares.c.payee, distribution_shares.c.held))
    .order_by(
        distribution_shares.c.period,
        distribution_shares.c.payee,
        distribution_shares.c.held,
        distributions.c.number.desc(),
    )
)
_BASES = text("""
    SELECT a.period, sum(CASE WHEN t.debit = :cash THEN t.cents ELSE -t.cents END)::bigint AS cents
    FROM fisc.period_accounts a
    JOIN fisc.entries n ON n.tenant_id = a.tenant_id AND n.period_account_id = a.id
    JOIN fisc.transfers t ON t.tenant_id = n.tenant_id AND t.entry_id = n.id
    WHERE a.tenant_id = :tenant AND n.tenant_id = :tenant AND t.tenant_id = :tenant AND a.tax = :tax
    AND t.fund = :fund
    AND ((t.debit = :cash AND t.credit = :receivable) OR (t.debit = :receivable AND t.credit = :cash))
    GROUP BY a.period
""")
_UNPAID = text("""
    SELECT s.payee, (sum(s.now_cents) - coalesce((
        SELECT sum(r.payable_cents) FROM fisc.remittances r
        JOIN fisc.distributions d ON d.tenant_id = r.tenant_id AND d.id = r.distribution_id
        WHERE r.tenant_id = :tenant AND d.tenant_id = :tenant AND d.tax = :tax AND r.payee = s.payee), 0)
    )::bigint AS cents
    FROM fisc.distribution_shares s
    WHERE s.tenant_id = :tenant AND s.tax = :tax AND NOT s.held GROUP BY s.payee
""")
_UNDER = select(distribution_shares.c.line).where(
    of_tenant(distribution_shares), distribution_shares.c.agreement_id == bindparam("agreement")
)
_ALL = select(distributions).where(of_tenant(distributions)).order_by(distributions.c.number)
_LINES = select(distribution_shares).where(of_tenant(distribution_shares)).order_by(distribution_shares.c.line)
_REMITTANCES = (
    select(
        remittances,
        remittance_payments.c.paid_on,
        remittance_payments.c.method,
        remittance_payments.c.reference,
    )
    .join_from(
        remittances,
        remittance_payments,
        (remittance_payments.c.tenant_id == remittances.c.tenant_id)
        & (remittance_payments.c.remittance_id == remittances.c.id),
        isouter=True,
    )
    .where(of_tenant(remittances))
    .order_by(remittances.c.number)
)
_REMITTANCE = _REMITTANCES.where(remittances.c.number == bindparam("number"))


def take_turns(uow: UnitOfWork) -> None:
    """Distributions of a municipality are made one after the other: this waits for the one at work."""
    uow.driver.execute(_LOCK, (uow.tenant,))


def collected(uow: UnitOfWork, tax: str, fund: str, cash: str, receivable: str) -> dict[str, int]:
    """Tax collected so far by period, in cents: what moved from the receivable to cash, less what moved back."""
    rows = uow.rows(_BASES, tax=tax, fund=fund, cash=cash, receivable=receivable)
    return {row.period: row.cents for row in rows}


def shared_before(uow: UnitOfWork, tax: str) -> dict[tuple[str, str, bool], ShareLine]:
    """The last share line of each period, payee and kind (held or not)."""
    rows = uow.rows(_LAST_SHARES, tax=tax)
    return {(row.period, row.payee, row.held): _line(row) for row in rows}


def brought_forward(uow: UnitOfWork, tax: str) -> dict[str, int]:
    """What earlier distributions gave each payee less what their remittances were to pay, in cents."""
    return {row.payee: row.cents for row in uow.rows(_UNPAID, tax=tax)}


def distributed_under(uow: UnitOfWork, agreement: UUID) -> bool:
    """Whether anything was shared out under an agreement."""
    return bool(uow.rows(_UNDER, agreement=agreement))


def record_distribution(uow: UnitOfWork, made: Distributed) -> None:
    """Keep a distribution that was posted."""
    row = {
        name: getattr(made, name)
        for name in ("id", "number", "tax", "distributed_on", "plugin", "plugin_version", "settings_seq", "entry_id")
    }
    uow.insert(distributions, {**row, "warnings": list(made.warnings), **made.recorded.columns()})
    uow.insert(
        distribution_shares,
        *[
            {**one._asdict(), "value_ids": list(one.value_ids), "distribution_id": made.id, "line": line}
            for line, one in enumerate(made.lines, start=1)
        ],
    )
    unpaid = ("paid_on", "method", "reference")
    uow.insert(
        remittances,
        *[
            {
                **{name: value for name, value in one._asdict().items() if name not in unpaid},
                "distribution_id": made.id,
                **made.recorded.columns(),
            }
            for one in made.remittances
        ],
    )


def record_remittance_payment(
    uow: UnitOfWork, remittance: UUID, paid_on: date, method: str, reference: str, entry_id: UUID, recorded: Recorded
) -> None:
    """Keep that a remittance was paid."""
    row = {"remittance_id": remittance, "paid_on": paid_on, "method": method, "reference": reference}
    uow.insert(remittance_payments, {**row, "entry_id": entry_id, **recorded.columns()})


def all_distributions(uow: UnitOfWork) -> tuple[Distributed, ...]:
    """Every distribution, the first first, in three statements."""
    lines: dict[UUID, list[ShareLine]] = {}
    for row in uow.rows(_LINES):
        lines.setdefault(row.distribution_id, []).append(_line(row))
    paid: dict[UUID, list[Remittance]] = {}
    for row in uow.rows(_REMITTANCES):
        paid.setdefault(row.distribution_id, []).append(_remittance(row))
    return tuple(
        Distributed(
            row.id,
            row.number,
            row.tax,
            row.distributed_on,
            tuple(row.warnings),
            row.plugin,
            row.plugin_version,
            row.settings_seq,
            row.entry_id,
            Recorded(row.recorded_by, row.recorded_on),
            tuple(lines.get(row.id, ())),
            tuple(paid.get(row.id, ())),
        )
        for row in uow.rows(_ALL)
    )


def find_remittance(uow: UnitOfWork, number: int) -> tuple[Remittance, UUID]:
    """The remittance with this number, and its distribution's id. Raises RemittanceUnknown."""
    row = uow.row(_REMITTANCE, number=number)
    if row is None:
        raise RemittanceUnknown(f"no remittance here has the number {number}")
    return _remittance(row), row.distribution_id


def require_known(found: Iterable[Distributed], number: int) -> Distributed:
    """The distribution with this number among these. Raises DistributionUnknown."""
    for one in found:
        if one.number == number:
            return one
    raise DistributionUnknown(f"no distribution here has the number {number}")


def _line(row: Row[Any]) -> ShareLine:
    fields = {name: getattr(row, name) for name in ShareLine._fields}
    return ShareLine(**{**fields, "value_ids": tuple(fields["value_ids"])})


def _remittance(row: Row[Any]) -> Remittance:
    return Remittance(**{name: getattr(row, name) for name in Remittance._fields})
