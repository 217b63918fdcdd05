"""Law files are read strictly: what is wrong stops loading, and the message says where."""

from datetime import date
from decimal import Decimal

import pytest

from core.contract.law import Law
from core.contract.lawfiles import load_law
from core.domain.errors import LawFileInvalid

CLAUSES = """\
id,section,actor,duty,kind,claim,question
T-1,§ 1,all,Rate,rate,implemented,
T-2,§ 2,board,Fee,charge,later,Is it due?
"""
RATE = """
[[ordinance]]
key = "rate"
clause = "T-1"
section = "§ 1"
from = 2020-01-01
set_by = "Board"
rate = 0.05
"""
FEE = """
[[resolution]]
key = "fee"
title = "The fee"
clause = "T-2"
section = "§ 2"
from = 2020-01-01
set_by = "Board"
unit = "cents"
required = true
"""
READING = """
[[reading]]
key = "milder"
clause = "T-2"
section = "§ 2"
from = 2020-01-01
set_by = "Treasurer"
default = true
reason = "the milder one"
"""


@pytest.fixture
def law(tmp_path):
    """Loads a law from these texts."""

    def load(*parts: str, clauses: str = CLAUSES, under: Law | None = None, folder: str = "law") -> Law:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "clauses.csv").write_text(clauses, "utf-8")
        (tmp_path / folder / "town.toml").write_text("".join(parts), "utf-8")
        return load_law(tmp_path / folder, under)

    return load


def test_a_whole_law_is_read(law):
    loaded = law(RATE, FEE, READING)
    value = loaded.ordinance("rate", date(2026, 1, 1))
    assert (value.value, value.ratio, value.clause.id, value.set_by) == (Decimal("0.05"), (1, 20), "T-1", "Board")
    assert value.id == "rate@2020-01-01"
    assert loaded.resolution_slots["fee"].required is True
    assert loaded.reading("milder", date(2026, 1, 1)).value is True


@pytest.mark.parametrize(
    ("without", "missing"),
    [
        ('clause = "T-1"\n', "clause"),
        ('section = "§ 1"\n', "section"),
        ("from = 2020-01-01\n", "from"),
        ('set_by = "Board"\n', "set_by"),
        ('key = "rate"\n', "key"),
    ],
)
def test_a_missing_key_stops_loading_and_names_file_entry_and_key(law, without, missing):
    broken = RATE.replace(without, "")
    with pytest.raises(LawFileInvalid, match=rf"town\.toml, \[\[ordinance\]\] 2 \(.*\): {missing} missing"):
        law(RATE, broken)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("set_by", "setby"), "unknown key setby"),
        (("rate = 0.05", "rate = 0.05\ncomment = 'x'"), "unknown key comment"),
        (('"T-1"', '"T-9"'), "clause 'T-9' is not in the clause table"),
        (('"§ 1"', '"§ 2"'), "section '§ 2' is not that of clause T-1, '§ 1'"),
        (("2020-01-01", '"2020-01-01"'), "from and until are dates"),
        (("2020-01-01", "2020-01-01T00:00:00"), "from and until are dates"),
        (("rate = 0.05", "rate = 0.05\nuntil = 2019-12-31"), "until lies before from"),
        (("rate = 0.05", "rate = 0.05\ndays = 3"), "give exactly one of"),
        (("rate = 0.05\n", ""), "give exactly one of"),
        (("rate = 0.05", "rate = 5"), "a rate is a fraction of one"),
        (("rate = 0.05", "rate = 1.05"), "a rate is a fraction of one"),
        (("rate = 0.05", "rate = -0.05"), "a rate is a fraction of one"),
        (("rate = 0.05", "dollars = 25"), "dollars have two decimals"),
        (("rate = 0.05", "dollars = 0.005"), "dollars have two decimals"),
        (("rate = 0.05", "dollars = -1.00"), "dollars have two decimals"),
        (("rate = 0.05", "days = 30.0"), "days and months are whole numbers"),
        (("rate = 0.05", "days = true"), "days and months are whole numbers"),
        (("rate = 0.05", "days = -1"), "days and months are whole numbers"),
        (("rate = 0.05", "flag = 1"), "is not allowed"),
        (("rate = 0.05", "text = 1"), "is not allowed"),
        (("[[ordinance]]", "[[ordinances]]"), r"\[\[ordinances\]\] is not known"),
        (("[[ordinance]]", "[ordinance]"), r"\[\[ordinance\]\] is not known"),
        (('key = "rate"', "key = "), "town.toml: "),
        (('key = "rate"', "key = 5"), "key: write a text"),
        (('"T-1"', '["T-1"]'), "clause: write a text"),
        (('"Board"', '" "'), "set_by: write a text"),
        (("rate = 0.05", 'unknown = ""'), "unknown: write a text"),
    ],
)
def test_what_is_wrong_stops_loading(law, change, message):
    with pytest.raises(LawFileInvalid, match=message):
        law(RATE.replace(*change))


