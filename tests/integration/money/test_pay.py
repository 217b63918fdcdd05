"""Payments: several at once, all or nothing, previewed to the cent, and never more than once."""

from __future__ import annotations

from datetime import date
from itertools import count
from uuid import UUID

import pytest
from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Request, RequestKeyReused
from core.db.unit_of_work import reading
from core.domain.errors import Refused
from core.filing.records import AccountUnknown, PlaceUnknown
from core.ledger.read import trial_balance
from core.services.accounts.errors import TenantNotOpen
from core.services.accounts.named import Named
from core.services.money.pay import PaymentForm, pay
from core.services.money.preview import preview
from core.services.money.read_payments import account_payments, list_payments, read_payment
from tests.support.places import a_filer, a_place, first_filer, first_place
from tests.support.tenants import new_tenant
from tests.support.towns import Town, a_return, open_town

pytestmark = pytest.mark.database
NUMBERS = count(1)


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


def of(town: Town, period: str) -> Named:
    return Named(town.accounts[period].id)


def pays(town: Town, on: date, *forms: PaymentForm, key: str = "", reach: frozenset[UUID] | None = None):
    request = Request.of("treasurer", key or f"pay {next(NUMBERS)}", repr(forms).encode())
    return pay(town.engine, town.tenant, request, forms, Recorded("treasurer", on), reach=reach)


def late_return(town: Town) -> date:
    """$30,000.00 x 6.5% = $1,950.00, filed on May 20, 2026: with the fee of $25.00."""
    filed = date(2026, 5, 20)
    town.act(filed, ("2026-Q1", a_return(filed, town.accounts["2026-Q1"], 3_000_000)))
    return date(2026, 5, 22)


def by_kind(payment) -> dict[str, str]:
    return {line["kind"]: line["amount"] for line in payment["applied"]}


def faults(refused) -> dict[str, str]:
    return {fault.field: fault.message for fault in refused.value.faults}


def cash(town: Town) -> dict[str, int]:
    with reading(town.engine, town.tenant.id) as uow:
        return {one.fund: one.cents for one in trial_balance(uow) if one.number == "11100"}


