"""Describes a municipality as anybody may see it: its taxes, the lines of their returns, and a year's dates."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from sqlalchemy import Engine

from core.contract.declarations import Tax
from core.contract.municipality import OpenMunicipality
from core.db.unit_of_work import reading
from core.domain.calendar import Deadlines, Period
from core.domain.errors import ValueNotInForce
from core.services.filing.years import annual_period
from core.services.tenants.add import municipalities
from core.tenants.directory import Tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.openings import opened_on


class DatesOfPeriod(NamedTuple):
    """A period of the year, or the year of the annual return, with its dates."""

    period: Period
    dates: Deadlines


class TaxDescribed(NamedTuple):
    """A tax with a year's periods; those for which the law has no dates are left out."""

    tax: Tax
    dates: tuple[DatesOfPeriod, ...]


class Described(NamedTuple):
    """A municipality; `open_since` is None while it does not do its business here yet.

    `kinds` are the kinds of charge in the order in which a payment is applied to them.
    """

    tenant: Tenant
    open_since: date | None
    kinds: tuple[str, ...]
    taxes: tuple[TaxDescribed, ...]


def describe(engine: Engine, key: str, year: int) -> Described:
    """The municipality with this key, and the dates of a calendar year. Raises TenantUnknown."""
    tenant = municipalities(engine, key)[0]
    with reading(engine, tenant.id) as uow:
        municipality = open_tenant(uow, key)
        since = opened_on(uow)
    taxes = tuple(TaxDescribed(tax, _dates(municipality, tax, year)) for tax in municipality.taxes.values())
    return Described(tenant, since, municipality.application_order, taxes)


def _dates(municipality: OpenMunicipality, tax: Tax, year: int) -> tuple[DatesOfPeriod, ...]:
    found = []
    try:
        periods = [*tax.frequency.of_year(year), annual_period(municipality, None, year)]
    except ValueNotInForce:
        periods = [*tax.frequency.of_year(year)]
    for period in periods:
        try:
            found.append(DatesOfPeriod(period, municipality.deadlines(period)))
        except ValueNotInForce:
            continue
    return tuple(found)
