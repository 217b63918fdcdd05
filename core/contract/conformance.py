"""The conformance kit: what every municipality's plugin must keep, as functions that a test of the plugin calls.

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_conforms(check):
        check(open_municipality("my_town"))

Each check takes an open municipality and raises ConformanceFailure with plugin, hook and reason. The questions are
made up from what the plugin declares, the same each time; amounts that a council sets are filled in.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import wraps

from core.contract.declarations import Tax
from core.contract.municipality import OpenMunicipality
from core.contract.proving import samples
from core.contract.proving.dated import ask_around_each_date, faults_of_dates
from core.contract.proving.purity import Watch, faults_of_source
from core.contract.proving.questions import clauses_in, leaves, plain, questions, sample_statements
from core.domain.calendar import Election, Period
from core.domain.charge import TAX
from core.domain.clause import LawValue
from core.domain.errors import ContractBroken
from core.domain.events import Extension, ReturnFiled
from core.domain.receipts import Receipts

BASES = 100_000
Check = Callable[[OpenMunicipality], None]
CHECKS: list[Check] = []


class ConformanceFailure(ContractBroken):
    """A plugin does not keep the contract. The message names plugin, hook and reason."""


def _check(run: Check) -> Check:
    """Enters a check in the list. It is given the municipality with every amount set."""

    @wraps(run)
    def check(municipality: OpenMunicipality) -> None:
        try:
            run(samples.with_every_amount_set(municipality))
        except ConformanceFailure:
            raise
        except ContractBroken as broken:
            raise ConformanceFailure(str(broken)) from broken
        except Exception as error:
            name = municipality.declared.key
            raise ConformanceFailure(f"plugin {name}, {run.__name__}: {type(error).__name__}: {error}") from error

    CHECKS.append(check)
    return check


def _failure(municipality: OpenMunicipality, hook: str, why: str) -> ConformanceFailure:
    return ConformanceFailure(f"plugin {municipality.declared.key}, hook {hook}: {why}")


@_check
def check_every_hook_answers_in_its_type(municipality: OpenMunicipality) -> None:
    """The facade checks the type of each answer; this asks every hook, and looks into what is declared."""
    for question in questions(municipality):
        question.ask(municipality)
    declared = municipality.declared
    if not all((declared.name, declared.officers, declared.council, declared.version)):
        raise _failure(municipality, "municipality", f"fill every field: {declared}")
    if not municipality.taxes:
        raise _failure(municipality, "taxes", "no tax is declared")
    for tax in municipality.taxes.values():
        if tax.rate_key not in municipality.law.entries:
            raise _failure(municipality, "taxes", f"{tax.key}: the law has no value {tax.rate_key!r}")
        lines = [line.key for line in (*tax.receipts, *tax.deductions)]
        if not tax.receipts or len(set(lines)) < len(lines):
            raise _failure(municipality, "taxes", f"{tax.key}: each line of the return stands once, one for receipts")


@_check
def check_same_question_same_answer(municipality: OpenMunicipality) -> None:
    """Asked twice, and asked of the plugin opened anew, a hook answers the same."""
    one, other = (samples.with_every_amount_set(municipality.asked_anew()) for _ in range(2))
    for question in questions(one):
        answer = plain(question.ask(one))
        if plain(question.ask(one)) != answer or plain(question.ask(other)) != answer:
            raise _failure(one, question.hook, f"two answers to one question: {question.about}")


@_check
def check_no_float_in_any_answer(municipality: OpenMunicipality) -> None:
    """Money in whole cents, rates as decimals, nothing as a float, however deep in the answer."""
    for question in questions(municipality):
        for part in leaves(plain(question.ask(municipality))):
            if isinstance(part, float):
                raise _failure(municipality, question.hook, f"the float {part} in the answer to {question.about}")


@_check
def check_source_reads_no_clock_and_opens_nothing(municipality: OpenMunicipality) -> None:
    """The plugin's modules, read as text: no clock, no chance, no file or network, no float, no other floor of core."""
    faults = faults_of_source(municipality.plugin)
    if faults:
        raise _failure(municipality, "source", "; ".join(faults))


@_check
def check_answers_without_clock_or_input(municipality: OpenMunicipality) -> None:
    """Once the law is loaded, no answer reads a clock or reaches out of the program."""
    for question in list(questions(municipality)):
        with Watch() as watch:
            question.ask(municipality)
        if watch.seen:
            raise _failure(municipality, question.hook, f"reaches out of the program: {', '.join(watch.seen)}")


@_check
def check_shares_sum_to_the_base(municipality: OpenMunicipality) -> None:
    """100,000 bases, with and without an agreement: no share below nothing, and not a cent lost or made."""
    for base in samples.sample_bases(BASES, municipality.law):
        shares = [share.cents for share in municipality.distribution(base).shares]
        if sum(shares) != base.cents or min(shares, default=0) < 0:
            raise _failure(municipality, "distribution", f"shares of {shares} cents for {base}")


