"""fisc login: give a login to staff, to the host, or to a filer."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from core.cli.options import refusals_shown, with_installation
from core.domain.errors import Fault, Refused
from core.services.access.logins import give_filer_login, give_staff_login, logins
from core.services.access.visit import Passwords
from core.services.installation import Installation
from core.services.registry.find_filer_number import filer_with_number
from core.services.tenants.add import municipalities


@click.group()
def login() -> None:
    """Give logins, and list them."""


@login.command()
@click.argument("email")
@click.option("--name", required=True, help="Whom it is for.")
@click.option("--role", required=True, type=click.Choice(["host", "treasurer", "clerk", "auditor", "council", "filer"]))
@click.option("--municipality", "key", metavar="KEY", help="The municipality; none for a host.")
@click.option("--filer", type=int, metavar="NUMBER", help="The filer that a filer's login acts for.")
@click.option("--password-file", type=click.Path(path_type=Path), help="A file with the password; else it is asked.")
@click.option("--by", default="host", show_default=True, help="Who gives it.")
@with_installation
def add(
    installed: Installation,
    email: str,
    name: str,
    role: str,
    key: str | None,
    filer: int | None,
    password_file: Path | None,
    by: str,
) -> None:
    """Give EMAIL a login with a role. An e-mail that has a login keeps its password."""
    with refusals_shown():
        password = _password(password_file)
        if role != "filer":
            give_staff_login(installed.host, Passwords(), email, name, password, role, key, by)
        elif key is None or filer is None:
            raise Refused([Fault("--filer", "a filer's login names the municipality and the filer's number there")])
        else:
            tenant = municipalities(installed.app, key)[0]
            found = filer_with_number(installed.app, tenant, filer)
            give_filer_login(installed.app, Passwords(), tenant, found, email, name, password, by)
        click.echo(f"{email} is {role}" + (f" in {key}." if key else "."))


@login.command("list")
@with_installation
def list_all(installed: Installation) -> None:
    """List the logins: staff with their roles, filers as ids and no more."""
    for one in logins(installed.host):
        roles = ", ".join(f"{m.role} in {m.tenant}" if m.tenant else m.role for m in one.memberships)
        disabled = " (disabled)" if one.disabled else ""
        click.echo(f"{one.email}: {one.name}, {roles}{disabled}" if one.email else f"{one.id}: a filer{disabled}")


def _password(file: Path | None) -> str:
    if file is not None:
        return file.read_text("utf-8").rstrip("\n")
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    asked: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return asked
