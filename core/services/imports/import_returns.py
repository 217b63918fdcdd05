"""Imports a sheet: every fault of every row in one pass, all rows or none unless asked otherwise, each row once."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from uuid import UUID

from sqlalchemy import Engine

from core.contract.declarations import Tax
from core.contract.loading import open_municipality
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.calendar import Period
from core.domain.errors import Fault, Refused
from core.domain.events import Event
from core.filing.imports import (
    NamedPlace,
    RecordedRow,
    known_rows,
    named_places,
    payment_references,
    record_import,
    take_turns,
)
from core.services.accounts.assess import assess
from core.services.accounts.judge import judge, placed
from core.services.accounts.keep import keep
from core.services.accounts.look import Looked, look
from core.services.filing.find import Sought, find_places, with_accounts
from core.services.filing.form import period_of, tax_of
from core.services.filing.years import elect, elections
from core.services.imports.acts import FromRows, Placed, Reader, column_of, unsigned
from core.services.imports.sheet import Row, RowFault, read_sheet
from core.tenants.directory import Tenant

PLACES_AT_ONCE = 100
NONE: Callable[[int], None] = lambda _: None  # noqa: E731


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a sheet: its rows, those recorded now, those that were there before, and every fault.

    `number` is the import's, None where nothing was recorded.
    """

    rows: int
    recorded: int
    already: int
    faults: tuple[RowFault, ...]
    number: int | None
    waiting: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sheet:
    """The sheet while it is judged: its rows, every fault so far, and whether the sound rows are wanted alone."""

    name: str
    content: bytes
    rows: Sequence[Row]
    faults: list[RowFault]
    partial: bool
    # Lines that have already been told what else is wrong with them.
    looked_at: set[int] = field(default_factory=set)

    @property
    def wrong(self) -> set[int]:
        return {fault.line for fault in self.faults}

    def tell(self, found: Iterable[RowFault]) -> None:
        """Add faults, beside those of other cells and of the row as a whole."""
        cells = {(fault.line, fault.column) for fault in self.faults if fault.column}
        self.faults += [one for one in found if (one.line, one.column) not in cells and one not in self.faults]


class _MoreAtFault(Exception):
    """Rolls the transaction back, so that a row that is left out has left nothing."""


class _NothingLasts(Exception):
    """Rolls the transaction back with what there is to tell."""

    def __init__(self, told: Imported) -> None:
        self.told = told
        super().__init__()


def import_returns(
    engine: Engine,
    tenant: Tenant,
    name: str,
    content: bytes,
    recorded: Recorded,
    *,
    partial: bool = False,
    dry_run: bool = False,
    progress: Callable[[int], None] = NONE,
) -> Imported:
    """Record the returns, payments and other acts of a CSV or XLSX sheet, and post what they change.

    Nothing is recorded while any row is at fault, unless `partial`: then the sound rows are. A row that was recorded
    before, from this file or another, is passed over; a later return amends. Raises Refused where the file as a whole
    cannot be read, TenantNotOpen, PeriodClosed, TooBusy.
    """
    taxes = open_municipality(tenant.plugin).taxes
    rows, faults = read_sheet(name, content, taxes.values(), progress)
    sheet = _Sheet(name, content, rows, faults, partial)

    def work(uow: UnitOfWork) -> Imported:
        told = _import(uow, tenant, taxes, sheet, recorded)
        if dry_run or (told.faults and not partial) or not told.recorded:
            raise _NothingLasts(replace(told, number=None, recorded=told.recorded if dry_run else 0))
        return told

    while True:
        try:
            with _no_search_for_cycles():
                return in_transaction(engine, tenant.id, work)
        except _NothingLasts as nothing:
            return nothing.told
        except _MoreAtFault:
            continue


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Many thousand records live until the end and none is in a cycle: searching them over and over costs a fifth."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _import(uow: UnitOfWork, tenant: Tenant, taxes: dict[str, Tax], sheet: _Sheet, recorded: Recorded) -> Imported:
    take_turns(uow)
    names = _names(named_places(uow))
    _recognise(sheet, taxes, names)
    known = known_rows(uow, [row.hash for row in sheet.rows])
    wrong = sheet.wrong
    before = len(wrong)
    new = [row for row in sheet.rows if row.hash not in known and row.line not in wrong]
    found = _place(uow, tenant, taxes, names, new, recorded, sheet)
    looked = look(uow, {one.account_id for one in found})
    looked.require_tenant_open(recorded.on)
    looked.require_books_open(recorded.on)
    references = payment_references(uow, looked.wanted) if any(_is_returned(one.row) for one in found) else {}
    acts, told = _sound(looked, references, found, recorded)
    sheet.tell(told)
    if sheet.partial:
        sheet.tell(_rest_on_faulty(sheet))
        if len(sheet.wrong) > before:
            raise _MoreAtFault
    listed = tuple(sorted(dict.fromkeys(sheet.faults)))
    nothing = Imported(len(sheet.rows), 0, len(known), listed, None)
    if (listed and not sheet.partial) or not acts:
        return nothing
    return _record(uow, looked, acts, sheet, recorded, nothing)


