"""What is wrong with a case: every fault in one pass, each with its field, its value and what to do."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.loading import municipality_keys
from core.domain.errors import Refused, ResolutionMissing, ValueNotInForce
from core.domain.events import Payment, PaymentReturned
from core.services.cases.read import LARGEST_BYTES, case_from_text, read_case

RETURN = {"on": "2026-04-20", "type": "return_filed", "gross_receipts": "1000.00"}
PAYMENT = {"on": "2026-04-20", "type": "payment", "amount": "65.00"}
BAYFIELD = {
    "municipality": "bayfield",
    "tax": "room_tax",
    "period": "2026-Q1",
    "as_of": "2026-07-31",
    "resolutions": {"late_filing_fee": "50.00", "returned_payment_fee": "35.00"},
    "events": [],
}


def case(*events: Any, **changes: Any) -> dict[str, Any]:
    """A case of Bayfield's first quarter of 2026 (due on April 30) with these events; None leaves a key out."""
    changed = {**BAYFIELD, "events": list(events), **changes}
    return {name: value for name, value in changed.items() if value is not None}


def montello(*events: Any) -> dict[str, Any]:
    return case(*events, municipality="montello", resolutions=None)


def faults_of(raw: Any) -> dict[str, str]:
    """Field: message, for a case that must be refused. No field has two faults unless a test looks for them."""
    text = raw if isinstance(raw, str) else json.dumps(raw)
    with pytest.raises(Refused) as refused:
        case_from_text(text).statement()
    fields = [fault.field for fault in refused.value.faults]
    assert len(set(fields)) == len(fields), fields
    return {fault.field: fault.message for fault in refused.value.faults}


def the_fault_of(raw: Any) -> tuple[str, str]:
    [(field, message)] = faults_of(raw).items()
    return field, message


def test_a_faultless_case_is_read():
    read = case_from_text(json.dumps(case(RETURN, PAYMENT)))
    assert read.municipality.declared.key == "bayfield"
    assert (read.tax.key, read.period.key, read.as_of) == ("room_tax", "2026-Q1", date(2026, 7, 31))
    assert read.statement().balance == 0


class TestKeys:
    def test_an_unknown_key(self):
        field, message = the_fault_of(case(colour="blue"))
        assert field == "colour"
        assert message.startswith("'colour' is not a known key: use as_of, events")

    @pytest.mark.parametrize("name", ["municipality", "tax", "period", "as_of", "events"])
    def test_a_missing_key(self, name):
        assert the_fault_of(case(**{name: None})) == (name, f"{name} is missing: give it")

    def test_an_unknown_type_of_event(self):
        field, message = the_fault_of(case({"on": "2026-04-20", "type": "return_fild", "gross_receipts": "1.00"}))
        assert field == "events[0].type"
        assert message.startswith("'return_fild' is not known: use return_filed, estimate, payment")

    def test_a_missing_type(self):
        field, message = the_fault_of(case({"on": "2026-04-20"}))
        assert field == "events[0].type"
        assert message.startswith("type is missing: use return_filed")

    def test_an_unknown_key_of_an_event(self):
        field, message = the_fault_of(case({**PAYMENT, "ammount": "1.00"}))
        assert field == "events[0].ammount"
        assert message == "'ammount' is not a known key: use amount, on, recorded, type"

    @pytest.mark.parametrize(
        ("event", "name"),
        [
            ({"type": "payment", "amount": "1.00"}, "on"),
            ({"type": "return_filed", "on": "2026-04-20"}, "gross_receipts"),
            ({"type": "estimate", "on": "2026-05-20"}, "gross_receipts"),
            ({"type": "payment", "on": "2026-04-20"}, "amount"),
            ({"type": "payment_returned", "on": "2026-04-20", "payment_on": "2026-04-10"}, "amount"),
            ({"type": "payment_returned", "on": "2026-04-20", "amount": "1.00"}, "payment_on"),
            ({"type": "waiver", "on": "2026-04-20", "kind": "interest"}, "amount"),
            ({"type": "waiver", "on": "2026-04-20", "amount": "1.00"}, "kind"),
            ({"type": "extension", "on": "2026-04-20"}, "until"),
            ({"type": "finding", "on": "2026-04-20"}, "finding"),
        ],
    )
    def test_a_missing_key_of_an_event(self, event, name):
        assert the_fault_of(case(event)) == (f"events[0].{name}", f"{name} is missing: give it")

    def test_a_key_that_stands_twice(self):
        text = json.dumps(case(PAYMENT)).replace('"amount": "65.00"', '"amount": "65.00", "amount": "1.00"')
        field, message = the_fault_of(text)
        assert (field, message) == ("events[0].amount", "'amount' stands twice in one object: keep one of them")

    def test_a_top_level_key_that_stands_twice(self):
        text = json.dumps(case()).replace('"tax": "room_tax"', '"tax": "room_tax", "tax": "room_tax"')
        assert the_fault_of(text)[0] == "tax"

    def test_a_field_that_does_not_print_is_named_in_escapes(self):
        field, _ = the_fault_of(json.dumps(case()).replace('"tax"', '"\\ud800": 1, "tax"'))
        assert field == r"'\ud800'"

    @pytest.mark.parametrize("events", [{}, "none", None, 5])
    def test_events_that_are_no_list(self, events):
        text = json.dumps({**case(), "events": events})
        assert the_fault_of(text)[0] == "events"

    @pytest.mark.parametrize("event", [[], "payment", 5, None, True])
    def test_an_event_that_is_no_object(self, event):
        assert the_fault_of(case(PAYMENT, event))[0] == "events[1]"


