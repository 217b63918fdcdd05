"""A small set of books for the tests of the ledger: two funds, a few accounts, entries by number."""

from datetime import date, timedelta

from core.contract.declarations import LedgerAccount
from core.db.unit_of_work import UnitOfWork
from core.ledger.accounts import open_accounts
from core.ledger.post import Entry, PostedEntry, Transfer, between_funds, post_many

GENERAL, ROOM_TAX = "100", "210"
FUNDS = ((GENERAL, "General fund"), (ROOM_TAX, 'Room tax, "tourism"'))
CASH, RECEIVABLE, REVENUE, COST = "11100", "12.110", "41210", "56700-a"
ACCOUNTS = (
    LedgerAccount(GENERAL, CASH, "Cash", "asset"),
    LedgerAccount(ROOM_TAX, CASH, "Cash", "asset"),
    LedgerAccount(ROOM_TAX, RECEIVABLE, "Taxes receivable; rooms", "asset"),
    LedgerAccount(ROOM_TAX, REVENUE, "Room tax", "revenue"),
    LedgerAccount(ROOM_TAX, COST, "Tourism \\ promotion", "expense"),
    LedgerAccount(ROOM_TAX, "30000", "Fund balance", "equity"),
)
FIRST_DAY = date(2026, 1, 1)


def open_books(uow: UnitOfWork) -> None:
    """The chart."""
    open_accounts(uow, FUNDS, ACCOUNTS)


def entry(number: int, narrative: str = "") -> Entry:
    """An entry of two transfers in the fund of the room tax, made up from its number."""
    day = FIRST_DAY + timedelta(days=number % 360)
    cents = 100 + 7 * number
    return Entry(
        key=f"entry-{number}",
        kind="assessment",
        effective_on=day,
        booked_on=day,
        recorded_on=day,
        transfers=(
            Transfer(ROOM_TAX, RECEIVABLE, REVENUE, cents, "tax", "T-1", "§ 1(a), 2", "1", ("v-1",), "100.00 × 5% = 5"),
            Transfer(ROOM_TAX, CASH, RECEIVABLE, cents - 1, "payment", "T-2", "§ 3"),
        ),
        narrative=narrative or f"Return {number}",
        event_seqs=(1, 2),
    )


def post_numbered(uow: UnitOfWork, *numbers: int) -> tuple[PostedEntry, ...]:
    """Post the entries of these numbers."""
    return post_many(uow, [entry(number) for number in numbers])


def lend(uow: UnitOfWork, key: str = "loan", cents: int = 5_000) -> PostedEntry:
    """Lend cash from the general fund to the other one."""
    given = entry(0)._replace(key=key, kind="loan", transfers=())
    return between_funds(uow, given, lender=GENERAL, borrower=ROOM_TAX, cash=(CASH, CASH), cents=cents)
