"""fisc db: the database's schema."""

from __future__ import annotations

import click

from core.services.database import DatabaseNotUsable, upgrade_installation


@click.group()
def db() -> None:
    """Bring the database's schema up to date."""


@db.command()
def upgrade() -> None:
    """Run the migrations that are missing, as the role fisc_owner.

    FISC_DATABASE_URL says where the database is; without it, the server that comes with Fisc is started.
    """
    try:
        reached = upgrade_installation()
    except DatabaseNotUsable as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"The database is at {', '.join(reached)}.")
