"""A treasurer's sheet, imported."""

from __future__ import annotations

from marshmallow import fields

from core.schemas.fields import Flag, Strict


class ImportOptions(Strict):
    """What becomes of a sheet with faults: `partial` records the sound rows, `dry_run` records nothing at all."""

    sound_rows = Flag(data_key="partial", load_default=False)
    dry_run = Flag(load_default=False)


class RowFaultShown(Strict):
    """What is wrong with a row: its line in the file, the column, what stands there, and what to do."""

    line = fields.Integer(required=True)
    column = fields.String(required=True)
    value = fields.String(required=True)
    message = fields.String(required=True)


class ImportShown(Strict):
    """What became of a sheet: its rows, those recorded now, those that were there before, and the faults."""

    number = fields.Integer(required=True, allow_none=True)
    rows = fields.Integer(required=True)
    recorded = fields.Integer(required=True)
    already = fields.Integer(required=True)
    faults = fields.List(fields.Nested(RowFaultShown), required=True)
    waiting = fields.List(fields.String(), required=True)
