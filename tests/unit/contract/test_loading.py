"""Plugins are found, wired and asked strictly; what is wrong names the plugin and the hook."""

from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import pytest

from core.contract.declarations import Filer, Objection, Refund, RefundInterest, ScheduledFee, SecurityDemand, Stay
from core.contract.hookspecs import MunicipalityHooks, hookimpl
from core.contract.loading import MunicipalityUnknown, municipality_keys, open_municipality, open_plugin
from core.domain.account import Account
from core.domain.calendar import Election
from core.domain.charge import TAX, Charge, Exposure
from core.domain.clause import Clause, Words
from core.domain.errors import ContractBroken
from core.domain.events import Notice
from core.domain.receipts import Excluded, Receipts, Taxability
from core.domain.shares import Collected, Distribution, Share
from tests.support.testville import plugin as testville

HOOKS = [name for name in vars(MunicipalityHooks) if not name.startswith("_")]
CITED, NOWHERE = Clause("TST-06", "Art. 6"), Clause("TST-99", "Art. 99")
ON = date(2026, 5, 4)
RECEIPTS = Receipts(date(2026, 4, 1), date(2026, 4, 30), (("rooms", 100_00),))


def plugin(without=(), **changed):
    """Testville's plugin with hooks changed, added or left out."""
    hooks = {name: getattr(testville, name) for name in HOOKS if name not in without}
    for name, hook in changed.items():
        hooks[name] = hookimpl(hook)
    return SimpleNamespace(**hooks)


def answering(hook: str, answer):
    """A hook that always gives this answer; its arguments are those of the contract."""
    names = getattr(testville, hook).__code__.co_varnames[: getattr(testville, hook).__code__.co_argcount]
    space: dict = {"answer": answer}
    exec(f"def hook({', '.join(names)}): return answer", space)  # pluggy reads the names of the arguments
    return space["hook"]


def opened(**changed):
    return open_plugin(plugin(**changed), "testville")


def account(town) -> Account:
    return town.open_account("lodging_tax", town.taxes["lodging_tax"].frequency.period("2026-M04"))


def test_the_installed_municipalities_are_known_by_their_keys():
    assert municipality_keys() == ("bayfield", "fox_cities_village", "montello")
    assert [open_municipality(key).declared.key for key in municipality_keys()] == list(municipality_keys())


def test_an_unknown_municipality_names_those_that_there_are():
    with pytest.raises(MunicipalityUnknown, match="'testville' is no municipality here: name one of bayfield, "):
        open_municipality("testville")


@pytest.mark.parametrize("hook", HOOKS)
def test_a_missing_hook_stops_the_start(hook):
    with pytest.raises(ContractBroken, match=f"plugin testville does not answer {hook}: every hook is required"):
        open_plugin(plugin(without=(hook,)), "testville")


def test_a_misspelt_hook_stops_the_start():
    with pytest.raises(ContractBroken, match="plugin testville: unknown hook 'tax_ability'"):
        open_plugin(plugin(tax_ability=lambda receipts, law: None), "testville")


def test_a_hook_with_an_argument_that_the_contract_does_not_give_stops_the_start():
    with pytest.raises(ContractBroken, match="plugin testville: .*long_stay"):
        open_plugin(plugin(long_stay=lambda stay, law, today: True), "testville")


def test_a_plugin_under_another_name_stops_the_start():
    with pytest.raises(ContractBroken, match="plugin other, hook municipality: its key 'testville' is not its name"):
        open_plugin(plugin(), "other")


@pytest.mark.parametrize("hook", ["municipality", "law", "taxes", "application_order", "business_days"])
@pytest.mark.parametrize("answer", [None, 1])
def test_a_hook_asked_at_the_start_that_answers_nothing_or_wrongly_stops_it(hook, answer):
    with pytest.raises(ContractBroken, match=f"plugin testville, hook {hook}: "):
        opened(**{hook: answering(hook, answer)})


@pytest.mark.parametrize("order", [(), ("late_fee",), (TAX, "late_fee")])
def test_an_order_of_application_that_does_not_end_with_the_tax_stops_the_start(order):
    with pytest.raises(ContractBroken, match="hook application_order: the last kind must be the tax"):
        opened(application_order=lambda law: order)


