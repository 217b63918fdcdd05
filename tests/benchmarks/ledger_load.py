"""Fills the books of many tenants with years of entries, by INSERT … SELECT as a superuser with triggers off.

Entries of all tenants lie mixed on disk, in the order of their days, as if they had been posted over the years. Each
entry has three lines: charges of a period account by turns with their payment, of which every tenth fails to come.
"""

from typing import NamedTuple
from uuid import UUID

import psycopg
from psycopg import Connection, sql

FUND = "210"
CASH = "11100"
RECEIVABLE = ("12410", "12480-01", "12480-02")
REVENUE = ("41210", "41800-01", "41800-02")
ACCOUNTS = 1 + len(RECEIVABLE) + len(REVENUE)
LINES = 3
PER_ACCOUNT = 4  # entries of one period account


class Size(NamedTuple):
    """How many transfers in how many tenants; `each` in every tenant but the first, which has the rest."""

    transfers: int
    tenants: int
    each: int

    def __str__(self) -> str:
        return f"{self.transfers / 1e6:g}m in {self.tenants:,}"

    def entries(self, tenant: int) -> int:
        """Entries of a tenant."""
        rest = self.transfers - self.each * (self.tenants - 1)
        return (rest if tenant == 1 else self.each) // LINES


# Tenant, kind of id, number: the id of the number-th entry or period account of a tenant.
_ID = "lpad(to_hex({tenant}), 8, '0') || '-{kind}-7000-8000-' || lpad(to_hex({number}), 12, '0')"

_TENANTS = """
    INSERT INTO platform.tenants (key, plugin, name, time_zone, added_by)
    SELECT 'town-' || n, 'bayfield', 'Town ' || n, 'America/Chicago', 'host' FROM generate_series(1, %(tenants)s) n
    ORDER BY n
"""
_FUNDS = "INSERT INTO fisc.funds (tenant_id, number, title) SELECT id, %(fund)s, 'Room tax' FROM platform.tenants"
_CHART = """
    INSERT INTO fisc.ledger_accounts (tenant_id, fund, number, title, kind, is_due)
    SELECT t.id, %(fund)s, a.number, 'Account ' || a.number, a.kind, false
    FROM platform.tenants t CROSS JOIN unnest(%(numbers)s::text[], %(kinds)s::text[]) AS a (number, kind)
"""
# Ordered by how far a tenant's years have gone, so that the tenants' rows alternate.
_ENTRIES = """
    INSERT INTO fisc.entries (tenant_id, id, key, kind, effective_on, booked_on, recorded_on, period_account_id,
        event_seqs, narrative, lines)
    SELECT tenant, ({entry})::uuid, 'entry-' || n, CASE n %% 2 WHEN 1 THEN 'assessment' ELSE 'payment' END,
        day, day, day, ({account})::uuid, ARRAY[n], 'Room tax', 3
    FROM (
        SELECT t.id AS tenant, n, date '2021-01-01' + (n::bigint * 1825 / t.count)::int AS day, n::float / t.count AS at
        FROM (SELECT id, CASE id WHEN 1 THEN %(largest)s ELSE %(each)s END AS count FROM platform.tenants) t
        CROSS JOIN LATERAL generate_series(1, t.count) n
    ) made ORDER BY at, tenant
"""
_TRANSFERS = """
    INSERT INTO fisc.transfers (tenant_id, entry_id, line, lines, effective_on, booked_on, recorded_on, fund, debit,
        credit, cents, charge_kind, clause_id, section, rule_version, value_ids, computation)
    SELECT e.tenant_id, e.id, line, 3, e.effective_on, e.booked_on, e.recorded_on, %(fund)s,
        CASE e.kind WHEN 'payment' THEN %(cash)s ELSE (%(receivable)s::text[])[line] END,
        (CASE e.kind WHEN 'payment' THEN %(receivable)s::text[] ELSE %(revenue)s::text[] END)[line],
        CASE WHEN e.kind = 'payment' AND e.event_seqs[1] %% 20 = 0 THEN 1 ELSE 60000 + line END,
        (ARRAY['tax', 'interest', 'late_filing_fee'])[line], 'bayfield-' || line, '9.04(2)(a)', '2026.1', '{{}}',
        '5.5%% of $12,345.67'
    FROM (SELECT * FROM fisc.entries ORDER BY seq) e CROSS JOIN generate_series(1, 3) line
"""


def period_account(tenant: int, number: int) -> UUID:
    """The id of a tenant's number-th period account."""
    return UUID(f"{tenant:08x}-000a-7000-8000-{number:012x}")


def load(superuser_url: str, size: Size) -> None:
    """Fill a migrated, empty database, and leave it as vacuumed as it is in use."""
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET synchronous_commit = off")
        connection.execute("SET maintenance_work_mem = '512MB'")
        connection.execute("SET work_mem = '256MB'")
        _insert(connection, size)
        connection.execute("VACUUM (ANALYZE)")


def _insert(connection: Connection, size: Size) -> None:
    values = {
        "tenants": size.tenants,
        "fund": FUND,
        "cash": CASH,
        "receivable": list(RECEIVABLE),
        "revenue": list(REVENUE),
        "numbers": [CASH, *RECEIVABLE, *REVENUE],
        "kinds": ["asset"] * (1 + len(RECEIVABLE)) + ["revenue"] * len(REVENUE),
        "largest": size.entries(1),
        "each": size.entries(2),
    }
    entry = sql.SQL(_ID.format(tenant="tenant", kind="000e", number="n"))
    account = sql.SQL(_ID.format(tenant="tenant", kind="000a", number=f"(n + {PER_ACCOUNT - 1}) / {PER_ACCOUNT}"))
    for statement in (_TENANTS, _FUNDS, _CHART, _ENTRIES, _TRANSFERS):
        connection.execute(sql.SQL(statement).format(entry=entry, account=account), values)
