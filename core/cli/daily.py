"""fisc daily: what became owed, what arose by the passing of days, and a seal on the books."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import click

from core.cli.options import Day, with_installation
from core.services.books.check import heads_file
from core.services.daily.run import BY, DayDone, Failed, NotOpen, Outcome, run_daily
from core.services.installation import Installation
from core.services.tenants.add import municipalities
from core.tenants.directory import Tenant

COUNTS = (("opened", "opened"), ("posted", "posted"), ("overdue", "became overdue"), ("waiting", "wait"))


@click.command()
@click.option("--municipality", "key", metavar="KEY", help="Only this municipality; else every one.")
@click.option("--on", "day", type=Day(), help="Run through this day. Default: today, in the municipality's time zone.")
@click.option("--by", default=BY, show_default=True, help="Who it is recorded by.")
@with_installation
def daily(installed: Installation, key: str | None, day: date | None, by: str) -> None:
    """Do every day since the last run: open the accounts that became owed, post what arose, seal the books.

    Run it once a day, after the office has closed; days that were missed are caught up, and a day is done once. The
    exit status is 1 when a municipality could not be processed; the others are.
    """

    def today(tenant: Tenant) -> date:
        return day if day is not None else datetime.now(ZoneInfo(tenant.time_zone)).date()

    failed = False
    heads = heads_file(installed.folder)
    for tenant, outcome in run_daily(installed.app, municipalities(installed.app, key), today, heads, by):
        failed = failed or isinstance(outcome, Failed)
        click.echo(f"{tenant.key}: {_line(outcome)}", err=isinstance(outcome, Failed))
    if failed:
        raise SystemExit(1)


def _line(outcome: Outcome) -> str:
    if isinstance(outcome, DayDone):
        counts = outcome.report
        told = [f"{counts[name]} {words}" for name, words in COUNTS if counts[name]]
        return f"{outcome.day}: {', '.join(told) or 'nothing to do'}"
    if isinstance(outcome, NotOpen):
        return "not open yet, passed over"
    if isinstance(outcome, Failed):
        return f"could not be processed: {outcome.message}"
    return f"{outcome.count} entries sealed, {outcome.position} in all"
