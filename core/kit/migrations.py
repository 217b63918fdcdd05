"""What a plugin writes its migrations with.

    def upgrade() -> None:
        create_schema(op, "plugin_example", Role.APP)
        create_tenant_table(op, tenant_table("bids", …, schema="plugin_example", metadata=new_metadata()))
        for tenant in each_tenant(op.get_bind()):
            op.execute(text("UPDATE … WHERE tenant_id = :tenant").bindparams(tenant=tenant))

A data migration goes tenant by tenant, because forced row security shows the owner nothing else.
"""

from __future__ import annotations

from core.db.base import (
    APPEND_ONLY,
    READ_ONLY,
    Access,
    belongs_to_tenant,
    check,
    index,
    new_metadata,
    one_of,
    references,
    tenant_table,
    unique,
)
from core.db.migrate import add_second_lock, create_schema, create_tenant_table, each_tenant, grant
from core.db.roles import Role

__all__ = [
    "APPEND_ONLY",
    "READ_ONLY",
    "Access",
    "Role",
    "add_second_lock",
    "belongs_to_tenant",
    "check",
    "create_schema",
    "create_tenant_table",
    "each_tenant",
    "grant",
    "index",
    "new_metadata",
    "one_of",
    "references",
    "tenant_table",
    "unique",
]
