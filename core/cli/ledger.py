"""fisc ledger: seal the books, verify them, close them, export them, show the trial balance."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from pathlib import Path

import click

from core.cli.options import Day, with_installation
from core.domain.money import dollars
from core.services.books.check import close_books, heads_file, seal_books, verify_books
from core.services.books.export import FORMATS, balances, export_books
from core.services.installation import Installation, Recorded
from core.services.tenants.add import municipalities

tenant_option = click.option("--municipality", "key", metavar="KEY", help="Only this municipality; else every one.")


@click.group()
def ledger() -> None:
    """Seal the books, verify them, close them, export them, show the trial balance."""


@ledger.command()
@tenant_option
@with_installation
def seal(installed: Installation, key: str | None) -> None:
    """Add every entry that has no seal yet to the hash chain, and its head to the file outside the database."""
    heads = heads_file(installed.folder)
    for tenant, sealed in seal_books(installed.app, municipalities(installed.app, key), heads):
        click.echo(f"{tenant.key}: {sealed.count} entries sealed, {sealed.position} in all, head {sealed.head[:16]}")


@ledger.command()
@tenant_option
@with_installation
def verify(installed: Installation, key: str | None) -> None:
    """Prove that no entry was changed, slipped in or taken away. The exit status is 1 when one was."""
    broken = False
    heads = heads_file(installed.folder)
    for tenant, verified in verify_books(installed.app, municipalities(installed.app, key), heads):
        state = "broken" if verified.broken else "whole"
        click.echo(f"{tenant.key}: {state}, {verified.sealed} entries sealed, {verified.tail.count} not sealed yet")
        for finding in verified.findings:
            click.echo(f"  {finding.wrong.value}: {finding.name}: {finding.message}", err=True)
        broken = broken or verified.broken
    if broken:
        raise SystemExit(1)


@ledger.command()
@click.option("--municipality", "key", required=True, metavar="KEY", help="The municipality.")
@click.option("--format", "form", type=click.Choice(sorted(FORMATS)), default="beancount", show_default=True)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="A file; else standard output.")
@with_installation
def export(installed: Installation, key: str, form: str, out: Path | None) -> None:
    """Write the books for another accounting program."""
    # Closed before the database is let go of, also when the reader of a pipe leaves early.
    with closing(export_books(installed.app, municipalities(installed.app, key)[0], form)) as lines:
        if out is None:
            for line in lines:
                click.echo(line)
            return
        with out.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


@ledger.command()
@click.option("--municipality", "key", required=True, metavar="KEY", help="The municipality.")
@click.option("--through", required=True, type=Day(), help="The last day that is closed.")
@click.option("--reason", required=True, help="Why: what was agreed, and by whom.")
@click.option("--by", required=True, help="Who closes them.")
@click.option("--on", "today", required=True, type=Day(), help="The day on which they are closed.")
@with_installation
def close(installed: Installation, key: str, through: date, reason: str, by: str, today: date) -> None:
    """Close the books through a day. Nothing is booked there any more; the balances are kept and can be proved."""
    tenant = municipalities(installed.app, key)[0]
    balances = close_books(installed.app, tenant, through, reason, Recorded(by, today))
    click.echo(f"{tenant.key}: closed through {through}, {len(balances)} accounts in the snapshot")


@ledger.command("trial-balance")
@click.option("--municipality", "key", required=True, metavar="KEY", help="The municipality.")
@click.option("--through", type=Day(), default=date(9998, 12, 31), help="Effective through this day.")
@with_installation
def trial_balance(installed: Installation, key: str, through: date) -> None:
    """Show every account of the chart that has moved, by fund, in dollars."""
    for one in balances(installed.app, municipalities(installed.app, key)[0], through):
        if one.debit_cents or one.credit_cents:
            amounts = f"{dollars(one.debit_cents):>16} {dollars(one.credit_cents):>16} {dollars(one.cents):>16}"
            click.echo(f"{one.fund:<6} {one.number:<12} {one.title:<46} {amounts}")
