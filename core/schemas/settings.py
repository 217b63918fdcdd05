"""What a municipality sets for itself: resolutions, readings, its opening."""

from __future__ import annotations

from marshmallow import fields

from core.schemas.fields import Id, Key, Strict, day, left_out, some, words

MOST_AT_ONCE = 50


class OnDay(Strict):
    """What holds on which day; without it today."""

    on = day(load_default=left_out)


class RecordingShown(Strict):
    """A resolution or reading as it was recorded; the last three are null where it stands."""

    id = Id(required=True)
    value = fields.String(required=True)
    since = day(required=True)
    number = fields.String(required=True)
    reason = fields.String(required=True)
    recorded_by = fields.String(required=True)
    recorded_on = day(required=True)
    withdrawn_on = day(required=True, allow_none=True)
    withdrawn_by = fields.String(required=True, allow_none=True)
    withdrawal_reason = fields.String(required=True, allow_none=True)


class SettingShown(Strict):
    """Something that may be set: by a resolution of the council, or as a reading of the text.

    `unit` says how a value is written: "cents" an amount in dollars, "rate" a percentage, "flag" true or false.
    `value` is what holds on the day, null where nothing does; `source` is resolution, reading or default.
    """

    kind = fields.String(required=True)
    name = fields.String(required=True)
    title = fields.String(required=True)
    clause = fields.String(required=True)
    section = fields.String(required=True)
    unit = fields.String(required=True)
    set_by = fields.String(required=True)
    required = fields.Boolean(required=True)
    value = fields.String(required=True, allow_none=True)
    source = fields.String(required=True, allow_none=True)
    since = day(required=True, allow_none=True)
    reason = fields.String(required=True)
    recordings = fields.List(fields.Nested(RecordingShown), required=True)


class SettingsListed(Strict):
    """Everything that may be set. `lacking` names what has to be set before the municipality opens."""

    on = day(required=True)
    open_since = day(required=True, allow_none=True)
    lacking = fields.List(fields.String(), required=True)
    items = fields.List(fields.Nested(SettingShown), required=True)


class NewResolution(Strict):
    """What the council or board set, from a day on, with the number of the act; a value is in dollars or percent."""

    name = Key(required=True, metadata={"example": "late_filing_fee"})
    value = words(most=100, required=True, metadata={"example": "25.00"})
    since = day(required=True)
    number = words(most=100, required=True, metadata={"example": "2026-14"})


class NewResolutions(Strict):
    """Resolutions: all of them are recorded, or none."""

    resolutions = some(fields.Nested(NewResolution), most=MOST_AT_ONCE, required=True)
    note = words(most=1000, least=0, load_default="", metadata={"example": ""})


class NewReading(Strict):
    """How a doubtful passage is read from a day on, and why."""

    name = Key(required=True, metadata={"example": "saturday_is_business_day"})
    value = words(most=100, required=True, metadata={"example": "true"})
    since = day(required=True)
    reason = words(most=1000, required=True, metadata={"example": "the office is open on Saturdays"})


class NewReadings(Strict):
    """Readings: all of them are recorded, or none."""

    readings = some(fields.Nested(NewReading), most=MOST_AT_ONCE, required=True)


class SettingMade(Strict):
    """A setting that was recorded, and the id by which it can be withdrawn."""

    name = fields.String(required=True)
    id = Id(required=True)


class SettingsMade(Strict):
    """What was recorded."""

    settings = fields.List(fields.Nested(SettingMade), required=True)


class WithdrawalMade(Strict):
    """The id of the withdrawal."""

    id = Id(required=True)


class Opening(Strict):
    """The first day of business here."""

    on = day(required=True)


class Opened(Strict):
    """The day since which the municipality is open."""

    open_since = day(required=True)