class TestAmounts:
    @pytest.mark.parametrize(
        ("written", "message"),
        [
            ("65.5", "65.5 is not a text: write the amount as a text in dollars"),
            ("65", "65 is not a text: write the amount as a text in dollars"),
            ("1e400", "1e400 is not a text"),
            ("1e99999999999999999999", "1e99999999999999999999 is not a text"),
            ("null", "null is not a text"),
            ("true", "true is not a text"),
            ('"-5.00"', "'-5.00' is below zero: give an amount of zero or more"),
            ('"0.00"', "'0.00' is no amount: give at least one cent"),
            ('"1e3"', "'1e3' is not an amount: write dollars and cents only"),
            ('"1,000.00"', "'1,000.00' is not an amount"),
            ('"0.001"', "'0.001' has a part of a cent"),
        ],
    )
    def test_what_is_no_amount_is_shown_as_it_was_written(self, written, message):
        text = json.dumps(case(PAYMENT)).replace('"65.00"', written)
        field, said = the_fault_of(text)
        assert field == "events[0].amount"
        assert said.startswith(message)

    def test_a_number_of_any_length_is_shown_cut(self):
        _, message = the_fault_of(json.dumps(case(PAYMENT)).replace('"65.00"', "9" * 50_000))
        assert len(message) < 200

    def test_receipts_may_be_zero(self):
        assert case_from_text(json.dumps(case({**RETURN, "gross_receipts": "0.00"}))).statement().balance == 0

    @pytest.mark.parametrize("name", ["gross_receipts", "sites"])
    def test_each_line_of_receipts_is_checked(self, name):
        assert the_fault_of(case({**RETURN, name: "-1.00"}))[0] == f"events[0].{name}"

    def test_an_amount_of_a_resolution(self):
        field, message = the_fault_of(case(resolutions={"late_filing_fee": 50}))
        assert field == "resolutions.late_filing_fee"
        assert message.startswith("50 is not a text")

    def test_an_unknown_resolution(self):
        field, message = the_fault_of(case(resolutions={"late_fee": "50.00"}))
        assert field == "resolutions.late_fee"
        assert message.startswith("'late_fee' is not a known key: use late_filing_fee,")

    def test_resolutions_that_are_no_object(self):
        assert the_fault_of(case(resolutions=["50.00"]))[0] == "resolutions"

    def test_the_tax_of_the_previous_year(self):
        assert the_fault_of(case(previous_year_tax="1.5.0"))[0] == "previous_year_tax"


class TestDeductions:
    def test_above_the_receipts(self):
        deductions = {"marketplace": "600.00", "long_stay": "400.01"}
        field, message = the_fault_of(case({**RETURN, "deductions": deductions}))
        assert field == "events[0].deductions"
        assert "$1,000.01 is deducted from receipts of only $1,000.00: correct" in message

    def test_of_all_the_receipts_are_allowed(self):
        filed = {**RETURN, "deductions": {"marketplace": "1000.00"}}
        assert case_from_text(json.dumps(case(filed))).statement().charges == {"tax": 0}

    def test_unknown(self):
        field, message = the_fault_of(case({**RETURN, "deductions": {"pets": "1.00"}}))
        assert field == "events[0].deductions.pets"
        assert message == "'pets' is not a known key: use exempt_entity, long_stay, marketplace"

    def test_no_object(self):
        assert the_fault_of(case({**RETURN, "deductions": "1.00"}))[0] == "events[0].deductions"

    def test_from_receipts_that_cannot_be_read_are_not_measured(self):
        filed = {**RETURN, "gross_receipts": 1000, "deductions": {"marketplace": "600.00"}}
        assert list(faults_of(case(filed))) == ["events[0].gross_receipts"]


