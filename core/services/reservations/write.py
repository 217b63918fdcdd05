"""Writes draft returns: as JSON, as cases for `fisc assess`, and a table that says where each row went."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.contract.municipality import OpenMunicipality
from core.domain.errors import Fault, Refused
from core.domain.money import dollars
from core.services.reservations.draft import Draft, Part, Placement
from core.services.reservations.refusal import refused

ROWS_HEADER = ("line", "place", "nights", "amount", "periods", "counted_as", "reason")

# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_LONGEST_NAME = 60


def draft_as_values(draft: Draft) -> dict[str, Any]:
    """A draft as plain values; amounts are texts in dollars. `parts` stands there when the rate changes inside."""
    values: dict[str, Any] = {
        "place": draft.place,
        "municipality": draft.municipality,
        "tax": draft.tax.key,
        "period": draft.period.key,
        "nights": draft.nights,
        **_receipts(draft.parts, draft.tax.usual_line.key),
    }
    if len(draft.parts) > 1:
        values["parts"] = _parts(draft, with_nights=True)
    return {**values, "warnings": draft.warnings}


def draft_as_line(draft: Draft) -> str:
    """A draft as one line of JSON."""
    return json.dumps(draft_as_values(draft), ensure_ascii=False)


def return_event(draft: Draft, on: date) -> dict[str, Any]:
    """The event of a case that files this draft on a day."""
    event: dict[str, Any] = {"on": on.isoformat(), "type": "return_filed"}
    if len(draft.parts) > 1:
        return {**event, "parts": _parts(draft, with_nights=False)}
    return {**event, **_receipts(draft.parts, draft.tax.usual_line.key)}


@dataclass(frozen=True, slots=True)
class Filing:
    """How drafts become cases. Without a day the return is filed, and looked at, on its effective due date."""

    filed_on: date | None = None
    as_of: date | None = None
    resolutions: Mapping[str, str] | None = None


def draft_as_case(draft: Draft, municipality: OpenMunicipality, filing: Filing) -> dict[str, Any]:
    """A case for `fisc assess`: the draft filed as a return. Raises Refused where the days do not fit the period."""
    due = municipality.deadlines(draft.period).effective
    filed_on = filing.filed_on or due
    as_of = filing.as_of or max(filed_on, due)
    if filed_on <= draft.period.last_day:
        message = f"{filed_on} lies before the end of {draft.period.key}: name a later day, or the periods to draft"
        raise Refused([Fault("filed-on", message)])
    if as_of < filed_on:
        raise Refused([Fault("as-of", f"{as_of} lies before the filing of {draft.period.key} on {filed_on}")])
    return {
        "why": f"draft return of {draft.place} for {draft.period.key}, made from reservations",
        "municipality": draft.municipality,
        "tax": draft.tax.key,
        "period": draft.period.key,
        "as_of": as_of.isoformat(),
        "resolutions": dict(filing.resolutions or {}),
        "events": [return_event(draft, filed_on)],
    }


def cases_by_file_name(
    drafts: Sequence[Draft], municipality: OpenMunicipality, filing: Filing
) -> dict[str, dict[str, Any]]:
    """Each case under the name of its file. Raises Refused with every case that cannot be."""
    faults: list[Fault] = []
    cases: dict[str, dict[str, Any]] = {}
    slugs = place_slugs(draft.place for draft in drafts)
    for draft in drafts:
        try:
            case = draft_as_case(draft, municipality, filing)
            cases[f"{draft.municipality}-{slugs[draft.place]}-{draft.period.key}.json"] = case
        except Refused as refused:
            faults.extend(refused.faults)
    if faults:
        raise Refused(faults)
    return cases


def place_slugs(places: Iterable[str]) -> dict[str, str]:
    """A part of a file name for each place: small letters, digits and dashes. Two places never share one."""
    bare = {place: _slug(place) for place in places}
    shared = list(bare.values())
    return {
        place: slug if slug and shared.count(slug) == 1 else f"{slug or 'place'}-{_short_hash(place)}"
        for place, slug in bare.items()
    }


def write_cases(cases: Mapping[str, dict[str, Any]], folder: Path) -> list[Path]:
    """Writes each case into `folder`, which is made where it is missing, and gives the paths. Raises Refused."""
    _made(folder)
    paths = []
    for name, case in cases.items():
        _write(folder / name, json.dumps(case, ensure_ascii=False, indent=1) + "\n")
        paths.append(folder / name)
    return paths


def write_rows(placements: Iterable[Placement], path: Path) -> None:
    """Writes where each row went, as CSV. Raises Refused when the file cannot be written."""
    _write(path, rows_as_csv(placements))


def rows_as_csv(placements: Iterable[Placement]) -> str:
    """Where each row of the export went and why, as CSV with a header; no cell begins as a formula does."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(ROWS_HEADER)
    for line, place, nights, cents, shares, counted_as, reason in placements:
        periods = "; ".join(f"{key}: {count} for {dollars(part)}" for key, count, part in shares)
        amount = "" if cents is None else dollars(cents)
        row = (str(line), place, "" if nights is None else str(nights), amount, periods, counted_as, reason)
        writer.writerow([_no_formula(cell) for cell in row])
    return text.getvalue()


def _receipts(parts: Sequence[Part], usual: str) -> dict[str, Any]:
    gross = {line: sum(part.gross[line] for part in parts) for line in parts[0].gross}
    deductions = {line: sum(part.deductions[line] for part in parts) for line in parts[0].deductions}
    others = {line: dollars(cents) for line, cents in gross.items() if line != usual and cents}
    taken_off = {line: dollars(cents) for line, cents in deductions.items()}
    return {"gross_receipts": dollars(gross[usual]), **others, "deductions": taken_off}


def _parts(draft: Draft, with_nights: bool) -> list[dict[str, Any]]:
    return [
        {
            "first_night": part.first_night.isoformat(),
            "last_night": part.last_night.isoformat(),
            **({"nights": part.nights} if with_nights else {}),
            **_receipts([part], draft.tax.usual_line.key),
        }
        for part in draft.parts
    ]


def _slug(place: str) -> str:
    plain = unicodedata.normalize("NFKD", place).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_NAME].strip("-")


def _short_hash(place: str) -> str:
    return sha256(place.encode()).hexdigest()[:8]


def _no_formula(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(folder, f"cannot be made: {error.strerror}") from None


def _write(path: Path, text: str) -> None:
    """Writes a file whole or not at all, for its owner alone, and never through a link that stands under its name."""
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fisc-") as folder:
            written = Path(folder) / "written"
            # A return is confidential, its draft too.
            written.touch(mode=0o600)
            written.write_text(text, "utf-8", newline="")
            written.replace(path)
    except OSError as error:
        raise refused(path, f"cannot be written: {error.strerror}") from None