ASK = {
    "chart": lambda town: town.chart("lodging_tax"),
    "deadlines": lambda town: account(town),
    "annual_return": lambda town: town.annual_return(Election(), 2026),
    "long_stay": lambda town: town.is_long_stay(Stay(ON, ON)),
    "taxability": lambda town: town.taxability(RECEIPTS),
    "charges": lambda town: town.charges(account(town), ON),
    "exposures": lambda town: town.exposures(account(town), ON),
    "cautions": lambda town: town.cautions(account(town), ON),
    "objections": lambda town: town.objections(account(town), Notice(0, ON, ON)),
    "refund_interest": lambda town: town.refund_interest(Refund(1, ON, ON, ON)),
    "security_demand": lambda town: town.security_demand(Filer(), ON),
    "scheduled_fees": lambda town: town.scheduled_fees(),
    "agreement_terms": lambda town: town.agreement_terms(ON),
    "distribution": lambda town: town.distribution(Collected(100, ON)),
}


def test_every_hook_is_asked_here():
    assert set(ASK) | {"municipality", "law", "taxes", "application_order", "business_days"} == set(HOOKS)


@pytest.mark.parametrize("hook", sorted(ASK))
@pytest.mark.parametrize("answer", [None, 1, "text", [None]])
def test_a_hook_that_answers_nothing_or_wrongly_is_named(hook, answer):
    town = opened(**{hook: answering(hook, answer)})
    with pytest.raises(ContractBroken, match=f"plugin testville, hook {hook}: "):
        ASK[hook](town)


UNCITED = {
    "annual_return": lambda: replace(testville.annual_return(Election(), 2026, testville.law()), clause=NOWHERE),
    "taxability": lambda: Taxability(0, (Excluded("long_stay", 100_00, "TST-02", "Art. 3"),)),
    "charges": lambda: [Charge(TAX, 0, NOWHERE, date(2026, 1, 1), Words("none"))],
    "exposures": lambda: [Exposure("jail", 0, 1, NOWHERE, Words("none"))],
    "refund_interest": lambda: RefundInterest(0, NOWHERE, "none"),
    "security_demand": lambda: SecurityDemand("none", 0, False, NOWHERE),
    "scheduled_fees": lambda: [ScheduledFee("fee", "Fee", NOWHERE, "fee")],
    "distribution": lambda: Distribution((Share("Town", 100, NOWHERE, Words("all")),)),
}


@pytest.mark.parametrize("hook", sorted(UNCITED))
def test_an_answer_that_cites_a_clause_that_there_is_not_is_named(hook):
    town = opened(**{hook: answering(hook, UNCITED[hook]())})
    with pytest.raises(ContractBroken, match=f"plugin testville, hook {hook}: .* is not in the clause table"):
        ASK[hook](town)


def test_a_clause_looked_up_in_vain_is_named_with_its_hook():
    town = opened(scheduled_fees=lambda law: [law.clause("TST-99")])
    with pytest.raises(ContractBroken, match="hook scheduled_fees: clause 'TST-99' is not in the clause table"):
        town.scheduled_fees()


@pytest.mark.parametrize(
    ("charges", "why"),
    [
        ([], "there must be a line for the tax"),
        ([Charge(TAX, 1.5, CITED, ON, Words("half"))], "no charge in whole cents"),
        ([Charge(TAX, True, CITED, ON, Words("yes"))], "no charge in whole cents"),
        ([Charge(TAX, 1, CITED, date(2026, 5, 5), Words("tomorrow"))], "that arose by 2026-05-04"),
        ([Charge("surprise", 1, CITED, ON, Words("a surprise"))], "'surprise' has no place in the order"),
    ],
)
def test_charges_are_whole_cents_that_have_arisen_of_known_kinds_the_tax_among_them(charges, why):
    town = opened(charges=lambda account, law, on: charges)
    with pytest.raises(ContractBroken, match=f"plugin testville, hook charges: .*{why}"):
        ASK["charges"](town)


def test_shares_that_do_not_sum_to_the_base_are_refused():
    town = opened(distribution=answering("distribution", Distribution((Share("Town", 99, CITED, Words("all")),))))
    with pytest.raises(ContractBroken, match="hook distribution: shares sum to 99 cents, the base is 100"):
        ASK["distribution"](town)


def test_objections_reach_the_caller_with_their_section():
    town = opened(objections=lambda account, act, law: [Objection("on", "not today", "Art. 6"), Objection("on", "no")])
    assert [fault.message for fault in ASK["objections"](town)] == ["not today (Art. 6)", "no"]


def test_a_question_to_one_plugin_never_runs_another():
    asked = []

    def spy(name):
        def long_stay(stay, law):
            asked.append(name)
            return True

        return long_stay

    one, other = opened(long_stay=spy("one")), opened(long_stay=spy("other"))
    assert one.is_long_stay(Stay(ON, ON))
    assert asked == ["one"]
    assert other.is_long_stay(Stay(ON, ON))
    assert asked == ["one", "other"]
