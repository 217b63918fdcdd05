"""Proofs of the books beside the chain of seals: no orphans, known accounts, pairs between funds, closed periods."""

from __future__ import annotations

import psycopg
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from core.db.unit_of_work import UnitOfWork
from core.ledger.close import unproved_snapshots
from core.ledger.findings import Findings, Wrong
from core.ledger.stream import stream

_ORPHANS = text("""
    SELECT DISTINCT t.entry_id::text AS entry_id FROM fisc.transfers t
    WHERE t.tenant_id = :tenant
        AND NOT EXISTS (SELECT FROM fisc.entries e WHERE e.tenant_id = :tenant AND e.id = t.entry_id)
""")
_UNKNOWN_ACCOUNTS = text("""
    SELECT moved.fund, moved.number FROM (
        SELECT t.fund, t.debit AS number FROM fisc.transfers t WHERE t.tenant_id = :tenant
        UNION
        SELECT t.fund, t.credit FROM fisc.transfers t WHERE t.tenant_id = :tenant
    ) moved
    WHERE NOT EXISTS (
        SELECT FROM fisc.ledger_accounts a
        WHERE a.tenant_id = :tenant AND a.fund = moved.fund AND a.number = moved.number
    )
""")
# A leg is proved by its twin: the same entry, the same cents, the other fund, the other side, each naming the other.
_UNPAIRED = text("""
    WITH leg AS (
        SELECT t.entry_id, t.line, t.twin, t.cents, t.fund, a.due_fund, true AS is_debit
        FROM fisc.ledger_accounts a
        JOIN fisc.transfers t ON t.tenant_id = a.tenant_id AND t.fund = a.fund AND t.debit = a.number
        WHERE a.tenant_id = :tenant AND t.tenant_id = :tenant AND a.is_due
        UNION ALL
        SELECT t.entry_id, t.line, t.twin, t.cents, t.fund, a.due_fund, false
        FROM fisc.ledger_accounts a
        JOIN fisc.transfers t ON t.tenant_id = a.tenant_id AND t.fund = a.fund AND t.credit = a.number
        WHERE a.tenant_id = :tenant AND t.tenant_id = :tenant AND a.is_due
    )
    SELECT coalesce(e.key, leg.entry_id::text) AS name, leg.line, leg.fund, leg.due_fund
    FROM leg
    LEFT JOIN leg other ON other.entry_id = leg.entry_id AND other.line = leg.twin
    LEFT JOIN fisc.entries e ON e.tenant_id = :tenant AND e.id = leg.entry_id
    WHERE (other.twin = leg.line AND other.cents = leg.cents AND other.fund = leg.due_fund
        AND other.due_fund = leg.fund AND other.is_debit <> leg.is_debit) IS NOT TRUE
""")


def prove(uow: UnitOfWork, findings: Findings) -> None:
    """Add what the transfers, the chart and the closed periods have against them."""
    for row in stream(uow, _ORPHANS):
        findings.add(Wrong.ORPHAN, row.entry_id, "there are transfers of this entry, but not the entry")
    for row in stream(uow, _UNKNOWN_ACCOUNTS):
        findings.add(Wrong.UNKNOWN_ACCOUNT, f"{row.fund}/{row.number}", "money was moved here, and the chart lacks it")
    for row in stream(uow, _UNPAIRED):
        message = f"line {row.line}: what fund {row.fund} has with fund {row.due_fund} has no equal leg there"
        findings.add(Wrong.UNPAIRED, row.name, message)
    _prove_snapshots(uow, findings)


def _prove_snapshots(uow: UnitOfWork, findings: Findings) -> None:
    # Forged amounts can be too large to be summed. That is a finding too, and must not end the transaction.
    try:
        with uow.savepoint():
            messages = unproved_snapshots(uow)
    except (DBAPIError, psycopg.Error) as error:
        messages = [f"the closed periods cannot be proved: {str(error).splitlines()[0]}"]
    for message in messages:
        findings.add(Wrong.SNAPSHOT, "closed periods", message)
