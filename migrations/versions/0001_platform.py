"""The schemas, the directory of tenants, and what no table may be without.

Downgrades are not written: a ledger is not unmade. Going back is done from a backup.
"""

from alembic import op
from sqlalchemy import Column, Date, DateTime, Identity, Integer, PrimaryKeyConstraint, Text, UniqueConstraint, func

from core.db.base import READ_ONLY, Access, check, new_metadata, platform_table
from core.db.migrate import SECOND_LOCK, create_platform_table, create_schema
from core.db.roles import Role

revision = "0001_platform"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    # PostgreSQL lets everybody execute a new function; here each is granted, or nobody may.
    op.execute("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
    create_schema(op, "platform", Role.APP, Role.HOST)
    create_schema(op, "fisc", Role.APP)
    op.execute(f"GRANT SELECT ON platform.alembic_version TO {Role.APP}, {Role.HOST}")
    op.execute(f"""
        CREATE FUNCTION fisc.{SECOND_LOCK}() RETURNS trigger
        LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            RAISE EXCEPTION '% on %.% is refused: what is recorded there is never changed; record a correction',
                TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
        END $$
    """)
    create_platform_table(op, _tenants())


def _tenants():
    return platform_table(
        "tenants",
        Column("id", Integer, Identity(always=True), nullable=False),
        Column("key", Text, nullable=False),
        Column("plugin", Text, nullable=False),
        Column("name", Text, nullable=False),
        Column("time_zone", Text, nullable=False),
        Column("closed_on", Date),
        Column("added_by", Text, nullable=False),
        Column("added_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("key"),
        check("id_positive", "id > 0"),
        check("key_plain", "key ~ '^[a-z][a-z0-9-]{0,62}$'"),
        check("name_given", "name <> ''"),
        app=READ_ONLY,
        host=Access(insert=True, update=("name", "time_zone", "closed_on")),
        metadata=new_metadata(),
    )
