"""fisc tenant: the municipalities on this instance."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import click

from core.cli.options import Cents, Day, Percent, chosen, refusals_shown, with_installation
from core.cli.options import Setting as SettingGiven
from core.contract.law import Law
from core.contract.loading import open_municipality
from core.contract.settings import Resolution
from core.services.installation import Installation, Recorded
from core.services.tenants.add import add_municipality, missing_resolutions, municipalities
from core.services.tenants.open import open_municipality_tenant, open_since
from core.services.tenants.set import set_readings, set_resolutions

by_option = click.option("--by", required=True, help="Who records it.")
on_option = click.option("--on", "today", required=True, type=Day(), help="The day on which it is recorded.")


@click.group()
def tenant() -> None:
    """Add a municipality to this instance, set what its law leaves open, and open it."""


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
        since = open_since(installed.app, one)
        opened = f", open since {since}" if since is not None else ", not open yet"
        closed = f", closed on {one.closed_on}" if one.closed_on else ""
        click.echo(f"{one.key}: {one.name}, under {one.plugin}{closed or opened}")


@tenant.command("resolve")
@click.argument("key")
@click.argument("values", nargs=-1, required=True, type=SettingGiven(), metavar="NAME=DOLLARS…")
@click.option("--since", required=True, type=Day(), help="The first day on which it is in force.")
@click.option("--number", required=True, help="The number of the resolution.")
@click.option("--reason", default="", help="A note.")
@by_option
@on_option
@with_installation
def resolve(
    installed: Installation,
    key: str,
    values: tuple[tuple[str, str], ...],
    since: date,
    number: str,
    reason: str,
    by: str,
    today: date,
) -> None:
    """Record what the council or board of KEY set, such as late_filing_fee=25.00; a share is written in percent."""
    one = municipalities(installed.app, key)[0]
    law = open_municipality(one.plugin).law
    given = [Resolution(name, _value(law, name, text), since, number) for name, text in values]
    set_resolutions(installed.app, one, given, Recorded(by, today), reason)
    for name, text in values:
        click.echo(f"{one.key}: {name} is {text} since {since}, by resolution {number}")


@tenant.command("read")
@click.argument("key")
@click.argument("values", nargs=-1, required=True, type=SettingGiven(), metavar="NAME=VALUE…")
@click.option("--since", required=True, type=Day(), help="The first day on which it is read so.")
@click.option("--reason", required=True, help="Why the passage is read so.")
@by_option
@on_option
@with_installation
def read(
    installed: Installation,
    key: str,
    values: tuple[tuple[str, str], ...],
    since: date,
    reason: str,
    by: str,
    today: date,
) -> None:
    """Record the treasurer's own reading of a doubtful passage of the law of KEY, in place of the default."""
    one = municipalities(installed.app, key)[0]
    readings = chosen(values, open_municipality(one.plugin).law)
    given = [replace(choice, since=since, reason=reason) for choice in readings]
    set_readings(installed.app, one, given, Recorded(by, today))
    for name, text in values:
        click.echo(f"{one.key}: {name} is read as {text} since {since}")


@tenant.command("open")
@click.argument("key")
@click.option("--from", "first_day", type=Day(), help="The first day of business here. Default: the day of recording.")
@by_option
@on_option
@with_installation
def open_(installed: Installation, key: str, first_day: date | None, by: str, today: date) -> None:
    """Open the municipality KEY for business, once its council has set what the law requires."""
    one = municipalities(installed.app, key)[0]
    since = open_municipality_tenant(installed.app, one, first_day or today, Recorded(by, today))
    click.echo(f"{one.key}: {one.name} is open since {since}.")


def _value(law: Law, name: str, text: str) -> int | Decimal:
    """A value as the resolution's slot counts it; what there is no slot for is refused when it is recorded."""
    slot = law.resolution_slots.get(name)
    if slot is not None and slot.unit == "rate":
        return Percent().convert(text.removesuffix("%"), None, None)
    return Cents().convert(text, None, None)
