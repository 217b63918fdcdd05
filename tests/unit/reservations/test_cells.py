"""What a cell says, and what it is refused for."""

from datetime import date, datetime

import pytest

from core.services.reservations.cells import Unreadable, cents_of, day_of, day_of_parts, place_of, text_of, whole_of
from core.services.reservations.dates import DateFormat

ISO = DateFormat("YYYY-MM-DD")


@pytest.mark.parametrize(
    ("cell", "cents"),
    [("75", 7500), ("75.5", 7550), (" 75.50 ", 7550), ("$75.50", 7550), ("75.5000", 7550), ("0", 0), (75, 7500)]
    + [(75.35, 7535), (0.1 + 0.2, 30), (1234567.89, 123456789), (4.35, 435), (0.0, 0)],
)
def test_an_amount_is_read_as_cents(cell, cents):
    assert cents_of(cell) == cents


@pytest.mark.parametrize(
    ("cell", "why"),
    [("75.505", "part of a cent"), (75.505, "part of a cent"), ("-75", "negative"), (-75.0, "negative")]
    + [("", "blank"), (None, "blank"), ("n/a", "not an amount"), ("1,234.50", "thousands_commas"), ("1.234,50", "not")]
    + [("=A1*2", "not an amount"), (True, "not an amount"), (float("nan"), "not an amount"), (float("inf"), "not an")]
    + [(1e300, "too large"), ("٧٥", "not an amount"), ("1e3", "not an amount"), (date(2026, 1, 1), "not an amount")],
)
def test_an_amount_that_is_none_is_refused(cell, why):
    with pytest.raises(Unreadable, match=why):
        cents_of(cell)


def test_commas_between_thousands_are_read_where_the_map_says_so():
    assert cents_of("$1,234,567.50", thousands_commas=True) == 123456750
    with pytest.raises(Unreadable):
        cents_of("1,23.50", thousands_commas=True)


@pytest.mark.parametrize(("cell", "nights"), [("3", 3), (3, 3), (3.0, 3), ("3.0", 3), ("0", 0), ("-0", 0)])
def test_nights_are_whole(cell, nights):
    assert whole_of(cell) == nights


@pytest.mark.parametrize("cell", ["2.5", 2.5, "-1", "", None, "two", "1e1", "9999999", True])
def test_nights_that_are_not_whole_are_refused(cell):
    with pytest.raises(Unreadable):
        whole_of(cell)


@pytest.mark.parametrize(
    ("written", "text"),
    [("YYYY-MM-DD", "2016-07-01"), ("MM/DD/YYYY", "07/01/2016"), ("M/D/YYYY", "7/1/2016"), ("YYYYMMDD", "20160701")]
    + [("D.M.YYYY", "1.7.2016"), ("DD-MMM-YYYY", "01-JUL-2016"), ("MMMM D, YYYY", "July 1, 2016")]
    + [("YYYY-MM-DD hh:mm:ss", "2016-07-01 15:00:00"), ("YYYY-MM-DDThh:mm", "2016-07-01T15:00")],
)
def test_a_date_is_read_as_its_format_writes_it(written, text):
    assert day_of(text, DateFormat(written)) == date(2016, 7, 1)


@pytest.mark.parametrize("cell", ["2016-02-30", "2016-13-01", "2016-7-1", "1016-07-01", "2216-07-01", "", None, 42552])
def test_a_date_that_is_none_is_refused(cell):
    with pytest.raises(Unreadable):
        day_of(cell, ISO)


def test_a_date_cell_needs_no_format():
    # A workbook's cells have no time zone.
    with_time = datetime(2016, 7, 1, 15, 0)  # noqa: DTZ001
    assert day_of(with_time, ISO) == day_of(date(2016, 7, 1), ISO) == date(2016, 7, 1)


@pytest.mark.parametrize("month", ["July", "jul", "7", "07", 7, 7.0])
def test_a_month_is_a_number_or_a_name(month):
    assert day_of_parts("2016", month, 1) == date(2016, 7, 1)


@pytest.mark.parametrize("parts", [("2016", "Juli", "1"), ("2016", "2", "30"), ("", "7", "1"), ("2016", "7", "1.5")])
def test_parts_that_make_no_date_are_refused(parts):
    with pytest.raises(Unreadable):
        day_of_parts(*parts)


def test_a_formula_stays_the_text_it_is():
    assert place_of("=HYPERLINK(1)") == "=HYPERLINK(1)"


@pytest.mark.parametrize("cell", ["", "  ", None, "Inn\x1b[31m", "a\nb", "x" * 201])
def test_a_place_that_is_no_name_is_refused(cell):
    with pytest.raises(Unreadable):
        place_of(cell)


@pytest.mark.parametrize(
    ("cell", "text"), [(1, "1"), (1.0, "1"), (1.5, "1.5"), (True, "TRUE"), (None, ""), (" a ", "a")]
)
def test_a_cell_of_a_workbook_is_compared_as_text(cell, text):
    assert text_of(cell) == text
