"""Replays posted assessments: one plugin release gives the same bytes; under another, what differs is listed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Engine

from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import UnitOfWork, reading
from core.domain.errors import FiscError
from core.filing.accounts import find_accounts
from core.filing.assessments import Assessment, assessments_of
from core.filing.events import events_of, facts
from core.services.accounts.canonical import canonical
from core.services.accounts.load import LoadedAccount
from core.tenants.directory import Tenant
from core.tenants.open_tenant import with_settings
from core.tenants.settings import settings_up_to

CHUNK = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """A posted assessment that is not what the rules give now.

    `release` is (posted under, replayed under). `changed` has (what, as posted, as replayed). Under one and the same
    release a difference is a fault of Fisc or a change to the records; under another it shows what the release does.
    """

    assessment: Assessment
    release: tuple[str, str]
    changed: tuple[tuple[str, str, str], ...]

    @property
    def same_release(self) -> bool:
        """Whether the plugin's release is the one under which it was posted."""
        return self.release[0] == self.release[1]


@dataclass(frozen=True, slots=True)
class Replayed:
    """How many assessments were replayed, and which differ."""

    count: int
    differences: tuple[Difference, ...]


def replay_books(engine: Engine, tenant: Tenant) -> Replayed:
    """Replays every posted assessment of a municipality, in a transaction that can write nothing."""
    with reading(engine, tenant.id) as uow:
        return replay(uow)


def replay(uow: UnitOfWork, accounts: Iterable[UUID] | None = None) -> Replayed:
    """Works every posted assessment out anew from its own events, settings and inputs, and compares the bytes."""
    posted = assessments_of(uow, accounts)
    differences: list[Difference] = []
    municipalities: dict[tuple[str, int], OpenMunicipality] = {}
    for start in range(0, len(posted), CHUNK):
        chunk = posted[start : start + CHUNK]
        ids = {one.account_id for one in chunk}
        records, events = find_accounts(uow, ids), events_of(uow, ids)
        for one in chunk:
            key = (one.plugin, one.settings_seq)
            if key not in municipalities:
                municipalities[key] = with_settings(one.plugin, settings_up_to(uow, one.settings_seq))
            known = tuple(event for event in facts(events[one.account_id]) if event.seq in set(one.event_seqs))
            inputs = tuple((date.fromisoformat(day), values) for day, values in sorted(one.inputs.items()))
            account = LoadedAccount(records[one.account_id], municipalities[key], known, inputs)
            differences.extend(_compare(one, account))
    return Replayed(len(posted), tuple(differences))


def _compare(posted: Assessment, account: LoadedAccount) -> Iterator[Difference]:
    try:
        again = canonical(account.statement(posted.as_of))
    except FiscError as error:
        again = json.dumps({"error": f"{type(error).__name__}: {error}"})
    if again != posted.statement:
        release = posted.plugin_version, account.municipality.declared.version
        changed = tuple(_changes(json.loads(posted.statement), json.loads(again)))
        yield Difference(posted, release, changed)


def _changes(posted: dict[str, Any], again: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name in sorted(posted.keys() | again.keys()):
        if posted.get(name) != again.get(name):
            yield (
                name,
                json.dumps(posted.get(name), ensure_ascii=False),
                json.dumps(again.get(name), ensure_ascii=False),
            )
