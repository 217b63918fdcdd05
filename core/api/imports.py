"""A year of returns and payments in one sheet, as CSV or XLSX."""

from __future__ import annotations

from typing import Any

from flask import g, request

from core.auth.permissions import SHEET_IMPORT
from core.domain.errors import Fault, Refused
from core.schemas.imports import ImportOptions, ImportShown
from core.services.imports.import_returns import import_returns
from core.web.guarded import GuardedBlueprint

blueprint = GuardedBlueprint("imports", __name__, url_prefix="/api/v1", description="Sheets of returns and payments.")
LARGEST_SHEET = 21 * 1024 * 1024
LONGEST_NAME = 200
MOST_FAULTS_SHOWN = 1_000
SHEET: dict[str, Any] = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {"file": {"type": "string", "format": "binary"}},
            }
        }
    },
}


@blueprint.route("/municipalities/<key>/imports", methods=["POST"], permission=SHEET_IMPORT)
@blueprint.arguments(ImportOptions, location="query")
@blueprint.response(200, ImportShown)
@blueprint.doc(requestBody=SHEET)
def import_sheet(given: dict[str, Any], key: str) -> dict[str, Any]:
    """Import a sheet of returns, payments and other acts.

    Send it as the file `file` of a form. All of its rows are recorded or none, unless `partial`; each fault names line
    and column. Every row counts once, however often it is sent, so no key is needed.
    """
    visit = g.visit
    name, content = _sheet()
    partial, dry_run = given["sound_rows"], given["dry_run"]
    told = import_returns(
        visit.engines.app, visit.here, name, content, visit.recorded, partial=partial, dry_run=dry_run
    )
    shown = told.faults[:MOST_FAULTS_SHOWN]
    if told.faults and not (partial or dry_run):
        raise Refused([Fault(f"line {one.line}, {one.column or 'row'}", one.message) for one in shown])
    return {
        "number": told.number,
        "rows": told.rows,
        "recorded": told.recorded,
        "already": told.already,
        "faults": [one._asdict() for one in shown],
        "waiting": list(told.waiting),
    }


def _sheet() -> tuple[str, bytes]:
    """The name and the bytes of the file that was sent."""
    request.max_content_length = LARGEST_SHEET
    sent = request.files.get("file")
    if sent is None:
        raise Refused([Fault("file", "no sheet came with it: send a form with the CSV or XLSX file as `file`")])
    name = "".join(letter for letter in sent.filename or "" if letter.isprintable())[-LONGEST_NAME:]
    return name or "sheet.csv", sent.read()
