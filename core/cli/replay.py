"""fisc replay: work every posted assessment out anew and compare."""

from __future__ import annotations

import click

from core.cli.options import refusals_shown, with_installation
from core.services.accounts.replay import replay_books
from core.services.installation import Installation
from core.services.tenants.add import municipalities


@click.command()
@click.option("--municipality", "key", metavar="KEY", help="Only this municipality; else every one.")
@with_installation
def replay(installed: Installation, key: str | None) -> None:
    """Replay every posted assessment. The exit status is 1 when one differs under the same plugin release."""
    wrong = False
    with refusals_shown():
        for tenant in municipalities(installed.app, key):
            replayed = replay_books(installed.app, tenant)
            click.echo(f"{tenant.key}: {replayed.count} assessments replayed, {len(replayed.differences)} differ")
            for one in replayed.differences:
                posted_under, now = one.release
                click.echo(f"  account {one.assessment.account_id}, {one.assessment.as_of}: {posted_under} -> {now}")
                for what, before, after in one.changed:
                    click.echo(f"    {what}: {before} -> {after}")
                wrong = wrong or one.same_release
    if wrong:
        raise SystemExit(1)