class TestAPayment:
    def test_says_where_each_cent_went_with_title_and_section(self, bay: Town) -> None:
        on = late_return(bay)
        answer = pays(bay, on, PaymentForm(of(bay, "2026-Q1"), 20_000, "check", "1402"))
        (payment,) = answer["payments"]
        # 1,950.00 x 10% x 22 / 365 = 11.75; 200.00 - 25.00 - 11.75 = 163.25
        assert payment["applied"] == [
            {
                "kind": "late_filing_fee",
                "title": "Late filing fee",
                "amount": "25.00",
                "clauses": [{"id": "BAY-19C8B1", "section": "§ 54-19(C)(8)(b)"}],
            },
            {
                "kind": "interest",
                "title": "Interest",
                "amount": "11.75",
                "clauses": [{"id": "BAY-19C8A", "section": "§ 54-19(C)(8)(a)"}],
            },
            {
                "kind": "tax",
                "title": "Room tax",
                "amount": "163.25",
                "clauses": [{"id": "BAY-19B1", "section": "§ 54-19(B)"}],
            },
        ]
        assert (payment["left_over"], payment["held"], payment["number"]) == ("0.00", False, 1)
        assert (payment["method"], payment["reference"]) == ("check", "1402")
        # 1,950.00 + 25.00 + 11.75 - 200.00
        assert answer["accounts"][0]["balance"] == "1786.75"
        assert cash(bay) == {"100": 3_675, "210": 16_325}

    def test_above_what_is_owed_says_what_is_left_over_as_a_credit(self, bay: Town) -> None:
        on = late_return(bay)
        answer = pays(bay, on, PaymentForm(of(bay, "2026-Q1"), 200_000))
        # 2,000.00 - 1,986.75
        assert answer["payments"][0]["left_over"] == "13.25"
        assert answer["payments"][0]["held"] is False
        assert (answer["accounts"][0]["balance"], answer["accounts"][0]["credit"]) == ("-13.25", "13.25")

    def test_before_anything_is_filed_is_held_and_no_credit(self, bay: Town) -> None:
        answer = pays(bay, date(2026, 4, 20), PaymentForm(of(bay, "2026-Q1"), 50_000))
        (payment,) = answer["payments"]
        assert (by_kind(payment), payment["left_over"], payment["held"]) == ({"tax": "500.00"}, "500.00", True)
        assert (answer["accounts"][0]["balance"], answer["accounts"][0]["credit"]) == ("-500.00", "0.00")

    def test_counts_for_its_postmark_and_is_kept_with_the_day_it_arrived(self, bay: Town) -> None:
        late_return(bay)
        form = PaymentForm(of(bay, "2026-Q1"), 199_000, "check", "7", date(2026, 5, 22), date(2026, 5, 26))
        answer = pays(bay, date(2026, 5, 27), form)
        # interest to May 22 is 11.75 and no more grew: 1,990.00 - 1,986.75
        assert answer["accounts"][0]["credit"] == "3.25"
        kept = read_payment(bay.engine, bay.tenant, UUID(answer["payments"][0]["id"]))
        assert (kept.paid_on, kept.received_on, kept.recorded.on) == (
            date(2026, 5, 22),
            date(2026, 5, 26),
            date(2026, 5, 27),
        )
        assert (kept.number, kept.method, kept.reference, kept.cents) == (1, "check", "7", 199_000)
        assert (kept.void, kept.moved_from, kept.moved_to) == (None, None, None)

    def test_that_arrived_without_a_postmark_counts_for_the_day_it_arrived(self, bay: Town) -> None:
        form = PaymentForm(of(bay, "2026-Q1"), 100, received_on=date(2026, 4, 20))
        answer = pays(bay, date(2026, 4, 22), form)
        assert answer["payments"][0]["paid_on"] == "2026-04-20"

    def test_waits_for_a_resolution_and_is_recorded_all_the_same(self, app: Engine, host: Engine) -> None:
        town = open_town(app, host, "bare", "bayfield", resolutions=())
        on = late_return(town)
        answer = pays(town, on, PaymentForm(of(town, "2026-Q1"), 20_000))
        (payment,) = answer["payments"]
        assert payment["applied"] is None
        assert "late filing fee" in payment["waiting"]
        assert payment["number"] == 1
        assert cash(town) == {"100": 0, "210": 0}


