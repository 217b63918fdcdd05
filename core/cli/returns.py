"""fisc returns: draft returns from a property-management system's reservations."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import click

from core.cli.options import Day, municipality_option, refusals_shown, resolution_option, resolved
from core.contract.loading import open_municipality
from core.domain.errors import Fault, Refused
from core.domain.money import dollars
from core.services.reservations.draft import Draft, Drafted, draft_returns
from core.services.reservations.map import read_map
from core.services.reservations.write import (
    Filing,
    cases_by_file_name,
    draft_as_line,
    write_cases,
    write_rows,
)


@click.group()
def returns() -> None:
    """Make draft returns."""


@returns.command("from-reservations")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.csv|.xlsx")
@click.option(
    "--map",
    "map_path",
    required=True,
    type=click.Path(path_type=Path),
    metavar="MAP.toml",
    help="What each column of the file means.",
)
@municipality_option
@click.option(
    "--period",
    "periods",
    multiple=True,
    metavar="PERIOD",
    help="Draft this period only; may be given more than once. Default: every period with a night.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write each draft as a case for `fisc assess` into this folder.",
)
@click.option("--rows", type=click.Path(path_type=Path), metavar="FILE.csv", help="Write which row went where and why.")
@click.option("--filed-on", type=Day(), help="With --out: the day of filing. Default: the effective due date.")
@click.option("--as-of", type=Day(), help="With --out: the day to assess. Default: filing or due date, the later.")
@resolution_option
def from_reservations(
    file: Path,
    map_path: Path,
    key: str,
    periods: tuple[str, ...],
    out: Path | None,
    rows: Path | None,
    filed_on: date | None,
    as_of: date | None,
    resolutions: tuple[tuple[str, str], ...],
) -> None:
    """Make draft returns of a reservation export, one for each place and filing period.

    Prints one JSON object a line for each draft. Receipts are counted by night of stay; cancelled rows are left out;
    long stays, and what the map says, go to their lines of deductions. When anything in the file is at fault, every
    fault is listed, nothing is written, and the exit status is 1.
    """
    with refusals_shown():
        if rows and rows.exists() and file.exists() and rows.samefile(file):
            raise Refused([Fault("rows", f"{rows} is the file that is read: name another")])
        amounts = resolved(resolutions)
        municipality = open_municipality(key).with_settings(amounts)
        drafted = draft_returns(file, read_map(map_path), municipality)
        drafts = _of_periods(drafted.drafts, periods)
        filing = Filing(filed_on, as_of, {amount.key: dollars(int(amount.value)) for amount in amounts})
        cases = cases_by_file_name(drafts, municipality, filing) if out else {}
        if rows:
            write_rows(drafted.placements, rows)
        if out:
            write_cases(cases, out)
    for draft in drafts:
        click.echo(draft_as_line(draft))
    _sum_up(drafted)


def _of_periods(drafts: tuple[Draft, ...], wanted: tuple[str, ...]) -> tuple[Draft, ...]:
    if not wanted:
        return drafts
    there = sorted({draft.period.key for draft in drafts})
    faults = [
        Fault("period", f"{key!r} has no draft: there are {', '.join(there) or '(none)'}")
        for key in wanted
        if key not in there
    ]
    if faults:
        raise Refused(faults)
    return tuple(draft for draft in drafts if draft.period.key in wanted)


def _sum_up(drafted: Drafted) -> None:
    """Says on stderr where the rows went, so that a wrong map shows even without --rows."""
    counts = Counter(placement.counted_as for placement in drafted.placements)
    listed = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
    click.echo(f"{len(drafted.placements):,} rows: {listed or 'none'}", err=True)
    for warning in drafted.warnings:
        click.echo(f"warning: {warning}", err=True)
