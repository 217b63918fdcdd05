"""fisc demo: two real hotels through four periods under every ordinance installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

import core
from core.cli.options import refusals_shown
from core.contract.loading import municipality_keys, open_municipality
from core.domain.money import dollars_for_reading
from core.services.cases.write import as_text
from core.services.demo.year import Year, demonstrate

DATA = Path(core.__file__).parent.parent / "tests" / "data" / "reservations"


@click.command()
@click.option("--municipality", metavar="KEY", help="Only this municipality.")
def demo(municipality: str | None) -> None:
    """Take two real hotels through four periods under each ordinance: what is owed, and how the tax is shared."""
    keys = municipality_keys() if municipality is None else (municipality,)
    with refusals_shown():
        for key in keys:
            year = demonstrate(DATA / "reservations.csv", DATA / "map.toml", open_municipality(key))
            for line in _lines(year):
                click.echo(line)


def _lines(year: Year) -> Iterator[str]:
    name = year.municipality.declared.name
    yield f"{'=' * 100}\n{name}\n{'=' * 100}"
    for account in year.accounts:
        yield f"\n--- {account.place}, {account.case.period.key}: {account.habit}"
        yield as_text(account.case, account.statement)
    yield f"\n--- {name}: tax collected {dollars_for_reading(year.collected_cents)}, shared"
    for share in year.shares.shares:
        held = " (held)" if share.held else ""
        cited = f"{share.clause.section} [{share.clause.id}]"
        yield f"{share.payee + held:<42} {dollars_for_reading(share.cents):>14}   {cited}"
        yield f"    {share.words}"
    for warning in year.shares.warnings:
        yield f"Note: {warning}"
    yield ""
