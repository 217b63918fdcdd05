"""fisc demo: municipalities with a year of filings, and the service on localhost."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path
from types import FrameType

import click

from core.cli.options import refusals_shown
from core.cli.serve import run
from core.services.access.visit import Passwords
from core.services.accounts.explain import explain_account
from core.services.books.check import heads_file
from core.services.database import upgrade_installation
from core.services.demo.data import LAST_DAY, towns
from core.services.demo.play import PASSWORD, explained_account, logins, play, played_mark
from core.services.installation import Installation, installation
from core.services.tenants.add import municipalities

MARK = "demonstration"


@click.command()
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="The port to listen on.")
@click.option("--no-serve", is_flag=True, help="Make the demonstration, show it, and end.")
@click.option("--reset", is_flag=True, help="Throw away what an earlier demonstration left, and begin anew.")
@click.option(
    "--home",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(".fisc"),
    show_default=True,
    help="Where its database lies.",
)
def demo(port: int, no_serve: bool, reset: bool, folder: Path) -> None:
    """Show Fisc at work: municipalities with a year and more of filings, their books, and the API on localhost."""
    folder = folder.absolute()
    # `kill` ends it as Ctrl-C does, so that the database goes with it.
    signal.signal(signal.SIGTERM, _interrupted)
    environment = _environment(folder)
    if reset and folder.exists():
        _throw_away(folder)
    started = time.monotonic()
    with refusals_shown():
        if _mark(folder) not in ("", played_mark()):
            click.echo("The demonstration was not finished, or its data has changed since: it is made anew.")
            _throw_away(folder)
        upgrade_installation(environ=environment)
        with installation(environment) as installed:
            if _mark(folder) != played_mark():
                _make(installed, folder)
            _show(installed)
            click.echo(f"\nReady in {time.monotonic() - started:.1f} seconds.")
            if not no_serve:
                shown = {"as_of": LAST_DAY, "heads": heads_file(installed.folder), "logins": logins()}
                click.echo(f"Where each municipality stands: http://127.0.0.1:{port}/")
                run(installed, f"127.0.0.1:{port}", 2, None, shown)


def _environment(folder: Path) -> dict[str, str]:
    """The demonstration has a home of its own, whatever database is configured."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
    return {**kept, "FISC_HOME": str(folder)}


def _make(installed: Installation, folder: Path) -> None:
    (folder / MARK).write_text("unfinished", "utf-8")

    def tell(step: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{step:<60}", nl=False, err=True)

    play(installed.app, installed.host, heads_file(installed.folder), Passwords(), tell)
    tell("")
    (folder / MARK).write_text(played_mark(), "utf-8")


def _show(installed: Installation) -> None:
    for town in towns():
        tenant = municipalities(installed.app, town.key)[0]
        account = explained_account(installed.app, tenant, town)
        if account is not None:
            click.echo(f"\n{'-' * 100}\nOne assessment, line by line ({town.explained[0]}):" if town.explained else "")
            for line in explain_account(installed.app, tenant, account, LAST_DAY):
                click.echo(line)
            break
    click.echo(f"\n{'-' * 100}\nLogins, all with the password {PASSWORD!r}:")
    for one in logins():
        click.echo(f"  {one.email:<48} {one.role:<10} {one.municipality or 'this instance'}")


def _mark(folder: Path) -> str:
    file = folder / MARK
    return file.read_text("utf-8") if file.is_file() else ""


def _throw_away(folder: Path) -> None:
    if not (folder / MARK).is_file() and any(folder.iterdir()) and not (folder / "postgres").exists():
        message = f"{folder} holds something else than a demonstration: name another folder with --home"
        raise click.ClickException(message)
    shutil.rmtree(folder)


def _interrupted(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
