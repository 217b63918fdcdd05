"""Files an annual return: it sums up the returns of its periods, and its corrections amend them (READINGS 1 and 11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from uuid import UUID

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.contract.municipality import OpenMunicipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused
from core.domain.events import ReturnFiled
from core.domain.receipts import Receipts
from core.services.accounts.act import Act
from core.services.accounts.look import Looked, look
from core.services.accounts.record import record_looked, require_key
from core.services.filing.annual import AnnualForm, Totals, Year, disagreements, last_return, totals_of, year_of
from core.services.filing.find import Found, Sought, find_places, with_accounts
from core.services.filing.form import (
    ReturnForm,
    Signature,
    as_kept,
    channel_faults,
    day_that_counts,
    line_faults,
    signature_faults,
    tax_of,
)
from core.services.filing.submit import Read, acts_of, answer_of, in_form_order, law_faults, read_forms, renamed
from core.services.filing.years import elect, elections
from core.tenants.directory import Tenant

__all__ = ["AnnualForm", "file_annual"]

MOST_CORRECTIONS = 24


def file_annual(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    annual: AnnualForm,
    signature: Signature,
    *,
    channel: str,
    recorded: Recorded,
    reach: frozenset[UUID] | None = None,
    year_end_month: int | None = None,
) -> Answer:
    """File the annual return of one place with its corrections in one transaction. The same request files once.

    The totals of each line must be those of the periods' returns after the corrections, and each period that the
    place owes in the year must have a return. A correction counts for the annual return's day; interest on what it
    adds runs from its period's own due date. The answer is that of `submit`, the annual return last in it.

    Raises Refused with everything that is wrong (fields "gross.rooms", "corrections[1].period", "year"),
    PlaceUnknown, TenantNotOpen, TenantClosed, RequestKeyReused, PeriodClosed, TooBusy.
    """
    require_key(request)

    def work(uow: UnitOfWork) -> Answer:
        return remember(
            uow,
            request,
            lambda: _file(uow, tenant, annual, signature, channel, recorded, reach, year_end_month),
        )

    return in_transaction(engine, tenant.id, work)


def _file(
    uow: UnitOfWork,
    tenant: Tenant,
    annual: AnnualForm,
    signature: Signature,
    channel: str,
    recorded: Recorded,
    reach: frozenset[UUID] | None,
    year_end_month: int | None,
) -> Answer:
    faults = [*signature_faults(signature), *channel_faults(channel)]
    municipality = open_municipality(tenant.plugin)
    tax = tax_of(municipality.taxes, annual.tax, "", faults)
    year = year_of(uow, municipality, annual.place_id, tax, annual.year, year_end_month, reach, faults)
    if year is None or len(annual.corrections) > MOST_CORRECTIONS:
        raise Refused(faults or [Fault("corrections", f"a year has at most {MOST_CORRECTIONS} corrections")])
    standing = [(year.place.filer_id, year.place.year_end_month)]
    elected = elections(uow, municipality, standing, year_end_month, recorded.on, faults)
    faults += line_faults(annual.gross, year.tax.receipts, "gross")
    faults += line_faults(annual.deductions, year.tax.deductions, "deductions")
    counts_on = day_that_counts(annual, channel, recorded.on, "", faults)
    faults += _too_early(year, counts_on, recorded.on)
    read, found = _corrections(uow, municipality, annual, year, channel, counts_on, recorded.on, reach, faults)
    acts, numbers = acts_of(read, found[1:], signature, channel, faults)
    looked = look(uow, _accounts(year, found))
    looked.require_tenant_open(recorded.on)
    paths = [f"corrections[{number}]." for number in numbers]
    if len(acts) == len(annual.corrections):
        faults += _totals_faults(year, annual, looked, acts)
    if faults:
        raise Refused(in_form_order([*faults, *law_faults(looked, acts, recorded.on, paths)], "corrections"))
    annual_id = found[0].account_id
    assert annual_id is not None
    acts.append(_annual_act(annual_id, annual, year, counts_on, signature, channel))
    elect(uow, elected, recorded)
    # All periods of the year stay locked, so that what was summed up stands; only those that were acted on are posted.
    acted_on = replace(looked, wanted=frozenset(act.account_id for act in acts))
    try:
        recording = record_looked(uow, acted_on, acts, recorded)
    except Refused as refused:
        raise Refused(renamed(refused.faults, [*paths, ""])) from refused
    return answer_of(recording, looked)


def _corrections(
    uow: UnitOfWork,
    municipality: OpenMunicipality,
    annual: AnnualForm,
    year: Year,
    channel: str,
    counts_on: date,
    today: date,
    reach: frozenset[UUID] | None,
    faults: list[Fault],
) -> tuple[list[Read | None], list[Found]]:
    """The corrections as read, and the accounts: first the annual return's own, then that of each correction."""
    forms: list[ReturnForm] = []
    for number, form in enumerate(annual.corrections):
        path = f"corrections[{number}]."
        if form.place_id != annual.place_id:
            faults.append(Fault(f"{path}place", "a correction is for the annual return's own place: file it apart"))
        if form.postmarked_on is not None or form.received_on is not None:
            message = "a correction counts for the annual return's day: leave it out"
            faults.append(Fault(f"{path}postmarked_on", message))
        forms.append(
            replace(
                form,
                place_id=annual.place_id,
                tax=form.tax or year.tax.key,
                postmarked_on=None,
                received_on=annual.received_on,
            )
        )
    read, sought = read_forms(municipality.taxes, forms, channel, today, "corrections", faults, counts_on)
    for one in read:
        if one is not None and (one.period.last_day not in year.period or one.tax is not year.tax):
            message = f"{one.period.key} does not end in the year to {year.period.last_day}: file it apart"
            faults.append(Fault(f"{one.path}period", message))
    own = Sought(annual.place_id, year.tax.key, year.period, "")
    not_owed: list[Fault] = []
    found = with_accounts(uow, find_places(uow, [own, *sought], reach), today, not_owed)
    for fault in not_owed:
        # That the year itself is not over is told already.
        own_fault = fault.field == "period"
        if not own_fault or year.period.last_day < today:
            told = Fault("year", fault.message) if own_fault else fault
            faults += [told] if told not in faults else []
    return read, found


