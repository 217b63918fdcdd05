"""fisc assess: what is owed on worked cases."""

from __future__ import annotations

from pathlib import Path

import click

from core.domain.errors import FiscError
from core.services.cases.read import read_case
from core.services.cases.write import answer, as_json, as_text, refusal, refusal_as_text


@click.command()
@click.argument("cases", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CASE.json...")
@click.option("--text", is_flag=True, help="Print a statement for people instead of JSON.")
@click.option("--notes", is_flag=True, help="Add what was waived, and what an officer should know, to the JSON.")
def assess(cases: tuple[Path, ...], text: bool, notes: bool) -> None:
    """Work out what is owed on each case, in the order of the arguments, one JSON object a line.

    The exit status is 1 when a case is refused or lacks an amount that a council or board must set.
    """
    failed = False
    for number, path in enumerate(cases):
        if text and number:
            click.echo()
        try:
            case = read_case(path)
            statement = case.statement()
            click.echo(as_text(case, statement) if text else as_json(answer(case, statement, notes)))
        except FiscError as error:
            failed = True
            click.echo(refusal_as_text(error) if text else as_json(refusal(error)))
    if failed:
        raise SystemExit(1)
