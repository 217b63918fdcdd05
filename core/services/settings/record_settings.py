"""Records what a council or board set and how the treasurer reads the law, or that either was an error."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Engine

from core.contract.law import Law
from core.contract.settings import ReadingChoice, Resolution, SettingValue
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused, shown
from core.services.settings.values import from_words, unit_of
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.record_setting import record_reading, record_resolution, withdraw_setting


class ResolutionGiven(NamedTuple):
    """What a council or board set; `value` is a text in dollars, or in percent where a share is set."""

    name: str
    value: str
    since: date
    number: str


class ReadingGiven(NamedTuple):
    """How a passage is read from a day on, and why; `value` is a text."""

    name: str
    value: str
    since: date
    reason: str


def record_resolutions(
    engine: Engine, tenant: Tenant, request: Request, given: Sequence[ResolutionGiven], note: str, recorded: Recorded
) -> Answer:
    """Record resolutions in one transaction, all or none. The same request records them once.

    The answer has `settings`, a list of {name, id}. Raises Refused (fields "resolutions[1].value"), RequestKeyReused.
    """

    def record(uow: UnitOfWork) -> Answer:
        law = open_tenant(uow, tenant.key).law
        units = {key: slot.unit for key, slot in law.resolution_slots.items()}
        values = _values("resolutions", [(one.name, one.value) for one in given], units)

        def one_of_them(number: int) -> UUID:
            one, value = given[number], values[number]
            assert not isinstance(value, str | bool)
            return record_resolution(
                uow, law, Resolution(one.name, value, one.since, one.number), recorded, reason=note
            )

        return _each("resolutions", [one.name for one in given], one_of_them)

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: record(uow)))


def record_readings(
    engine: Engine, tenant: Tenant, request: Request, given: Sequence[ReadingGiven], recorded: Recorded
) -> Answer:
    """Record readings in one transaction, all or none. The same request records them once.

    The answer has `settings`, a list of {name, id}. Raises Refused (fields "readings[1].value"), RequestKeyReused.
    """

    def record(uow: UnitOfWork) -> Answer:
        law: Law = open_tenant(uow, tenant.key).law
        units = {key: unit_of(slot.default) for key, slot in law.reading_slots.items()}
        values = _values("readings", [(one.name, one.value) for one in given], units)

        def one_of_them(number: int) -> UUID:
            one = given[number]
            return record_reading(uow, law, ReadingChoice(one.name, values[number], one.since, one.reason), recorded)

        return _each("readings", [one.name for one in given], one_of_them)

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: record(uow)))


def withdraw(
    engine: Engine, tenant: Tenant, request: Request, setting: UUID, reason: str, recorded: Recorded
) -> Answer:
    """Record that a resolution or reading was recorded in error. The same request does it once.

    The answer has the `id` of the withdrawal. Raises Refused, SettingUnknown, SettingAlreadyWithdrawn,
    RequestKeyReused.
    """

    def take_back(uow: UnitOfWork) -> Answer:
        return {"id": str(withdraw_setting(uow, setting, recorded, reason=reason))}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: take_back(uow)))


def _values(field: str, given: Sequence[tuple[str, str]], units: Mapping[str, str]) -> list[SettingValue]:
    values: list[SettingValue] = []
    faults: list[Fault] = []
    for number, (name, text) in enumerate(given):
        if name not in units:
            faults.append(Fault(f"{field}[{number}].name", _unknown(name, units)))
            continue
        try:
            values.append(from_words(units[name], text))
        except ValueError as error:
            faults.append(Fault(f"{field}[{number}].value", str(error)))
    if faults:
        raise Refused(faults)
    return values


def _each(field: str, names: Sequence[str], record: Callable[[int], UUID]) -> Answer:
    made: list[dict[str, str]] = []
    faults: list[Fault] = []
    for number, name in enumerate(names):
        try:
            made.append({"name": name, "id": str(record(number))})
        except Refused as refused:
            faults.extend(Fault(f"{field}[{number}].{fault.field}", fault.message) for fault in refused.faults)
    if faults:
        raise Refused(faults)
    return {"settings": made}


def _unknown(name: str, known: Collection[str]) -> str:
    return f"{shown(name)} is nothing that is set here: name one of {', '.join(sorted(known)) or '(none)'}"
