"""Filers and their places of business."""

from __future__ import annotations

from marshmallow import fields, validate

from core.schemas.fields import Flag, Id, Key, Strict, day, left_out, some, whole, words
from core.schemas.paging import Cursor, Paging, next_field


class FilerWritten(Strict):
    """What a change puts in place of what was known; all of it is given."""

    name = words(required=True, metadata={"example": "Lake House LLC"})
    address = words(most=500, least=0, required=True)
    email = words(most=254, least=0, required=True)
    phone = words(most=50, least=0, required=True)
    year_end_month = whole(1, 12, required=True, allow_none=True)


class NewFiler(Strict):
    """A filer to be entered. The month in which its year ends may wait for its first return."""

    name = words(required=True, metadata={"example": "Lake House LLC"})
    address = words(most=500, least=0, load_default="")
    email = words(most=254, least=0, load_default="")
    phone = words(most=50, least=0, load_default="")
    year_end_month = whole(1, 12, load_default=None, allow_none=True)


class Entered(Strict):
    """What was entered: its id, its number here, and the version of its details."""

    id = Id(required=True)
    number = fields.Integer(required=True)
    version = fields.Integer(required=True)


class FilerShown(Entered):
    """A filer. `version` is its ETag."""

    name = fields.String(required=True)
    address = fields.String(required=True)
    email = fields.String(required=True)
    phone = fields.String(required=True)
    year_end_month = fields.Integer(required=True, allow_none=True)


class FilersSought(Paging):
    """Filers whose name begins so, whatever the case and the accents."""

    name = words(most=200, least=0, load_default="")
    cursor = Cursor("text", "id")


class FilersListed(Strict):
    """A page of filers, by name."""

    items = fields.List(fields.Nested(FilerShown), required=True)
    next = next_field()


class FilerVersion(Strict):
    """A version of a filer's details as it stood."""

    version = fields.Integer(required=True)
    name = fields.String(required=True)
    address = fields.String(required=True)
    email = fields.String(required=True)
    phone = fields.String(required=True)
    year_end_month = fields.Integer(required=True, allow_none=True)
    recorded_by = fields.String(required=True)
    recorded_on = day(required=True)


class FilerVersions(Strict):
    """Every version of a filer's details, the oldest first."""

    items = fields.List(fields.Nested(FilerVersion), required=True)


class PlaceWritten(Strict):
    """What a change puts in place of what was known; all of it is given."""

    name = words(required=True, metadata={"example": "Lake House"})
    address = words(most=500, least=0, required=True)
    furnished_by = Key(required=True, metadata={"example": "commercial"})
    private_benefit = Flag(required=True)


class NewPlace(Strict):
    """A place of business to be entered: open from a day on, and owing these taxes from then."""

    filer = Id(required=True)
    name = words(required=True, metadata={"example": "Lake House"})
    address = words(most=500, least=0, load_default="")
    furnished_by = Key(load_default="commercial", metadata={"example": "commercial"})
    private_benefit = Flag(load_default=True)
    opened_on = day(required=True)
    taxes = some(Key(), most=20, required=True, metadata={"example": ["room_tax"]})


class TaxOwed(Strict):
    """A tax and the day from which the place owes it."""

    tax = fields.String(required=True)
    since = day(required=True)


class NewTaxOwed(Strict):
    """One more tax that the place owes from a day on."""

    tax = Key(required=True, metadata={"example": "room_tax"})
    since = day(required=True)


class FactShown(Strict):
    """A fact that stands: it opened on `first_day`, closed at its end, or is closed for a season."""

    seq = fields.Integer(required=True)
    kind = fields.String(required=True)
    first_day = day(required=True)
    last_day = day(required=True, allow_none=True)


class NewFact(Strict):
    """A fact: an opening again, a closing (its last day open), or a closed season with both its days."""

    kind = fields.String(required=True, validate=validate.OneOf(["opening", "closing", "seasonal_closure"]))
    first_day = day(required=True)
    last_day = day(load_default=None, allow_none=True)


class FactMade(Strict):
    """The number of the fact among those of its place."""

    seq = fields.Integer(required=True)


class Reason(Strict):
    """Why something was recorded in error."""

    reason = words(most=1000, required=True, metadata={"example": "entered for another place"})


class FactWithdrawn(Strict):
    """The fact that counts no more."""

    withdrawn = fields.Integer(required=True)


class PlaceShown(Entered):
    """A place of business. `version` is its ETag; `is_open` says whether it is open today."""

    filer = Id(required=True)
    name = fields.String(required=True)
    address = fields.String(required=True)
    furnished_by = fields.String(required=True)
    private_benefit = fields.Boolean(required=True)
    is_open = fields.Boolean(required=True)
    taxes = fields.List(fields.Nested(TaxOwed), required=True)
    facts = fields.List(fields.Nested(FactShown), required=True)


class PlacesSought(Paging):
    """The places of a filer, or all."""

    filer = Id(load_default=left_out)
    cursor = Cursor("number")


class PlacesListed(Strict):
    """A page of places, by number."""

    items = fields.List(fields.Nested(PlaceShown), required=True)
    next = next_field()
