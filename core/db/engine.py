"""Engines: SQLAlchemy over psycopg, one pool for all tenants; the tenant is set in each transaction alone.

The driver is left in autocommit and the transaction is opened here, so that BEGIN and the tenant travel together.
`SET LOCAL` and not `set_config`, which a distributed database does not pass on to its workers.
"""

from __future__ import annotations

from typing import Any

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event

TENANT_OPTION = "fisc_tenant"
READS_OPTION = "fisc_reads"


def make_engine(address: str, *, pool_size: int = 5, max_overflow: int = 0, **options: Any) -> Engine:
    """An engine for the application or the host. Waits for a free connection when all are in use.

    `address` is what psycopg.connect takes. Nothing is connected yet.
    """
    engine = create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect(address, autocommit=True),
        pool_size=pool_size,
        max_overflow=max_overflow,
        **options,
    )
    event.listen(engine, "begin", _open_transaction)
    return engine


def owner_engine(address: str) -> Engine:
    """An engine for migrations: transactions as the driver opens them, nothing set in them."""
    return create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(address), pool_size=1)


def checked_tenant(tenant: object) -> int:
    """The id of a tenant, or TypeError, ValueError: nothing but a whole number above zero reaches the SQL text."""
    if type(tenant) is not int:
        raise TypeError(f"a tenant's id is an int, not {type(tenant).__name__}")
    if not 0 < tenant < 2**31:
        raise ValueError(f"{tenant} is no tenant's id")
    return tenant


def _open_transaction(connection: Connection) -> None:
    options = connection.get_execution_options()
    begin = "BEGIN READ ONLY" if options.get(READS_OPTION) else "BEGIN"
    tenant = options.get(TENANT_OPTION)
    # Without parameters the driver sends the text as it is, so both commands make one round trip.
    set_tenant = "" if tenant is None else f"; SET LOCAL fisc.tenant = '{checked_tenant(tenant):d}'"
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.execute(begin + set_tenant, prepare=False)
