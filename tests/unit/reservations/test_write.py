"""What is written: JSON, cases, file names that stay in their folder, a table without formulas."""

import csv
import io
import stat
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.errors import Refused
from core.services.reservations.draft import Drafter, Placement
from core.services.reservations.read import Reservation
from core.services.reservations.write import (
    Filing,
    cases_by_file_name,
    draft_as_case,
    draft_as_values,
    place_slugs,
    rows_as_csv,
    write_cases,
    write_rows,
)
from tests.support.small_town import SmallLaw, SmallTown


def one_draft(town=None, place="Inn", receipts=None):
    town = town or SmallTown()
    drafter = Drafter(town, town.tax)
    drafter.add_all(
        [Reservation(2, place, date(2016, 7, 14), date(2016, 7, 16), 10_001, "marketplace", receipts, "said")]
    )
    return drafter.drafted().drafts[0]


def test_a_draft_lists_every_deduction_in_dollars():
    assert draft_as_values(one_draft()) == {
        "place": "Inn",
        "municipality": "small_town",
        "tax": "lodging",
        "period": "2016-M07",
        "nights": 2,
        "gross_receipts": "100.01",
        "deductions": {"marketplace": "100.01", "long_stay": "0.00", "exempt_entity": "0.00"},
        "warnings": [],
    }


def test_receipts_on_another_line_stand_beside_the_usual_ones():
    values = draft_as_values(one_draft(receipts="sites"))
    assert (values["gross_receipts"], values["sites"]) == ("0.00", "100.01")


def test_a_case_is_filed_and_looked_at_on_the_due_date():
    case = draft_as_case(one_draft(), SmallTown(), Filing())
    assert case["as_of"] == case["events"][0]["on"] == "2016-08-10"
    assert case["events"][0]["type"] == "return_filed"


def test_a_late_filing_is_looked_at_on_its_own_day():
    case = draft_as_case(one_draft(), SmallTown(), Filing(filed_on=date(2016, 9, 1)))
    assert case["as_of"] == case["events"][0]["on"] == "2016-09-01"


def test_a_case_with_two_rates_carries_parts_in_place_of_receipts():
    town = SmallTown(law=SmallLaw((date(2000, 1, 1), date(2016, 7, 15))))
    event = draft_as_case(one_draft(town), town, Filing())["events"][0]
    assert "gross_receipts" not in event
    assert [part["gross_receipts"] for part in event["parts"]] == ["50.00", "50.01"]
    assert event["parts"][1]["first_night"] == "2016-07-15"
    assert "nights" not in event["parts"][0]


def test_days_that_do_not_fit_are_refused():
    with pytest.raises(Refused, match="before the end"):
        cases_by_file_name([one_draft()], SmallTown(), Filing(filed_on=date(2016, 7, 31)))
    with pytest.raises(Refused, match="before the filing"):
        cases_by_file_name([one_draft()], SmallTown(), Filing(as_of=date(2016, 8, 1)))


@given(st.lists(st.text(min_size=1), unique=True, max_size=6))
def test_file_names_are_safe_and_never_shared(places):
    slugs = place_slugs(places)
    assert len(set(slugs.values())) == len(places)
    assert all(slug and set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for slug in slugs.values())
    assert all(len(slug) <= 80 for slug in slugs.values())


@pytest.mark.parametrize("place", ["../../etc/cron.d/x", "/tmp/x", "..", "C:\\x", "a\0b", "con", "💧"])
def test_a_place_never_leads_out_of_the_folder(place, tmp_path):
    cases = cases_by_file_name([one_draft(place=place)], SmallTown(), Filing())
    (path,) = write_cases(cases, tmp_path / "out")
    assert path.resolve().parent == (tmp_path / "out").resolve()
    assert [child.name for child in tmp_path.iterdir()] == ["out"]


def test_places_whose_names_look_alike_get_files_of_their_own():
    slugs = place_slugs(["Inn & Co", "inn co"])
    assert len(set(slugs.values())) == 2
    assert all(slug.startswith("inn-co-") for slug in slugs.values())


def test_a_link_under_the_name_of_a_file_is_replaced_and_not_followed(tmp_path):
    other = tmp_path / "other"
    other.write_text("kept")
    link = tmp_path / "rows.csv"
    link.symlink_to(other)
    write_rows([], link)
    assert other.read_text() == "kept"
    assert not link.is_symlink()


def test_what_is_written_is_for_its_owner_alone(tmp_path):
    write_rows([], tmp_path / "rows.csv")
    assert stat.S_IMODE((tmp_path / "rows.csv").stat().st_mode) == 0o600
    assert [child.name for child in tmp_path.iterdir()] == ["rows.csv"]


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match="cannot be made"):
        write_cases({}, tmp_path / "file" / "out")
    with pytest.raises(Refused, match="cannot be written"):
        write_rows([], tmp_path / "nowhere" / "rows.csv")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_no_cell_of_the_row_list_begins_as_a_formula_does(start):
    placed = Placement(2, f"{start}cmd|'x'", 2, 10_000, (("2016-M07", 2, 10_000),), "taxable", f"{start}1")
    rows = list(csv.reader(io.StringIO(rows_as_csv([placed]))))
    assert rows[1] == ["2", f"'{start}cmd|'x'", "2", "100.00", "2016-M07: 2 for 100.00", "taxable", f"'{start}1"]


def test_a_cancelled_row_shows_neither_nights_nor_amount():
    rows = list(csv.reader(io.StringIO(rows_as_csv([Placement(2, "Inn", None, None, (), "left out", "cancelled")]))))
    assert rows[1] == ["2", "Inn", "", "", "", "left out", "cancelled"]
