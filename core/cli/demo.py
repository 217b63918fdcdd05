"""fisc demo: municipalities with a year of filings, and the service on localhost."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import click

from core.cli.options import refusals_shown
from core.cli.serve import run, system_clock
from core.services.access.visit import Passwords
from core.services.accounts.explain import explain_account
from core.services.books.check import heads_file
from core.services.database import DatabaseNotUsable, make_anew, upgrade_installation
from core.services.demo.data import LAST_DAY, data_digest, towns
from core.services.demo.logins import PASSWORD, logins
from core.services.demo.pages import Shown
from core.services.demo.play import explained_account, play
from core.services.installation import Installation, installation
from core.services.tenants.add import municipalities

LOCALHOST = "127.0.0.1"
MARK = "demonstration"  # what stands in this file says which data the database holds
LOCK = "demonstration.lock"
UNFINISHED = "unfinished"
RULE = "-" * 100


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
    """Show Fisc at work: municipalities with a year and more of filings, their books, and the API on localhost.

    It has a database of its own, whatever else is configured. Nothing is made twice: a second start shows the same.
    """
    folder = folder.absolute()
    # `kill` ends it as Ctrl-C does, so that the database goes with it.
    signal.signal(signal.SIGTERM, _interrupted)
    started = time.monotonic()
    if not no_serve:
        _require_free(port)
    try:
        with refusals_shown(), _alone(folder):
            _prepare(folder, reset)
            with installation(_environment(folder)) as installed:
                if _mark(folder) == UNFINISHED:
                    _make(installed, folder)
                _show(installed)
                click.echo(f"\nReady in {time.monotonic() - started:.1f} seconds.")
                if not no_serve:
                    _serve(installed, port)
    except DatabaseNotUsable as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """The folder is a demonstration's, or empty, and nobody else's meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any((folder / name).exists() for name in (LOCK, MARK)) and any(folder.iterdir()):
        raise click.ClickException(f"{folder} holds something else than a demonstration: name another with --home")
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"the demonstration in {folder} runs already: end it with Ctrl-C, or name another with --home"
            raise click.ClickException(message) from None
        yield


def _prepare(folder: Path, reset: bool) -> None:
    """See that the folder has the demonstration of this release, or an empty database and a mark that says so."""
    found = _mark(folder)
    if not reset and found == data_digest():
        upgrade_installation(environ=_environment(folder))
        return
    if not reset and found:
        click.echo("The demonstration was not finished, or its data has changed since: it is made anew.")
    (folder / MARK).write_text(UNFINISHED, "utf-8")
    heads_file(folder).path.unlink(missing_ok=True)
    make_anew(folder, _environment(folder))
    upgrade_installation(environ=_environment(folder))


def _make(installed: Installation, folder: Path) -> None:
    def tell(step: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{step:<60}", nl=not step, err=True)

    play(installed.app, installed.host, heads_file(folder), Passwords(), tell)
    tell("")
    (folder / MARK).write_text(data_digest(), "utf-8")


def _show(installed: Installation) -> None:
    """One assessment with every line's clause and computation, and who can sign in."""
    for town in towns():
        tenant = municipalities(installed.app, town.key)[0]
        account = explained_account(installed.app, tenant, town)
        if town.explained is not None and account is not None:
            click.echo(f"\n{RULE}\nOne assessment, line by line ({town.explained[0]}):")
            for line in explain_account(installed.app, tenant, account, LAST_DAY):
                click.echo(line)
            break
    click.echo(f"\n{RULE}\nLogins, all with the password {PASSWORD!r}:")
    for one in logins(towns()):
        click.echo(f"  {one.email:<48} {one.role:<10} {one.municipality or 'this instance'}")


def _serve(installed: Installation, port: int) -> None:
    shown = Shown(LAST_DAY, heads_file(installed.folder), logins(towns()))
    click.echo(f"Where each municipality stands: http://{LOCALHOST}:{port}/")
    run(installed, f"{LOCALHOST}:{port}", 2, [LOCALHOST, "localhost"], demo=shown, clock=_clock)


def _clock() -> datetime:
    """The time, but never before the last day that was played, so that what is done now comes after it."""
    return max(system_clock(), datetime(LAST_DAY.year, LAST_DAY.month, LAST_DAY.day, 18, tzinfo=UTC))


def _require_free(port: int) -> None:
    with socket.socket() as wanted:
        wanted.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            wanted.bind((LOCALHOST, port))
        except OSError as error:
            message = f"port {port} cannot be used ({error.strerror}): name another with --port, or make demo PORT=8001"
            raise click.ClickException(message) from error


def _environment(folder: Path) -> dict[str, str]:
    """The demonstration has a home of its own, whatever database is configured."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
    return {**kept, "FISC_HOME": str(folder)}


def _mark(folder: Path) -> str:
    file = folder / MARK
    return file.read_text("utf-8") if file.is_file() else ""


def _interrupted(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