class TestSeveralPayments:
    def test_are_recorded_together_for_accounts_named_in_either_way(self, bay: Town) -> None:
        place = first_place(bay)
        answer = pays(
            bay,
            date(2026, 10, 1),
            PaymentForm(of(bay, "2026-Q1"), 1_000),
            PaymentForm(Named(place_id=place, period="2026-Q2"), 2_000, "cash"),
            PaymentForm(Named(place_id=place, period="2026-Q1", tax="room_tax"), 3_000, "ach", "T-1"),
        )
        assert [(one["number"], one["period"], one["amount"]) for one in answer["payments"]] == [
            (1, "2026-Q1", "10.00"),
            (2, "2026-Q2", "20.00"),
            (3, "2026-Q1", "30.00"),
        ]
        assert len(answer["accounts"]) == 2

    def test_of_one_account_each_say_what_became_of_them(self, bay: Town) -> None:
        on = late_return(bay)
        answer = pays(bay, on, PaymentForm(of(bay, "2026-Q1"), 3_000), PaymentForm(of(bay, "2026-Q1"), 200_000))
        first, second = answer["payments"]
        assert by_kind(first) == {"late_filing_fee": "25.00", "interest": "5.00"}
        # 1,986.75 - 30.00 = 1,956.75; 2,000.00 - 1,956.75 = 43.25
        assert by_kind(second) == {"interest": "6.75", "tax": "1993.25"}
        assert (first["left_over"], second["left_over"]) == ("0.00", "43.25")

    def test_open_the_account_of_a_period_that_is_owed(self, bay: Town) -> None:
        inn = a_place(bay, a_filer(bay)).id
        answer = pays(bay, date(2026, 4, 20), PaymentForm(Named(place_id=inn, period="2026-Q1"), 1_000))
        account = UUID(answer["payments"][0]["account"])
        assert [one.cents for one in account_payments(bay.engine, bay.tenant, account)] == [1_000]

    def test_are_all_refused_with_everything_that_is_wrong_with_any(self, bay: Town) -> None:
        place = first_place(bay)
        with pytest.raises(Refused) as refused:
            pays(
                bay,
                date(2026, 10, 1),
                PaymentForm(of(bay, "2026-Q1"), 1_000),
                PaymentForm(of(bay, "2026-Q1"), 0, "barter", "x" * 101),
                PaymentForm(Named(place_id=place, period="2026-Q4"), 1_000),
                PaymentForm(Named(place_id=place, period="Q4 2026"), 1_000),
                PaymentForm(Named(place_id=place), 1_000),
                PaymentForm(Named(place_id=place, period="2026-Q1", tax="sales_tax"), 1_000),
                PaymentForm(of(bay, "2026-Q2"), 1_000, paid_on=date(2026, 10, 2)),
                PaymentForm(of(bay, "2026-Q2"), 1_000, paid_on=date(2026, 9, 9), received_on=date(2026, 9, 8)),
                PaymentForm(of(bay, "2026-Q2"), 1_000, received_on=date(2026, 10, 2)),
                PaymentForm(Named(place_id=place, period="2024-Q4"), 1_000),
            )
        assert list(faults(refused)) == [
            "payments[1].method",
            "payments[1].reference",
            "payments[1].amount",
            "payments[3].period",
            "payments[4].account",
            "payments[5].tax",
            "payments[6].paid_on",
            "payments[7].paid_on",
            "payments[8].received_on",
            "payments[9].period",
        ]
        assert list_payments(bay.engine, bay.tenant) == ()

    def test_for_a_period_that_is_not_over_and_not_open_are_refused(self, bay: Town) -> None:
        inn = a_place(bay, a_filer(bay)).id
        with pytest.raises(Refused) as refused:
            pays(bay, date(2026, 9, 1), PaymentForm(Named(place_id=inn, period="2026-Q3"), 1_000))
        expected = "2026-Q3 is not over before 2026-09-30: nothing is owed for it yet"
        assert faults(refused) == {"payments[0].period": expected}

    def test_are_a_number_that_a_request_can_hold(self, bay: Town) -> None:
        for many in (0, 501):
            with pytest.raises(Refused, match="1 to 500 payments"):
                pays(bay, date(2026, 9, 1), *[PaymentForm(of(bay, "2026-Q1"), 1)] * many)


class TestOneRequest:
    def test_pays_once_and_answers_alike(self, bay: Town) -> None:
        on = late_return(bay)
        form = PaymentForm(of(bay, "2026-Q1"), 20_000)
        first = pays(bay, on, form, key="one")
        assert pays(bay, on, form, key="one") == first
        assert len(list_payments(bay.engine, bay.tenant)) == 1

    def test_with_another_body_is_refused(self, bay: Town) -> None:
        on = late_return(bay)
        pays(bay, on, PaymentForm(of(bay, "2026-Q1"), 20_000), key="one")
        with pytest.raises(RequestKeyReused):
            pays(bay, on, PaymentForm(of(bay, "2026-Q1"), 20_001), key="one")

    def test_of_an_equal_payment_under_another_key_is_another_payment(self, bay: Town) -> None:
        on = late_return(bay)
        for key in ("one", "two"):
            pays(bay, on, PaymentForm(of(bay, "2026-Q1"), 20_000), key=key)
        assert len(list_payments(bay.engine, bay.tenant)) == 2


