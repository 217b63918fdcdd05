"""A municipality as anybody may see it: its taxes, the lines of their returns, and when they are due."""

from __future__ import annotations

from marshmallow import fields

from core.schemas.fields import Strict, day, left_out, whole

FIRST_YEAR, LAST_YEAR = 1990, 2190


class OfYear(Strict):
    """The calendar year whose dates are asked for; without it the present one."""

    year = whole(FIRST_YEAR, LAST_YEAR, load_default=left_out)


class MunicipalityListed(Strict):
    """A municipality of this instance: its key stands in every path below it."""

    key = fields.String(required=True)
    name = fields.String(required=True)
    time_zone = fields.String(required=True)
    closed_on = day(required=True, allow_none=True)


class MunicipalitiesListed(Strict):
    """The municipalities of this instance, by key."""

    items = fields.List(fields.Nested(MunicipalityListed), required=True)


class LineShown(Strict):
    """A line of a return: `key` is what a return calls it."""

    key = fields.String(required=True)
    title = fields.String(required=True)
    clause = fields.String(required=True)
    section = fields.String(required=True)


class ChargeKind(Strict):
    """A kind of charge, in the order in which a payment is applied to them."""

    key = fields.String(required=True)
    title = fields.String(required=True)


class DueShown(Strict):
    """A period and its dates: `due_on` as the text has it, `met_by` where it falls on a business day."""

    period = fields.String(required=True)
    first_day = day(required=True)
    last_day = day(required=True)
    due_on = day(required=True)
    met_by = day(required=True)
    longest_extension = day(required=True)
    sections = fields.List(fields.String(), required=True)


class TaxShown(Strict):
    """A tax: the lines of its return, its kinds of charge, and the dates of a year's periods."""

    key = fields.String(required=True)
    title = fields.String(required=True)
    frequency = fields.String(required=True)
    receipts = fields.List(fields.Nested(LineShown), required=True)
    deductions = fields.List(fields.Nested(LineShown), required=True)
    charges = fields.List(fields.Nested(ChargeKind), required=True)
    deadlines = fields.List(fields.Nested(DueShown), required=True)


class MunicipalityDescribed(MunicipalityListed):
    """A municipality with its taxes. `open_since` is null while it does not do its business here yet."""

    open_since = day(required=True, allow_none=True)
    year = fields.Integer(required=True)
    taxes = fields.List(fields.Nested(TaxShown), required=True)