class TestDays:
    @pytest.mark.parametrize(
        "written",
        ["2026-02-30", "20260430", "2026-4-3", "2026-W05-1", "2026-04-30T00:00", "", " 2026-04-30", "30.04.2026", "x"],
    )
    def test_what_is_no_date(self, written):
        field, message = the_fault_of(case({**PAYMENT, "on": written}))
        assert field == "events[0].on"
        assert message == f'{written!r} is not a date: write year-month-day, such as "2026-04-30"'

    @pytest.mark.parametrize("written", [20260430, None, [], True])
    def test_what_is_no_text(self, written):
        assert the_fault_of({**case(), "as_of": written})[0] == "as_of"

    @pytest.mark.parametrize("written", ["0001-01-01", "1899-12-31", "9999-12-31"])
    def test_a_year_out_of_reach(self, written):
        field, message = the_fault_of(case(as_of=written))
        assert field == "as_of"
        assert "is out of reach: give a day from 1900-01-01 to 9998-12-31" in message

    @pytest.mark.parametrize("key", municipality_keys())
    def test_the_last_day_within_reach_is_worked_out(self, key):
        raw = case(RETURN, municipality=key, resolutions=None, as_of="9998-12-31")
        assert case_from_text(json.dumps(raw)).statement().balance > 0

    def test_recorded_before_its_own_day(self):
        field, message = the_fault_of(case({**PAYMENT, "recorded": "2026-04-19"}))
        assert field == "events[0].recorded"
        assert message.startswith("2026-04-19 is before the payment's own day 2026-04-20: give the day")

    def test_only_a_payment_is_recorded_later(self):
        assert the_fault_of(case({**RETURN, "recorded": "2026-04-30"}))[0] == "events[0].recorded"


class TestNames:
    @pytest.mark.parametrize("key", ["2026-Q5", "2026-Q0", "2026-q1", "2026-M01", "Q1-2026", "", "26-Q1", "2026-Q1 "])
    def test_what_is_no_period(self, key):
        field, message = the_fault_of(case(period=key))
        assert field == "period"
        assert message == f"{key!r} is no quarterly period: write it as '2026-Q1'"

    def test_a_period_that_is_no_text(self):
        assert the_fault_of(case(period=[["2026-Q1"]]))[0] == "period"

    def test_an_unknown_municipality(self):
        field, message = the_fault_of(case(municipality="gotham"))
        assert field == "municipality"
        assert message == "'gotham' is not known: use bayfield, fox_cities_village, montello"

    def test_an_unknown_tax(self):
        assert the_fault_of(case(tax="dog_tax")) == ("tax", "'dog_tax' is not known: use room_tax")

    @pytest.mark.parametrize("kind", ["tax", "parking", 5, None, ["interest"]])
    def test_what_cannot_be_waived(self, kind):
        field, message = the_fault_of(case({"on": "2026-05-20", "type": "waiver", "kind": kind, "amount": "1.00"}))
        assert field == "events[0].kind"
        assert "is not known: use late_filing_fee" in message

    def test_an_unknown_finding(self):
        finding = {"on": "2026-05-20", "type": "finding", "finding": "sloth"}
        assert the_fault_of(case(finding)) == ("events[0].finding", "'sloth' is not known: use negligence, fraud")


