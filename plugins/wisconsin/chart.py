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
CHARGE_RECEIVABLE = "13100"
CHARGE_REVENUE = "46100"


def room_tax_chart(kinds: Sequence[str], titles: dict[str, str]) -> Chart:
    """Tax in the room tax fund; fees, interest and penalties in the general fund (READINGS 23).

    Each kind of penalty has an account of its own below the uniform number.
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
    )
