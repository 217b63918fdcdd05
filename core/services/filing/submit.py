"""Files returns: several places and periods of one municipality in one submission, all or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from core.contract.declarations import Tax
from core.contract.loading import open_municipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.calendar import Period
from core.domain.errors import Fault, Refused
from core.domain.events import ReturnFiled
from core.services.accounts.act import Act
from core.services.accounts.judge import judge, placed
from core.services.accounts.look import Looked, look
from core.services.accounts.record import Recording, record_looked, require_key
from core.services.filing.find import Found, Sought, find_places, with_accounts
from core.services.filing.form import (
    Part,
    ReturnForm,
    Signature,
    as_kept,
    channel_faults,
    day_that_counts,
    line_faults,
    period_of,
    receipts_of,
    signature_faults,
    tax_of,
)
from core.services.filing.years import elect, elections
from core.tenants.directory import Tenant

__all__ = ["MOST_RETURNS", "Part", "ReturnForm", "Signature", "submit"]

MOST_RETURNS = 500
# What the law says of an event, by the name that the form has for it.
NAMES = {"on": "postmarked_on", "receipts": "parts", "recorded": "period"}


@dataclass(frozen=True, slots=True)
class Read:
    """A return whose form names a tax and a period that there are: where it stands among the others, and its form."""

    path: str
    form: ReturnForm
    tax: Tax
    period: Period
    counts_on: date


def submit(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    returns: Sequence[ReturnForm],
    signature: Signature,
    *,
    channel: str,
    recorded: Recorded,
    reach: frozenset[UUID] | None = None,
    year_end_month: int | None = None,
) -> Answer:
    """File returns in one transaction and post what they change. The same request files once.

    A later return for a place, tax and period amends the earlier one. The first return of a filer elects its year:
    the one that ends in `year_end_month`, else the calendar year. `reach` are the filers whose places may be named,
    None all. The answer has for each return its id and number, and for each account balance and credit in dollars.

    Raises Refused with everything that is wrong with any of them (fields "returns[2].gross.rooms", "signature.name",
    "year_end_month"), PlaceUnknown, TenantNotOpen, TenantClosed, RequestKeyReused, PeriodClosed, TooBusy.
    """
    require_key(request)

    def work(uow: UnitOfWork) -> Answer:
        return remember(
            uow,
            request,
            lambda: _submit(uow, tenant, returns, signature, channel, recorded, reach, year_end_month),
        )

    return in_transaction(engine, tenant.id, work)


def _submit(
    uow: UnitOfWork,
    tenant: Tenant,
    returns: Sequence[ReturnForm],
    signature: Signature,
    channel: str,
    recorded: Recorded,
    reach: frozenset[UUID] | None,
    year_end_month: int | None,
) -> Answer:
    faults = [*signature_faults(signature), *channel_faults(channel)]
    if not 1 <= len(returns) <= MOST_RETURNS:
        message = f"a submission has 1 to {MOST_RETURNS} returns, this one has {len(returns)}: divide it"
        raise Refused([*faults, Fault("returns", message)])
    municipality = open_municipality(tenant.plugin)
    read, sought = read_forms(municipality.taxes, returns, channel, recorded.on, "returns", faults)
    pairs = find_places(uow, sought, reach)
    standing = [(place.filer_id, place.year_end_month) for _, place in pairs]
    elected = elections(uow, municipality, standing, year_end_month, recorded.on, faults)
    found = with_accounts(uow, pairs, recorded.on, faults)
    acts, numbers = acts_of(read, found, signature, channel, faults)
    if faults:
        looked = look(uow, {act.account_id for act in acts})
        looked.require_tenant_open(recorded.on)
        faults += law_faults(looked, acts, recorded.on, [f"returns[{number}]." for number in numbers])
        raise Refused(in_form_order(faults, "returns"))
    elect(uow, elected, recorded)
    looked = look(uow, {act.account_id for act in acts})
    try:
        recording = record_looked(uow, looked, acts, recorded)
    except Refused as refused:
        raise Refused(renamed(refused.faults, [f"returns[{number}]." for number in numbers])) from refused
    return answer_of(recording, looked)


def read_forms(
    taxes: dict[str, Tax],
    returns: Sequence[ReturnForm],
    channel: str,
    today: date,
    name: str,
    faults: list[Fault],
    counts_on: date | None = None,
) -> tuple[list[Read | None], list[Sought]]:
    """Each return as far as it can be read without its place, and what is to be sought for it.

    `counts_on` is the day that all of them count for, None where each has its own.
    """
    read: list[Read | None] = []
    sought: list[Sought] = []
    first_of: dict[tuple[UUID, str, str], str] = {}
    for number, form in enumerate(returns):
        path = f"{name}[{number}]."
        tax = tax_of(taxes, form.tax, path, faults)
        period = period_of(tax, form.period, path, faults) if tax is not None else None
        sought.append(Sought(form.place_id, tax.key if tax is not None else None, period, path))
        day = counts_on or day_that_counts(form, channel, today, path, faults)
        if tax is None or period is None:
            if tax is not None:
                faults.extend(_lines_unknown(form, tax, path))
            read.append(None)
            continue
        faults.extend(_too_early(period, day, today, path))
        twin = first_of.setdefault((form.place_id, tax.key, period.key), f"{name}[{number}]")
        if twin != f"{name}[{number}]":
            faults.append(Fault(f"{path}period", f"{twin} is for this place and {period.key} too: give one of the two"))
        read.append(Read(path, form, tax, period, day))
    return read, sought


def acts_of(
    read: Sequence[Read | None],
    found: Sequence[Found],
    signature: Signature,
    channel: str,
    faults: list[Fault],
) -> tuple[list[Act], list[int]]:
    """The acts of the returns that are sound as they stand, each with its place among the returns."""
    acts: list[Act] = []
    numbers: list[int] = []
    for number, (one, (place, account_id)) in enumerate(zip(read, found, strict=True)):
        if one is None:
            continue
        before = len(faults)
        receipts = receipts_of(
            one.form, one.tax, one.period, place.furnished_by, place.private_benefit, one.path, faults
        )
        # A return with a fault of its own is not held against the law as well: what it would say is not known.
        if account_id is None or len(faults) > before or any(fault.field.startswith(one.path) for fault in faults):
            continue
        event = ReturnFiled(0, one.counts_on, date.max, receipts)
        kept = as_kept(one.form.form, signature)
        acts.append(Act(account_id, event, kept, channel, one.form.received_on))
        numbers.append(number)
    return acts, numbers


def law_faults(looked: Looked, acts: Sequence[Act], today: date, paths: Sequence[str]) -> list[Fault]:
    """What the law has against acts that are not going to be recorded, since something else is wrong."""
    try:
        judge(looked, acts, placed(looked, acts, today))
    except Refused as refused:
        return renamed(refused.faults, paths)
    return []


def renamed(faults: Iterable[Fault], paths: Sequence[str]) -> list[Fault]:
    """Faults of acts as faults of the returns that they are: "acts[0].on" becomes "returns[2].postmarked_on"."""
    made = []
    for fault in faults:
        number, _, name = fault.field.removeprefix("acts[").partition("].")
        made.append(Fault(f"{paths[int(number)]}{NAMES.get(name, name)}", fault.message))
    return made


def in_form_order(faults: Iterable[Fault], name: str) -> list[Fault]:
    """What concerns the whole submission first, then each return in turn."""

    def place(fault: Fault) -> int:
        head, bracket, rest = fault.field.partition("[")
        return int(rest.partition("]")[0]) if bracket and head == name else -1

    return sorted(faults, key=place)


def answer_of(recording: Recording, looked: Looked) -> Answer:
    """What became of the returns, and of the accounts, as plain JSON."""
    answer = recording.answer
    returns: list[dict[str, Any]] = []
    for act, told in zip(recording.acts, answer["acts"], strict=True):
        account = looked.accounts[act.account_id]
        record = account.record
        returns.append(
            {
                **told,
                "place": str(record.place_id),
                "tax": record.tax,
                "period": record.period.key,
                "amends": any(isinstance(event, ReturnFiled) for event in account.events),
            }
        )
    return {"returns": returns, "accounts": answer["accounts"]}


def _lines_unknown(form: ReturnForm, tax: Tax, path: str) -> Iterator[Fault]:
    """What is wrong with the lines of a return whose period is not known: that is no reason to keep silent on them."""
    yield from line_faults(form.gross, tax.receipts, f"{path}gross")
    yield from line_faults(form.deductions, tax.deductions, f"{path}deductions")
    for number, part in enumerate(form.parts):
        yield from line_faults(part.gross, tax.receipts, f"{path}parts[{number}].gross")
        yield from line_faults(part.deductions, tax.deductions, f"{path}parts[{number}].deductions")


def _too_early(period: Period, counts_on: date, today: date, path: str) -> list[Fault]:
    """A return that was made before its period was over cannot report all of it."""
    if period.last_day >= today:
        return [Fault(f"{path}period", f"{period.key} is not over before {period.last_day}: file it after that day")]
    if period.last_day >= counts_on:
        message = f"on {counts_on} {period.key} was not over, which ends on {period.last_day}: file it after that day"
        return [Fault(f"{path}postmarked_on", message)]
    return []
