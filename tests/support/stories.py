"""What happens on one period account, told in the order of recording, and what is owed on a day."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Self

from core.contract.loading import open_municipality
from core.contract.municipality import OpenMunicipality
from core.contract.settings import ReadingChoice, Resolution
from core.domain.charge import Caution, Exposure
from core.domain.events import (
    Estimate,
    Event,
    Extension,
    Finding,
    Notice,
    Payment,
    PaymentReturned,
    Refunded,
    ReturnFiled,
    Voided,
    Waiver,
)
from core.domain.fold import Statement
from core.domain.money import dollars, parse_dollars
from core.domain.receipts import COMMERCIAL, Receipts

THE_START = date(1990, 1, 1)


def day(text: str) -> date:
    """A date as it is written in a test: "2026-04-30"."""
    return date.fromisoformat(text)


class Story:
    """One account of the municipality's only tax. Amounts go in and come out as texts in dollars."""

    def __init__(
        self,
        municipality: OpenMunicipality | str,
        period: str,
        resolutions: Mapping[str, str] | None = None,
        readings: Mapping[str, Any] | None = None,
        previous_year_tax: str | None = None,
    ) -> None:
        opened = open_municipality(municipality) if isinstance(municipality, str) else municipality
        amounts = [Resolution(k, parse_dollars(v), THE_START, "1990-1") for k, v in (resolutions or {}).items()]
        choices = [ReadingChoice(key, value, THE_START, "counsel") for key, value in (readings or {}).items()]
        self.municipality = opened.with_settings(amounts, choices)
        (self.tax,) = self.municipality.taxes.values()
        self.period = self.tax.frequency.period(period)
        inputs = {"previous_year_tax": parse_dollars(previous_year_tax)} if previous_year_tax else {}
        self.account = self.municipality.open_account(self.tax.key, self.period, inputs)
        self.events: list[Event] = []

    def receipts(
        self, gross: str, first: str = "", last: str = "", by: str = COMMERCIAL, private: bool = True, **lines: str
    ) -> Receipts:
        """Receipts of the whole period, or of the nights given; `lines` are other receipts and deductions."""
        others = {line.key for line in self.tax.receipts[1:]}
        return Receipts(
            day(first) if first else self.period.first_day,
            day(last) if last else self.period.last_day,
            (
                (self.tax.usual_line.key, parse_dollars(gross)),
                *((key, parse_dollars(text)) for key, text in lines.items() if key in others),
            ),
            tuple((key, parse_dollars(text)) for key, text in lines.items() if key not in others),
            by,
            private,
        )

    def files(self, on: str, gross: str, recorded: str = "", **lines: Any) -> Self:
        """A return, or an amended one."""
        return self.files_parts(on, self.receipts(gross, **lines), recorded=recorded)

    def files_parts(self, on: str, *parts: Receipts, recorded: str = "") -> Self:
        """A return in parts."""
        return self._add(ReturnFiled, on, recorded, parts)

    def estimates(self, on: str, gross: str) -> Self:
        """The officer's estimate."""
        return self._add(Estimate, on, "", (self.receipts(gross),))

    def pays(self, on: str, amount: str, recorded: str = "") -> Self:
        """A payment."""
        return self._add(Payment, on, recorded, parse_dollars(amount))

    def bounces(self, on: str, payment: int = 0) -> Self:
        """The payment with this place among the payments comes back."""
        paid = [event for event in self.events if isinstance(event, Payment)][payment]
        return self._add(PaymentReturned, on, "", paid.seq, paid.on, paid.cents)

    def voids(self, on: str, payment: int = 0) -> Self:
        """The payment with this place among the payments was entered in error."""
        paid = [event for event in self.events if isinstance(event, Payment)][payment]
        return self._add(Voided, on, "", paid.seq)

    def refunds(self, on: str, amount: str, interest: str = "0.00", recorded: str = "") -> Self:
        """A part of a credit is paid back, with interest."""
        return self._add(Refunded, on, recorded, parse_dollars(amount), parse_dollars(interest))

    def waives(self, on: str, kind: str, amount: str) -> Self:
        """An officer waives a part of a kind."""
        return self._add(Waiver, on, "", kind, parse_dollars(amount), "good cause")

    def extends(self, on: str, until: str, recorded: str = "") -> Self:
        """The filing date is extended."""
        return self._add(Extension, on, recorded, day(until))

    def notifies(self, on: str) -> Self:
        """The notice to file or pay is mailed."""
        return self._add(Notice, on, "")

    def finds(self, on: str, finding: str) -> Self:
        """A finding of negligence or fraud."""
        return self._add(Finding, on, "", finding, "the officer", "reasons")

    def statement(self, as_of: str) -> Statement:
        """The account as of a day."""
        return self.municipality.statement(self.account, self.events, day(as_of))

    def owed(self, as_of: str) -> dict[str, str]:
        """The charges by kind."""
        return {kind: dollars(cents) for kind, cents in self.statement(as_of).charges.items()}

    def applied(self, as_of: str) -> dict[str, str]:
        """Where payments went."""
        return {kind: dollars(cents) for kind, cents in self.statement(as_of).applied.items()}

    def cited(self, as_of: str, kind: str) -> set[str]:
        """The ids of the clauses that the lines of a kind cite."""
        return {line.clause.id for line in self.statement(as_of).lines if line.kind == kind}

    def words(self, as_of: str, kind: str) -> str:
        """The computation of a kind's lines."""
        return "; ".join(str(line.words) for line in self.statement(as_of).lines if line.kind == kind)

    def exposures(self, as_of: str) -> list[Exposure]:
        """What a court could impose."""
        return list(self.municipality.exposures(self.statement(as_of).account, day(as_of)))

    def cautions(self, as_of: str) -> list[Caution]:
        """What an officer should know."""
        return list(self.municipality.cautions(self.statement(as_of).account, day(as_of)))

    def refusals(self) -> list[str]:
        """Why the law refuses acts among those told, each as "field: message"."""
        faults = self.municipality.refusals(self.account, self.events)
        return [f"{fault.field.partition('.')[2]}: {fault.message}" for fault in faults]

    def _add(self, kind: Any, on: str, recorded: str, *rest: Any) -> Self:
        self.events.append(kind(len(self.events), day(on), day(recorded or on), *rest))
        return self
