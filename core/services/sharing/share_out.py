"""Shares out what was collected of a tax: for each period the shares of all so far, less what was shared before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple
from uuid import UUID

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
from core.services.accounts.post import Posted, post_looked
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
    """Share out a tax for these periods (None: every one that has ended) and post it (READINGS 23 to 25).

    Answers number and id, both None where nothing has changed, and the warnings. What is owed is posted first, so
    that the base is what is collected. A period in which nothing changed adds nothing.
    Raises Refused, TenantNotOpen, TenantClosed, PeriodClosed, RequestKeyReused.
    """
    wanted = None if periods is None else tuple(periods)

    def share(uow: UnitOfWork) -> Answer:
        made = _share_out(uow, tenant, tax, wanted, recorded)
        named = {"number": made.number, "id": str(made.id)} if made.lines else {"number": None, "id": None}
        return {**named, "warnings": list(made.warnings)}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: share(uow)))


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
    posted = post_looked(uow, looked, recorded.on, recorded)
    return _Run(looked, all_agreements(uow), tax, chosen, recorded.on, list(_waiting(looked, posted)))


def _waiting(looked: Looked, posted: Iterable[Posted]) -> Iterator[str]:
    """What was recorded and is not in the books, pooled by period and by the act that is waited for."""
    found: dict[tuple[str, str], int] = {}
    for one in posted:
        account = looked.accounts[one.account_id]
        # On an account with nothing recorded there is nothing to share, whatever else is not known about it.
        if one.waiting is not None and account.events:
            key = (account.record.period.key, one.waiting)
            found[key] = found.get(key, 0) + 1
    for (period, message), count in sorted(found.items()):
        which = "1 account waits" if count == 1 else f"{count} accounts wait"
        yield f"{period}: {which}, so what was last paid there is not shared yet: {message}"


def _lines_of(
    run: _Run,
    municipality: OpenMunicipality,
    period: Period,
    base_cents: int,
    before: dict[tuple[str, str, bool], ShareLine],
) -> Iterator[ShareLine]:
    """What changes for a period. The agreement that governs it is the one in force on its last day."""
    governing = [one for one in run.agreements if one.withdrawn_on is None and period.last_day in one.terms]
    answer = municipality.distribution(Collected(base_cents, period.last_day, tuple(one.terms for one in governing)))
    shares: dict[tuple[str, bool], Share] = {(share.payee, share.held): share for share in answer.shares}
    known = {(payee, held): line for (key, payee, held), line in before.items() if key == period.key}
    changed = False
    for payee, held in sorted(shares.keys() | known.keys()):
        share, earlier = shares.get((payee, held)), known.get((payee, held))
        so_far = share.cents if share is not None else 0
        now = so_far - (earlier.so_far_cents if earlier is not None else 0)
        if now:
            changed = True
            agreement = _agreement_behind(payee, governing) if not held else None
            cited = _cited(share, earlier)
            yield ShareLine(run.tax, period.key, payee, held, base_cents, so_far, now, agreement, *cited)
    # A warning stands beside what it is about; a period that was shared out before and rests needs none again.
    if changed or any(share.held and share.cents for share in answer.shares):
        run.warnings.extend(f"{period.key}: {warning}" for warning in answer.warnings)


def _agreement_behind(payee: str, governing: list[RecordedAgreement]) -> UUID | None:
    """The payee's own agreement; for the rest that an agreement leaves, where there is one alone, that one."""
    own = [one.id for one in governing if one.terms.payee == payee]
    if own or len(governing) != 1:
        return own[0] if own else None
    return governing[0].id


def _cited(share: Share | None, earlier: ShareLine | None) -> tuple[str, str, tuple[str, ...], str]:
    """Clause, section, ids of the law's values, and the computation. What is no share any more cites what it was."""
    if share is not None:
        return *share.clause, tuple(sorted(value.id for value in share.values)), str(share.words)
    assert earlier is not None
    return earlier.clause_id, earlier.section, (), "no longer so: taken back"


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
