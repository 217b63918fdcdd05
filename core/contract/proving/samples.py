"""What the conformance kit asks about: days, stays, receipts, and period accounts on which much has happened.

Made up from a seed, so that the same kit asks the same questions; from what the plugin declares, so that it fits any.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from core.contract.declarations import Filer, Refund, Stay, Tax
from core.contract.law import Law
from core.contract.municipality import OpenMunicipality
from core.contract.settings import Resolution
from core.domain.account import Account
from core.domain.calendar import Period
from core.domain.charge import TAX
from core.domain.events import (
    FRAUD,
    NEGLIGENCE,
    Estimate,
    Event,
    Extension,
    Finding,
    Notice,
    Payment,
    PaymentReturned,
    ReturnFiled,
    Voided,
    Waiver,
)
from core.domain.fold import Fold, Statement
from core.domain.receipts import COMMERCIAL, Receipts
from core.domain.shares import Agreement, Collected

SEED = 20_260_401
ACCOUNTS_A_TAX = 100
EDGE_BASES = (0, 1, 2, 3, 99, 100, 9_999, 10_000, 33_333, 10**9 + 1, 10**15 - 1)
FURNISHED_BY = (COMMERCIAL, "hospital", "sanitarium", "nursing_home", "religious", "charitable", "educational")


class SampleAccount(NamedTuple):
    """An account with nothing recorded, what then happens on it, and the days on which to look at it."""

    account: Account
    events: tuple[Event, ...]
    days: tuple[date, ...]


def with_every_amount_set(municipality: OpenMunicipality) -> OpenMunicipality:
    """The municipality with a resolution for each amount that its law leaves to a council or board."""
    amounts: dict[str, int | Decimal] = {"cents": 2_500, "rate": Decimal("0.05")}
    slots = municipality.law.resolution_slots.values()
    return municipality.with_settings([Resolution(slot.key, amounts[slot.unit], date.min, "kit") for slot in slots])


def sample_years(law: Law) -> range:
    """Five years in which every value of the law is in force: those after its newest date."""
    newest = max(entry.value.since for listed in law.entries.values() for entry in listed if entry.absence is None)
    return range(newest.year + 1, newest.year + 6)


def rate_changes(law: Law, tax: Tax) -> list[date]:
    """The days on which the tax's rate changes while every other value is in force."""
    starts = [
        min(known)
        for listed in law.entries.values()
        if (known := [entry.value.since for entry in listed if entry.absence is None])
    ]
    complete = max(starts)
    return [
        entry.value.since for entry in law.entries[tax.rate_key] if not entry.absence and entry.value.since > complete
    ]


def sample_periods(law: Law, tax: Tax) -> list[Period]:
    """The periods of the sample years, and each in which the rate changes."""
    changed = [tax.frequency.containing(day) for day in rate_changes(law, tax)]
    return [*changed, *[period for year in sample_years(law) for period in tax.frequency.of_year(year)]]


def sample_stays(law: Law) -> Iterator[list[Stay]]:
    """Stays of one to 100 nights, in the order of their length, from several days of arrival."""
    year = sample_years(law)[0]
    for arrival in (date(year, 1, 1), date(year, 1, 31), date(year, 2, 1), date(year, 7, 15), date(year, 12, 3)):
        yield [Stay(arrival, arrival + timedelta(days=nights)) for nights in range(1, 101)]


def sample_receipts(law: Law, tax: Tax, period: Period, chance: random.Random) -> tuple[Receipts, ...]:
    """Receipts of a period, divided at each change of the rate; no more is deducted than there is."""
    parts = []
    for _, first, last in law.spans(tax.rate_key, period.first_day, period.last_day):
        gross = tuple([(line.key, chance.randrange(10 ** chance.randint(1, 8))) for line in tax.receipts])
        left = sum(cents for _, cents in gross)
        deductions = []
        for line in tax.deductions:
            if left and chance.getrandbits(1):
                cents = chance.randint(0, left)
                deductions.append((line.key, cents))
                left -= cents
        parts.append(
            Receipts(first, last, gross, tuple(deductions), chance.choice(FURNISHED_BY), bool(chance.getrandbits(1)))
        )
    return tuple(parts)


