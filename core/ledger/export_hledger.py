"""The books as an hledger journal, under the same names and with the same balances as in beancount."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Row

from core.db.unit_of_work import UnitOfWork
from core.domain.money import dollars
from core.ledger.export_lines import Chart, chart, posted, postings

# In a description a semicolon begins a comment and a bar divides payee from note.
_DESCRIPTION = str.maketrans({";": ",", "|": "/"})
# A tag ends at a comma or at the end of its line. Written as in a web address, its value can be read back whole.
_ENDS_A_TAG = re.compile(r"[%,\x00-\x1f\x7f\x85\u2028\u2029]")


def hledger_lines(uow: UnitOfWork, title: str) -> Iterator[str]:
    """The lines of the journal, without newlines, in dollars; entries in the order of recording, on the day booked.

    Raises LedgerAccountUnknown where money was moved on an account that the chart lacks.
    """
    accounts = chart(uow)
    yield f"; {_one_line(title)}"
    yield "decimal-mark ."
    yield "commodity 1000.00 USD"
    yield ""
    for account in accounts.values():
        yield f"account {account.name}"
        yield from _tags("  ", {"title": account.title})
    for header, transfers in posted(uow):
        yield ""
        yield from _entry(accounts, header, transfers)


def _entry(accounts: Chart, header: Row[Any], transfers: list[Row[Any]]) -> Iterator[str]:
    # The code in parentheses is always there, so that a narrative which begins with one is not taken for it.
    yield f"{header.booked_on} * ({_code(header.kind)}) {_one_line(header.narrative).translate(_DESCRIPTION)}".rstrip()
    days = {"effective": str(header.effective_on), "recorded": str(header.recorded_on)}
    yield from _tags("    ", {"entry": header.key, **days})
    for transfer in transfers:
        for posting in postings(accounts, transfer):
            yield f"    {posting.account}  {dollars(posting.cents)} USD"
            yield from _tags("      ", posting.tags)


def _tags(indent: str, values: Mapping[str, str]) -> Iterator[str]:
    for name, value in values.items():
        yield f"{indent}; {name}:{_ENDS_A_TAG.sub(_percent, value)}"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def _code(kind: str) -> str:
    return _one_line(kind).translate(str.maketrans("()", "[]"))


def _one_line(text: str) -> str:
    return " ".join(text.split())
