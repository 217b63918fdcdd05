"""How Montello's room tax is shared with the commission of the zone (Distribution A; READINGS 23 and 24)."""

from __future__ import annotations

from core.contract.law import Law
from core.domain.clause import Words, implements
from core.domain.shares import Collected, Distribution, Share, rounded_part

COMMISSION = "Commission of the zone"
GENERAL_FUND = "General fund"


@implements("MON-04")
def distribution(collected: Collected, law: Law) -> Distribution:
    """75% to the commission, half a cent up; the rest to the general fund."""
    rate = law.ordinance("distribution.commission_rate", collected.on)
    commission = rounded_part(collected.cents, rate.ratio)
    retained = collected.cents - commission
    return Distribution(
        (
            Share(
                COMMISSION,
                commission,
                rate.clause,
                Words("{0:money} x {1:percent} = {2:money}", (collected.cents, rate.value, commission)),
                (rate,),
            ),
            Share(
                GENERAL_FUND,
                retained,
                rate.clause,
                Words("{0:money} - {1:money} = {2:money}", (collected.cents, commission, retained)),
            ),
        )
    )