def sample_accounts(municipality: OpenMunicipality, tax: Tax) -> Iterator[SampleAccount]:
    """Accounts of a tax, each with up to nine acts that the law allows, in the order of recording."""
    chance = random.Random(f"{SEED} {tax.key}")  # noqa: S311 - samples, no secrets
    periods = sample_periods(municipality.law, tax)
    for number in range(ACCOUNTS_A_TAX):
        period = periods[number] if number < len(periods) else chance.choice(periods)
        inputs = {total.key: chance.choice((None, 0, chance.randrange(10**6))) for total in tax.inputs}
        account = municipality.open_account(tax.key, period, inputs)
        events = tuple(_acts(municipality, tax, account, chance))
        last = max([event.recorded for event in events], default=period.last_day)
        due = account.deadlines.effective
        days = {due, due + timedelta(days=1), due + timedelta(days=45), last, last + timedelta(days=400)}
        yield SampleAccount(account, events, tuple(sorted(days)))


def _acts(municipality: OpenMunicipality, tax: Tax, account: Account, chance: random.Random) -> Iterator[Event]:
    making = Fold(account, municipality)
    recorded = account.period.last_day
    for seq in range(chance.randint(0, 9)):
        recorded += timedelta(days=chance.choice((0, 1, 5, 20, 40)))
        on = max(account.period.first_day, recorded - timedelta(days=chance.choice((0, 0, 0, 3, 30))))
        act = _act(municipality, tax, making.account, seq, on, recorded, chance)
        if act is not None and not municipality.objections(making.account, act):
            making.record(act)
            yield act


def _act(
    municipality: OpenMunicipality,
    tax: Tax,
    account: Account,
    seq: int,
    on: date,
    recorded: date,
    chance: random.Random,
) -> Event | None:
    when = (seq, on, recorded)
    kind = chance.choice(
        (ReturnFiled, ReturnFiled, Estimate, Payment, Payment, Payment, PaymentReturned, Voided)
        + (Waiver, Extension, Notice, Finding, Finding)
    )
    if kind is ReturnFiled or kind is Estimate:
        return kind(*when, sample_receipts(municipality.law, tax, account.period, chance))
    if kind is Payment:
        return Payment(*when, chance.randint(1, 10 ** chance.randint(1, 7)))
    if kind is PaymentReturned or kind is Voided:
        if not account.payments:
            return None
        paid = chance.choice(account.payments)
        day = max(on, paid.on)
        if kind is Voided:
            return Voided(seq, day, recorded, paid.seq)
        return PaymentReturned(seq, day, recorded, paid.seq, paid.on, paid.cents)
    if kind is Waiver:
        waivable = [name for name in municipality.application_order if name != TAX]
        return Waiver(*when, chance.choice(waivable), chance.randint(1, 20_000), "kit") if waivable else None
    if kind is Extension:
        return Extension(*when, account.deadlines.nominal + timedelta(days=chance.randint(1, 31)))
    if kind is Notice:
        return Notice(*when)
    return Finding(*when, chance.choice((NEGLIGENCE, FRAUD)), "kit", "kit")


def statements(
    municipality: OpenMunicipality, samples: Iterable[SampleAccount]
) -> Iterator[tuple[SampleAccount, Statement]]:
    """Each sample account on each of its days."""
    for sample in samples:
        for day in sample.days:
            yield sample, municipality.statement(sample.account, sample.events, day)


def sample_bases(count: int, law: Law) -> Iterator[Collected]:
    """`count` bases in cents, from nothing to very large, every second one under an agreement."""
    chance = random.Random(SEED)  # noqa: S311 - samples, no secrets
    days = [date(year, month, 15) for year in sample_years(law) for month in (1, 6, 12)]
    for number in range(count):
        on = days[number % len(days)]
        cents = EDGE_BASES[number] if number < len(EDGE_BASES) else chance.randrange(10 ** chance.randint(1, 15))
        if number % 2:
            share = Decimal(chance.randint(0, 10_000)).scaleb(-4)
            yield Collected(cents, on, (Agreement("kit", "the payee", share, on, on + timedelta(days=200)),))
        else:
            yield Collected(cents, on)


def sample_refunds(law: Law) -> Iterator[Refund]:
    """Refunds soon and late, of payments before and after the due date, with each reason to bear no interest."""
    due = date(sample_years(law)[0], 4, 30)
    for cents in (0, 1, 9_999, 10**9):
        for paid, back in ((-20, 5), (0, 40), (15, 400)):
            days = (due, due + timedelta(days=paid), due + timedelta(days=back))
            yield Refund(cents, *days)
            yield Refund(cents, *days, intentional_or_careless=True)
            yield Refund(cents, *days, complete_return=False)


def sample_filers() -> Iterator[Filer]:
    """Filers with and without a delinquency, whose highest period is or is not known."""
    for delinquent in (0, 1, 400_000, 10**8):
        for highest in (None, 0, 250_000):
            yield Filer(delinquent, highest)