class TestActs:
    """What the law refuses, wherever the text is right."""

    def test_an_extension_beyond_a_month(self):
        field, message = the_fault_of(case({"on": "2026-04-20", "type": "extension", "until": "2026-05-31"}))
        assert field == "events[0].until"
        assert message == "2026-05-31 is too long an extension: name a day up to 2026-05-30 (§ 54-19(C)(1)(b))"

    def test_an_estimate_after_a_return(self):
        field, message = the_fault_of(case(RETURN, {**RETURN, "on": "2026-05-20", "type": "estimate"}))
        assert field == "events[1].type"
        assert message.startswith("a return was filed on 2026-04-20, so no estimate is made: amend the return")

    def test_an_estimate_before_the_filing_date(self):
        field, message = the_fault_of(case({**RETURN, "on": "2026-04-30", "type": "estimate"}))
        assert field == "events[0].on"
        assert message.startswith("2026-04-30 is too early for an estimate: the return may be filed until 2026-04-30")

    def test_a_finding_of_intent_before_any_return_in_montello(self):
        field, message = the_fault_of(montello({"on": "2026-06-20", "type": "finding", "finding": "fraud"}))
        assert field == "events[0].finding"
        assert message.startswith("no return is filed, and the text reaches only a false return: record it when")

    def test_a_payment_that_was_never_made(self):
        back = {"on": "2026-05-20", "type": "payment_returned", "payment_on": "2026-04-21", "amount": "65.00"}
        field, message = the_fault_of(case(PAYMENT, back))
        assert field == "events[1].payment_on"
        assert message.startswith("no payment of $65.00 on April 21, 2026 was recorded before: name a payment")

    def test_a_payment_of_another_amount(self):
        back = {"on": "2026-05-20", "type": "payment_returned", "payment_on": "2026-04-20", "amount": "65.01"}
        assert the_fault_of(case(PAYMENT, back))[0] == "events[1].payment_on"

    def test_a_payment_that_comes_back_before_it_is_recorded(self):
        back = {"on": "2026-04-25", "type": "payment_returned", "payment_on": "2026-04-20", "amount": "65.00"}
        assert the_fault_of(case({**PAYMENT, "recorded": "2026-04-26"}, back))[0] == "events[1].payment_on"

    def test_a_payment_that_comes_back_twice(self):
        back = {"on": "2026-05-20", "type": "payment_returned", "payment_on": "2026-04-20", "amount": "65.00"}
        field, message = the_fault_of(case(PAYMENT, back, {**back, "on": "2026-05-22"}))
        assert (field, message) == ("events[2].payment_on", "this payment is already void: it cannot come back twice")

    def test_two_equal_payments_may_both_come_back(self):
        back = {"on": "2026-05-20", "type": "payment_returned", "payment_on": "2026-04-20", "amount": "65.00"}
        read = case_from_text(json.dumps(case(PAYMENT, PAYMENT, back, back)))
        assert [event.payment_seq for event in read.events if isinstance(event, PaymentReturned)] == [0, 1]

    def test_a_missing_resolution_hides_no_refused_act(self):
        late = {**PAYMENT, "on": "2026-05-20"}
        extension = {"on": "2026-05-21", "type": "extension", "until": "2027-01-01"}
        assert the_fault_of(case(late, extension, resolutions=None))[0] == "events[1].until"

    def test_a_missing_resolution_alone_is_named(self):
        with pytest.raises(ResolutionMissing) as missing:
            case_from_text(json.dumps(case(resolutions=None))).statement()
        assert missing.value.resolution == "late_filing_fee"


