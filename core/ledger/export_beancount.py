"""The books as a beancount file: its own checker loads it, and finds the same balance on every account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Row

from core.db.unit_of_work import UnitOfWork
from core.domain.money import dollars
from core.ledger.export_lines import Chart, chart, posted, postings

# Earlier than anything that is booked; beancount reads no year of three digits.
_OPENED = "1700-01-01"
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def beancount_lines(uow: UnitOfWork, title: str) -> Iterator[str]:
    """The lines of the file, without newlines, in dollars; entries in the order of recording, on the day booked.

    Raises LedgerAccountUnknown where money was moved on an account that the chart lacks.
    """
    accounts = chart(uow)
    yield f"option {_quoted('title')} {_quoted(title)}"
    yield f"option {_quoted('operating_currency')} {_quoted('USD')}"
    yield ""
    for account in accounts.values():
        yield f"{_OPENED} open {account.name} USD"
        yield f"  title: {_quoted(account.title)}"
    for header, transfers in posted(uow):
        yield ""
        yield from _entry(accounts, header, transfers)


def _entry(accounts: Chart, header: Row[Any], transfers: list[Row[Any]]) -> Iterator[str]:
    yield f"{header.booked_on} * {_quoted(header.narrative)}"
    yield from _metadata("  ", {"entry": header.key, "kind": header.kind})
    yield f"  effective: {header.effective_on}"
    yield f"  recorded: {header.recorded_on}"
    for transfer in transfers:
        for posting in postings(accounts, transfer):
            yield f"  {posting.account}  {dollars(posting.cents)} USD"
            yield from _metadata("    ", posting.tags)


def _metadata(indent: str, values: Mapping[str, str]) -> Iterator[str]:
    for name, value in values.items():
        yield f"{indent}{name}: {_quoted(value)}"


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'
