"""Exports: the other programs load them clean and find the balances that Fisc has."""

import re
import shutil
import subprocess
from collections import defaultdict
from datetime import date
from decimal import Decimal

import pytest
from beancount import loader
from beancount.core.data import Open, Transaction
from beancount.core.inventory import Inventory
from hypothesis import example, given
from hypothesis import strategies as st

from core.db.unit_of_work import in_transaction, reading
from core.ledger.errors import LedgerAccountUnknown
from core.ledger.export_beancount import beancount_lines
from core.ledger.export_hledger import hledger_lines
from core.ledger.naming import account_name
from core.ledger.post import post, post_many
from core.ledger.read import trial_balance
from tests.support.numbered_entries import CASH, REVENUE, ROOM_TAX, entry, lend

pytestmark = pytest.mark.database

AWKWARD = [
    'He said "no"; then | left',
    "back \\ slash \\n not a newline \\",
    "two\nlines\tand a tab\r",
    "(in parentheses) * ! 2026-01-01",
    "",
    "  spaces  ",
    "§ 54-19(B) — naïve, 5% #tag ^link",
    "a, key: value",
    "control \x01 \x0b \x0c \x1f \x85 \u2028 end",
]


@pytest.fixture
def posted(books):
    """Entries with every awkward text, the largest amount that fits, and a loan; some late in the day."""

    def work(uow):
        given = [entry(number + 1, text) for number, text in enumerate(AWKWARD)]
        first = given[0]
        big = first.transfers[0]._replace(cents=4_000_000_000_000_000_001, computation=AWKWARD[2])
        huge = entry(50)._replace(key='huge, "key"', transfers=(big,), booked_on=date(2025, 12, 31))
        post_many(uow, given)
        for one in (entry(200), entry(100), huge):
            post(uow, one)
        lend(uow)

    in_transaction(books.engine, books.tenant, work)
    return books


def exported(books, lines):
    with reading(books.engine, books.tenant) as uow:
        return "".join(f"{line}\n" for line in lines(uow, 'The Town of "Alpha"'))


def balances(books):
    """Cents by name, without the accounts that are at zero."""
    with reading(books.engine, books.tenant) as uow:
        rows = trial_balance(uow)
    return {account_name(row.kind, row.fund, row.number): row.cents for row in rows if row.cents}


def test_beancount_loads_it_clean_with_the_same_balances(posted, tmp_path):
    path = tmp_path / "books.beancount"
    path.write_text(exported(posted, beancount_lines), encoding="utf-8")
    loaded, errors, options = loader.load_file(str(path))
    assert errors == []
    assert options["title"] == 'The Town of "Alpha"'
    totals = defaultdict(Inventory)
    for one in loaded:
        for posting in one.postings if isinstance(one, Transaction) else ():
            totals[posting.account].add_position(posting)
    found = {name: total.get_currency_units("USD").number * 100 for name, total in totals.items()}
    assert {name: cents for name, cents in found.items() if cents} == balances(posted)
    assert len([one for one in loaded if isinstance(one, Open)]) == len(_names(posted))


def _names(books):
    with reading(books.engine, books.tenant) as uow:
        return [account_name(row.kind, row.fund, row.number) for row in trial_balance(uow)]


def test_beancount_reads_every_text_back(posted, tmp_path):
    path = tmp_path / "books.beancount"
    path.write_text(exported(posted, beancount_lines), encoding="utf-8")
    loaded, _, _ = loader.load_file(str(path))
    found = {one.meta["entry"]: one for one in loaded if isinstance(one, Transaction)}
    for number, text in enumerate(AWKWARD):
        assert found[f"entry-{number + 1}"].narration == (text or "Return 5")
    one = found["entry-100"]
    assert (one.meta["kind"], one.meta["effective"], one.meta["recorded"]) == ("assessment", one.date, one.date)
    assert (one.postings[0].meta["clause"], one.postings[0].meta["section"]) == ("T-1", "§ 1(a), 2")
    assert one.postings[0].meta["computation"] == "100.00 × 5% = 5"
    assert found['huge, "key"'].postings[0].meta["computation"] == AWKWARD[2]


@pytest.mark.parametrize("lines", [beancount_lines, hledger_lines])
def test_entries_stand_in_the_order_of_recording(posted, lines):
    text = exported(posted, lines)
    assert text.index("entry-200") < text.index("entry-100") < text.index("huge") < text.index("loan")


@pytest.mark.parametrize("lines", [beancount_lines, hledger_lines])
def test_no_text_makes_a_line_of_its_own(posted, lines):
    text = exported(posted, lines)
    assert len(re.findall(r"^[0-9-]{10} \*", text, flags=re.MULTILINE)) == len(AWKWARD) + 4


@pytest.mark.parametrize("lines", [beancount_lines, hledger_lines])
def test_books_with_nothing_in_them_can_be_exported(books, lines):
    assert "Assets:F210:A11100" in exported(books, lines)


@pytest.mark.parametrize("lines", [beancount_lines, hledger_lines])
def test_an_account_that_is_not_in_the_chart_is_refused(posted, lines, attack):
    attack("DELETE FROM fisc.ledger_accounts WHERE number = %s", REVENUE)
    with pytest.raises(LedgerAccountUnknown, match=f"{REVENUE} of fund {ROOM_TAX}"):
        exported(posted, lines)


@pytest.mark.skipif(shutil.which("hledger") is None, reason="hledger is not installed")
def test_hledger_loads_it_with_the_same_balances(posted, tmp_path):
    path = tmp_path / "books.journal"
    path.write_text(exported(posted, hledger_lines), encoding="utf-8")
    _hledger(path, "check", "--strict")
    report = _hledger(path, "balance", "--flat", "--no-total", "--layout", "bare")
    found = {}
    for line in report.splitlines():
        amount, _, name = line.split()
        found[name] = int(Decimal(amount) * 100)
    assert found == balances(posted)
    assert "2026-04-11 * (assessment) Return 100" in _hledger(path, "print", "tag:entry=^entry-100$")
    assert "entry:entry-100" in _hledger(path, "print", "tag:section=^§ 1.a.%2C 2$")


def _hledger(path, *arguments):
    command = ["hledger", "-f", str(path), *arguments]
    environment = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin:/usr/local/bin"}
    done = subprocess.run([shutil.which("hledger"), *command[1:]], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def read_back(name):
    """The fund and number that a name was made from."""
    _, fund, number = name.split(":")
    return _unescaped(fund[1:]), _unescaped(number[1:])


def _unescaped(text):
    def character(match):
        return {"--": "-", "-p": "."}.get(match[0]) or chr(int(match[0][2:-1], 16))

    return re.sub(r"--|-p|-u[0-9a-f]+-", character, text)


PLAIN = st.from_regex(r"[0-9A-Za-z][0-9A-Za-z.-]{0,31}", fullmatch=True)


@given(st.one_of(PLAIN, st.text()), st.one_of(PLAIN, st.text()))
@example("a--b", "a-.b")
@example("a-p", "a.")
@example("-u2e-", ".")
@example("", "")
def test_every_account_has_a_name_of_its_own(fund, number):
    name = account_name("asset", fund, number)
    assert read_back(name) == (fund, number)
    assert re.fullmatch(r"Assets:F[A-Za-z0-9-]*:A[A-Za-z0-9-]*", name)


def test_a_common_account_can_be_read():
    assert account_name("asset", ROOM_TAX, CASH) == "Assets:F210:A11100"
