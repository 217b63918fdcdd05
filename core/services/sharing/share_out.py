"""Shares out what was collected of a tax: for each period the shares of all so far, less what was shared before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple

from sqlalchemy import Engine

from core.contract.declarations import Chart
from core.contract.municipality import OpenMunicipality
from core.db.next_number import next_number
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction, writing
from core.db.uuid7 import uuid7
from core.domain.calendar import Period
from core.domain.charge import TAX
from core.domain.clause import Clause
from core.domain.errors import Fault, Refused
from core.domain.shares import Collected, Share
from core.filing.accounts import accounts_of_tax
from core.ledger.distributions import (
    Distributed,
    Remittance,
    ShareLine,
    brought_forward,
    collected,
    record_distribution,
    shared_before,
    take_turns,
)
from core.ledger.post import Entry, Transfer, post
from core.services.accounts.look import Looked, look
from core.services.accounts.post import post_looked
from core.tenants.agreements import RecordedAgreement, all_agreements
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant

KIND = "distribution"
SHARE = "share"


class _Run(NamedTuple):
    """What a distribution is made from: the municipality, its agreements, the period accounts of the tax, the day."""

    looked: Looked
    agreements: tuple[RecordedAgreement, ...]
    tax: str
    periods: dict[str, Period]
    on: date
    warnings: list[str]


def distribute(
    engine: Engine, tenant: Tenant, request: Request, tax: str, periods: Iterable[str] | None, recorded: Recorded
) -> Answer:
    """Share out a tax for these periods (None: every one that has ended) and post it. Answers the number.

    What is owed is posted first, so that the base is what is collected. A period in which nothing changed adds
    nothing. Raises Refused, TenantNotOpen, PeriodClosed.
    """
    wanted = None if periods is None else tuple(periods)

    def work() -> Answer:
        made = _share_out(uow_of[0], tenant, tax, wanted, recorded)
        return {"number": made.number if made.lines else None, "id": str(made.id) if made.lines else None}

    uow_of: list[UnitOfWork] = []

    def run(uow: UnitOfWork) -> Answer:
        uow_of[:] = [uow]
        return remember(uow, request, work)

    return in_transaction(engine, tenant.id, run)


def preview(engine: Engine, tenant: Tenant, tax: str, periods: Iterable[str] | None, recorded: Recorded) -> Distributed:
    """What `distribute` would share out now. Nothing of it lasts. Raises what distribute raises."""
    with writing(engine, tenant.id) as uow:
        return _share_out(uow, tenant, tax, None if periods is None else tuple(periods), recorded)


def _share_out(
    uow: UnitOfWork, tenant: Tenant, tax: str, wanted: tuple[str, ...] | None, recorded: Recorded
) -> Distributed:
    take_turns(uow)
    run = _prepared(uow, tenant, tax, wanted, recorded)
    municipality = run.looked.municipality
    chart = municipality.chart(tax)
    receivable = chart.receivable[TAX]
    bases = collected(uow, tax, receivable.fund, chart.cash[receivable.fund].number, receivable.number)
    before = shared_before(uow, tax)
    forward = brought_forward(uow, tax)
    lines = tuple(
        line
        for key in sorted(run.periods)
        for line in _lines_of(run, municipality, run.periods[key], max(0, bases.get(key, 0)), before)
    )
    declared = municipality.declared
    made = Distributed(
        uuid7(),
        next_number(uow, "distributions") if lines else 0,
        tax,
        run.on,
        tuple(dict.fromkeys(run.warnings)),
        declared.key,
        declared.version,
        run.looked.settings_seq,
        None,
        recorded,
        lines,
        (),
    )
    if not lines:
        return made
    entry = post(uow, _entry(made, chart, municipality.taxes[tax].title))
    made = made._replace(entry_id=entry.id, remittances=tuple(_remittances(uow, made, chart, forward)))
    record_distribution(uow, made)
    return made


def _prepared(uow: UnitOfWork, tenant: Tenant, tax: str, wanted: tuple[str, ...] | None, recorded: Recorded) -> _Run:
    """Locks every account of the tax in these periods and posts what is owed on them."""
    municipality = open_tenant(uow, tenant.key)
    if tax not in municipality.taxes:
        raise Refused([Fault("tax", f"{tax!r} is no tax here: name one of {', '.join(municipality.taxes)}")])
    accounts = [one for one in accounts_of_tax(uow, tax) if not one.period.is_annual]
    periods = {one.period.key: one.period for one in accounts if one.period.last_day < recorded.on}
    faults = [
        Fault("periods", f"{key!r} has no account, or has not ended by {recorded.on}: name a period that has")
        for key in wanted or ()
        if key not in periods
    ]
    if faults:
        raise Refused(faults)
    chosen = {key: period for key, period in periods.items() if wanted is None or key in wanted}
    looked = look(uow, [one.id for one in accounts if one.period.key in chosen])
    looked.require_tenant_open(recorded.on)
    warnings = [
        f"an account waits, and its last payments are not shared yet: {posted.waiting}"
        for posted in post_looked(uow, looked, recorded.on, recorded)
        if posted.waiting is not None
    ]
    return _Run(looked, all_agreements(uow), tax, chosen, recorded.on, warnings)


def _lines_of(
    run: _Run,
    municipality: OpenMunicipality,
    period: Period,
    base_cents: int,
    before: dict[tuple[str, str, bool], ShareLine],
) -> Iterator[ShareLine]:
    """What changes for a period. The agreement that governs it is the one in force on its last day."""
    standing = tuple(one for one in run.agreements if one.withdrawn_on is None)
    asked = Collected(base_cents, period.last_day, tuple(one.terms for one in standing))
    answer = municipality.distribution(asked)
    if base_cents:
        run.warnings.extend(f"{period.key}: {warning}" for warning in answer.warnings)
    shares: dict[tuple[str, bool], Share] = {(share.payee, share.held): share for share in answer.shares}
    earlier = {(payee, held) for key, payee, held in before if key == period.key}
    for payee, held in sorted(shares.keys() | earlier):
        share = shares.get((payee, held))
        known = before.get((period.key, payee, held))
        so_far = share.cents if share is not None else 0
        now = so_far - (known.so_far_cents if known is not None else 0)
        if now == 0:
            continue
        terms = next((one for one in standing if one.terms.payee == payee and period.last_day in one.terms), None)
        if share is not None:
            cited, words = share.clause, str(share.words)
            value_ids = tuple(sorted(value.id for value in share.values))
        else:
            assert known is not None
            cited, words, value_ids = Clause(known.clause_id, known.section), "no longer so: taken back", ()
        yield ShareLine(
            run.tax,
            period.key,
            payee,
            held,
            base_cents,
            so_far,
            now,
            terms.id if terms is not None and not held else None,
            *cited,
            value_ids,
            words,
        )


def _entry(made: Distributed, chart: Chart, title: str) -> Entry:
    periods = ", ".join(sorted({line.period for line in made.lines}))
    transfers = [one for line in made.lines for one in _transfers(line, chart, made.plugin_version)]
    return Entry(
        key=f"{KIND}:{made.id}",
        kind=KIND,
        effective_on=made.distributed_on,
        booked_on=made.recorded.on,
        recorded_on=made.recorded.on,
        transfers=tuple(transfers),
        narrative=f"{title} shared out: {periods}",
    )


def _transfers(line: ShareLine, chart: Chart, version: str) -> Iterator[Transfer]:
    """To a payee outside or to what is held: a liability. To the municipality itself: cash from fund to fund."""
    spent = chart.distributed
    if line.held:
        sides = [(spent.fund, spent.number, chart.held.number)]
    elif line.payee in chart.payable:
        sides = [(spent.fund, spent.number, chart.payable[line.payee].number)]
    else:
        own = chart.transfers_in[line.payee]
        sides = [
            (spent.fund, spent.number, chart.cash[spent.fund].number),
            (own.fund, chart.cash[own.fund].number, own.number),
        ]
    for fund, debit, credit in sides:
        if line.now_cents < 0:
            debit, credit = credit, debit
        yield Transfer(
            fund,
            debit,
            credit,
            abs(line.now_cents),
            SHARE,
            line.clause_id,
            line.section,
            version,
            line.value_ids,
            f"{line.period}: {line.computation}",
        )


def _remittances(uow: UnitOfWork, made: Distributed, chart: Chart, forward: dict[str, int]) -> Iterator[Remittance]:
    """One for each payee outside who has a share in this run, or to whom something stands from before."""
    now: dict[str, int] = {}
    for line in made.lines:
        if not line.held and line.payee in chart.payable:
            now[line.payee] = now.get(line.payee, 0) + line.now_cents
    for payee in sorted(now):
        before = forward.get(payee, 0)
        number = next_number(uow, "remittances")
        yield Remittance(uuid7(), number, payee, now[payee], before, max(0, now[payee] + before))
