"""The tables of identity. They span tenants; memberships have row security of their own."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    Uuid,
    func,
)
from sqlalchemy import text as sql

from core.db.base import READ_ONLY, Access, check, one_of, platform_table

logins = platform_table(
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
)

tokens = platform_table(
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
)

memberships = platform_table(
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
)

login_attempts = platform_table(
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
)
