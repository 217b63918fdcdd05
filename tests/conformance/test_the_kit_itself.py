"""A kit that finds nothing proves nothing: each check is shown a plugin that breaks just what it is for."""

import re
import sys
import time
from dataclasses import replace
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.contract import conformance as kit
from core.contract.conformance import CHECKS, ConformanceFailure
from core.contract.declarations import Objection, RefundInterest
from core.contract.hookspecs import MunicipalityHooks, hookimpl
from core.contract.lawfiles import load_law
from core.contract.loading import open_plugin
from core.contract.proving.dated import faults_of_dates
from core.contract.proving.purity import Watch, faults_of_source, modules_of
from core.domain.charge import Charge, Exposure
from core.domain.clause import Clause, Words
from core.domain.shares import Distribution, Share
from tests.support.testville import plugin as testville
from tests.support.testville import rules

HOOKS = [name for name in vars(MunicipalityHooks) if not name.startswith("_")]
LAW = testville.law()
CITED = LAW.clause("TST-06")
NOWHERE = Clause("TST-99", "Art. 99")


def town(**changed):
    """Testville with some of its hooks changed."""
    hooks = {name: changed.get(name) or getattr(testville, name) for name in HOOKS}
    marked = {name: hook if hasattr(hook, "fisc_impl") else hookimpl(hook) for name, hook in hooks.items()}
    return open_plugin(SimpleNamespace(__name__="testville", **marked), "testville")


def charges_and(*more: Charge):
    """Testville's charges with some more."""

    def charges(account, law, on):
        return [*rules.charges(account, law, on), *[one._replace(arose_on=on) for one in more]]

    return charges


def a_charge(cents=100, kind=rules.LATE_FEE, clause=CITED, words="ten dollars") -> Charge:
    return Charge(kind, cents, clause, date(2026, 1, 1), Words(words))


def fails(check, changed, hook: str, why: str = ""):
    with pytest.raises(ConformanceFailure, match=f"plugin testville, hook {hook}: .*{why}"):
        check(town(**changed))


def test_every_check_of_the_kit_is_in_the_list():
    named = {name for name in vars(kit) if name.startswith("check_")}
    assert named == {check.__name__ for check in CHECKS}


def test_a_wrong_type_is_found_however_rarely_it_is_given():
    def long_stay(stay, law):
        return rules.long_stay(stay, law) if stay.nights < 90 else "yes"

    fails(kit.check_every_hook_answers_in_its_type, {"long_stay": long_stay}, "long_stay", "bool was expected")


def test_a_hook_that_raises_is_named_by_its_check():
    def refund_interest(refund, law):
        raise KeyError("rate")

    with pytest.raises(ConformanceFailure, match="check_every_hook_answers_in_its_type: KeyError: 'rate'"):
        kit.check_every_hook_answers_in_its_type(town(refund_interest=refund_interest))


def test_an_answer_that_changes_with_the_asking_is_found():
    asked = []

    def refund_interest(refund, law):
        asked.append(refund)
        return RefundInterest(0, CITED, f"asked {len(asked)} times")

    fails(kit.check_same_question_same_answer, {"refund_interest": refund_interest}, "refund_interest", "two answers")


def test_a_float_deep_in_an_answer_is_found():
    charges = charges_and(a_charge()._replace(words=Words("{0}", (0.065,))))
    fails(kit.check_no_float_in_any_answer, {"charges": charges}, "charges", "the float 0.065")


@pytest.mark.parametrize(
    "read",
    [time.time, date.today, datetime.now, lambda: Path(__file__).read_text("utf-8"), lambda: Path(__file__).exists()],
)
def test_an_answer_that_reads_a_clock_or_a_file_is_found(read):
    def taxability(receipts, law):
        read()
        return rules.taxability(receipts, law)

    fails(kit.check_answers_without_clock_or_input, {"taxability": taxability}, "taxability", "reaches out")


def test_watching_replaces_nothing_and_ends():
    before = sys.getprofile()
    with Watch() as watch:
        sorted([3, 1, 2])
    assert watch.seen == []
    assert sys.getprofile() is before


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import time", "imports time"),
        ("from os import environ", "imports os"),
        ("import random as r", "imports random"),
        ("NOW = date.today()", r"uses \.today"),
        ("NOW = datetime.now()", r"uses \.now"),
        ("TEXT = open('x').read()", "uses open"),
        ("TEXT = path.read_text()", r"uses \.read_text"),
        ("RATE = 0.065", "writes the float 0.065"),
        ("RATE = float('0.1')", "uses float"),
        ("from core.db.base import metadata", "imports core.db.base: of core a plugin has"),
        ("from core.domain.money import dollars", None),
        ("from decimal import Decimal", None),
    ],
)
def test_what_the_source_of_a_rule_may_not_say(tmp_path, monkeypatch, line, found):
    package = tmp_path / "sourcetown"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "plugin.py").write_text("from . import rules\n")
    # What is found stands in a module that the plugin imports, not in the plugin itself.
    (package / "rules.py").write_text(f"def rule():\n    {line}\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugin = import_module("sourcetown.plugin")
    try:
        faults = faults_of_source(plugin)
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "sourcetown"]:
            del sys.modules[name]
    assert len(faults) == (found is not None)
    assert found is None or re.search(f"rules.py:2: {found}", faults[0])


def test_the_source_of_every_rule_is_read():
    assert {"plugin.py", "rules.py"} <= {path.name for path in modules_of(testville)}


def test_a_cent_lost_is_found():
    def distribution(collected, law):
        return Distribution((Share("Town", collected.cents - (collected.cents == 33_333), CITED, Words("all")),))

    fails(kit.check_shares_sum_to_the_base, {"distribution": distribution}, "distribution", "shares sum to 33332")


