"""Funds and accounts of the chart. They are added when a tax is opened and stay; a title may change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError

from core.contract.declarations import LedgerAccount
from core.db.unit_of_work import UnitOfWork, sqlstate
from core.ledger.errors import LedgerAccountUnknown
from core.ledger.tables import funds, ledger_accounts

_FUND = insert(funds).on_conflict_do_nothing(index_elements=[funds.c.tenant_id, funds.c.number])
# No index is named: two who enter one account at once may meet in either of its unique keys, and a named one would
# let the other raise.
_ACCOUNT = insert(ledger_accounts).on_conflict_do_nothing()
_NO_SUCH_FUND = "23503"
DUE_FROM = "15000"
DUE_TO = "25000"


def open_accounts(uow: UnitOfWork, new_funds: Iterable[tuple[str, str]], accounts: Iterable[LedgerAccount]) -> None:
    """Enter funds as (number, title) and accounts in the chart; those that are there already stay as they are.

    Raises LedgerAccountUnknown for an account of a fund that is not in the chart.
    """
    listed = dict(new_funds)
    uow.insert(_FUND, *[{"number": number, "title": title} for number, title in sorted(listed.items())])
    rows = {(one.fund, one.number): _row(one) for one in accounts}
    _enter(uow, *[rows[place] for place in sorted(rows)])


def due_from(fund: str, other: str) -> str:
    """The number of the account that holds what `other` owes to `fund`."""
    return f"{DUE_FROM}-{other}"


def due_to(fund: str, other: str) -> str:
    """The number of the account that holds what `fund` owes to `other`."""
    return f"{DUE_TO}-{other}"


def open_due_accounts(uow: UnitOfWork, lender: str, borrower: str) -> None:
    """Enter the two accounts between funds: due from the borrower, and due to the lender.

    Raises LedgerAccountUnknown where one of the funds is not in the chart.
    """
    _enter(
        uow,
        _due(lender, due_from(lender, borrower), f"Due from fund {borrower}", "asset", borrower),
        _due(borrower, due_to(borrower, lender), f"Due to fund {lender}", "liability", lender),
    )


def _enter(uow: UnitOfWork, *rows: dict[str, Any]) -> None:
    try:
        uow.insert(_ACCOUNT, *rows)
    except IntegrityError as error:
        if sqlstate(error) == _NO_SUCH_FUND:
            funds_named = ", ".join(sorted({row["fund"] for row in rows}))
            raise LedgerAccountUnknown(
                f"a fund of these is not in the chart: {funds_named}; enter the fund first"
            ) from error
        raise


def _row(one: LedgerAccount) -> dict[str, Any]:
    return {
        "fund": one.fund,
        "number": one.number,
        "title": one.title,
        "kind": one.kind,
        "due_fund": None,
        "is_due": False,
    }


def _due(fund: str, number: str, title: str, kind: str, other: str) -> dict[str, Any]:
    return {"fund": fund, "number": number, "title": title, "kind": kind, "due_fund": other, "is_due": True}
