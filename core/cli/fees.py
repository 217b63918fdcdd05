"""fisc fees: the fees for applications and services."""

from __future__ import annotations

from datetime import date

import click

from core.cli.options import Day, municipality_option, refusals_shown, resolution_option, resolved
from core.contract.loading import open_municipality
from core.domain.errors import ResolutionMissing
from core.domain.money import dollars_for_reading


@click.command()
@municipality_option
@click.option("--on", required=True, type=Day(), help="The day on which the fee falls due.")
@resolution_option
def fees(key: str, on: date, resolutions: tuple[tuple[str, str], ...]) -> None:
    """Show each fee, the section that lets a council or board set it, and what it has set."""
    with refusals_shown():
        municipality = open_municipality(key).with_settings(resolved(resolutions))
        for fee in municipality.scheduled_fees():
            try:
                amount = dollars_for_reading(municipality.law.resolution(fee.resolution, on).number)
            except ResolutionMissing as error:
                amount = f"not set: {error}"
            click.echo(f"{fee.title} ({fee.clause.section}) [{fee.clause.id}]: {amount}")
