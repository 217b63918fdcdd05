"""The annual return: it sums up what was filed, and its corrections amend the periods (READINGS 1, 10, 11)."""

from __future__ import annotations

from datetime import date
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.contract.settings import Resolution
from core.db.recorded import Recorded
from core.db.remember import Answer, Request
from core.db.unit_of_work import reading
from core.domain.calendar import Election
from core.domain.errors import Refused
from core.domain.events import Payment, ReturnFiled
from core.domain.receipts import Receipts
from core.filing.records import PlaceUnknown
from core.filing.returns import returns_of
from core.ledger.read import trial_balance
from core.services.accounts.load import load_accounts
from core.services.accounts.replay import replay_books
from core.services.filing.annual import annual_draft
from core.services.filing.file_annual import AnnualForm, file_annual
from core.services.filing.submit import ReturnForm, Signature, submit
from core.tenants.open_tenant import open_tenant
from tests.support.places import a_fact, a_filer, a_place, accounts_now, filer_now, first_filer, first_place
from tests.support.towns import Town, a_payment, an_estimate, open_town

pytestmark = pytest.mark.database
OWNER = Signature("The owner", "owner")
# Receipts of 2025 in cents: each period filed on the 15th of the month after it, in time everywhere
YEAR = {"2025-Q1": 100_000, "2025-Q2": 200_000, "2025-Q3": 300_000, "2025-Q4": 400_000}
FILED = {
    "2025-Q1": date(2025, 4, 15),
    "2025-Q2": date(2025, 7, 15),
    "2025-Q3": date(2025, 10, 15),
    "2025-Q4": date(2026, 1, 15),
}
IN_TIME = date(2026, 1, 20)