@_check
def check_everything_is_cited(municipality: OpenMunicipality) -> None:
    """Each value of the law and each part of an answer cites a clause of the table, with its section."""
    law = municipality.law
    table = {row.clause for row in law.clauses.values()}
    sections = {clause.section for clause in table}
    cited = [(one.value.key, one.value.clause, one.value.set_by) for listed in law.entries.values() for one in listed]
    cited += [(slot.key, slot.clause, slot.set_by) for slot in law.resolution_slots.values()]
    cited += [(slot.key, slot.clause, slot.set_by) for slot in law.reading_slots.values()]
    for key, clause, set_by in cited:
        if clause not in table or not set_by:
            raise _failure(municipality, "law", f"{key} cites {clause}, set by {set_by!r}")
    for question in questions(municipality):
        answer = question.ask(municipality)
        for clause in clauses_in(answer):
            if clause not in table:
                raise _failure(municipality, question.hook, f"{clause} is not in the clause table: {question.about}")
        if question.hook == "cautions" and not {caution.section for caution in answer} <= sections:
            raise _failure(municipality, "cautions", f"a section that the clause table does not have: {answer}")
        if question.hook == "charges" and not all(str(charge.words) for charge in answer):
            raise _failure(municipality, "charges", f"a line without its computation: {answer}")


@_check
def check_caps_hold(municipality: OpenMunicipality) -> None:
    """No kind of charge below nothing, exposures between their bounds, no security or interest below nothing."""
    for _, statement in sample_statements(municipality):
        account, day = statement.account, statement.as_of
        owed: dict[str, int] = {}
        for charge in municipality.charges(account, day):
            owed[charge.kind] = owed.get(charge.kind, 0) + charge.cents
        if min(*owed.values(), *statement.charges.values()) < 0:
            raise _failure(municipality, "charges", f"below nothing: {owed}, {account} as of {day}")
        for exposure in municipality.exposures(account, day):
            most = exposure.most_cents
            if exposure.least_cents < 0 or (most is not None and most < exposure.least_cents):
                raise _failure(municipality, "exposures", f"the bounds are not in order: {exposure}")
    for filer in samples.sample_filers():
        demand = municipality.security_demand(filer, date(samples.sample_years(municipality.law)[0], 7, 1))
        if demand.ceiling_cents is not None and demand.ceiling_cents < 0:
            raise _failure(municipality, "security_demand", f"a ceiling below nothing: {demand}")
    for refund in samples.sample_refunds(municipality.law):
        interest = municipality.refund_interest(refund)
        if interest.cents < 0 or not interest.reason:
            raise _failure(municipality, "refund_interest", f"below nothing, or without a reason: {interest}")


@_check
def check_payments_add_up(municipality: OpenMunicipality) -> None:
    """Whatever happens on an account, what was applied is what was paid, and a second look says the same."""
    for sample, statement in sample_statements(municipality):
        paid = sum([payment.cents for payment in statement.account.payments])
        if sum(statement.applied.values()) != paid:
            raise _failure(municipality, "charges", f"{paid} cents were paid, applied: {statement.applied}, {sample}")
        if plain(municipality.statement(sample.account, sample.events, statement.as_of)) != plain(statement):
            raise _failure(municipality, "charges", f"a second look at the same account differs: {sample}")


@_check
def check_values_begin_and_end_on_their_days(municipality: OpenMunicipality) -> None:
    """Each value of the law the day before, on and after each of its dates: itself, another one, or a refusal."""
    faults = list(faults_of_dates(municipality.asked_anew().law))
    if faults:
        raise _failure(municipality, "law", "; ".join(faults))


@_check
def check_rules_around_each_date_of_the_law(municipality: OpenMunicipality) -> None:
    """The day before, on and after each date of the law a rule answers, or says which value is not in force."""
    ask_around_each_date(municipality)


@_check
def check_deadlines_are_met_on_business_days(municipality: OpenMunicipality) -> None:
    """A due date is met on a business day, not before it, and each of the three dates is cited."""
    for tax in municipality.taxes.values():
        for period in samples.sample_periods(municipality.law, tax):
            dates = municipality.deadlines(period)
            rolled = dates.rolled(dates.nominal)
            if not period.first_day <= dates.nominal <= dates.effective == rolled or len(dates.clauses) != 3:
                raise _failure(municipality, "deadlines", f"{period.key}: {dates}")
            if not municipality.is_business_day(dates.effective):
                raise _failure(municipality, "deadlines", f"{period.key}: {dates.effective} is no business day")
            _check_extensions(municipality, tax, period)
    for year in samples.sample_years(municipality.law):
        for month in range(1, 13):
            yearly = municipality.annual_return(Election(month), year)
            met = municipality.is_business_day(yearly.effective)
            if not met or not yearly.year_end < yearly.nominal <= yearly.effective:
                raise _failure(municipality, "annual_return", f"{yearly}")


