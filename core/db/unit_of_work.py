"""One transaction for one tenant. It rolls back unless told to commit, and says so when it cannot.

`reading` and `writing` open one, `in_transaction` runs a piece of work in one and repeats it where PostgreSQL
asks for that.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, CursorResult, Engine, Executable, Insert, Row, Table
from sqlalchemy.exc import DBAPIError

from core.db.base import TENANT
from core.db.engine import READS_OPTION, TENANT_OPTION, checked_tenant
from core.domain.errors import FiscError

Answer = TypeVar("Answer")

TRIES = 6
SERIALIZATION_FAILURE = "40001"
DEADLOCK = "40P01"
RETRIED = {SERIALIZATION_FAILURE, DEADLOCK}


class TransactionBroken(FiscError):
    """A statement of this transaction failed, so PostgreSQL would answer COMMIT with a silent rollback."""


class TooBusy(FiscError):
    """Others kept getting in the way of this transaction. Nothing was recorded; the same request may be sent again."""


class UnitOfWork:
    """One open transaction of one tenant. Only that tenant's rows are seen or written."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self.connection = connection
        self.tenant = tenant

    def execute(self, statement: Executable, parameters: Mapping[str, Any] | None = None) -> CursorResult[Any]:
        """Run a statement with the parameter `tenant` set beside the others. See base.of_tenant."""
        return self.connection.execute(statement, {"tenant": self.tenant, **(parameters or {})})

    def rows(self, statement: Executable, **parameters: Any) -> Sequence[Row[Any]]:
        """All rows that a statement gives."""
        return self.execute(statement, parameters).all()

    def row(self, statement: Executable, **parameters: Any) -> Row[Any] | None:
        """The one row that a statement gives, or None. Raises MultipleResultsFound."""
        return self.execute(statement, parameters).one_or_none()

    def insert(self, into: Table | Insert, *rows: Mapping[str, Any]) -> None:
        """Insert rows of this tenant, all with the same columns, in one statement or one batch."""
        if rows:
            statement = into.insert() if isinstance(into, Table) else into
            self.connection.execute(statement, [{TENANT: self.tenant, **row} for row in rows])

    @property
    def driver(self) -> psycopg.Connection[Any]:
        """The driver's own connection, in this transaction, for the few statements where microseconds count."""
        driver = self.connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        return driver

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """What is done within is undone if an exception leaves it; the transaction goes on."""
        with self.connection.begin_nested():
            yield

    def commit(self) -> None:
        """Make it last. Raises TransactionBroken, and then nothing lasts."""
        if self.driver.info.transaction_status == TransactionStatus.INERROR:
            self.connection.rollback()
            raise TransactionBroken("a statement failed before the commit, so nothing was recorded")
        self.connection.commit()


@contextmanager
def writing(engine: Engine, tenant: int) -> Iterator[UnitOfWork]:
    """A transaction that rolls back unless `commit` is called."""
    with _opened(engine, tenant, reads=False) as uow:
        yield uow


@contextmanager
def reading(engine: Engine, tenant: int) -> Iterator[UnitOfWork]:
    """A transaction that can write nothing. It ends with COMMIT: on ROLLBACK the driver forgets its prepared plans."""
    with _opened(engine, tenant, reads=True) as uow:
        yield uow
        uow.commit()


def in_transaction(engine: Engine, tenant: int, work: Callable[[UnitOfWork], Answer], *, tries: int = TRIES) -> Answer:
    """Run `work` in a transaction, commit, and give its answer.

    A serialisation failure or a deadlock is no fault of the caller's: `work` runs again, up to `tries` times, so it
    must do nothing outside the transaction. Raises TooBusy after that; every other exception rolls back and passes.
    """
    for attempt in range(1, tries + 1):
        try:
            with writing(engine, tenant) as uow:
                answer = work(uow)
                uow.commit()
                return answer
        except (DBAPIError, psycopg.Error) as error:
            if sqlstate(error) not in RETRIED:
                raise
            if attempt == tries:
                raise TooBusy(f"gave up after {tries} tries; nothing was recorded, send the request again") from error
        _wait(attempt)
    raise AssertionError("unreachable: the last try returns or raises")


def sqlstate(error: BaseException) -> str | None:
    """PostgreSQL's five letters for an error, whether the driver or SQLAlchemy raised it."""
    if isinstance(error, DBAPIError):
        return getattr(error.orig, "sqlstate", None)
    return getattr(error, "sqlstate", None)


def constraint_name(error: BaseException) -> str | None:
    """The name of the constraint that refused a row, None where none did."""
    driver_error = error.orig if isinstance(error, DBAPIError) else error
    return driver_error.diag.constraint_name if isinstance(driver_error, psycopg.Error) else None


@contextmanager
def _opened(engine: Engine, tenant: int, *, reads: bool) -> Iterator[UnitOfWork]:
    connection = _begun(engine, {TENANT_OPTION: checked_tenant(tenant), READS_OPTION: reads})
    try:
        yield UnitOfWork(connection, tenant)
    finally:
        _let_go(connection)


def _begun(engine: Engine, options: dict[str, Any]) -> Connection:
    """A connection whose transaction is open.

    One that lay in the pool may have died with its back end. It shows at BEGIN, when nothing has happened yet, so
    the whole pool is made anew and asked once more. That spares every transaction a ping.
    """
    for last_try in (False, True):
        connection = engine.connect().execution_options(**options)
        try:
            connection.begin()
            return connection
        except BaseException as error:
            died = isinstance(error, psycopg.OperationalError) and _driver_closed(connection)
            _let_go(connection)
            if last_try or not died:
                raise
            engine.dispose()
    raise AssertionError("unreachable: the last try returns or raises")


def _let_go(connection: Connection) -> None:
    # A rollback over a dead connection would only hide the error that told of its death.
    if not connection.invalidated and _driver_closed(connection):
        connection.invalidate()
    connection.close()


def _driver_closed(connection: Connection) -> bool:
    driver = connection.connection.driver_connection
    return driver is None or bool(driver.closed)


def _wait(attempt: int) -> None:
    # A little longer each time, and not in step with whoever else waits: at most 10, 20, 40, … milliseconds.
    time.sleep(secrets.randbelow(10 * 2**attempt // 2 + 1) / 1000)
