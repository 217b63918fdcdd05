"""Logins, their tokens and memberships, and the one question that every request asks."""

from alembic import op
from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
)
from sqlalchemy import text as sql

from core.db.base import READ_ONLY, Access, check, new_metadata, one_of, platform_table
from core.db.migrate import create_platform_table
from core.db.roles import Role

revision = "0006_identity"
down_revision = "0005_service"
branch_labels = None
depends_on = None

metadata = new_metadata()

HERE = "tenant_id = (select nullif(current_setting('fisc.tenant', true), '')::int)"
MEMBER = f"login_id = (select nullif(current_setting('fisc.login', true), '')::uuid) OR {HERE}"
# The application makes and ends filers' memberships of the tenant that it works for. Staff and hosts the host makes.
MADE = f"{HERE} AND role = 'filer'"


def upgrade() -> None:
    create_platform_table(op, _logins())
    create_platform_table(op, _tokens())
    create_platform_table(op, _memberships())
    create_platform_table(op, _login_attempts())
    # A login sees its own memberships everywhere, a municipality those of its own people; the host administers all.
    op.execute("ALTER TABLE platform.memberships ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE platform.memberships FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY member ON platform.memberships TO {Role.APP} USING ({MEMBER}) WITH CHECK ({MADE})")
    op.execute(f"CREATE POLICY host ON platform.memberships TO {Role.HOST} USING (true) WITH CHECK (true)")
    _authenticate()


def _authenticate() -> None:
    op.execute("""
        CREATE FUNCTION platform.authenticate(token text, tenant_key text, now timestamptz) RETURNS jsonb
        LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            login platform.logins%ROWTYPE;
            tenant platform.tenants%ROWTYPE;
        BEGIN
            SELECT l.* INTO login FROM platform.tokens t JOIN platform.logins l ON l.id = t.login_id
            WHERE t.token_hash = token AND t.expires_at > now AND t.revoked_at IS NULL AND l.disabled_at IS NULL;
            IF NOT FOUND THEN
                RETURN NULL;
            END IF;
            PERFORM set_config('fisc.login', login.id::text, true);
            SELECT t.* INTO tenant FROM platform.tenants t WHERE t.key = tenant_key;
            RETURN jsonb_build_object(
                'login', jsonb_build_array(login.id, login.email, login.name),
                'tenant', CASE WHEN tenant.id IS NULL THEN NULL ELSE jsonb_build_array(
                    tenant.id, tenant.key, tenant.plugin, tenant.name, tenant.time_zone, tenant.closed_on) END,
                'memberships', (SELECT jsonb_agg(jsonb_build_array(m.role, m.filer_id)) FROM platform.memberships m
                    WHERE m.login_id = login.id AND m.ended_at IS NULL
                    AND (m.tenant_id = tenant.id OR m.tenant_id IS NULL)));
        END $$
    """)
    op.execute(f"GRANT EXECUTE ON FUNCTION platform.authenticate(text, text, timestamptz) TO {Role.APP}")


def _logins() -> Table:
    return platform_table(
        "logins",
        Column("id", Uuid, nullable=False),
        Column("email", Text, nullable=False),
        # As it is compared: lower case, no blanks around it.
        Column("email_key", Text, nullable=False),
        Column("name", Text, nullable=False),
        Column("password_hash", Text, nullable=False),
        Column("disabled_at", DateTime(timezone=True)),
        Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("email_key"),
        check("email_given", "email_key ~ '^[^@ ]+@[^@ ]+$'"),
        check("name_given", "name <> ''"),
        app=Access(insert=True, update=("password_hash",)),
        host=Access(insert=True, update=("password_hash", "disabled_at")),
        metadata=metadata,
    )


def _tokens() -> Table:
    return platform_table(
        "tokens",
        # SHA-256 of the token; the token itself is told once and kept nowhere.
        Column("token_hash", Text, nullable=False),
        Column("login_id", Uuid, nullable=False),
        Column("issued_at", DateTime(timezone=True), nullable=False),
        Column("expires_at", DateTime(timezone=True), nullable=False),
        Column("revoked_at", DateTime(timezone=True)),
        PrimaryKeyConstraint("token_hash"),
        ForeignKeyConstraint(["login_id"], ["platform.logins.id"]),
        Index(None, "login_id"),
        check("hash_is_sha256", "token_hash ~ '^[0-9a-f]{64}$'"),
        check("expires_later", "expires_at > issued_at"),
        app=Access(insert=True, update=("revoked_at",)),
        host=READ_ONLY,
        metadata=metadata,
    )


def _memberships() -> Table:
    return platform_table(
        "memberships",
        Column("id", Uuid, nullable=False),
        Column("login_id", Uuid, nullable=False),
        # NULL for the host, who belongs to no municipality.
        Column("tenant_id", Integer),
        Column("role", Text, nullable=False),
        Column("filer_id", Uuid),
        Column("granted_by", Text, nullable=False),
        Column("granted_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
        Column("ended_at", DateTime(timezone=True)),
        PrimaryKeyConstraint("id"),
        ForeignKeyConstraint(["login_id"], ["platform.logins.id"]),
        ForeignKeyConstraint(["tenant_id"], ["platform.tenants.id"]),
        ForeignKeyConstraint(["tenant_id", "filer_id"], ["fisc.filers.tenant_id", "fisc.filers.id"]),
        Index(None, "login_id"),
        Index(None, "tenant_id"),
        Index(
            "uq_memberships_standing",
            "login_id",
            "tenant_id",
            "role",
            "filer_id",
            unique=True,
            postgresql_where=sql("ended_at IS NULL"),
            postgresql_nulls_not_distinct=True,
        ),
        one_of("role", "host", "treasurer", "clerk", "filer", "auditor", "council"),
        check("host_of_no_tenant", "(role = 'host') = (tenant_id IS NULL)"),
        check("filer_names_one", "(role = 'filer') = (filer_id IS NOT NULL)"),
        app=Access(insert=True, update=("ended_at",)),
        host=Access(insert=True, update=("ended_at",)),
        metadata=metadata,
    )


def _login_attempts() -> Table:
    return platform_table(
        "login_attempts",
        Column("id", Uuid, nullable=False),
        Column("source", Text, nullable=False),
        # Hashed: an address typed in error is nobody's business.
        Column("email_hash", Text, nullable=False),
        Column("succeeded", Boolean, nullable=False),
        Column("at", DateTime(timezone=True), nullable=False),
        PrimaryKeyConstraint("id"),
        Index(None, "source", "at"),
        app=Access(insert=True),
        host=READ_ONLY,
        metadata=metadata,
    )
