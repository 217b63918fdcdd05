"""fisc tenant: the municipalities on this instance."""

from __future__ import annotations

import click

from core.cli.options import refusals_shown, with_installation
from core.services.installation import Installation
from core.services.tenants.add import add_municipality, missing_resolutions, municipalities


@click.group()
def tenant() -> None:
    """Add a municipality to this instance, or list them."""


@tenant.command()
@click.argument("key")
@click.option("--plugin", required=True, help="The plugin that carries its ordinance.")
@click.option("--name", default="", help="Its name as it stands on letters; else the plugin's.")
@click.option("--time-zone", default="America/Chicago", show_default=True, help="Its time zone.")
@click.option("--by", default="host", show_default=True, help="Who adds it.")
@with_installation
def add(installed: Installation, key: str, plugin: str, name: str, time_zone: str, by: str) -> None:
    """Add the municipality KEY under a plugin. Several may share one plugin."""
    with refusals_shown():
        added = add_municipality(installed.app, installed.host, key, plugin, name, time_zone, by)
        click.echo(f"{added.key}: {added.name} is added, under the ordinance of {added.plugin}.")
        for title in missing_resolutions(installed.app, added):
            click.echo(f"Before it opens, record: {title}")


@tenant.command("list")
@with_installation
def list_all(installed: Installation) -> None:
    """List the municipalities."""
    for one in municipalities(installed.app):
        closed = f", closed on {one.closed_on}" if one.closed_on else ""
        click.echo(f"{one.key}: {one.name}, under {one.plugin}{closed}")
