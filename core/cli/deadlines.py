"""fisc deadlines: when returns are due."""

from __future__ import annotations

import json

import click

from core.cli.options import chosen, municipality_option, reading_option, refusals_shown
from core.contract.loading import open_municipality
from core.services.rules.deadlines import Due, deadlines_of_year


@click.command()
@municipality_option
@click.option("--year", required=True, type=click.IntRange(1900, 9990), help="The calendar year of the periods.")
@click.option(
    "--year-end-month", default=12, type=click.IntRange(1, 12), help="The month in which the filer's elected year ends."
)
@reading_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def deadlines(key: str, year: int, year_end_month: int, readings: tuple[tuple[str, str], ...], as_json: bool) -> None:
    """Show when each return of a year is due, on which business day it is met, and how far it can be extended."""
    with refusals_shown():
        municipality = open_municipality(key)
        municipality = municipality.with_settings(readings=chosen(readings, municipality.law))
        dues = deadlines_of_year(municipality, year, year_end_month)
    if as_json:
        click.echo(json.dumps([_values(due) for due in dues], ensure_ascii=False, indent=1))
        return
    click.echo(f"{municipality.declared.name}, {year}")
    click.echo(f"{'return':<28} {'due':<11} {'met by':<11} {'extended to':<12} section")
    for due in dues:
        longest = due.longest_extension.isoformat() if due.longest_extension else ""
        click.echo(f"{due.title:<28} {due.nominal} {due.effective:%Y-%m-%d}  {longest:<12} {_sections(due)}")


def _sections(due: Due) -> str:
    return "; ".join(dict.fromkeys(f"{clause.section} [{clause.id}]" for clause in due.clauses))


def _values(due: Due) -> dict[str, object]:
    return {
        "return": due.title,
        "due_date": due.nominal.isoformat(),
        "effective_due_date": due.effective.isoformat(),
        "longest_extension": due.longest_extension.isoformat() if due.longest_extension else None,
        "clauses": [{"clause": clause.id, "section": clause.section} for clause in due.clauses],
    }
