"""How the Village's room tax is shared with the convention bureau (§ 18-2(B); READINGS 23 and 24)."""

from __future__ import annotations

from core.contract.law import Law
from core.domain.clause import Words, implements
from core.domain.shares import Collected, Distribution, Share, rounded_part

BUREAU = "Fox Cities Convention and Tourist Bureau"
GENERAL_FUND = "General fund"


@implements("FOX-03")
def distribution(collected: Collected, law: Law) -> Distribution:
    """5% to the general fund, half a cent up; the balance to the Bureau."""
    rate = law.ordinance("distribution.general_fund_rate", collected.on)
    retained = rounded_part(collected.cents, rate.ratio)
    bureau = collected.cents - retained
    return Distribution(
        (
            Share(
                GENERAL_FUND,
                retained,
                rate.clause,
                Words("{0:money} x {1:percent} = {2:money}", (collected.cents, rate.value, retained)),
                (rate,),
            ),
            Share(
                BUREAU,
                bureau,
                rate.clause,
                Words("{0:money} - {1:money} = {2:money}", (collected.cents, retained, bureau)),
            ),
        )
    )
