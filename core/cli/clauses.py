"""fisc clauses: every clause, and where it is implemented and tested."""

from __future__ import annotations

import json

import click

from core.contract.loading import municipality_keys
from core.services.clauses.check import findings
from core.services.clauses.collect import collect
from core.services.clauses.write import as_text, as_values, write_pages


@click.command()
@click.option("--municipality", metavar="KEY", help="Only this municipality and the law it stands under.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
@click.option("--check", is_flag=True, help="Exit with status 1 when a claimed clause has no code or no test.")
@click.option("--write", is_flag=True, help="Write the table into the page of each plugin.")
def clauses(municipality: str | None, as_json: bool, check: bool, write: bool) -> None:
    """Show the clause table of every ordinance: clause, section, duty, where it is implemented and tested."""
    keys = municipality_keys() if municipality is None else (municipality,)
    reports = collect(keys)
    if write:
        for page in write_pages(reports):
            click.echo(f"written: {page}")
        return
    if as_json:
        click.echo(json.dumps(as_values(reports), ensure_ascii=False, indent=1))
    elif not check:
        for line in as_text(reports):
            click.echo(line)
    wrong = findings(reports, complete=municipality is None) if check else []
    for message in wrong:
        click.echo(message, err=True)
    if check and not wrong:
        click.echo(
            f"{sum(report.row.claim == 'implemented' for report in reports)} clauses claimed, each with code and test"
        )
    if wrong:
        raise SystemExit(1)
