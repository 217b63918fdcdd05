"""What a plugin declares about its municipality and its taxes, and what the hooks are asked about. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.domain.calendar import Frequency
from core.domain.clause import Clause


@dataclass(frozen=True, slots=True)
class Municipality:
    """The plugin's own view of its municipality. A tenant may carry another name, time zone and officers.

    `shares_by_agreement`: its tax is shared under written agreements, which a distribution must be given.
    """

    key: str
    name: str
    officers: tuple[str, ...]
    council: str
    fiscal_year_end_month: int
    version: str
    shares_by_agreement: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the return form: its key, its title for a filer, and the clause that puts it there."""

    key: str
    title: str
    clause: Clause


@dataclass(frozen=True, slots=True)
class YearTotal:
    """An input that the law takes from the same place's other accounts: the tax, as finally determined, of all periods
    of the calendar year that lies `years_before` the period's own, in cents. It is given to rules as `key`.
    """

    key: str
    years_before: int = 1


@dataclass(frozen=True, slots=True)
class LedgerAccount:
    """An account of the books. `kind` is asset, liability, equity, revenue or expense."""

    fund: str
    number: str
    title: str
    kind: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Where a tax is booked. `funds` are (number, title); `cash` has an account for each fund.

    `receivable` and `revenue` have one for each kind of charge, both of one fund; `credits` is the liability for what
    filers have paid and do not owe; `refund_interest` is the expense of interest on money paid back.

    Tax shared out leaves the tax's fund by `distributed`: to a payee outside through its liability in `payable`, to
    the municipality itself through its account in `transfers_in`. A share that is held stands in `held`.
    """

    funds: tuple[tuple[str, str], ...]
    cash: dict[str, LedgerAccount]
    receivable: dict[str, LedgerAccount]
    revenue: dict[str, LedgerAccount]
    credits: LedgerAccount
    refund_interest: LedgerAccount
    distributed: LedgerAccount
    held: LedgerAccount
    payable: dict[str, LedgerAccount]
    transfers_in: dict[str, LedgerAccount]


@dataclass(frozen=True, slots=True)
class AgreementTerms:
    """What the law asks of an agreement that fixes a payee's share: who the payee is, and the longest term in months.

    `clause` is where the law asks for it.
    """

    payee: str
    longest_months: int
    clause: Clause


@dataclass(frozen=True, slots=True)
class Tax:
    """A declared tax. `receipts` and `deductions` are the lines of its return; the first of `receipts` is the usual.

    `titles` names each kind of charge for a reader. `rate_key` is the law value whose changes split a period's
    receipts. `inputs` are what the law takes from the place's other accounts.
    """

    key: str
    title: str
    payer: str
    frequency: Frequency
    fund: str
    rate_key: str
    receipts: tuple[Line, ...]
    deductions: tuple[Line, ...]
    titles: dict[str, str]
    inputs: tuple[YearTotal, ...] = ()

    @property
    def usual_line(self) -> Line:
        """The receipts line that a return always has."""
        return self.receipts[0]


@dataclass(frozen=True, slots=True)
class Stay:
    """One stay: its first night and the day of departure (no night)."""

    arrival: date
    departure: date

    @property
    def nights(self) -> int:
        """Nights stayed."""
        return (self.departure - self.arrival).days


@dataclass(frozen=True, slots=True)
class Refund:
    """Tax paid out to a filer, in cents. `paid_on` is the day of the payment that made the overpayment."""

    cents: int
    due_on: date
    paid_on: date
    refunded_on: date
    intentional_or_careless: bool = False
    complete_return: bool = True


@dataclass(frozen=True, slots=True)
class RefundInterest:
    """Interest on a refund in cents, or a reasoned none (`cents` is 0 and `reason` says why)."""

    cents: int
    clause: Clause
    reason: str


@dataclass(frozen=True, slots=True)
class Filer:
    """What a demand for security looks at, in cents. `highest_period_cents` is the most that a period could yield."""

    delinquent_cents: int = 0
    highest_period_cents: int | None = None


@dataclass(frozen=True, slots=True)
class SecurityDemand:
    """A ground on which security may or must be asked for, and its ceiling in cents (None: none can be known)."""

    ground: str
    ceiling_cents: int | None
    mandatory: bool
    clause: Clause
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScheduledFee:
    """A fee that an application or a service costs: its key, title, clause, and the resolution that sets it."""

    key: str
    title: str
    clause: Clause
    resolution: str


@dataclass(frozen=True, slots=True)
class AnnualReturn:
    """The annual return of a filer's year: its nominal and effective due date and the longest extension, cited."""

    year_end: date
    nominal: date
    effective: date
    clause: Clause
    longest_extension: date | None = None


@dataclass(frozen=True, slots=True)
class Objection:
    """Why the law refuses an act: the field of the act, a message that says what to do, and the section it rests on."""

    field: str
    message: str
    section: str = ""
