"""Options and refusals that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import wraps
from typing import Any

import click

from core.contract.law import Law
from core.contract.settings import ReadingChoice, Resolution
from core.domain.errors import FiscError, Refused
from core.domain.money import NotMoney, parse_dollars


class Day(click.ParamType[date]):
    """A day written 2026-04-30."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """The day. A text that is none is refused."""
        if isinstance(value, date):
            return value
        try:
            if len(value) != 10:
                raise ValueError
            return date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a date: write year-month-day, such as 2026-04-30", param, ctx)


class Cents(click.ParamType[int]):
    """An amount in dollars, held as cents."""

    name = "dollars"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The amount in cents. Anything but dollars and cents of zero or more is refused."""
        if isinstance(value, int):
            return value
        try:
            cents = parse_dollars(value)
        except NotMoney as error:
            self.fail(str(error), param, ctx)
        if cents < 0:
            self.fail(f"{value!r} is below zero: give an amount of zero or more", param, ctx)
        return cents


class Percent(click.ParamType[Decimal]):
    """A percentage, held as a fraction of one."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """The fraction of one. Below 0 or above 100 is refused."""
        if isinstance(value, Decimal):
            return value
        try:
            share = Decimal(value) / 100
        except InvalidOperation:
            self.fail(f"{value!r} is not a percentage: write a number such as 75 or 62.5", param, ctx)
        if not (share.is_finite() and 0 <= share <= 1):
            self.fail(f"{value!r} is not between 0 and 100", param, ctx)
        return share


class Setting(click.ParamType[tuple[str, str]]):
    """KEY=VALUE."""

    name = "setting"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Key and text."""
        key, equals, text = value.partition("=")
        if not (key and equals and text):
            self.fail(f"{value!r} has no value: write KEY=VALUE", param, ctx)
        return key, text


municipality_option = click.option("--municipality", "key", required=True, metavar="KEY", help="The municipality.")
resolution_option = click.option(
    "--resolution", "resolutions", type=Setting(), multiple=True, metavar="KEY=DOLLARS", help="What a council set."
)
reading_option = click.option(
    "--reading",
    "readings",
    type=Setting(),
    multiple=True,
    metavar="KEY=VALUE",
    help="Another reading than the default.",
)


def resolved(resolutions: tuple[tuple[str, str], ...]) -> list[Resolution]:
    """Resolutions in force on every day, from KEY=DOLLARS."""
    cents = Cents()
    return [Resolution(key, cents.convert(text, None, None), date.min, "as given") for key, text in resolutions]


def chosen(readings: tuple[tuple[str, str], ...], law: Law) -> list[ReadingChoice]:
    """Readings in force on every day, from KEY=VALUE; a value takes the type of the default."""
    values: dict[type, Callable[[str], Any]] = {
        bool: lambda text: {"true": True, "false": False}.get(text, text),
        int: int,
        Decimal: Decimal,
        str: str,
    }
    return [
        ReadingChoice(
            key,
            values[type(law.reading_slots[key].default)](text) if key in law.reading_slots else text,
            date.min,
            "as given",
        )
        for key, text in readings
    ]


@contextmanager
def refusals_shown() -> Iterator[None]:
    """Turns a refusal into lines on standard error, one fault each, and exit status 1."""
    try:
        yield
    except Refused as error:
        for fault in error.faults:
            click.echo(f"refused: {fault.field}: {fault.message}", err=True)
        raise SystemExit(1) from error
    except FiscError as error:
        click.echo(f"{type(error).__name__}: {error}", err=True)
        raise SystemExit(1) from error


def with_installation(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the database of this installation, and says what to do where there is none to use."""

    @wraps(command)
    def opened(*args: Any, **kwargs: Any) -> None:
        # Imported when such a command runs: the others need no database and start faster without its libraries.
        from core.services.installation import DatabaseNotUsable, installation

        try:
            with refusals_shown(), installation() as installed:
                command(installed, *args, **kwargs)
        except DatabaseNotUsable as error:
            raise click.ClickException(str(error)) from error

    return opened
