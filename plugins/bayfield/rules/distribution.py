"""How Bayfield's room tax is shared with the Chamber of Commerce (§ 54-19(B); READINGS 23 to 25)."""

from __future__ import annotations

from datetime import date

from core.contract.declarations import AgreementTerms
from core.contract.law import Law
from core.domain.clause import Words, implements
from core.domain.money import percent_for_reading
from core.domain.shares import Collected, Distribution, Share, part_rounded_up

CHAMBER = "Bayfield Chamber of Commerce"
GENERAL_FUND = "General fund"


def agreement_terms(law: Law, on: date) -> list[AgreementTerms]:
    """The yearly agreement with the Chamber: at most a year (READINGS 25)."""
    longest = law.ordinance("agreement.longest_months", on)
    return [AgreementTerms(CHAMBER, longest.number, longest.clause)]


@implements("BAY-19B2")
def distribution(collected: Collected, law: Law) -> Distribution:
    """The Chamber's percentage under the agreement in force, rounded up to the cent; the rest to the general fund.

    With no agreement in force the whole base is held as a liability and nobody is paid.
    """
    agreed = law.clause("BAY-19B2")
    agreement = next((one for one in collected.agreements if collected.on in one), None)
    if agreement is None:
        words = Words("no agreement is in force on {0:day}: {1:money} is held", (collected.on, collected.cents))
        warning = f"{agreed.section}: record the yearly agreement with the Chamber; until then nothing is paid"
        return Distribution((Share(CHAMBER, collected.cents, agreed, words, held=True),), (warning,))
    chamber = part_rounded_up(collected.cents, agreement.share.as_integer_ratio())
    retained = collected.cents - chamber
    shares = (
        Share(
            CHAMBER,
            chamber,
            agreed,
            Words(
                "{0:money} x {1:percent} (agreement {2}), any part of a cent up = {3:money}",
                (collected.cents, agreement.share, agreement.number, chamber),
            ),
        ),
        Share(
            GENERAL_FUND,
            retained,
            agreed,
            Words("{0:money} - {1:money} = {2:money}", (collected.cents, chamber, retained)),
        ),
    )
    longest = law.ordinance("agreement.longest_months", collected.on)
    warning_rate = law.ordinance("agreement.retained_warning_rate", collected.on)
    warnings = []
    if agreement.is_longer_than(longest.number):
        warnings.append(f"{agreed.section}: agreement {agreement.number} runs for more than {longest.number} months")
    if 1 - agreement.share > warning_rate.rate:
        warnings.append(
            f"{agreed.section}: the City keeps {percent_for_reading(1 - agreement.share)}, more than "
            f"{percent_for_reading(warning_rate.rate)}: state law may tie what it keeps to an older dollar amount"
        )
    return Distribution(shares, tuple(warnings))
