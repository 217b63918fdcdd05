"""The accounts in which local taxes are booked.

41210 (public accommodation taxes) and 41800 (interest and penalties on taxes) are numbers of the State's uniform chart
of accounts; the others are Fisc's own, until a municipality's auditor says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.declarations import Chart, LedgerAccount
from core.domain.charge import TAX

GENERAL_FUND = "100"
ROOM_TAX_FUND = "210"
CASH = "11100"
CREDITS = "21900"
TAX_RECEIVABLE = "12410"
TAX_REVENUE = "41210"
PENALTY_RECEIVABLE = "12480"
PENALTY_REVENUE = "41800"
RETURNED_PAYMENT_FEE = "returned_payment_fee"
REFUND_INTEREST = "51900"
DISTRIBUTED = "56700"
HELD = "24900"
PAYABLE = "24500"
TRANSFERS_IN = "49210"
CHARGE_RECEIVABLE = "13100"
CHARGE_REVENUE = "46100"


def room_tax_chart(kinds: Sequence[str], titles: dict[str, str], *, outside: Sequence[str], own: str) -> Chart:
    """Tax in the room tax fund; fees, interest and penalties in the general fund (READINGS 23).

    Each kind of penalty has an account of its own below the uniform number. `outside` are the payees of the tax that
    are not the municipality; `own` is its own share, which goes to the general fund ("" where it keeps none).
    """
    receivable: dict[str, LedgerAccount] = {}
    revenue: dict[str, LedgerAccount] = {}
    for place, kind in enumerate(kinds, start=1):
        title = titles[kind]
        if kind == TAX:
            receivable[kind] = LedgerAccount(ROOM_TAX_FUND, TAX_RECEIVABLE, f"{title} receivable", "asset")
            revenue[kind] = LedgerAccount(
                ROOM_TAX_FUND, TAX_REVENUE, f"{title} (public accommodation taxes)", "revenue"
            )
            continue
        charge = kind == RETURNED_PAYMENT_FEE
        numbers = (CHARGE_RECEIVABLE, CHARGE_REVENUE) if charge else (PENALTY_RECEIVABLE, PENALTY_REVENUE)
        receivable[kind] = LedgerAccount(GENERAL_FUND, f"{numbers[0]}-{place:02d}", f"{title} receivable", "asset")
        revenue[kind] = LedgerAccount(GENERAL_FUND, f"{numbers[1]}-{place:02d}", title, "revenue")
    return Chart(
        funds=((GENERAL_FUND, "General fund"), (ROOM_TAX_FUND, "Room tax fund")),
        cash={fund: LedgerAccount(fund, CASH, "Cash", "asset") for fund in (GENERAL_FUND, ROOM_TAX_FUND)},
        receivable=receivable,
        revenue=revenue,
        credits=LedgerAccount(ROOM_TAX_FUND, CREDITS, "Credits of filers", "liability"),
        refund_interest=LedgerAccount(GENERAL_FUND, REFUND_INTEREST, "Interest on refunds of tax", "expense"),
        distributed=LedgerAccount(ROOM_TAX_FUND, DISTRIBUTED, "Room tax shared out", "expense"),
        held=LedgerAccount(ROOM_TAX_FUND, HELD, "Room tax held until an agreement is in force", "liability"),
        payable={
            payee: LedgerAccount(ROOM_TAX_FUND, f"{PAYABLE}-{place:02d}", f"Due to {payee}", "liability")
            for place, payee in enumerate(outside, start=1)
        },
        transfers_in={own: LedgerAccount(GENERAL_FUND, TRANSFERS_IN, "Room tax retained", "revenue")} if own else {},
    )
