"""How an amount collected is shared."""

from __future__ import annotations

from datetime import date

from core.contract.municipality import OpenMunicipality
from core.domain.errors import Fault, Refused
from core.domain.shares import Agreement, Collected, Distribution, overlapping


def distribute(
    municipality: OpenMunicipality, collected_cents: int, on: date, agreements: tuple[Agreement, ...] = ()
) -> Distribution:
    """The shares of tax collected, in cents. Raises Refused for an agreement that cannot stand here."""
    faults = []
    if agreements and not municipality.declared.shares_by_agreement:
        name = municipality.declared.name
        faults.append(Fault("agreement", f"{name} shares by its ordinance, not by agreement: leave the agreement out"))
    faults += [
        Fault("agreement", f"agreement {one.number} ends on {one.last_day}, before it begins: correct its term")
        for one in agreements
        if one.last_day < one.first_day
    ]
    faults += [
        Fault("agreement", f"agreements {one.number} and {other.number} share days: end one before the other begins")
        for one, other in overlapping(agreements)
    ]
    if faults:
        raise Refused(faults)
    return municipality.distribution(Collected(collected_cents, on, agreements))