class TestParts:
    """A return of a period in which a rate changes is given in parts."""

    HALVES = (("2026-01-01", "2026-02-15"), ("2026-02-16", "2026-03-31"))

    @staticmethod
    def in_parts(*nights, **changes):
        parts = [{"first_night": first, "last_night": last, "gross_receipts": "100.00"} for first, last in nights]
        return case({"on": "2026-04-20", "type": "return_filed", "parts": parts, **changes})

    def test_parts_that_fill_the_period_are_read(self):
        # twice $100.00 x 6.5% = $13.00
        assert case_from_text(json.dumps(self.in_parts(*self.HALVES))).statement().charges["tax"] == 1_300

    @pytest.mark.parametrize(
        ("nights", "field"),
        [
            ((("2026-01-01", "2026-02-15"), ("2026-02-15", "2026-03-31")), "parts[1].first_night"),  # overlap
            ((("2026-01-01", "2026-02-15"), ("2026-02-17", "2026-03-31")), "parts[1].first_night"),  # a gap
            ((("2026-01-02", "2026-03-31"),), "parts[0].first_night"),
            ((("2026-01-01", "2026-02-15"), ("2026-02-16", "2026-03-30")), "parts"),
            ((("2026-02-16", "2026-03-31"), ("2026-01-01", "2026-02-15")), None),
        ],
    )
    def test_parts_that_do_not(self, nights, field):
        found = faults_of(self.in_parts(*nights))
        assert field is None or list(found) == [f"events[0].{field}"]

    def test_a_part_beyond_the_period(self):
        assert "events[0].parts[0].first_night" in faults_of(self.in_parts(("2026-01-01", "2026-04-01")))

    @pytest.mark.parametrize("parts", [[], {}, "x", None])
    def test_parts_that_are_no_list(self, parts):
        assert the_fault_of(case({"on": "2026-04-20", "type": "return_filed", "parts": parts}))[0] == "events[0].parts"

    def test_receipts_beside_parts(self):
        assert list(faults_of(self.in_parts(*self.HALVES, gross_receipts="1.00"))) == ["events[0].gross_receipts"]

    def test_each_part_is_read_to_its_end(self):
        raw = self.in_parts(*self.HALVES)
        raw["events"][0]["parts"][0] = {"first_night": "x", "last_night": "2026-02-15", "gross_receipts": 5, "pets": 1}
        assert set(faults_of(raw)) == {
            f"events[0].parts[0].{name}" for name in ("first_night", "gross_receipts", "pets")
        }

    def test_a_day_that_cannot_be_read_faults_no_other_part(self):
        assert list(faults_of(self.in_parts(("2026-01-01", "x"), self.HALVES[1]))) == ["events[0].parts[0].last_night"]

    def test_deductions_above_the_receipts_of_a_part(self):
        raw = self.in_parts(*self.HALVES)
        raw["events"][0]["parts"][1]["deductions"] = {"marketplace": "100.01"}
        assert list(faults_of(raw)) == ["events[0].deductions"]


class TestOnePass:
    def test_twelve_faults_at_once(self):
        raw = case(
            {"on": "2026-04-10", "type": "payment", "amount": 65.5},
            {"on": "2026-02-30", "type": "notice"},
            {"on": "2026-04-11", "type": "refund"},
            {**RETURN, "deductions": {"marketplace": "1000.01", "pets": "1.00"}},
            {"on": "2026-04-21", "type": "payment", "amount": "-5.00"},
            {"on": "2026-04-22", "type": "extension", "until": "2026-08-01"},
            {"on": "2026-05-22", "type": "payment_returned", "payment_on": "2026-05-01", "amount": "7.00"},
            {"on": "2026-05-23", "type": "waiver", "kind": "tax", "amount": "1.00"},
            {"on": "2026-05-24", "type": "finding", "finding": "sloth"},
            colour="blue",
            resolutions={"late_fee": "1.00"},
        )
        assert set(faults_of(raw)) == {
            "colour",
            "resolutions.late_fee",
            "events[0].amount",
            "events[1].on",
            "events[2].type",
            "events[3].deductions.pets",
            "events[3].deductions",
            "events[4].amount",
            "events[5].until",
            "events[6].payment_on",
            "events[7].kind",
            "events[8].finding",
        }

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"municipality": "gotham"}, "municipality"),
            ({"tax": "dog_tax"}, "tax"),
            ({"period": "2026-Q5"}, "period"),
        ],
    )
    def test_events_are_read_even_where_the_place_or_the_period_is_unknown(self, change, field):
        raw = case(
            {**RETURN, "gross_receipts": 5, "deductions": {"marketplace": "x"}},
            {"on": "2026-4-3", "type": "payment", "amount": "1e3"},
            {"on": "2026-05-23", "type": "waiver", "kind": "interest", "amount": "0.00"},
            {"on": "2026-05-24", "type": "estimate", "gross_receipts": "1.001"},
            {
                "on": "2026-05-24",
                "type": "return_filed",
                "parts": [{"first_night": "2026-01-01", "last_night": "x", "gross_receipts": "1.00"}],
            },
            **change,
        )
        assert set(faults_of(raw)) == {
            field,
            "events[0].gross_receipts",
            "events[0].deductions.marketplace",
            "events[1].on",
            "events[1].amount",
            "events[2].amount",
            "events[3].gross_receipts",
            "events[4].parts[0].last_night",
        }

    def test_resolutions_are_read_even_where_the_municipality_is_unknown(self):
        raw = case(municipality="gotham", resolutions={"late_filing_fee": 5, "tea_fee": "1.00"})
        assert set(faults_of(raw)) == {"municipality", "resolutions.late_filing_fee"}

    def test_an_event_without_a_day_is_read_to_its_end(self):
        raw = case({"on": "x", "type": "payment", "amount": "y", "recorded": "z"})
        assert set(faults_of(raw)) == {"events[0].on", "events[0].amount", "events[0].recorded"}

    def test_a_period_before_the_law_hides_no_other_fault(self):
        assert list(faults_of(case(RETURN, period="1950-Q1", colour="blue"))) == ["colour"]

    def test_a_period_before_the_law_alone_is_named(self):
        with pytest.raises(ValueNotInForce):
            case_from_text(json.dumps(case(RETURN, period="1950-Q1"))).statement()


