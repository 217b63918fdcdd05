"""fisc explain: what is owed on a period account and why."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from uuid import UUID

import click

from core.cli.options import Day, refusals_shown, with_installation
from core.services.accounts.explain import explain_account, explain_entries
from core.services.installation import Installation
from core.services.tenants.add import municipalities


@click.command()
@click.argument("account", type=click.UUID)
@click.option("--municipality", "key", required=True, metavar="KEY", help="The municipality.")
@click.option("--as-of", required=True, type=Day(), help="The day to look at.")
@click.option("--known-on", type=Day(), help="Knowing what was recorded by this day; else by --as-of.")
@click.option("--entries", is_flag=True, help="Show the entries as posted as well.")
@with_installation
def explain(
    installed: Installation, account: UUID, key: str, as_of: date, known_on: date | None, entries: bool
) -> None:
    """Explain the period account ACCOUNT: every line with its clause, section and computation."""
    with refusals_shown():
        tenant = municipalities(installed.app, key)[0]
        with closing(explain_account(installed.app, tenant, account, as_of, known_on)) as lines:
            for line in lines:
                click.echo(line)
        if entries:
            with closing(explain_entries(installed.app, tenant, account)) as lines:
                for line in lines:
                    click.echo(line)
