"""fisc returns: draft returns from reservations, and import a treasurer's sheet of returns and payments."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from core.cli.options import (
    Day,
    municipality_option,
    refusals_shown,
    resolution_option,
    resolved,
    with_installation,
)
from core.contract.loading import open_municipality
from core.domain.errors import Fault, Refused
from core.domain.money import dollars
from core.services.installation import Installation, Recorded
from core.services.reservations.draft import Draft, Drafted, draft_returns
from core.services.reservations.map import read_map
from core.services.reservations.write import (
    Filing,
    cases_by_file_name,
    draft_as_line,
    write_cases,
    write_rows,
)
from core.services.tenants.add import municipalities


@click.group()
def returns() -> None:
    """Make draft returns, and import returns and payments."""


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


@returns.command("import")
@click.argument("file", type=click.Path(path_type=Path), required=False, metavar="FILE.csv|.xlsx")
@click.option("--municipality", "key", required=True, metavar="KEY", help="The municipality.")
@click.option("--on", "today", type=Day(), help="The day on which it is recorded. Default: today there.")
@click.option("--by", default="treasurer", show_default=True, help="Who records it.")
@click.option("--partial", is_flag=True, help="Record the sound rows though others are at fault.")
@click.option("--dry-run", is_flag=True, help="Only say what is at fault.")
@click.option("--faults", type=click.Path(path_type=Path, dir_okay=False), help="Write the faults to this CSV file.")
@click.option("--template", type=click.Path(path_type=Path, dir_okay=False), help="Write the empty sheet and stop.")
@with_installation
def import_sheet(
    installed: Installation,
    file: Path | None,
    key: str,
    today: date | None,
    by: str,
    partial: bool,
    dry_run: bool,
    faults: Path | None,
    template: Path | None,
) -> None:
    """Record a year of returns and payments from one sheet. Nothing is recorded while a row is at fault."""
    from core.services.imports.import_returns import import_returns
    from core.services.imports.write_template import write_template

    with refusals_shown():
        tenant = municipalities(installed.app, key)[0]
        if today is None:
            today = datetime.now(ZoneInfo(tenant.time_zone)).date()
        if template is not None:
            write_template(installed.app, tenant, template, today)
            click.echo(f"{template}: the sheet, with a row for each return that is owed and not filed on {today}")
            return
        if file is None or not file.is_file():
            raise Refused([Fault("FILE", f"{file} is not a file: name the sheet")])
        if faults is not None:
            _require_no_other_file(faults)
        content = file.read_bytes()
        shown = click.progressbar(length=content.count(b"\n"), label=file.name, hidden=not sys.stderr.isatty())
        with shown as bar:
            told = import_returns(
                installed.app,
                tenant,
                file.name,
                content,
                Recorded(by, today),
                partial=partial,
                dry_run=dry_run,
                progress=bar.update,
            )
        for fault in told.faults:
            value = f" {fault.value!r}" if fault.value else ""
            click.echo(f"line {fault.line}, {fault.column or 'row'}:{value} {fault.message}", err=True)
        if faults is not None:
            _write_faults(faults, told.faults)
        for message in told.waiting:
            click.echo(f"Recorded, and waiting to be posted: {message}")
        done = "would be recorded" if dry_run else "recorded"
        click.echo(f"{told.rows} rows: {told.recorded} {done}, {told.already} there before, ", nl=False)
        click.echo(f"{len({fault.line for fault in told.faults})} at fault")
        if told.faults:
            if not partial:
                click.echo("Nothing was recorded: mend these rows, or record the others with --partial.")
            raise SystemExit(1)


_FAULT_COLUMNS = ("line", "column", "value", "message")


def _require_no_other_file(path: Path) -> None:
    """A list of faults may replace an earlier one and nothing else, least of all the sheet."""
    if path.exists() and path.read_bytes()[:200].removeprefix(b"\xef\xbb\xbf").split(b"\n")[0].strip() != (
        ",".join(_FAULT_COLUMNS).encode()
    ):
        raise Refused([Fault("--faults", f"{path} is there already and is no list of faults: name another file")])


def _write_faults(path: Path, faults: Iterable[tuple[int, str, str, str]]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_FAULT_COLUMNS)
        # A value that a spreadsheet would take for a formula stays a text.
        writer.writerows(
            [
                (line, column, f"'{value}" if value[:1] in "=+-@" else value, message)
                for line, column, value, message in faults
            ]
        )