def test_a_share_below_nothing_is_found():
    def distribution(collected, law):
        shares = [("Town", collected.cents + 1), ("Library", -1)]
        return Distribution(tuple(Share(payee, cents, CITED, Words("all")) for payee, cents in shares))

    fails(kit.check_shares_sum_to_the_base, {"distribution": distribution}, "distribution", "-1")


def test_an_invented_clause_is_found():
    charges = charges_and(a_charge(clause=NOWHERE))
    fails(kit.check_everything_is_cited, {"charges": charges}, "charges", "TST-99")


def test_a_section_that_is_not_the_clauses_own_is_found():
    charges = charges_and(a_charge(clause=Clause("TST-06", "Art. 7")))
    fails(kit.check_everything_is_cited, {"charges": charges}, "charges", "Art. 7")


def test_a_charge_without_its_computation_is_found():
    fails(kit.check_everything_is_cited, {"charges": charges_and(a_charge(words=""))}, "charges", "computation")


def test_a_charge_below_nothing_is_found():
    fails(kit.check_caps_hold, {"charges": charges_and(a_charge(cents=-5_000))}, "charges", "below nothing")


@pytest.mark.parametrize(("least", "most"), [(-1, 100), (200, 100)])
def test_bounds_out_of_order_are_found(least, most):
    def exposures(account, law, on):
        return [Exposure("jail", least, most, CITED, Words("a day"))]

    fails(kit.check_caps_hold, {"exposures": exposures}, "exposures", "not in order")


def test_a_charge_that_eats_a_payment_is_found():
    """What is owed must be a function of the facts: here it depends on how often one has looked."""
    looked = []

    def charges(account, law, on):
        looked.append(on)
        return charges_and(a_charge(cents=len(looked)))(account, law, on)

    fails(kit.check_payments_add_up, {"charges": charges}, "charges", "second look")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("nothing", "does not have its value"),
        ("too early", "a day too early"),
        ("goes on", "goes on after its last day"),
    ],
)
def test_a_law_that_gives_a_value_outside_its_days_is_found(change, why):
    key = "security.ceiling"

    class Wrong(type(LAW)):
        def ordinance(self, asked, on):
            if asked == key and change == "too early" and on < self.entries[key][0].value.since:
                return self.entries[key][0].value
            if asked == key and change == "goes on":
                return self.entries[key][0].value
            if asked == key and change == "nothing":
                return None
            return super().ordinance(asked, on)

    (entry,) = LAW.entries[key]
    ended = entry._replace(value=entry.value._replace(until=date(2030, 12, 31)))
    wrong = Wrong(**{**vars(LAW), "entries": {**LAW.entries, key: (ended,)}})
    assert any(re.search(why, fault) for fault in faults_of_dates(wrong))


def test_a_rule_that_breaks_on_a_day_of_change_is_found():
    def annual_return(election, year, law):
        if year == 2019:  # the year before the law begins, asked about on December 31
            raise IndexError("no such year")
        return rules.annual_return(election, year, law)

    with pytest.raises(ConformanceFailure, match="IndexError: no such year"):
        kit.check_rules_around_each_date_of_the_law(town(annual_return=annual_return))


@pytest.mark.parametrize("field", ["nominal", "effective"])
def test_a_due_date_met_before_it_or_on_a_sunday_is_found(field):
    def deadlines(period, law):
        dates = rules.deadlines(period, law)
        return replace(dates, **{field: date.fromordinal(getattr(dates, field).toordinal() + 1)})

    fails(kit.check_deadlines_are_met_on_business_days, {"deadlines": deadlines}, "deadlines")


def test_an_extension_of_nothing_at_all_is_found():
    def objections(account, act, law):
        return [Objection("until", "never", "Art. 3")] if hasattr(act, "until") else []

    fails(kit.check_deadlines_are_met_on_business_days, {"objections": objections}, "objections", "never")


def test_a_kind_without_a_place_or_a_title_is_found():
    charges = charges_and(a_charge(kind="surprise"))
    fails(kit.check_every_charge_has_its_place_and_title, {"charges": charges}, "charges", "surprise")

    def taxes(law):
        (tax,) = testville.taxes(law)
        return (replace(tax, titles={**tax.titles, rules.LATE_FEE: ""}),)

    fails(kit.check_every_charge_has_its_place_and_title, {"taxes": taxes}, "taxes", "no title for late_fee")


def test_receipts_that_are_neither_taxed_nor_left_out_are_found():
    def taxability(receipts, law):
        answer = rules.taxability(receipts, law)
        return answer._replace(excluded=answer.excluded[1:])

    fails(kit.check_taxed_and_left_out_make_the_whole, {"taxability": taxability}, "taxability")


def test_a_long_stay_that_is_none_a_night_later_is_found():
    def long_stay(stay, law):
        return stay.nights == 14

    fails(kit.check_a_longer_stay_is_no_shorter, {"long_stay": long_stay}, "long_stay")


def test_a_divided_return_that_is_refused_all_the_same_is_found():
    def objections(account, act, law):
        return [Objection("parts", "one part only", "Art. 1")] if len(getattr(act, "receipts", ())) > 1 else []

    fails(kit.check_receipts_over_a_new_rate_are_divided, {"objections": objections}, "objections", "divided at")


def test_an_undivided_return_that_is_allowed_is_found(monkeypatch):
    opened = town()
    monkeypatch.setattr(type(opened), "_undivided", lambda self, account, event: iter(()))
    with pytest.raises(ConformanceFailure, match="2026-M03 undivided at 2026-03-16 is allowed"):
        kit.check_receipts_over_a_new_rate_are_divided(opened)


def test_the_law_of_testville_is_read_from_its_own_folder():
    assert load_law(Path(testville.__file__).parent / "law") == LAW
