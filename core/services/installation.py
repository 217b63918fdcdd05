"""The database of this installation with an engine for each role that Fisc works as, for the length of a command."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from core.auth.memberships import LoginUnknown
from core.db.engine import make_engine
from core.db.recorded import Recorded
from core.db.roles import Role
from core.db.server.errors import DatabaseServerError as DatabaseNotUsable
from core.db.unit_of_work import TooBusy
from core.db.url import Database, home, open_database
from core.domain.errors import FiscError
from core.filing.events import EventOutOfOrder, PaymentAlreadyVoid
from core.filing.payments import PaymentUnknown
from core.filing.records import (
    AccountUnknown,
    AttachmentUnknown,
    ChangedMeanwhile,
    FilerUnknown,
    PlaceUnknown,
    ReturnUnknown,
)
from core.ledger.distributions import DistributionUnknown, RemittancePaid, RemittanceUnknown
from core.ledger.errors import PeriodClosed
from core.ledger.pages import ChartAccountUnknown
from core.services.accounts.errors import TenantClosed, TenantNotOpen
from core.services.database import current, expected
from core.tenants.agreements import AgreementUnknown
from core.tenants.directory import TenantKeyTaken, TenantUnknown
from core.tenants.record_setting import SettingAlreadyWithdrawn, SettingUnknown

__all__ = ["DatabaseNotUsable", "Installation", "Recorded", "SchemaNotCurrent", "installation", "plain"]


class SchemaNotCurrent(FiscError):
    """The database's schema is not the one that this version of Fisc needs."""


@dataclass(frozen=True, slots=True)
class Installation:
    """The database, the application's and the host's engine, and the folder for what is kept outside the database."""

    database: Database
    app: Engine
    host: Engine
    folder: Path


@contextmanager
def installation(environ: Mapping[str, str] = os.environ) -> Iterator[Installation]:
    """Opens the database that is configured, or the server that comes with Fisc.

    Raises DatabaseNotUsable, SchemaNotCurrent.
    """
    with open_database(environ) as database:
        app, host = (make_engine(database.address(role), pool_size=2) for role in (Role.APP, Role.HOST))
        try:
            reached, needed = current(app), expected()
            if reached != needed:
                raise SchemaNotCurrent(
                    f"the database is at {', '.join(reached) or 'no revision'}, and this version needs "
                    f"{', '.join(needed)}: run fisc db upgrade"
                )
            yield Installation(database, app, host, home(environ))
        finally:
            app.dispose()
            host.dispose()


def plain(values: object) -> str:
    """Values as JSON for people."""
    return json.dumps(values, ensure_ascii=False, indent=1)


def unknowns() -> tuple[type[FiscError], ...]:
    """The refusals that say that a record is not there, or not the visitor's."""
    return (
        TenantUnknown,
        FilerUnknown,
        PlaceUnknown,
        AccountUnknown,
        ReturnUnknown,
        PaymentUnknown,
        AttachmentUnknown,
        SettingUnknown,
        LoginUnknown,
        AgreementUnknown,
        DistributionUnknown,
        RemittanceUnknown,
        ChartAccountUnknown,
    )


def conflicts() -> tuple[type[FiscError], ...]:
    """The refusals that say that the state of things does not allow it now."""
    return (
        PeriodClosed,
        TenantNotOpen,
        TenantClosed,
        PaymentAlreadyVoid,
        EventOutOfOrder,
        SettingAlreadyWithdrawn,
        TenantKeyTaken,
        RemittancePaid,
    )


def later() -> type[FiscError]:
    """The refusal that asks to send the same request again."""
    return TooBusy


def outdated() -> type[FiscError]:
    """The refusal that says that the record is no longer what the change was made to."""
    return ChangedMeanwhile


def unreachable() -> tuple[type[Exception], ...]:
    """What the database raises when it is down, starting, or has no connection or time left: nothing lasts of it."""
    return psycopg.OperationalError, OperationalError, NoConnectionFree
