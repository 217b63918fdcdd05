"""Submissions: several returns of one municipality, all or nothing, every fault in one pass (READINGS 1, 4, 7, 20)."""

from __future__ import annotations

from datetime import date
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Answer, Request, RequestKeyReused
from core.db.unit_of_work import reading
from core.domain.errors import Refused
from core.filing.accounts import accounts_of
from core.filing.events import events_of
from core.filing.find_filers import filer_versions
from core.filing.records import PlaceUnknown
from core.filing.returns import returns_of
from core.services.filing.submit import Part, ReturnForm, Signature, submit
from tests.support.places import a_fact, a_filer, a_place, accounts_now, filer_now, first_filer, first_place
from tests.support.statements import counted_statements
from tests.support.towns import Town, open_town

pytestmark = pytest.mark.database
OWNER = Signature("The owner", "owner")
TODAY = date(2026, 4, 20)


@pytest.fixture
def bayfield(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


def file(
    town: Town,
    *returns: ReturnForm,
    on: date = TODAY,
    key: str = "1",
    channel: str = "api",
    signature: Signature = OWNER,
    **options: object,
) -> Answer:
    request = Request.of("owner", key, repr((returns, options)).encode())
    return submit(
        town.engine,
        town.tenant,
        request,
        returns,
        signature,
        channel=channel,
        recorded=Recorded("owner", on),
        **options,
    )


def faults(town: Town, *returns: ReturnForm, **options: object) -> dict[str, str]:
    """What a submission is refused for, by field."""
    with pytest.raises(Refused) as refused:
        file(town, *returns, **options)
    return {fault.field: fault.message for fault in refused.value.faults}


def rooms(place: UUID, period: str, cents: int, **more: object) -> ReturnForm:
    return ReturnForm(place, period, {"rooms": cents}, **more)


def nothing_is_recorded(town: Town, filer: UUID) -> bool:
    with reading(town.engine, town.tenant.id) as uow:
        ids = [one.id for one in accounts_of(uow, filer)]
        return not any(events_of(uow, ids).values())


class TestFiling:
    def test_returns_of_two_places_and_two_periods_are_filed_at_once(self, bayfield: Town) -> None:
        filer = first_filer(bayfield)
        other = a_place(bayfield, filer)
        answer = file(
            bayfield,
            rooms(first_place(bayfield), "2025-Q4", 1_000_000),
            rooms(first_place(bayfield), "2026-Q1", 200_000),
            rooms(other.id, "2026-Q1", 300_000),
        )
        told = [(one["period"], one["number"], one["amends"]) for one in answer["returns"]]
        assert told == [("2025-Q4", 1, False), ("2026-Q1", 2, False), ("2026-Q1", 3, False)]
        owed = {one["account"]: one["balance"] for one in answer["accounts"]}
        # 2025-Q4, due Jan 30, on Apr 20: tax 10,000 x 6.5% = 650.00; fee 25.00; 80 days' interest
        # 650 x 10% x 80/365 = 14.25; 2026-Q1 in time: 2,000 x 6.5% = 130.00 and 3,000 x 6.5% = 195.00
        assert [owed[one["account"]] for one in answer["returns"]] == ["689.25", "130.00", "195.00"]

    def test_the_account_of_a_period_that_is_owed_is_opened(self, bayfield: Town) -> None:
        filer = a_filer(bayfield)
        place = a_place(bayfield, filer)
        assert accounts_now(bayfield, filer) == {}
        file(bayfield, rooms(place.id, "2026-Q1", 100))
        assert list(accounts_now(bayfield, filer)) == [("Harbor Inn", "2026-Q1")]

    def test_a_return_of_nothing_is_a_return(self, bayfield: Town) -> None:
        answer = file(bayfield, ReturnForm(first_place(bayfield), "2026-Q1"))
        assert answer["accounts"][0]["balance"] == "0.00"
        # filed in time, so no late filing fee arises either
        later = file(bayfield, ReturnForm(first_place(bayfield), "2026-Q1"), on=date(2026, 6, 1), key="2")
        assert later["accounts"][0]["balance"] == "0.00"

    def test_a_later_return_amends_and_both_are_kept_as_filed(self, bayfield: Town) -> None:
        first, second = {"z": "1.0", "a": "é"}, {"rooms": "12,00"}
        file(bayfield, rooms(first_place(bayfield), "2026-Q1", 100_000, form=first))
        answer = file(bayfield, rooms(first_place(bayfield), "2026-Q1", 120_000, form=second), key="2")
        assert answer["returns"][0]["amends"]
        # 1,200 x 6.5%
        assert answer["accounts"][0]["balance"] == "78.00"
        with reading(bayfield.engine, bayfield.tenant.id) as uow:
            kept = returns_of(uow, UUID(answer["returns"][0]["account"]))
        assert [list(one.submission.form["return"].items()) for one in kept] == [
            list(first.items()),
            list(second.items()),
        ]
        assert kept[0].submission.form["signature"] == {"name": "The owner", "capacity": "owner"}

    def test_a_return_on_paper_counts_for_its_postmark(self, bayfield: Town) -> None:
        paper = rooms(
            first_place(bayfield),
            "2025-Q4",
            1_000_000,
            postmarked_on=date(2026, 1, 30),
            received_on=date(2026, 2, 3),
        )
        answer = file(bayfield, paper, channel="paper", on=date(2026, 2, 10))
        # in time, so no fee; interest from Jan 30 on 650.00: 11 days = 1.96
        assert answer["accounts"][0]["balance"] == "651.96"
        with reading(bayfield.engine, bayfield.tenant.id) as uow:
            kept = returns_of(uow, UUID(answer["returns"][0]["account"]))[0]
        assert (kept.event.on, kept.submission.received_on) == (date(2026, 1, 30), date(2026, 2, 3))

    def test_who_furnishes_the_place_comes_from_its_record(self, bayfield: Town) -> None:
        place = a_place(
            bayfield, first_filer(bayfield), "Pilgrim House", furnished_by="religious", private_benefit=False
        )
        # rooms of a religious body without private benefit are not taxed (READINGS 5)
        answer = file(bayfield, rooms(place.id, "2026-Q1", 500_000))
        assert answer["accounts"][0]["balance"] == "0.00"

    def test_parts_follow_one_another_and_default_to_the_ends_of_the_period(self, bayfield: Town) -> None:
        parts = (
            Part({"rooms": 100_000}, last_night=date(2026, 1, 31)),
            Part({"rooms": 200_000}, {"long_stay": 50_000}),
        )
        answer = file(bayfield, ReturnForm(first_place(bayfield), "2026-Q1", parts=parts))
        # (1,000 + 2,000 - 500) x 6.5%
        assert answer["accounts"][0]["balance"] == "162.50"

    def test_the_same_request_files_once(self, bayfield: Town) -> None:
        one = rooms(first_place(bayfield), "2026-Q1", 100_000)
        assert file(bayfield, one) == file(bayfield, one)
        with reading(bayfield.engine, bayfield.tenant.id) as uow:
            assert len(returns_of(uow, bayfield.accounts["2026-Q1"].id)) == 1
        with pytest.raises(RequestKeyReused):
            file(bayfield, rooms(first_place(bayfield), "2026-Q1", 100_001))


class TestRefusing:
    def test_every_fault_is_told_in_one_pass_and_nothing_is_recorded(self, bayfield: Town) -> None:
        place, filer = first_place(bayfield), first_filer(bayfield)
        told = faults(
            bayfield,
            ReturnForm(place, "2026-Q1", {"rooms": -1, "boats": 5}, {"tips": 1}),
            rooms(place, "2026-Q9", 1),
            rooms(place, "2026-annual", 1),
            rooms(place, "2025-Q1", 1, tax="beer_tax"),
            rooms(place, "2026-Q2", 1),
            rooms(place, "2025-Q4", 100, deductions={"long_stay": 101}),
            rooms(place, "2026-Q1", 1),
            rooms(place, "2025-Q3", 1, postmarked_on=date(2025, 10, 1)),
            signature=Signature(" ", "owner"),
            channel="api",
            year_end_month=13,
        )
        assert set(told) == {
            "signature.name",
            "year_end_month",
            "returns[0].gross.rooms",
            "returns[0].gross.boats",
            "returns[0].deductions.tips",
            "returns[1].period",
            "returns[2].period",
            "returns[3].tax",
            "returns[4].period",
            "returns[5].deductions",
            "returns[6].period",
            "returns[7].postmarked_on",
        }
        assert "use rooms, site_receipts" in told["returns[0].gross.boats"]
        assert "not over before 2026-06-30" in told["returns[4].period"]
        assert "returns[0] is for this place" in told["returns[6].period"]
        assert nothing_is_recorded(bayfield, filer)
        # nothing of the refused one is remembered either: the mended form goes under the same key
        assert file(bayfield, rooms(place, "2026-Q1", 1))["returns"][0]["number"] == 1

    def test_faults_come_in_the_order_of_the_form(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        told = faults(
            bayfield,
            rooms(place, "2025-Q4", 100, deductions={"long_stay": 101}),
            rooms(place, "2026-Q9", 1),
            signature=Signature("x", ""),
        )
        assert list(told) == ["signature.capacity", "returns[0].deductions", "returns[1].period"]

    def test_one_that_the_law_refuses_keeps_the_others_from_being_filed(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        told = faults(
            bayfield, rooms(place, "2026-Q1", 100), rooms(place, "2025-Q4", 100, deductions={"long_stay": 101})
        )
        assert list(told) == ["returns[1].deductions"]
        assert nothing_is_recorded(bayfield, first_filer(bayfield))

    def test_a_place_of_another_filer_and_one_that_is_not_there_look_alike(self, bayfield: Town) -> None:
        own, other = first_filer(bayfield), a_filer(bayfield)
        place = a_place(bayfield, other)
        messages = []
        for unknown in (place.id, uuid4()):
            with pytest.raises(PlaceUnknown) as error:
                file(bayfield, rooms(unknown, "2026-Q1", 1), reach=frozenset({own}))
            messages.append(str(error.value))
        assert messages[0] == messages[1]
        assert accounts_now(bayfield, other) == {}
        assert file(bayfield, rooms(place.id, "2026-Q1", 1), reach=frozenset({other}))["returns"]

    def test_a_place_of_another_municipality_is_unknown(self, bayfield: Town, app: Engine, host: Engine) -> None:
        montello = open_town(app, host, "mon", "montello")
        with pytest.raises(PlaceUnknown):
            file(bayfield, rooms(first_place(montello), "2026-Q1", 1))

    @pytest.mark.parametrize(
        ("facts", "period", "words"),
        [
            ([("closing", date(2025, 6, 10), None)], "2025-Q3", "it was open from 2025-01-01 to 2025-06-10"),
            (
                [("seasonal_closure", date(2025, 6, 1), date(2025, 10, 2))],
                "2025-Q3",
                "closed for the season all through",
            ),
            ([], "2024-Q4", "since 2025-01-01, after 2024-Q4"),
        ],
    )
    def test_a_period_that_is_not_owed_says_why(
        self, bayfield: Town, facts: list[tuple[str, date, date | None]], period: str, words: str
    ) -> None:
        place = a_place(bayfield, first_filer(bayfield))
        for fact in facts:
            a_fact(bayfield, place.id, *fact)
        assert words in faults(bayfield, rooms(place.id, period, 1))["returns[0].period"]

    def test_a_place_open_for_one_day_owes_the_period(self, bayfield: Town) -> None:
        place = a_place(bayfield, first_filer(bayfield))
        a_fact(bayfield, place.id, "closing", date(2025, 7, 1))
        assert file(bayfield, rooms(place.id, "2025-Q3", 1))["returns"]

    def test_a_return_is_not_filed_before_its_period_is_over_though_the_account_is_open(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        assert "2026-Q2" in bayfield.accounts
        assert list(faults(bayfield, rooms(place, "2026-Q2", 1), on=date(2026, 6, 30))) == ["returns[0].period"]
        early = rooms(place, "2026-Q2", 1, postmarked_on=date(2026, 6, 29), received_on=date(2026, 7, 1))
        told = faults(bayfield, early, channel="paper", on=date(2026, 7, 2))
        assert list(told) == ["returns[0].postmarked_on"]
        assert file(bayfield, rooms(place, "2026-Q2", 1), on=date(2026, 7, 1))["returns"]

    def test_the_days_of_a_paper_return_are_in_order(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        late = rooms(place, "2026-Q1", 1, postmarked_on=date(2026, 4, 25), received_on=date(2026, 4, 22))
        told = faults(bayfield, late, channel="paper")
        assert sorted(told) == ["returns[0].postmarked_on", "returns[0].received_on"]

    @pytest.mark.parametrize(
        ("parts", "field"),
        [
            ((Part({}, last_night=date(2026, 1, 31)), Part({}, first_night=date(2026, 2, 2))), "parts[1].first_night"),
            ((Part({}), Part({})), "parts[1].first_night"),
            ((Part({}, last_night=date(2026, 1, 31)),), "parts"),
            ((Part({}, first_night=date(2025, 12, 31)),), "parts[0].first_night"),
        ],
    )
    def test_parts_with_a_gap_or_an_overlap_are_refused(
        self, bayfield: Town, parts: tuple[Part, ...], field: str
    ) -> None:
        told = faults(bayfield, ReturnForm(first_place(bayfield), "2026-Q1", parts=parts))
        assert list(told) == [f"returns[0].{field}"]

    def test_receipts_beside_parts_are_refused(self, bayfield: Town) -> None:
        both = ReturnForm(first_place(bayfield), "2026-Q1", {"rooms": 1}, parts=(Part({"rooms": 1}),))
        assert list(faults(bayfield, both)) == ["returns[0].gross"]

    def test_no_return_and_too_many_are_refused(self, bayfield: Town) -> None:
        assert list(faults(bayfield)) == ["returns"]
        assert list(faults(bayfield, *[rooms(uuid4(), "2026-Q1", 1)] * 501)) == ["returns"]

    def test_an_unknown_channel_is_refused(self, bayfield: Town) -> None:
        assert "channel" in faults(bayfield, rooms(first_place(bayfield), "2026-Q1", 1), channel="fax")


class TestElection:
    def test_the_first_return_elects_the_filers_year(self, app: Engine, host: Engine) -> None:
        town = open_town(app, host, "mon", "montello")
        filer = first_filer(town)
        assert filer_now(town, filer).details.year_end_month is None
        file(town, rooms(first_place(town), "2026-Q1", 1), year_end_month=6)
        now = filer_now(town, filer)
        assert (now.version, now.details.year_end_month) == (2, 6)
        with reading(app, town.tenant.id) as uow:
            versions = filer_versions(uow, filer)
        assert versions[1] == (2, now.details, Recorded("owner", TODAY))

    def test_a_first_return_without_an_election_takes_the_calendar_year(self, bayfield: Town) -> None:
        file(bayfield, rooms(first_place(bayfield), "2026-Q1", 1))
        assert filer_now(bayfield, first_filer(bayfield)).details.year_end_month == 12

    def test_a_later_return_does_not_change_it_silently(self, app: Engine, host: Engine) -> None:
        town = open_town(app, host, "mon", "montello")
        place = first_place(town)
        file(town, rooms(place, "2025-Q4", 1), year_end_month=6)
        file(town, rooms(place, "2026-Q1", 1), key="2", year_end_month=6)
        told = faults(town, rooms(place, "2026-Q1", 2), key="3", year_end_month=9)
        assert "ends in month 6" in told["year_end_month"]
        assert filer_now(town, first_filer(town)).version == 2

    def test_a_year_that_the_law_does_not_know_is_refused(self, bayfield: Town) -> None:
        told = faults(bayfield, rooms(first_place(bayfield), "2026-Q1", 1), year_end_month=6)
        assert "calendar year here" in told["year_end_month"]


class TestCost:
    def test_a_return_takes_six_statements_and_two_where_it_comes_again(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        file(bayfield, rooms(place, "2025-Q4", 1))
        with counted_statements() as sent:
            file(bayfield, rooms(place, "2026-Q1", 1), key="2")
        # BEGIN with the tenant, claim, find, look, record, answer, COMMIT
        assert len(sent) <= 8, sent
        with counted_statements() as again:
            file(bayfield, rooms(place, "2026-Q1", 1), key="2")
        assert len(again) < len(sent)

    def test_as_many_for_twenty_returns(self, bayfield: Town) -> None:
        place = first_place(bayfield)
        others = [a_place(bayfield, first_filer(bayfield), f"Cabin {number}").id for number in range(19)]
        file(bayfield, *[rooms(one, "2025-Q4", 1) for one in (place, *others)])
        with counted_statements() as one:
            file(bayfield, rooms(place, "2025-Q4", 2), key="2")
        with counted_statements() as twenty:
            file(bayfield, *[rooms(each, "2025-Q4", 3) for each in (place, *others)], key="3")
        assert len(twenty) == len(one)