@pytest.mark.parametrize("special", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("unit", ["rate", "dollars"])
def test_what_is_no_number_is_no_value(law, special, unit):
    with pytest.raises(LawFileInvalid, match="is not allowed"):
        law(RATE.replace("rate = 0.05", f"{unit} = {special}"))


def test_a_fraction_is_read_exactly_and_never_as_a_float(law):
    value = law(RATE.replace("0.05", "0.1")).ordinance("rate", date(2026, 1, 1))
    assert type(value.value) is Decimal
    assert value.ratio == (1, 10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('unit = "cents"', 'unit = "dollars"'), "unit is one of cents, rate"),
        (("required = true", 'required = "yes"'), "required is true or false"),
        (('title = "The fee"\n', ""), "title missing"),
    ],
)
def test_a_wrong_resolution_slot_stops_loading(law, change, message):
    with pytest.raises(LawFileInvalid, match=message):
        law(FEE.replace(*change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("default = true", "default = 2020-01-01"), "a default is"),
        (("default = true", "default = [1]"), "a default is"),
        (("default = true", "default = nan"), "a default is"),
        (('reason = "the milder one"\n', ""), "reason missing"),
    ],
)
def test_a_wrong_reading_slot_stops_loading(law, change, message):
    with pytest.raises(LawFileInvalid, match=message):
        law(READING.replace(*change))


@pytest.mark.parametrize("slot", [FEE, READING])
def test_a_slot_stands_once(law, slot):
    with pytest.raises(LawFileInvalid, match="this key stands twice"):
        law(slot, slot)


def test_two_entries_from_one_day_stop_loading(law):
    with pytest.raises(LawFileInvalid, match="rate: two entries from 2020-01-01"):
        law(RATE, RATE)


def test_entries_that_overlap_stop_loading(law):
    ended = RATE + "until = 2022-01-01\n"
    with pytest.raises(LawFileInvalid, match="rate: the entries from 2020-01-01 and 2022-01-01 overlap"):
        law(ended, RATE.replace("2020", "2022"))
    law(RATE + "until = 2021-12-31\n", RATE.replace("2020", "2022"), folder="next")


def test_a_later_entry_ends_an_open_one(law):
    loaded = law(RATE.replace("2020", "2022").replace("0.05", "0.06"), RATE)
    assert [loaded.ordinance("rate", date(year, 12, 31)).value for year in (2021, 2022)] == [
        Decimal("0.05"),
        Decimal("0.06"),
    ]


def test_a_law_is_laid_on_the_one_it_stands_under_and_repeats_nothing(law):
    state = law(RATE, folder="state")
    own = CLAUSES.replace("T-", "U-")
    fee = FEE.replace("T-", "U-")
    loaded = law(fee, clauses=own, under=state, folder="own")
    assert loaded.ordinance("rate", date(2026, 1, 1)).clause.id == "T-1"
    assert set(loaded.clauses) == {"T-1", "T-2", "U-1", "U-2"}
    with pytest.raises(LawFileInvalid, match="keys that the law above already has: rate"):
        law(RATE.replace("T-1", "U-1"), clauses=own, under=state, folder="twice")
    with pytest.raises(LawFileInvalid, match="clause ids in two tables: T-1, T-2"):
        law(FEE, under=state, folder="same")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("id,section", "section,id"), "the columns must be id, section"),
        (("T-2,§ 2", "T-2,"), "line 3: section: fill every column"),
        (("T-2,", "T-1,"), "line 3: clause 'T-1' stands twice"),
        (("later", "maybe"), "line 3: claim 'maybe' is none of implemented, later"),
        (("Is it due?", "Is it due?,x"), "line 3: too many columns"),
    ],
)
def test_a_clause_table_is_read_as_strictly(law, change, message):
    with pytest.raises(LawFileInvalid, match=message):
        law(RATE, clauses=CLAUSES.replace(*change))


def test_a_table_that_is_a_list_of_something_else_stops_loading(law):
    with pytest.raises(LawFileInvalid, match=r"\[\[ordinance\]\] is not known"):
        law("ordinance = [1, 2]")
