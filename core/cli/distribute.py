"""fisc distribute, agreement, remittance: share out what was collected."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from uuid import UUID, uuid4

import click

from core.cli.options import Day, Percent, refusals_shown, with_installation
from core.domain.money import dollars_for_reading, percent_for_reading
from core.domain.shares import Agreement
from core.services.access.visit import Request
from core.services.installation import Installation, Recorded
from core.services.sharing import agreements as agreed
from core.services.sharing import remittances, share_out
from core.services.sharing.remittances import Distributed
from core.services.tenants.add import municipalities

_KEY = click.option("--municipality", "key", required=True, metavar="KEY", help="The municipality.")
_BY = click.option("--by", default="treasurer", show_default=True, help="Who does it.")
_ON = click.option("--on", "today", required=True, type=Day(), help="The day on which it is done.")


def _request(by: str, what: str) -> Request:
    """A request of its own: whoever calls a command again means it again, and what cannot be done twice says so."""
    return Request.of(by, f"{what} {uuid4()}", b"")


@click.command()
@_KEY
@click.option("--tax", default="room_tax", show_default=True, help="The tax.")
@click.option("--period", "periods", multiple=True, help="A period, such as 2026-Q1; else every one that has ended.")
@_ON
@_BY
@click.option("--preview", is_flag=True, help="Only show it.")
@with_installation
def distribute(
    installed: Installation, key: str, tax: str, periods: tuple[str, ...], today: date, by: str, preview: bool
) -> None:
    """Share out what was collected of a tax, as the law says, and post it."""
    with refusals_shown():
        tenant = municipalities(installed.app, key)[0]
        recorded = Recorded(by, today)
        if preview:
            _show(share_out.preview(installed.app, tenant, tax, periods or None, recorded))
            return
        request = _request(by, "distribute")
        answer = share_out.distribute(installed.app, tenant, request, tax, periods or None, recorded)
        if answer["number"] is None:
            _tell_unchanged(answer["warnings"])
            return
        # What was posted, and not what a preview would have shown a moment earlier.
        made = remittances.distribution(installed.app, tenant, answer["number"])
        _show(made)
        click.echo(f"Posted as distribution {made.number}.")


def _show(made: Distributed) -> None:
    if not made.lines:
        _tell_unchanged(made.warnings)
        return
    for line in made.lines:
        payee = f"{line.payee} (held)" if line.held else line.payee
        click.echo(f"{line.period}  {payee:<46} {dollars_for_reading(line.now_cents):>16}   {line.section}")
        click.echo(f"    {line.computation}")
    for one in made.remittances:
        click.echo(f"To be paid to {one.payee}: {dollars_for_reading(one.payable_cents)}")
    _tell_warnings(made.warnings)


def _tell_unchanged(warnings: Iterable[str]) -> None:
    click.echo("Nothing has changed since the last distribution.")
    _tell_warnings(warnings)


def _tell_warnings(warnings: Iterable[str]) -> None:
    for warning in warnings:
        click.echo(f"Note: {warning}")


@click.group()
def agreement() -> None:
    """Agreements that fix what a payee gets."""


@agreement.command("add")
@_KEY
@click.option("--number", required=True, help="The number it is filed under.")
@click.option("--payee", required=True, help="Whose share it fixes.")
@click.option("--share", required=True, type=Percent(), help="The percentage, such as 75.")
@click.option("--from", "first_day", required=True, type=Day(), help="Its first day.")
@click.option("--to", "last_day", required=True, type=Day(), help="Its last day.")
@_ON
@_BY
@with_installation
def add(
    installed: Installation,
    key: str,
    number: str,
    payee: str,
    share: Decimal,
    first_day: date,
    last_day: date,
    today: date,
    by: str,
) -> None:
    """Record an agreement. Its share is locked for its term."""
    with refusals_shown():
        tenant = municipalities(installed.app, key)[0]
        terms = Agreement(number, payee, share, first_day, last_day)
        agreed.add_agreement(installed.app, tenant, _request(by, "agreement"), terms, Recorded(by, today))
        click.echo(f"Agreement {number} with {payee}: {percent_for_reading(share)} from {first_day} to {last_day}.")


@agreement.command("list")
@_KEY
@with_installation
def list_all(installed: Installation, key: str) -> None:
    """List the agreements."""
    for one in agreed.list_agreements(installed.app, municipalities(installed.app, key)[0]):
        gone = f", withdrawn on {one.withdrawn_on}: {one.withdrawal_reason}" if one.withdrawn_on else ""
        terms = one.terms
        click.echo(f"{one.id}  {terms.number}: {terms.payee}, {percent_for_reading(terms.share)}, ", nl=False)
        click.echo(f"{terms.first_day} to {terms.last_day}{gone}")


@agreement.command()
@click.argument("agreement_id", type=click.UUID)
@_KEY
@click.option("--reason", required=True, help="What was wrong with it.")
@_ON
@_BY
@with_installation
def withdraw(installed: Installation, agreement_id: UUID, key: str, reason: str, today: date, by: str) -> None:
    """Record that an agreement was entered in error."""
    with refusals_shown():
        tenant = municipalities(installed.app, key)[0]
        request = _request(by, "withdraw")
        agreed.take_back_agreement(installed.app, tenant, request, agreement_id, reason, Recorded(by, today))
        click.echo("Withdrawn.")


@click.group()
def remittance() -> None:
    """What payees are paid."""


@remittance.command()
@click.argument("number", type=int)
@_KEY
@with_installation
def show(installed: Installation, number: int, key: str) -> None:
    """Print the advice of the remittance NUMBER."""
    with refusals_shown():
        for line in remittances.advice(installed.app, municipalities(installed.app, key)[0], number).as_text():
            click.echo(line)


@remittance.command()
@click.argument("number", type=int)
@_KEY
@click.option("--paid-on", required=True, type=Day(), help="The day on which it was paid.")
@click.option("--method", default="check", type=click.Choice(remittances.METHODS), show_default=True)
@click.option("--reference", default="", help="The check's number.")
@_ON
@_BY
@with_installation
def pay(
    installed: Installation, number: int, key: str, paid_on: date, method: str, reference: str, today: date, by: str
) -> None:
    """Record that the remittance NUMBER was paid."""
    with refusals_shown():
        tenant = municipalities(installed.app, key)[0]
        request = _request(by, "remittance")
        paid = remittances.pay_remittance(
            installed.app, tenant, request, number, paid_on, method, reference, Recorded(by, today)
        )
        click.echo(f"Remittance {number}: {paid['paid']} paid.")