def _recognise(sheet: _Sheet, taxes: dict[str, Tax], names: dict[str, list[NamedPlace]]) -> None:
    """Finds the place of each row, rows that say the same, and what else is wrong with those that have a bad cell."""
    for row in sheet.rows:
        places = names.get(row.texts.get("place", ""), [])
        if len(taxes) == 1 and row.texts.get("tax") in taxes:
            del row.texts["tax"]
        row.recognise(places[0].number if len(places) == 1 else None)
    sheet.tell(_twins(sheet.rows))
    faulty = sheet.wrong - sheet.looked_at
    sheet.looked_at |= faulty
    for row in sheet.rows:
        if row.line in faulty:
            told: list[RowFault] = []
            _read(row, taxes, names, told)
            sheet.tell([*told, *(unsigned(row) if row.kind == "return" else ())])


def _rest_on_faulty(sheet: _Sheet) -> list[RowFault]:
    """Returns that come after a faulty one for their place and period: each would amend what is not recorded."""
    wrong = sheet.wrong
    first: dict[tuple[object, ...], int] = {}
    found = []
    for row in sheet.rows:
        if row.kind != "return" or "first_night" in row.cells:
            continue
        place = row.place_number if row.place_number is not None else row.texts.get("place")
        of = (place, row.texts.get("tax"), row.texts.get("period"))
        if row.line in wrong:
            first.setdefault(of, row.line)
        elif of in first:
            message = f"rests on the return of line {first[of]}, which is at fault: mend that first"
            found.append(RowFault(row.line, "", "", message))
    return found


def _record(
    uow: UnitOfWork,
    looked: Looked,
    acts: Sequence[FromRows],
    sheet: _Sheet,
    recorded: Recorded,
    told: Imported,
) -> Imported:
    seqs: dict[int, tuple[UUID, list[int]]] = {}
    waiting: dict[str, None] = {}
    for part, chunk in _chunks(looked, acts):
        bare = [one.act for one in chunk]
        events = placed(part, bare, recorded.on)
        by_account: dict[UUID, list[Event]] = {}
        for one, event in zip(chunk, events, strict=True):
            by_account.setdefault(one.act.account_id, []).append(event)
            for row in one.rows:
                seqs.setdefault(row.line, (one.act.account_id, []))[1].append(event.seq)
        assessed = assess(part.with_events(by_account), recorded.on, recorded)
        keep(uow, bare, events, assessed, looked.municipality.declared, recorded)
        waiting.update(dict.fromkeys(assessed.waiting.values()))
    by_line = {row.line: row for row in sheet.rows}
    kept = [
        RecordedRow(by_line[line].hash, line, account_id, tuple(listed)) for line, (account_id, listed) in seqs.items()
    ]
    number = record_import(uow, sheet.name, hashlib.sha256(sheet.content).hexdigest(), len(sheet.rows), kept, recorded)
    return replace(told, recorded=len(kept), number=number, waiting=tuple(waiting))


def _chunks(looked: Looked, acts: Sequence[FromRows]) -> Iterator[tuple[Looked, list[FromRows]]]:
    """The acts by place, some places at a time, so that memory does not grow with the sheet."""
    by_place: dict[UUID, list[FromRows]] = {}
    for one in acts:
        by_place.setdefault(looked.accounts[one.act.account_id].record.place_id, []).append(one)
    places = list(by_place)
    for start in range(0, len(places), PLACES_AT_ONCE):
        some = places[start : start + PLACES_AT_ONCE]
        part = looked.of_places(some)
        wanted = {one.act.account_id for place in some for one in by_place[place]}
        yield replace(part, wanted=frozenset(wanted)), [one for place in some for one in by_place[place]]


