"""What the books must show for an account: each line of the statement and each application, as ledger moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.contract.declarations import Chart, LedgerAccount
from core.domain.charge import TAX, Charge
from core.domain.clause import Clause, rendered
from core.domain.fold import Statement

REFUND_INTEREST = "refund_interest"


class Line(NamedTuple):
    """Money that stands between two accounts of one fund, in cents, for a kind of charge under a clause.

    `cents` may be below zero while lines are being added up; what is posted never is.
    """

    fund: str
    debit: str
    credit: str
    kind: str
    clause: Clause
    cents: int
    rule_version: str
    value_ids: tuple[str, ...]
    computation: str

    @property
    def key(self) -> str:
        """What is compared with the books: everything but the amount and how it came about."""
        return "|".join((self.fund, self.debit, self.credit, self.kind, *self.clause))


def desired_state(statement: Statement, chart: Chart, version: str) -> dict[str, Line]:
    """The lines that the books must show for this statement, by key, amounts summed.

    A charge is owed: receivable against revenue. What is applied to it is paid: cash against the receivable. What
    is paid and not owed is a liability.
    """
    lines: dict[str, Line] = {}
    made = (
        *_charged(statement, chart, version),
        *_paid(statement, chart, version),
        *_refund_interest(statement, chart, version),
    )
    for line in made:
        before = lines.get(line.key)
        if before is not None:
            line = line._replace(
                cents=before.cents + line.cents,
                value_ids=tuple(sorted({*before.value_ids, *line.value_ids})),
                computation=f"{before.computation}; {line.computation}",
            )
        lines[line.key] = line
    return lines


def _charged(statement: Statement, chart: Chart, version: str) -> Iterator[Line]:
    for charge in statement.lines:
        if charge.cents:
            values = tuple(sorted(value.id for value in charge.values))
            yield _between(
                chart.receivable[charge.kind],
                chart.revenue[charge.kind],
                charge,
                charge.cents,
                version,
                values,
                rendered(charge.words),
            )


def _paid(statement: Statement, chart: Chart, version: str) -> Iterator[Line]:
    cited = {charge.kind: charge for charge in reversed(statement.lines)}
    for kind, cents in statement.applied.items():
        receivable = chart.receivable[kind]
        cash = chart.cash[receivable.fund]
        charge = cited.get(kind, cited[TAX])
        owed = statement.charges.get(kind, 0)
        if min(cents, owed):
            yield _between(cash, receivable, charge, min(cents, owed), version, (), f"paid: {kind}", kind)
        if cents > owed:
            cash = chart.cash[chart.credits.fund]
            words = "paid and not owed: held to the filer's credit"
            yield _between(cash, chart.credits, charge, cents - owed, version, (), words, kind)


def _refund_interest(statement: Statement, chart: Chart, version: str) -> Iterator[Line]:
    """Interest paid out with refunds: an expense, out of cash. The refunds themselves are in what is applied."""
    expense = chart.refund_interest
    for one in statement.account.refunds:
        if one.interest_cents:
            clause = Clause(one.clause_id, one.section)
            yield Line(
                expense.fund,
                expense.number,
                chart.cash[expense.fund].number,
                REFUND_INTEREST,
                clause,
                one.interest_cents,
                version,
                (),
                one.reason,
            )


def _between(
    debit: LedgerAccount,
    credit: LedgerAccount,
    charge: Charge,
    cents: int,
    version: str,
    value_ids: tuple[str, ...],
    computation: str,
    kind: str = "",
) -> Line:
    return Line(
        debit.fund,
        debit.number,
        credit.number,
        kind or charge.kind,
        charge.clause,
        cents,
        version,
        value_ids,
        computation,
    )
