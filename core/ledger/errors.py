"""Refusals of the ledger, each named after the fact."""

from __future__ import annotations

from core.domain.errors import FiscError


class LedgerError(FiscError):
    """The root of the ledger's refusals."""


class EntryKeyReused(LedgerError):
    """This entry key was used before for another entry. The same key with the same content answers the same entry."""


class NotAnEntry(LedgerError):
    """An entry has no transfer, one that moves nothing or moves to itself, or holds what the books cannot keep."""


class LedgerAccountUnknown(LedgerError):
    """A transfer names a fund or an account that is not in the chart, or an account of another fund."""


class PeriodClosed(LedgerError):
    """The day on which the entry is booked lies in a closed period."""


class AlreadyClosed(LedgerError):
    """The books are closed through this day or a later one already."""