class TestNoSpuriousFault:
    """A fault in one event must not make another one look wrong."""

    BACK = {"on": "2026-05-20", "type": "payment_returned", "payment_on": "2026-04-20", "amount": "65.00"}

    @pytest.mark.parametrize(
        ("change", "name"),
        [
            ({"amount": 65.5}, "amount"),
            ({"on": "x"}, "on"),
            ({"recorded": "x"}, "recorded"),
            ({"type": "paymnt"}, "type"),
        ],
    )
    def test_a_payment_that_cannot_be_read_may_come_back(self, change, name):
        assert list(faults_of(case({**PAYMENT, **change}, self.BACK))) == [f"events[0].{name}"]

    @pytest.mark.parametrize("change", [{"amount": 1, "on": "2026-04-21"}, {"amount": "1.00", "on": "x"}])
    def test_but_not_another_one(self, change):
        assert "events[1].payment_on" in faults_of(case({**PAYMENT, **change}, self.BACK))

    @pytest.mark.parametrize(
        ("change", "name"),
        [({"on": "x"}, "on"), ({"type": "return_fild"}, "type"), ({"gross_receipts": 5}, "gross_receipts")],
    )
    def test_a_return_that_cannot_be_read_may_have_been_false(self, change, name):
        finding = {"on": "2026-06-20", "type": "finding", "finding": "fraud"}
        assert list(faults_of(montello({**RETURN, **change}, finding))) == [f"events[0].{name}"]

    def test_a_payment_that_cannot_be_read_is_no_return(self):
        finding = {"on": "2026-06-20", "type": "finding", "finding": "fraud"}
        found = faults_of(montello({**PAYMENT, "amount": 5}, finding))
        assert set(found) == {"events[0].amount", "events[1].finding"}

    def test_a_faulty_day_to_look_at_faults_no_act(self):
        assert list(faults_of(case(RETURN, PAYMENT, self.BACK, as_of="x"))) == ["as_of"]


class TestAfterTheDay:
    """Events after `as_of` are ignored, but they must be written rightly."""

    def test_an_act_after_the_day_is_not_judged(self):
        late = {"on": "2026-08-20", "type": "payment_returned", "payment_on": "2026-04-21", "amount": "65.00"}
        assert case_from_text(json.dumps(case(RETURN, PAYMENT, late))).statement().balance == 0

    def test_a_malformed_event_after_the_day_is_refused(self):
        assert the_fault_of(case(RETURN, {"on": "2026-08-20", "type": "payment", "amount": 5}))[0] == "events[1].amount"

    def test_a_payment_recorded_after_the_day_is_not_known_on_it(self):
        read = case_from_text(json.dumps(case(RETURN, {**PAYMENT, "recorded": "2026-08-01"})))
        assert read.statement().applied == {}
        assert read.events[1] == Payment(1, date(2026, 4, 20), date(2026, 8, 1), 6_500)


class TestText:
    @pytest.mark.parametrize("text", ["", "{", "[1,]", "no", '{"a": 01}', "{'a': 1}", "\ufeff{}"])
    def test_what_is_not_json(self, text):
        field, message = the_fault_of(text)
        assert field == "file"
        assert message.startswith("this is not JSON: ")

    @pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
    def test_a_constant_that_json_does_not_have(self, constant):
        text = json.dumps(case(why="x")).replace('"x"', constant)
        assert the_fault_of(text) == ("file", f"this is not JSON: {constant} is no value")

    @pytest.mark.parametrize("text", ["[]", "5", '"case"', "null"])
    def test_what_is_no_object(self, text):
        field, message = the_fault_of(text)
        assert field == "file"
        assert message.endswith("is no case: a case is one JSON object")

    @pytest.mark.parametrize("depth", [10, 500, 900, 980, 1_000, 100_000])
    @pytest.mark.parametrize("name", ["as_of", "period", "municipality", "events", "resolutions", "why", "x"])
    def test_nesting_of_any_depth_is_refused_or_passed_over(self, depth, name):
        text = json.dumps({**case(), name: "HERE"}).replace('"HERE"', "[" * depth + "]" * depth)
        refused = self.faults_or_none(text)
        assert refused or name == "why"
        assert all(len(fault.message) < 400 for fault in refused)

    @staticmethod
    def faults_or_none(text):
        try:
            case_from_text(text)
        except Refused as refused:
            return refused.faults
        return ()

    def test_many_keys_that_stand_twice_take_no_longer_than_others(self):
        text = "{" + ",".join(f'"k{n}": 1, "k{n}": 1' for n in range(20_000)) + "}"
        with pytest.raises(Refused) as refused:
            case_from_text(text)
        assert len(refused.value.faults) == 40_005


