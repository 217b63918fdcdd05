"""How alembic runs the migrations: as fisc_owner, on a connection or an address that the caller gives."""

from alembic import context
from sqlalchemy import Connection, text

from core.db.base import PLATFORM_SCHEMA
from core.db.engine import owner_engine

LOCK = 5_467_001  # any number, as long as nothing else of Fisc takes the same advisory lock


def migrate(connection: Connection) -> None:
    """Each migration in a transaction of its own, and two `fisc db upgrade` at once one after the other."""
    connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": LOCK})
    # alembic keeps its place in this schema, before the first migration could make it.
    connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {PLATFORM_SCHEMA}"))
    connection.commit()
    try:
        context.configure(
            connection=connection,
            version_table_schema=PLATFORM_SCHEMA,
            transaction_per_migration=True,
        )
        with context.begin_transaction():
            context.run_migrations()
    finally:
        connection.rollback()
        connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": LOCK})
        connection.commit()


given = context.config.attributes.get("connection")
if given is not None:
    migrate(given)
else:
    engine = owner_engine(context.config.attributes["address"])
    with engine.connect() as opened:
        migrate(opened)
    engine.dispose()
