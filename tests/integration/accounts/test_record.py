"""Acts on period accounts, recorded and posted in one transaction (DESIGN ideas 1 and 2; READINGS 19 to 22)."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.unit_of_work import reading
from core.domain.errors import Refused
from core.ledger.read import journal_of, posted_state, trial_balance
from core.services.accounts.waiting import post_again, waiting
from tests.support.towns import Town, a_payment, a_return, a_waiver, came_back, open_town, set_fee

pytestmark = pytest.mark.database


@pytest.fixture
def bayfield(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


def balances(town: Town) -> dict[tuple[str, str], int]:
    with reading(town.engine, town.tenant.id) as uow:
        return {(one.fund, one.number): one.cents for one in trial_balance(uow) if one.cents}


def test_a_return_is_posted_as_owed(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    answer = bayfield.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), account, 1_000_000)))
    # $10,000.00 x 6.5% = $650.00
    assert answer["accounts"][0]["balance"] == "650.00"
    assert balances(bayfield) == {("210", "12410"): 65_000, ("210", "41210"): -65_000}


def test_a_late_payment_goes_to_fee_interest_and_tax_in_the_funds_of_each(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), account, 3_000_000)))
    bayfield.act(date(2026, 5, 22), ("2026-Q1", a_payment(date(2026, 5, 22), 20_000)))
    # tax $1,950.00; fee $25.00; interest 22 days: 1,950 x 10% x 22/365 = $11.75; to tax 200 - 25 - 11.75 = $163.25
    found = balances(bayfield)
    assert found["100", "11100"] == 2_500 + 1_175
    assert found["210", "11100"] == 16_325
    assert found["210", "12410"] == 195_000 - 16_325


def test_a_returned_check_is_taken_back_by_new_entries(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), account, 2_000_000)))
    bayfield.act(date(2026, 4, 28), ("2026-Q1", a_payment(date(2026, 4, 28), 50_000)))
    bayfield.act(date(2026, 5, 15), ("2026-Q1", came_back(date(2026, 5, 15), 2, date(2026, 4, 28), 50_000)))
    found = balances(bayfield)
    assert ("210", "11100") not in found
    # tax $1,300.00 unpaid 15 days: 1,300 x 10% x 15/365 = $5.34; fee $35.00
    assert found["210", "12410"] == 130_000
    with reading(bayfield.engine, bayfield.tenant.id) as uow:
        assert len(journal_of(uow, account.id)) == 3


def test_a_waiver_lowers_what_is_posted_and_frees_what_was_paid(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), account, 3_000_000)))
    bayfield.act(date(2026, 5, 22), ("2026-Q1", a_payment(date(2026, 5, 22), 20_000)))
    bayfield.act(date(2026, 6, 3), ("2026-Q1", a_waiver(date(2026, 6, 3), "late_filing_fee", 2_500)))
    found = balances(bayfield)
    # the worked case bayfield-waiver on June 3: interest 17.63 paid, tax 182.37
    assert found["210", "11100"] == 18_237
    assert found["100", "11100"] == 1_763


def test_the_same_request_twice_acts_once(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    filed = ("2026-Q1", a_return(date(2026, 4, 20), account, 1_000_000))
    first = bayfield.act(date(2026, 4, 20), filed, key="one")
    assert bayfield.act(date(2026, 4, 20), filed, key="one") == first
    with reading(bayfield.engine, bayfield.tenant.id) as uow:
        assert len(journal_of(uow, account.id)) == 1


def test_all_that_stands_against_the_acts_is_found_and_nothing_is_kept(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    acts = [
        ("2026-Q1", a_return(date(2026, 4, 20), account, 100, marketplace=200)),
        ("2026-Q2", a_waiver(date(2026, 4, 20), "tax", 100)),
        ("2026-Q2", a_payment(date(2026, 4, 21), 100)),
    ]
    with pytest.raises(Refused) as refused:
        bayfield.act(date(2026, 4, 20), *acts, key="mend me")
    fields = [fault.field for fault in refused.value.faults]
    assert sorted(fields) == ["acts[0].deductions", "acts[1].kind", "acts[2].on"]
    assert balances(bayfield) == {}
    # the mended request goes through under the same key
    mended = ("2026-Q1", a_return(date(2026, 4, 20), account, 1_000_000))
    assert bayfield.act(date(2026, 4, 20), mended, key="mend me")["accounts"][0]["balance"] == "650.00"


def test_what_waits_for_a_resolution_is_recorded_and_says_for_which_act(app: Engine, host: Engine) -> None:
    town = open_town(app, host, "bare", "bayfield", resolutions=())
    account = town.accounts["2026-Q1"]
    answer = town.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), account, 1_000_000)))
    assert "late filing fee" in answer["accounts"][0]["waiting"]
    (act,) = answer["acts"]
    assert (act["account"], act["seq"], act["number"]) == (str(account.id), 1, 1)
    with reading(app, town.tenant.id) as uow:
        assert posted_state(uow, [account.id]) == {account.id: {}}


def test_an_act_in_one_year_reassesses_the_accounts_that_look_back_to_it(app: Engine, host: Engine) -> None:
    town = open_town(app, host, "mon", "montello")
    earlier, later = town.accounts["2025-Q1"], town.accounts["2026-Q1"]
    town.act(date(2025, 4, 20), ("2025-Q1", a_return(date(2025, 4, 20), earlier, 1_000_000)))
    town.act(date(2026, 4, 20), ("2026-Q1", a_return(date(2026, 4, 20), later, 2_000_000)))
    # not paid by June 1: the lesser of 25% of 2025's $450.00 = $112.50 and $1,000
    answer = town.act(date(2026, 6, 2), ("2026-Q1", a_waiver(date(2026, 6, 2), "interest", 1)))
    # tax 900.00, two months' interest 18.00 less 0.01, forfeiture 112.50
    assert answer["accounts"][0]["balance"] == "1030.49"
    amended = a_return(date(2026, 6, 3), earlier, 2_000_000)
    answer = town.act(date(2026, 6, 3), ("2025-Q1", amended))
    by_account = {one["account"]: one["balance"] for one in answer["accounts"]}
    # 2025's tax is now $900.00: the forfeiture of 2026 rises to $225.00
    assert by_account[str(later.id)] == "1142.99"


def test_what_waited_is_posted_once_the_resolution_is_recorded(app: Engine, host: Engine) -> None:
    town = open_town(app, host, "bare", "bayfield", resolutions=())
    account = town.accounts["2026-Q1"]
    town.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), account, 1_000_000)))
    assert "late filing fee" in waiting(app, town.tenant, date(2026, 5, 20))[account.id]
    set_fee(town, "late_filing_fee", 2_500)
    assert "post it" in waiting(app, town.tenant, date(2026, 5, 20))[account.id]
    posted = post_again(
        app, town.tenant, waiting(app, town.tenant, date(2026, 5, 20)), Recorded("treasurer", date(2026, 5, 21))
    )
    # tax $650.00, fee $25.00, interest 21 days: 650 x 10% x 21/365 = $3.74
    assert [one.balance_cents for one in posted] == [65_000 + 2_500 + 374]
    assert waiting(app, town.tenant, date(2026, 5, 21)) == {}


def test_posting_again_on_the_same_day_moves_nothing(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), account, 1_000_000)))
    later = Recorded("treasurer", date(2026, 6, 30))
    assert post_again(bayfield.engine, bayfield.tenant, [account.id], later)[0].entry_id is not None
    assert post_again(bayfield.engine, bayfield.tenant, [account.id], later)[0].entry_id is None


def test_an_act_recorded_before_the_last_one_is_refused(bayfield: Town) -> None:
    account = bayfield.accounts["2026-Q1"]
    bayfield.act(date(2026, 5, 20), ("2026-Q1", a_return(date(2026, 5, 20), account, 1_000_000)))
    with pytest.raises(Refused) as refused:
        bayfield.act(date(2026, 5, 19), ("2026-Q1", a_payment(date(2026, 5, 10), 100)))
    assert [fault.field for fault in refused.value.faults] == ["acts[0].recorded"]