def _check_extensions(municipality: OpenMunicipality, tax: Tax, period: Period) -> None:
    """The longest extension is allowed, and a day more is not."""
    account = municipality.open_account(tax.key, period)
    due, longest = account.deadlines.nominal, account.deadlines.longest_extension
    if longest <= due:
        return
    for until, allowed in ((longest, True), (longest + timedelta(days=1), False)):
        faults = municipality.objections(account, Extension(0, due, due, until))
        if (not faults) is not allowed:
            raise _failure(municipality, "objections", f"{period.key}, extension to {until}: {faults or 'allowed'}")


@_check
def check_every_charge_has_its_place_and_title(municipality: OpenMunicipality) -> None:
    """The order of application names each kind of charge once, the tax last; each has a title and its accounts."""
    order = municipality.application_order
    if len(set(order)) < len(order) or order[-1] != TAX:
        raise _failure(municipality, "application_order", f"each kind once and the tax last: {order}")
    for tax in municipality.taxes.values():
        untitled = [kind for kind in order if not tax.titles.get(kind)]
        if untitled:
            raise _failure(municipality, "taxes", f"{tax.key}: no title for {', '.join(untitled)}")
        chart = municipality.chart(tax.key)
        funds = {number for number, _ in chart.funds}
        booked = [*chart.cash.values(), *chart.receivable.values(), *chart.revenue.values(), chart.credits]
        booked += [chart.refund_interest, chart.distributed, chart.held]
        booked += [*chart.payable.values(), *chart.transfers_in.values()]
        if {account.fund for account in booked} - funds or funds - set(chart.cash):
            raise _failure(municipality, "chart", f"{tax.key}: an account outside the funds, or a fund without cash")
    for _, statement in sample_statements(municipality):
        unknown = {line.kind for line in statement.lines} - set(order)
        if unknown:
            raise _failure(municipality, "charges", f"the order of application lacks {', '.join(sorted(unknown))}")


@_check
def check_every_payee_has_its_account(municipality: OpenMunicipality) -> None:
    """Each payee of a share has a liability account, or is the municipality itself and has one for what it keeps."""
    payees = {
        share.payee
        for base in samples.sample_bases(60, municipality.law)
        for share in municipality.distribution(base).shares
    }
    for tax in municipality.taxes:
        chart = municipality.chart(tax)
        both = chart.payable.keys() & chart.transfers_in.keys()
        without = payees - chart.payable.keys() - chart.transfers_in.keys()
        if without or both:
            raise _failure(municipality, "chart", f"{tax}: payees with no account or with two: {without | both}")


@_check
def check_taxed_and_left_out_make_the_whole(municipality: OpenMunicipality) -> None:
    """What is taxed and what is left out sum to the receipts, and neither is below nothing."""
    for _, statement in sample_statements(municipality):
        determination = statement.account.determination
        for part in determination.receipts if determination is not None else ():
            answer = municipality.taxability(part)
            left_out = [excluded.cents for excluded in answer.excluded]
            if answer.taxable_cents + sum(left_out) != part.gross_cents or min(answer.taxable_cents, *left_out, 0) < 0:
                raise _failure(municipality, "taxability", f"{answer} of {part}")


@_check
def check_a_longer_stay_is_no_shorter(municipality: OpenMunicipality) -> None:
    """One night is no long stay, and once a stay is long a night more does not make it short."""
    for stays in samples.sample_stays(municipality.law):
        long = [municipality.is_long_stay(stay) for stay in stays]
        if long != sorted(long) or long[0]:
            raise _failure(municipality, "long_stay", f"from {stays[0].arrival}, by nights: {long}")


@_check
def check_receipts_over_a_new_rate_are_divided(municipality: OpenMunicipality) -> None:
    """A return of one part over a change of the rate is refused; divided at the change it is not."""
    for tax in municipality.taxes.values():
        for changed in samples.rate_changes(municipality.law, tax):
            period = tax.frequency.containing(changed)
            if changed == period.first_day:
                continue
            spans = municipality.law.spans(tax.rate_key, period.first_day, period.last_day)
            if not _refused(municipality, tax, period, [(spans[0][0], period.first_day, period.last_day)]):
                raise _failure(municipality, "objections", f"{period.key} undivided at {changed} is allowed")
            if _refused(municipality, tax, period, spans):
                raise _failure(municipality, "objections", f"{period.key} divided at {changed} is refused")


def _refused(
    municipality: OpenMunicipality, tax: Tax, period: Period, spans: list[tuple[LawValue, date, date]]
) -> bool:
    account = municipality.open_account(tax.key, period)
    due = account.deadlines.nominal
    parts = tuple([Receipts(first, last, ((tax.usual_line.key, 10_000),)) for _, first, last in spans])
    return bool(municipality.objections(account, ReturnFiled(0, due, due, parts)))