def _sound(
    looked: Looked, references: dict[tuple[UUID, int], str], found: Sequence[Placed], recorded: Recorded
) -> tuple[list[FromRows], list[RowFault]]:
    """The acts of the rows, and everything that the sheet or the law has against any of them."""
    reader = Reader(looked, references, recorded.on)
    acts = list(reader.read(list(found)))
    faults = reader.faults
    bare = [one.act for one in acts]
    try:
        judge(looked, bare, placed(looked, bare, recorded.on))
    except Refused as refused:
        for fault in refused.faults:
            number, _, field = fault.field.removeprefix("acts[").partition("].")
            row = acts[int(number)].rows[0]
            column = column_of(field)
            faults.append(RowFault(row.line, column, row.cells.get(column, ""), fault.message))
    return acts, faults


def _place(
    uow: UnitOfWork,
    tenant: Tenant,
    taxes: dict[str, Tax],
    names: dict[str, list[NamedPlace]],
    rows: Sequence[Row],
    recorded: Recorded,
    sheet: _Sheet,
) -> list[Placed]:
    """The rows whose place owes the period; the accounts that are missing are opened."""
    faults: list[RowFault] = []
    read = [
        (row, tax, period, place)
        for row in rows
        for place, tax, period in [_read(row, taxes, names, faults)]
        if place is not None and tax is not None and period is not None
    ]
    sought = [Sought(place, tax.key, period, f"{row.line}|") for row, tax, period, place in read]
    pairs = find_places(uow, sought, None)
    told: list[Fault] = []
    filing = [place for (_, place), (row, *_) in zip(pairs, read, strict=True) if row.lines]
    standing = [(place.filer_id, place.year_end_month) for place in filing]
    elect(uow, elections(uow, open_municipality(tenant.plugin), standing, None, recorded.on, []), recorded)
    accounts = with_accounts(uow, pairs, recorded.on, told)
    by_line = {row.line: row for row in rows}
    for fault in told:
        line, _, column = fault.field.partition("|")
        faults.append(RowFault(int(line), column, by_line[int(line)].cells.get(column, ""), fault.message))
    sheet.tell(faults)
    return [
        Placed(row, tax, period, place, account_id)
        for (row, tax, period, _), (place, account_id) in zip(read, accounts, strict=True)
        if account_id is not None
    ]


def _read(
    row: Row, taxes: dict[str, Tax], names: dict[str, list[NamedPlace]], faults: list[RowFault]
) -> tuple[UUID | None, Tax | None, Period | None]:
    told: list[Fault] = []
    text = row.texts.get("place", "")
    found = names.get(text, [])
    if len(found) != 1:
        why = "no place of business" if not found else f"{len(found)} places of business"
        told.append(Fault("place", f"names {why} here: write the place's number or its exact name"))
    tax = tax_of(taxes, row.texts.get("tax"), "", told)
    period = None
    if "period" not in row.texts:
        told.append(Fault("period", "is blank: every row names its period"))
    elif tax is not None:
        period = period_of(tax, row.texts["period"], "", told)
    lines = {line.key for line in (*tax.receipts, *tax.deductions)} if tax is not None else set(row.lines)
    told += [Fault(line, "is no line of this tax's return: leave it blank") for line in row.lines.keys() - lines]
    faults.extend(RowFault(row.line, one.field, row.cells.get(one.field, ""), one.message) for one in told)
    return (found[0].id if len(found) == 1 else None), tax, period


def _names(places: Iterable[NamedPlace]) -> dict[str, list[NamedPlace]]:
    names: dict[str, list[NamedPlace]] = {}
    for one in places:
        names.setdefault(one.name, []).append(one)
        names.setdefault(str(one.number), []).append(one)
    return names


def _twins(rows: Sequence[Row]) -> list[RowFault]:
    """Rows of one file that say the same: which of two equal payments is meant nobody could tell."""
    first: dict[str, int] = {}
    faults = []
    for row in rows:
        line = first.setdefault(row.hash, row.line)
        if line != row.line:
            message = f"the row says the same as line {line}: give the second a reference of its own, or delete it"
            faults.append(RowFault(row.line, "reference", row.cells.get("reference", ""), message))
    return faults


def _is_returned(row: Row) -> bool:
    return row.texts.get("act") == "returned_payment"