def _accounts(year: Year, found: Sequence[Found]) -> set[UUID]:
    ids = [one.account_id for one in found] + [one.account_id for one in year.periods]
    return {account_id for account_id in ids if account_id is not None}


def _totals_faults(year: Year, annual: AnnualForm, looked: Looked, corrections: Sequence[Act]) -> list[Fault]:
    """What the annual return says otherwise than the returns of its periods, or which of these are missing."""
    corrected: Mapping[UUID, Act] = {act.account_id: act for act in corrections}
    by_period = {looked.accounts[act.account_id].record.period.key: act for act in corrected.values()}
    parts: list[Receipts] = []
    missing: list[str] = []
    for one in year.periods:
        act = by_period.get(one.period.key)
        filed = act.event if act is not None else None
        if filed is None and one.account_id is not None:
            filed = last_return(looked.accounts[one.account_id].events)
        if isinstance(filed, ReturnFiled):
            parts.extend(filed.receipts)
        elif one.is_owed:
            missing.append(one.period.key)
    if missing:
        message = f"no return is filed for {', '.join(missing)}: give each of them here, or file it first"
        return [Fault("corrections", message)]
    return disagreements(Totals(dict(annual.gross), dict(annual.deductions)), totals_of(year.tax, parts))


def _annual_act(
    account_id: UUID, annual: AnnualForm, year: Year, counts_on: date, signature: Signature, channel: str
) -> Act:
    """The annual return as an event: nothing on the first night, since the tax is on the returns of its periods."""
    first = year.period.first_day
    nothing = tuple((line.key, 0) for line in year.tax.receipts)
    part = Receipts(first, first, nothing, (), year.place.furnished_by, year.place.private_benefit)
    event = ReturnFiled(0, counts_on, date.max, (part,))
    return Act(account_id, event, as_kept(annual.form, signature), channel, annual.received_on)


def _too_early(year: Year, counts_on: date, today: date) -> list[Fault]:
    end = year.period.last_day
    if end >= today:
        return [Fault("year", f"the year is not over before {end}: file its return after that day")]
    if end >= counts_on:
        return [Fault("postmarked_on", f"on {counts_on} the year was not over, which ends on {end}")]
    return []