class TestReach:
    def test_what_is_another_filers_is_as_unknown_as_what_is_not_there(self, bay: Town) -> None:
        mine, other = first_filer(bay), a_filer(bay)
        inn = a_place(bay, other)
        on = date(2026, 4, 20)
        pays(bay, on, PaymentForm(of(bay, "2026-Q1"), 100), reach=frozenset({mine}))
        with pytest.raises(AccountUnknown, match=f"no period account here has the id {bay.accounts['2026-Q1'].id}"):
            pays(bay, on, PaymentForm(of(bay, "2026-Q1"), 100), reach=frozenset({other}))
        with pytest.raises(PlaceUnknown):
            pays(bay, on, PaymentForm(Named(place_id=inn.id, period="2026-Q1"), 100), reach=frozenset({mine}))
        with pytest.raises(AccountUnknown):
            account_payments(bay.engine, bay.tenant, bay.accounts["2026-Q1"].id, reach=frozenset({other}))
        assert len(list_payments(bay.engine, bay.tenant, reach=frozenset({mine}))) == 1
        assert list_payments(bay.engine, bay.tenant, reach=frozenset({other})) == ()

    def test_an_account_of_another_municipality_is_unknown(self, bay: Town, app: Engine, host: Engine) -> None:
        twin = open_town(app, host, "twin", "bayfield")
        with pytest.raises(AccountUnknown):
            pays(bay, date(2026, 4, 20), PaymentForm(of(twin, "2026-Q1"), 100))

    def test_a_municipality_that_is_not_open_takes_no_money(self, app: Engine, host: Engine) -> None:
        tenant = new_tenant(host, "shut")
        with pytest.raises(TenantNotOpen):
            pays(Town(app, tenant, {}), date(2026, 4, 20), PaymentForm(Named(place_id=None, period="2026-Q1"), 100))


class TestPreview:
    def test_shows_what_the_payment_then_does(self, bay: Town) -> None:
        on = late_return(bay)
        forms = [PaymentForm(of(bay, "2026-Q1"), 3_000), PaymentForm(of(bay, "2026-Q2"), 500)]
        shown = preview(bay.engine, bay.tenant, forms, on)
        assert list_payments(bay.engine, bay.tenant) == ()
        done = pays(bay, on, *forms)
        numbered = ("seq", "id", "number")
        assert shown["payments"] == [
            {name: value for name, value in one.items() if name not in numbered} for one in done["payments"]
        ]
        assert shown["accounts"] == [
            {name: value for name, value in one.items() if name != "entry"} for one in done["accounts"]
        ]

    def test_opens_no_account_and_shows_two_payments_for_it_as_of_one(self, bay: Town) -> None:
        inn = Named(place_id=a_place(bay, a_filer(bay)).id, period="2026-Q1")
        shown = preview(bay.engine, bay.tenant, [PaymentForm(inn, 100), PaymentForm(inn, 200)], date(2026, 4, 20))
        assert [one["balance"] for one in shown["accounts"]] == ["-3.00"]
        with pytest.raises(AccountUnknown):
            account_payments(bay.engine, bay.tenant, UUID(shown["accounts"][0]["account"]))

    def test_refuses_what_the_payment_would_be_refused_for(self, bay: Town) -> None:
        forms = [
            PaymentForm(of(bay, "2026-Q1"), 0, "barter"),
            PaymentForm(Named(place_id=first_place(bay), period="2020-Q1"), 1),
        ]
        on = date(2026, 4, 20)
        with pytest.raises(Refused) as shown:
            preview(bay.engine, bay.tenant, forms, on)
        with pytest.raises(Refused) as done:
            pays(bay, on, *forms)
        assert shown.value.faults == done.value.faults
        assert len(shown.value.faults) == 3
        with pytest.raises(Refused, match="was last written to"):
            preview(bay.engine, bay.tenant, [PaymentForm(of(bay, "2026-Q1"), 5)], late_return(bay).replace(day=19))

    def test_says_what_it_waits_for(self, app: Engine, host: Engine) -> None:
        town = open_town(app, host, "bare", "bayfield", resolutions=())
        shown = preview(app, town.tenant, [PaymentForm(of(town, "2026-Q1"), 100)], late_return(town))
        assert "late filing fee" in shown["payments"][0]["waiting"]
        assert "late filing fee" in shown["accounts"][0]["waiting"]
