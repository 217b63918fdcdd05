"""Period accounts a second on one core: a return and a payment each, every charge cited, under all three ordinances.

The floor is the same tax and interest in bare integers: no events, no law looked up, nothing cited.
"""

from collections import deque
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from core.contract.loading import municipality_keys, open_municipality
from core.contract.municipality import OpenMunicipality
from core.contract.settings import Resolution
from core.domain.account import Account
from core.domain.events import Event, Payment, ReturnFiled
from core.domain.fold import Statement
from core.domain.receipts import Receipts
from tests.benchmarks import Result, best, cpu_seconds

ACCOUNTS = 3_000
PERIOD = "2026-Q1"
DUE = date(2026, 4, 30)
AS_OF = date(2026, 8, 31)
# Days after the due day on which the return and the payment come: half in time, half late in one or both.
HABITS = ((-10, -10), (-3, -3), (-1, 0), (0, 15), (10, 10), (46, 46))

Work = tuple[OpenMunicipality, Account, tuple[Event, ...]]


def with_fees(municipality: OpenMunicipality) -> OpenMunicipality:
    """With $25 for each amount that its law leaves to a resolution."""
    amounts = [Resolution(key, 2_500, date(2000, 1, 1), "1") for key in municipality.law.resolution_slots]
    return municipality.with_settings(amounts)


def accounts() -> list[Work]:
    """Accounts of every municipality in turn, each with receipts of its own, half of them with deductions."""
    opened = [with_fees(open_municipality(key)) for key in municipality_keys()]
    made: list[Work] = []
    for number in range(ACCOUNTS):
        municipality = opened[number % len(opened)]
        tax = next(iter(municipality.taxes.values()))
        account = municipality.open_account(tax.key, tax.frequency.period(PERIOD), {"previous_year_tax": 400_000})
        filed, paid = (DUE + timedelta(days) for days in HABITS[number % len(HABITS)])
        gross = 500_000 + number * 977
        deductions = (("marketplace", gross // 10),) if number % 2 else ()
        nights = (account.period.first_day, account.period.last_day)
        receipts = Receipts(*nights, ((tax.usual_line.key, gross),), deductions)
        events = (ReturnFiled(0, filed, filed, (receipts,)), Payment(1, paid, paid, gross // 25))
        made.append((municipality, account, events))
    return made


def statements(work: list[Work]) -> Iterator[Statement]:
    for municipality, account, events in work:
        yield municipality.statement(account, events, AS_OF)


def assess(work: list[Work]) -> None:
    deque(statements(work), maxlen=0)


def judge_and_assess(work: list[Work]) -> None:
    for municipality, account, events in work:
        assert not municipality.refusals(account, events)
        municipality.statement(account, events, AS_OF)


def read(work: list[Work]) -> int:
    """Every line as a filer reads it."""
    return sum(len(str(line.words)) for statement in statements(work) for line in statement.lines)


def bare(work: list[Work]) -> int:
    """The tax, and the interest on what is left of it, in integers, by the day."""
    due, until, total = DUE.toordinal(), AS_OF.toordinal(), 0
    for _, _, (filed, paid) in work:
        part = filed.receipts[0]
        tax = (2 * 65 * (part.gross_cents - part.deducted_cents) + 1000) // 2000
        day = paid.on.toordinal()
        late = max(0, day - due)
        interest = tax * late + max(0, tax - paid.cents) * (until - max(day, due))
        total += tax + (2 * interest + 3650) // 7300
    return total


def microseconds(work: list[Work], do: Callable[[list[Work]], object]) -> float:
    """Of one core, for one account, at best."""
    return best(lambda: cpu_seconds(lambda: do(work)), repeat=7) / len(work) * 1e6


def bench_fold() -> Iterator[Result]:
    work = accounts()
    assert all(line.clause.section for statement in statements(work) for line in statement.lines)
    floor, folded = microseconds(work, bare), microseconds(work, assess)
    yield Result("accounts folded, every charge cited", 1e6 / folded, "a second", at_least=10_000)
    yield Result("one account folded", folded, "us", floor=floor)
    yield Result("one account, its acts judged first", microseconds(work, judge_and_assess), "us", floor=floor)
    yield Result("one account, every computation read", microseconds(work, read), "us", floor=floor)


def bench_each_municipality() -> Iterator[Result]:
    work = accounts()
    for key in municipality_keys():
        own = [one for one in work if one[0].declared.key == key]
        yield Result(f"one account folded, {key}", microseconds(own, assess), "us", floor=microseconds(own, bare))
