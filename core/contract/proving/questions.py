"""Every hook asked about the samples, and answers taken apart so that they can be compared and searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from core.contract.declarations import Tax
from core.contract.law import Law
from core.contract.municipality import OpenMunicipality
from core.contract.proving.samples import (
    SampleAccount,
    sample_accounts,
    sample_bases,
    sample_filers,
    sample_periods,
    sample_refunds,
    sample_stays,
    sample_years,
    statements,
)
from core.domain.calendar import Election
from core.domain.clause import Clause
from core.domain.fold import Statement

# What an open municipality has asked already when it was opened.
_ASKED_AT_OPENING = {
    "municipality": "declared",
    "law": "law",
    "taxes": "taxes",
    "application_order": "application_order",
}
_OTHER_NAMES = {"long_stay": "is_long_stay", "business_days": "is_business_day"}


class Question(NamedTuple):
    """A hook and what it is asked about."""

    hook: str
    about: tuple[Any, ...] = ()

    def ask(self, municipality: OpenMunicipality) -> Any:
        """The answer of this municipality. Raises ContractBroken."""
        if self.hook in _ASKED_AT_OPENING:
            return getattr(municipality, _ASKED_AT_OPENING[self.hook])
        return getattr(municipality, _OTHER_NAMES.get(self.hook, self.hook))(*self.about)


def questions(municipality: OpenMunicipality) -> Iterator[Question]:
    """Every hook asked about the samples: the same questions for the same plugin."""
    law = municipality.law
    for hook in (*_ASKED_AT_OPENING, "scheduled_fees"):
        yield Question(hook)
    yield from _of_days(law)
    for refund in sample_refunds(law):
        yield Question("refund_interest", (refund,))
    for filer in sample_filers():
        yield Question("security_demand", (filer, date(sample_years(law)[0], 7, 1)))
    yield Question("agreement_terms", (date(sample_years(law)[0], 7, 1),))
    for base in sample_bases(60, law):
        yield Question("distribution", (base,))
    for tax in municipality.taxes.values():
        yield from _of_tax(municipality, tax)


def _of_days(law: Law) -> Iterator[Question]:
    years = sample_years(law)
    for day in range(date(years[0], 1, 1).toordinal(), date(years[1], 12, 31).toordinal()):
        yield Question("business_days", (date.fromordinal(day),))
    for year in years:
        for month in (12, 6):
            yield Question("annual_return", (Election(month), year))
    for stays in sample_stays(law):
        for stay in stays:
            yield Question("long_stay", (stay,))


def _of_tax(municipality: OpenMunicipality, tax: Tax) -> Iterator[Question]:
    yield Question("chart", (tax.key,))
    for period in sample_periods(municipality.law, tax):
        yield Question("deadlines", (period,))
    for sample, statement in statements(municipality, sample_accounts(municipality, tax)):
        account, day = statement.account, statement.as_of
        determination = account.determination
        for part in determination.receipts if determination is not None else ():
            yield Question("taxability", (part,))
        for hook in ("charges", "exposures", "cautions"):
            yield Question(hook, (account, day))
        for act in sample.events:
            yield Question("objections", (account, act))


def sample_statements(municipality: OpenMunicipality) -> Iterator[tuple[SampleAccount, Statement]]:
    """The sample accounts of every tax on each of their days."""
    for tax in municipality.taxes.values():
        yield from statements(municipality, sample_accounts(municipality, tax))


def plain(value: object) -> object:
    """An answer as nested tuples. A function is named, not compared."""
    if value is None or isinstance(value, bool | int | float | str | Decimal | Fraction | date | timedelta):
        return value
    if isinstance(value, Mapping):
        return ("mapping", *[(plain(key), plain(item)) for key, item in value.items()])
    if isinstance(value, frozenset | set):
        return ("set", *sorted([plain(item) for item in value], key=repr))
    if isinstance(value, tuple | list):
        return (type(value).__name__, *[plain(item) for item in value])
    if is_dataclass(value):
        compared = [field.name for field in fields(value) if field.compare]
        return (type(value).__name__, *[plain(getattr(value, name)) for name in compared])
    if callable(value):
        return "function"
    names = getattr(type(value), "__slots__", None) or vars(value)
    return (type(value).__name__, *[plain(getattr(value, name)) for name in names])


def leaves(value: object) -> Iterator[object]:
    """Every single value in what `plain` gave."""
    if isinstance(value, tuple):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def clauses_in(value: object) -> Iterator[Clause]:
    """Every clause in an answer, however deep."""
    if isinstance(value, Clause):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from clauses_in(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from clauses_in(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from clauses_in(getattr(value, field.name))
