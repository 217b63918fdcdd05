"""fisc distribution: how tax collected is shared."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import click

from core.cli.options import Cents, Day, Percent, municipality_option, refusals_shown
from core.contract.loading import open_municipality
from core.domain.money import dollars, dollars_for_reading
from core.domain.shares import Agreement, Distribution
from core.services.rules.distribution import distribute


@click.command()
@municipality_option
@click.option("--collected", required=True, type=Cents(), help="Tax collected for the period so far, in dollars.")
@click.option("--on", required=True, type=Day(), help="The day of the distribution.")
@click.option("--agreement-percent", type=Percent(), help="The payee's share under a written agreement.")
@click.option("--agreement-number", default="", help="The agreement's number.")
@click.option("--agreement-from", type=Day(), help="The first day of its term.")
@click.option("--agreement-until", type=Day(), help="The last day of its term.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def distribution(
    key: str,
    collected: int,
    on: date,
    agreement_percent: Decimal | None,
    agreement_number: str,
    agreement_from: date | None,
    agreement_until: date | None,
    as_json: bool,
) -> None:
    """Show the shares of the tax collected, to the cent, each with its section."""
    with refusals_shown():
        agreements = _agreements(agreement_percent, agreement_number, agreement_from, agreement_until)
        answer = distribute(open_municipality(key), collected, on, agreements)
    if as_json:
        click.echo(json.dumps(_values(answer), ensure_ascii=False, indent=1))
        return
    for share in answer.shares:
        held = " (held)" if share.held else ""
        cited = f"{share.clause.section} [{share.clause.id}]"
        click.echo(f"{share.payee + held:<44} {dollars_for_reading(share.cents):>16}   {cited}")
        click.echo(f"    {share.words}")
    for warning in answer.warnings:
        click.echo(f"Note: {warning}")


def _agreements(
    percent: Decimal | None, number: str, first_day: date | None, last_day: date | None
) -> tuple[Agreement, ...]:
    given = [percent, first_day, last_day]
    if percent is None or first_day is None or last_day is None:
        if any(value is not None for value in given) or number:
            raise click.UsageError("an agreement needs --agreement-percent, --agreement-from and --agreement-until")
        return ()
    return (Agreement(number or "as given", "", percent, first_day, last_day),)


def _values(answer: Distribution) -> dict[str, Any]:
    return {
        "shares": [
            {
                "payee": share.payee,
                "amount": dollars(share.cents),
                "held": share.held,
                "clause": share.clause.id,
                "section": share.clause.section,
                "computation": str(share.words),
            }
            for share in answer.shares
        ],
        "warnings": list(answer.warnings),
    }
