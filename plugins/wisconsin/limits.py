"""State limits that Fisc warns about and never enforces silently."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from core.contract.law import Law
from core.domain.account import Account
from core.domain.calendar import add_months
from core.domain.charge import INTEREST, TAX, Caution, Charge
from core.domain.clause import LawValue, implements
from core.domain.money import percent_for_reading
from plugins.wisconsin.stays import marketplace_cautions

NOT_A_PENALTY = frozenset({TAX, INTEREST, "returned_payment_fee"})


@implements("WIS-04")
def rate_cautions(rate: LawValue, law: Law, on: date) -> list[Caution]:
    """A room tax rate above the State's cap."""
    cap = law.ordinance("state.room_tax_cap", on)
    if rate.rate <= cap.rate:
        return []
    message = f"the rate {percent_for_reading(rate.rate)} is above the State's {percent_for_reading(cap.rate)}"
    return [Caution(cap.clause.section, message)]


@implements("WIS-06")
def authority_cautions(charges: Iterable[Charge], law: Law, on: date) -> list[Caution]:
    """Penalties that the ordinance has and the State does not name."""
    reading = law.reading("penalties_named_by_state", on)
    named = NOT_A_PENALTY | set(str(reading.value).split())
    kinds = sorted({charge.kind for charge in charges if charge.cents} - named)
    return [
        Caution(reading.clause.section, f"{kind.replace('_', ' ')}: authority not confirmed by counsel")
        for kind in kinds
    ]


@implements("WIS-07")
def time_limit_cautions(account: Account, law: Law, on: date) -> list[Caution]:
    """A return's tax can be determined anew in writing for four years after the due date only."""
    limit = law.ordinance("state.determination_years", on)
    last = add_months(account.deadlines.nominal, limit.number)
    if not account.returns or on <= last:
        return []
    return [Caution(limit.clause.section, f"the time for a written determination ended on {last}")]


def state_cautions(account: Account, charges: Iterable[Charge], rate: LawValue, law: Law, on: date) -> list[Caution]:
    """All of the State's limits that touch this account as of `on`."""
    determination = account.determination
    parts = determination.receipts if determination is not None else ()
    return [
        *marketplace_cautions(parts, law),
        *rate_cautions(rate, law, on),
        *time_limit_cautions(account, law, on),
        *authority_cautions(charges, law, on),
    ]