class TestFile:
    def test_a_file_is_read(self, tmp_path):
        path = tmp_path / "case.json"
        path.write_text(json.dumps(case(RETURN)), encoding="utf-8")
        assert read_case(path).period.key == "2026-Q1"

    @pytest.mark.parametrize(
        ("content", "message"),
        [(b'{"why": "\xff"}', "is not UTF-8 text: save it as UTF-8"), (b" " * (LARGEST_BYTES + 1), "is larger than")],
        ids=["not-utf-8", "too-large"],
    )
    def test_a_file_that_is_no_case(self, tmp_path, content, message):
        path = tmp_path / "case.json"
        path.write_bytes(content)
        with pytest.raises(Refused) as refused:
            read_case(path)
        [fault] = refused.value.faults
        assert fault.field == "file"
        assert message in fault.message
        assert str(path) in fault.message

    @pytest.mark.parametrize("name", ["missing.json", "."])
    def test_a_file_that_cannot_be_read(self, tmp_path, name):
        with pytest.raises(Refused, match="cannot be read: "):
            read_case(tmp_path / name)

    def test_a_name_that_is_no_text_is_shown_in_escapes(self, tmp_path):
        with pytest.raises(Refused) as refused:
            read_case(tmp_path / "caf\udce9.json")
        assert refused.value.faults[0].message.encode("utf-8")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    SCALARS
    | st.sampled_from(["2026-04-30", "1.00", "-1.00", "payment", "return_filed", "2026-Q1", "fraud", "interest"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
EVENT_KEYS = ["on", "type", "amount", "recorded", "payment_on", "kind", "until", "finding", "gross_receipts"]
EVENT_KEYS += ["deductions", "parts", "sites", "x"]
DATES = st.dates(date(2026, 3, 1), date(2026, 8, 31)).map(date.isoformat)
TYPES = ["return_filed", "estimate", "payment", "payment_returned", "waiver", "extension", "notice", "finding"]
EVENTS = st.fixed_dictionaries(
    {"on": DATES | JSON, "type": st.sampled_from(TYPES) | JSON},
    optional={name: JSON | DATES | st.sampled_from(["1.00", "65.00"]) for name in EVENT_KEYS[2:]},
)
CASES = st.fixed_dictionaries(
    {},
    optional={
        "municipality": st.sampled_from(municipality_keys()) | JSON,
        "tax": st.just("room_tax") | JSON,
        "period": st.sampled_from(["2026-Q1", "2025-Q4"]) | JSON,
        "as_of": DATES | JSON,
        "events": st.lists(EVENTS | JSON, max_size=5) | JSON,
        "resolutions": st.just(BAYFIELD["resolutions"]) | JSON,
        "previous_year_tax": st.just("4000.00") | JSON,
        "x": JSON,
    },
)


class TestAnything:
    @staticmethod
    def is_read_or_refused(text):
        faults = ()
        try:
            case_from_text(text).statement()
        except Refused as refused:
            faults = refused.faults
        except (ResolutionMissing, ValueNotInForce):
            return
        for fault in faults:
            assert fault.field.encode("utf-8")
            assert fault.message.encode("utf-8")

    @given(JSON)
    def test_any_json_is_read_or_refused(self, value):
        self.is_read_or_refused(json.dumps(value))

    @given(CASES)
    def test_anything_like_a_case_is_read_or_refused(self, value):
        self.is_read_or_refused(json.dumps(value))

    @given(st.text())
    def test_any_text_is_read_or_refused(self, text):
        self.is_read_or_refused(text)

    @given(CASES)
    def test_reading_alone_raises_nothing_but_refused(self, value):
        try:
            case_from_text(json.dumps(value))
        except Refused:
            return