@pytest.fixture
def bayfield(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def montello(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "mon", "montello")


def file_year(town: Town, place: UUID, year: dict[str, int] = YEAR, **options: object) -> None:
    """The returns of the periods, each in time, and each paid in full on its day where the account is at hand."""
    for period, cents in year.items():
        form = ReturnForm(place, period, {"rooms": cents})
        request = Request.of("owner", f"{place}{period}", b"")
        recorded = Recorded("owner", FILED[period])
        submit(town.engine, town.tenant, request, [form], OWNER, channel="api", recorded=recorded, **options)


def file(town: Town, annual: AnnualForm, on: date = IN_TIME, key: str = "a", **options: object) -> Answer:
    request = Request.of("owner", key, repr(annual).encode())
    given: dict[str, object] = {"channel": "api", **options}
    return file_annual(town.engine, town.tenant, request, annual, OWNER, recorded=Recorded("owner", on), **given)


def faults(town: Town, annual: AnnualForm, on: date = IN_TIME, **options: object) -> dict[str, str]:
    with pytest.raises(Refused) as refused:
        file(town, annual, on, "refused", **options)
    return {fault.field: fault.message for fault in refused.value.faults}


def balances(answer: Answer) -> dict[str, str]:
    """Balances of the accounts by period key."""
    by_account = {one["account"]: one["balance"] for one in answer["accounts"]}
    return {one["period"]: by_account[one["account"]] for one in answer["returns"]}


class TestFiling:
    def test_totals_that_are_those_of_the_periods_are_filed_and_owe_nothing(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place)
        before = trial(bayfield)
        answer = file(bayfield, AnnualForm(place, 2025, {"rooms": 1_000_000}, form={"total": "10000.00"}))
        assert balances(answer) == {"2025-annual": "0.00"}
        assert trial(bayfield) == before
        with reading(bayfield.engine, bayfield.tenant.id) as uow:
            kept = returns_of(uow, UUID(answer["returns"][0]["account"]))[0]
        assert (kept.account.period.first_day, kept.account.period.last_day) == (date(2025, 1, 1), date(2025, 12, 31))
        assert kept.submission.form["return"] == {"total": "10000.00"}

    def test_a_late_one_costs_the_late_filing_fee_and_nothing_else(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place)
        # due Jan 30 2026
        answer = file(bayfield, AnnualForm(place, 2025, {"rooms": 1_000_000}), date(2026, 2, 2))
        assert balances(answer) == {"2025-annual": "25.00"}

    def test_a_correction_amends_its_period_with_interest_from_that_periods_due_date(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place)
        correction = ReturnForm(place, "2025-Q2", {"rooms": 250_000}, {"exempt_entity": 10_000})
        annual = AnnualForm(place, 2025, {"rooms": 1_050_000}, {"exempt_entity": 10_000}, [correction])
        answer = file(bayfield, annual)
        # Q2, due Jul 30 2025, nothing paid: (2,500 - 100) x 6.5% = 156.00; 174 days to Jan 20 2026:
        # 156 x 10% x 174/365 = 7.44
        assert balances(answer) == {"2025-Q2": "163.44", "2025-annual": "0.00"}
        assert [one["amends"] for one in answer["returns"]] == [True, False]
        assert replay_books(bayfield.engine, bayfield.tenant).differences == ()

    def test_periods_without_a_return_are_filed_with_it(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place, {"2025-Q1": 100_000, "2025-Q2": 200_000})
        rest = [ReturnForm(place, "2025-Q3", {"rooms": 300_000}), ReturnForm(place, "2025-Q4")]
        told = faults(bayfield, AnnualForm(place, 2025, {"rooms": 600_000}, corrections=rest[:1]))
        assert told == {
            "corrections": "no return is filed for 2025-Q4: give each of them here, or file it first",
        }
        answer = file(bayfield, AnnualForm(place, 2025, {"rooms": 600_000}, corrections=rest))
        # Q3, due Oct 30 2025: tax 195.00, fee 25.00, 82 days to Jan 20: 195 x 10% x 82/365 = 4.38; Q4 in time
        assert balances(answer) == {"2025-Q3": "224.38", "2025-Q4": "0.00", "2025-annual": "0.00"}

    def test_a_second_one_replaces_the_first(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place)
        file(bayfield, AnnualForm(place, 2025, {"rooms": 1_000_000}))
        correction = ReturnForm(place, "2025-Q4", {"rooms": 500_000})
        again = AnnualForm(place, 2025, {"rooms": 1_100_000}, corrections=[correction])
        assert file(bayfield, again, key="b")["returns"][-1]["amends"]

    def test_a_closed_period_needs_no_return(self, bayfield: Town) -> None:
        place = a_place(bayfield, first_filer(bayfield))
        a_fact(bayfield, place.id, "closing", date(2025, 6, 10))
        file_year(bayfield, place.id, {"2025-Q1": 100_000, "2025-Q2": 200_000})
        assert file(bayfield, AnnualForm(place.id, 2025, {"rooms": 300_000}))["returns"]

    def test_a_filer_with_a_fiscal_year_sums_up_the_periods_that_end_in_it(self, montello: Town) -> None:
        place = first_place(montello)
        file_year(montello, place, year_end_month=6)
        # the year to June 30 2025 has Q3 and Q4 of 2024, before the place was open, and Q1 and Q2 of 2025
        answer = file(montello, AnnualForm(place, 2025, {"rooms": 300_000}))
        # due 90 days after June 30 2025, Sep 28, a Sunday: Sep 29; filed in January: the fee of $25
        assert balances(answer) == {"2025-annual": "25.00"}
        with reading(montello.engine, montello.tenant.id) as uow:
            kept = returns_of(uow, UUID(answer["returns"][0]["account"]))[0]
        assert (kept.account.period.first_day, kept.account.period.last_day) == (date(2024, 7, 1), date(2025, 6, 30))

    def test_on_paper_the_return_and_its_corrections_count_for_the_postmark(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place, {"2025-Q1": 100_000, "2025-Q2": 200_000, "2025-Q3": 300_000})
        missing = ReturnForm(place, "2025-Q4", {"rooms": 400_000})
        days = {"postmarked_on": date(2026, 1, 30), "received_on": date(2026, 2, 3)}
        annual = AnnualForm(place, 2025, {"rooms": 1_000_000}, corrections=[missing], **days)
        answer = file(bayfield, annual, date(2026, 2, 5), channel="paper")
        # both in time by postmark; Q4: 4,000 x 6.5% = 260.00, 6 days from Jan 30 to Feb 5: 0.43
        assert balances(answer) == {"2025-Q4": "260.43", "2025-annual": "0.00"}

    def test_a_first_return_in_it_elects_the_year(self, montello: Town) -> None:
        filer = a_filer(montello)
        place = a_place(montello, filer, opened_on=date(2025, 4, 1))
        only = ReturnForm(place.id, "2025-Q2", {"rooms": 1})
        file(montello, AnnualForm(place.id, 2025, {"rooms": 1}, corrections=[only]), year_end_month=6)
        assert filer_now(montello, filer).details.year_end_month == 6


class TestRefusing:
    def test_each_line_that_differs_is_told_with_its_difference(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place)
        annual = AnnualForm(place, 2025, {"rooms": 1_000_100, "site_receipts": 500}, {"long_stay": 1})
        told = faults(bayfield, annual)
        assert set(told) == {"gross.rooms", "gross.site_receipts", "deductions.long_stay"}
        assert (
            "$10,001.00 for the year, $10,000.00 in the returns of its periods, a difference of $1.00"
            in (told["gross.rooms"])
        )
        assert ("Lake House", "2025-annual") not in accounts_now(bayfield, first_filer(bayfield))

    def test_it_is_not_filed_before_the_year_is_over(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        told = faults(bayfield, AnnualForm(place, 2025), date(2025, 12, 31))
        assert "not over before 2025-12-31" in told["year"]
        assert set(told) == {"year", "corrections"}

    def test_corrections_are_of_this_place_and_year_without_days_of_their_own(self, bayfield: Town) -> None:
        place, other = first_place(bayfield), a_place(bayfield, first_filer(bayfield))
        file_year(bayfield, place)
        corrections = [
            ReturnForm(other.id, "2025-Q1", {"rooms": 1}),
            ReturnForm(place, "2024-Q4", {"rooms": 1}),
            ReturnForm(place, "2025-Q2", {"boats": 1}, postmarked_on=date(2026, 1, 2)),
            ReturnForm(place, "2025-Q3", {"rooms": 1}, {"long_stay": 2}),
        ]
        told = faults(bayfield, AnnualForm(place, 2025, corrections=corrections))
        assert list(told) == [
            "corrections[0].place",
            "corrections[1].period",
            "corrections[2].postmarked_on",
            "corrections[2].gross.boats",
            "corrections[3].deductions",
        ]

    @pytest.mark.parametrize("year", [0, 1900, 2024, 9_999])
    def test_a_year_without_one_is_refused(self, bayfield: Town, year: int) -> None:
        assert "year" in faults(bayfield, AnnualForm(first_place(bayfield), year))

    def test_a_place_out_of_reach_is_unknown(self, bayfield: Town) -> None:
        for place, reach in ((first_place(bayfield), frozenset({uuid4()})), (uuid4(), None)):
            with pytest.raises(PlaceUnknown, match="no place of business here has this id"):
                file(bayfield, AnnualForm(place, 2025), reach=reach)
            with pytest.raises(PlaceUnknown, match="no place of business here has this id"):
                annual_draft(bayfield.engine, bayfield.tenant, place, 2025, IN_TIME, reach=reach)

    def test_another_year_is_not_elected_once_an_annual_return_is_open(self, montello: Town) -> None:
        filer = a_filer(montello)
        place = a_place(montello, filer)
        file_year(montello, place.id, {"2025-Q1": 1})
        told = faults(montello, AnnualForm(place.id, 2025), year_end_month=6)
        assert "ends in month 12" in told["year_end_month"]
        assert "13 is no month" in faults(montello, AnnualForm(place.id, 2025), year_end_month=13)["year_end_month"]


class TestDraft:
    def test_it_shows_each_period_the_totals_and_what_is_missing(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place, {"2025-Q1": 100_000, "2025-Q3": 300_000})
        draft = annual_draft(bayfield.engine, bayfield.tenant, place, 2025, IN_TIME)
        assert [(one.period.key, one.filed_on, one.tax_cents) for one in draft.periods] == [
            ("2025-Q1", FILED["2025-Q1"], 6_500),
            ("2025-Q2", None, None),
            ("2025-Q3", FILED["2025-Q3"], 19_500),
            ("2025-Q4", None, None),
        ]
        assert draft.missing == ("2025-Q2", "2025-Q4")
        assert draft.totals.gross == {"rooms": 400_000, "site_receipts": 0}
        assert (draft.tax_cents, draft.filed_on) == (26_000, None)
        assert (draft.deadlines.nominal, draft.deadlines.effective) == (date(2026, 1, 30), date(2026, 1, 30))

    def test_what_it_shows_can_be_filed(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place)
        draft = annual_draft(bayfield.engine, bayfield.tenant, place, 2025, IN_TIME)
        file(bayfield, AnnualForm(place, 2025, *draft.totals))
        assert annual_draft(bayfield.engine, bayfield.tenant, place, 2025, IN_TIME).filed_on == IN_TIME


class TestTheLaw:
    """Every plugin's answers on an annual account: the late filing fee, and no tax whatever happens."""

    @pytest.mark.parametrize("plugin", ["bayfield", "fox_cities_village", "montello"])
    @pytest.mark.parametrize("month", [12, 6, 2])
    def test_only_the_late_filing_fee_is_owed_on_it(self, plugin: str, month: int) -> None:
        plain = open_municipality(plugin)
        fees = [Resolution(key, 2_500, date(2000, 1, 1), "1") for key in plain.law.resolution_slots]
        municipality = plain.with_settings(fees)
        year = Election(plain.annual_return(Election(month), 2026).year_end.month).annual_period(2026)
        account = municipality.open_account("room_tax", year)
        met = account.deadlines.effective
        filed = ReturnFiled(1, met, met, (Receipts(year.first_day, year.first_day, (("rooms", 0),)),))
        much_later = date(2029, 12, 31)
        for events, owed in (([], {"tax": 0, "late_filing_fee": 2_500}), ([filed], {"tax": 0})):
            assert municipality.refusals(account, events) == []
            assert municipality.statement(account, events, much_later).charges == owed
        assert municipality.statement(account, [], met).charges == {"tax": 0}

    def test_what_is_paid_beyond_the_fee_is_a_credit(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place)
        late = date(2026, 2, 2)
        file(bayfield, AnnualForm(place, 2025, {"rooms": 1_000_000}), late)
        annual = accounts_now(bayfield, first_filer(bayfield))["Lake House", "2025-annual"]
        town = bayfield._replace(accounts={**bayfield.accounts, "2025-annual": annual})
        answer = town.act(late, ("2025-annual", a_payment(late, 4_000)))
        assert (answer["accounts"][0]["balance"], answer["accounts"][0]["credit"]) == ("-15.00", "15.00")
        with reading(town.engine, town.tenant.id) as uow:
            statement = load_accounts(uow, open_tenant(uow, "bay"), [annual.id])[annual.id].statement(late)
        assert statement.applied == {"late_filing_fee": 2_500, "tax": 1_500}
        assert any(isinstance(event, Payment) for event in statement.account.payments)

    def test_an_estimate_of_it_is_refused(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file_year(bayfield, place)
        file(bayfield, AnnualForm(place, 2025, {"rooms": 1_000_000}))
        annual = accounts_now(bayfield, first_filer(bayfield))["Lake House", "2025-annual"]
        town = bayfield._replace(accounts={"2025-annual": annual})
        with pytest.raises(Refused, match="bears no tax of its own"):
            town.act(date(2026, 3, 2), ("2025-annual", an_estimate(date(2026, 3, 2), annual, 100)))
        # receipts on it are refused alike
        part = Receipts(date(2025, 1, 1), date(2025, 1, 1), (("rooms", 1),))
        with pytest.raises(Refused, match="bears no tax of its own"):
            town.act(date(2026, 3, 2), ("2025-annual", ReturnFiled(0, date(2026, 3, 2), date.max, (part,))))

    def test_the_previous_years_tax_leaves_it_out(self, montello: Town) -> None:
        place = first_place(montello)
        file_year(montello, place)
        account = montello.accounts["2026-Q1"]

        def previous() -> dict[str, int | None]:
            with reading(montello.engine, montello.tenant.id) as uow:
                loaded = load_accounts(uow, open_tenant(uow, "mon"), [account.id])[account.id]
            return dict(loaded.inputs_by_day[-1][1])

        before = previous()
        # 10,000 x 4.5%
        assert before == {"previous_year_tax": 45_000}
        file(montello, AnnualForm(place, 2025, {"rooms": 1_000_000}))
        assert previous() == before


def trial(town: Town) -> list[tuple[str, str, int]]:
    with reading(town.engine, town.tenant.id) as uow:
        return [(one.fund, one.number, one.cents) for one in trial_balance(uow)]
