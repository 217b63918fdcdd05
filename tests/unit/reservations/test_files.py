"""Opening an export: what is read, and what is refused before it can do harm."""

import io
import struct
import subprocess
import sys
import zipfile
from datetime import date
from pathlib import Path

import pytest
import xlsxwriter

from core.domain.errors import Refused
from core.services.reservations import archive, table, workbook
from core.services.reservations.draft import draft_returns
from core.services.reservations.map import parse_map
from core.services.reservations.table import open_table
from tests.support.small_town import SmallTown

MAP = {
    "place": {"column": "hotel"},
    "arrival": {"column": "arrival"},
    "nights": {"columns": ["nights"]},
    "amount": {"columns": ["rate"], "per": "night"},
    "cancelled": {"column": "state", "values": ["cancelled"]},
}
HEADER = ("hotel", "arrival", "nights", "rate", "state")
ROW = ("Inn", "2016-07-01", "2", "75.35", "")


def rows_of(path, **changes):
    with open_table(path, parse_map({**MAP, **changes})) as opened:
        return opened.header, [(line, tuple(cells)) for line, cells in opened.rows]


def refusal(path, **changes):
    with pytest.raises(Refused) as refused:
        draft_returns(path, parse_map({**MAP, **changes}), SmallTown())
    return "\n".join(f"{fault.field}: {fault.message}" for fault in refused.value.faults)


@pytest.fixture
def csv_file(tmp_path):
    def write(content, name="stays.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def xlsx_file(tmp_path):
    def write(*sheets, name="stays.xlsx", formula=None):
        path = tmp_path / name
        with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd", "strings_to_formulas": False}) as book:
            for rows in sheets:
                sheet = book.add_worksheet()
                for number, row in enumerate(rows):
                    sheet.write_row(number, 0, row)
                if formula:
                    sheet.write_formula(*formula)
        return path

    return write


def lines(*rows, delimiter=","):
    return "".join(delimiter.join(row) + "\n" for row in rows)


class TestCsv:
    def test_a_byte_order_mark_is_read_over(self, csv_file):
        header, _ = rows_of(csv_file(b"\xef\xbb\xbf" + lines(HEADER, ROW).encode()))
        assert header == HEADER

    def test_another_delimiter_is_read_where_the_map_says_so(self, csv_file):
        path = csv_file(lines(HEADER, ROW, delimiter=";"))
        assert rows_of(path, file={"delimiter": ";"}) == (HEADER, [(2, ROW)])

    def test_a_row_has_the_line_that_it_begins_on(self, csv_file):
        quoted = 'Inn,2016-07-01,2,75,"two\nlines"\n'
        _, rows = rows_of(csv_file(lines(HEADER) + quoted + lines(ROW)))
        assert [line for line, _ in rows] == [2, 4]

    @pytest.mark.parametrize("content", ["Gästehaus".encode("cp1252"), "hotel,rate\n".encode("utf-16")])
    def test_another_encoding_is_refused(self, csv_file, content):
        assert "UTF-8" in refusal(csv_file(lines(HEADER, ROW).encode() + content))

    def test_nul_bytes_are_refused(self, csv_file):
        assert "UTF-8" in refusal(csv_file(b"hotel\0,arrival\n"))

    def test_an_open_quote_is_refused(self, csv_file):
        assert "line 3 is no CSV" in refusal(csv_file(lines(HEADER, ROW) + '"Inn,2016'))

    def test_faults_before_the_place_where_a_file_breaks_off_are_listed_too(self, csv_file):
        bad = ("Inn", "soon", "2", "75", "")
        text = refusal(csv_file(lines(HEADER, bad) + '"Inn,2016'))
        assert "column arrival" in text
        assert "no CSV" in text

    def test_an_empty_file_is_refused(self, csv_file):
        assert "is empty" in refusal(csv_file(""))

    def test_more_rows_than_the_cap_are_refused(self, csv_file, monkeypatch):
        monkeypatch.setattr(table, "MOST_ROWS", 2)
        assert "more than 2 rows" in refusal(csv_file(lines(HEADER, ROW, ROW, ROW)))

    def test_a_large_file_is_refused_before_it_is_opened(self, csv_file):
        path = csv_file("")
        with path.open("r+b") as file:
            file.truncate(table.LARGEST_CSV_BYTES + 1)
        assert "50 MB" in refusal(path)

    def test_a_workbook_named_csv_is_refused(self, csv_file, xlsx_file):
        assert "name it .xlsx" in refusal(csv_file(xlsx_file([HEADER]).read_bytes()))


class TestRows:
    def test_missing_columns_are_all_listed(self, csv_file):
        text = refusal(csv_file(lines(("hotel", "nights"))))
        assert [f"column {name}" in text for name in HEADER] == [False, True, False, True, True]
        assert "the file has 'hotel', 'nights'" in text

    def test_a_column_that_is_there_twice_is_refused(self, csv_file):
        assert "2 times" in refusal(csv_file(lines((*HEADER, "rate"))))

    def test_every_fault_of_every_row_is_listed_with_line_column_and_value(self, csv_file):
        bad = [
            ("", "2016-02-30", "1.5", "-1", ""),
            ROW,
            ("Inn", "2016-07-01", "2", "75.355", ""),
            ("Inn", "2016-07-01", "2"),
            ("Inn", "2098-07-01", "3000", "1", ""),
        ]
        text = refusal(csv_file(lines(HEADER, *bad))).splitlines()
        assert [line.partition(": ")[0] for line in text] == [
            "line 2, column hotel",
            "line 2, column arrival",
            "line 2, column nights",
            "line 2, column rate",
            "line 4, column rate",
            "line 5",
            "line 6, column nights",
        ]
        assert any("'75.355' has a part of a cent" in line for line in text)

    def test_a_cancelled_row_is_not_read_further(self, csv_file):
        made = draft_returns(
            csv_file(lines(HEADER, ("Inn", "never", "x", "y", "cancelled"))), parse_map(MAP), SmallTown()
        )
        assert made.placements[0].reason == "cancelled: state is 'cancelled'"

    def test_blank_lines_are_passed_over(self, csv_file):
        made = draft_returns(csv_file(lines(HEADER) + "\n,,,,\n" + lines(ROW)), parse_map(MAP), SmallTown())
        assert [placed.line for placed in made.placements] == [4]

    def test_a_departure_before_the_arrival_is_a_fault(self, csv_file):
        header = ("hotel", "arrival", "departure", "rate", "state")
        path = csv_file(lines(header, ("Inn", "2016-07-02", "2016-07-01", "75", "")))
        assert "before the arrival" in refusal(path, nights=None, departure={"column": "departure"})

    def test_a_value_of_the_map_that_no_row_has_is_said(self, csv_file):
        made = draft_returns(csv_file(lines(HEADER, ROW)), parse_map(MAP), SmallTown())
        assert "no row has 'cancelled' in state" in made.warnings[0]


class TestXlsx:
    def test_it_reads_as_the_same_text_in_csv_does(self, xlsx_file, csv_file):
        row = ("Inn", date(2016, 7, 1), 2, 75.35, None)
        book = draft_returns(xlsx_file([HEADER, row]), parse_map(MAP), SmallTown())
        text = draft_returns(csv_file(lines(HEADER, ROW)), parse_map(MAP), SmallTown())
        assert book == text

    def test_a_formula_is_no_amount(self, xlsx_file):
        path = xlsx_file([HEADER, ("Inn", date(2016, 7, 1), 2, 0)], formula=(1, 3, "=70+5.35", None, 75.35))
        assert "'=70+5.35' is not an amount" in refusal(path)

    def test_a_text_that_looks_like_a_formula_stays_text(self, xlsx_file):
        made = draft_returns(
            xlsx_file([HEADER, ("=1+1", date(2016, 7, 1), 2, 75.35, None)]), parse_map(MAP), SmallTown()
        )
        assert made.drafts[0].place == "=1+1"

    def test_one_of_several_sheets_must_be_named(self, xlsx_file):
        path = xlsx_file([("other",)], [HEADER])
        assert "'Sheet1', 'Sheet2'" in refusal(path)
        assert rows_of(path, file={"sheet": "Sheet2"}) == (HEADER, [])
        assert "no sheet 'May'" in refusal(path, file={"sheet": "May"})

    def test_a_part_of_a_cent_in_a_number_is_a_fault(self, xlsx_file):
        assert "part of a cent" in refusal(xlsx_file([HEADER, ("Inn", date(2016, 7, 1), 2, 75.355)]))

    def test_rows_beyond_the_cap_are_refused_and_not_dropped(self, xlsx_file, monkeypatch):
        monkeypatch.setattr(workbook, "MOST_ROWS", 5)
        rows = [HEADER, *[()] * 10, ("Inn", date(2016, 7, 1), 2, 75.35)]
        assert "reaches beyond row 6" in refusal(xlsx_file(rows))

    @pytest.mark.parametrize("name", ["stays.xls", "stays.xlsm", "stays.ods", "stays"])
    def test_other_kinds_of_file_are_refused_with_advice(self, csv_file, name):
        assert "save the export as .csv (UTF-8) or .xlsx" in refusal(csv_file("x", name))

    def test_an_old_or_locked_workbook_named_xlsx_is_refused_with_advice(self, csv_file):
        assert "without a password" in refusal(csv_file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.xlsx"))

    def test_a_text_named_xlsx_is_refused(self, csv_file):
        assert "not an .xlsx workbook" in refusal(csv_file("hotel", "a.xlsx"))

    def test_a_folder_is_refused(self, tmp_path):
        (tmp_path / "a.csv").mkdir()
        assert "is not a file" in refusal(tmp_path / "a.csv")

    def test_a_file_that_is_not_there_is_refused(self, tmp_path):
        assert "cannot be read" in refusal(tmp_path / "a.csv")


def altered(path, parts=None, without=()):
    """The workbook with parts put in or replaced."""
    source = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
    contents = {name: source.read(name) for name in source.namelist() if name not in without} | (parts or {})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in contents.items():
            target.writestr(name, content)
    return path


SHEET = "xl/worksheets/sheet1.xml"
OPEN = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
CLOSE = b"</sheetData></worksheet>"


class TestHostileWorkbooks:
    @pytest.fixture
    def book(self, xlsx_file):
        return xlsx_file([HEADER, ("Inn", date(2016, 7, 1), 2, 75.35)])

    def test_macros_are_refused(self, book):
        assert "holds macros" in refusal(altered(book, {"xl/vbaProject.bin": b"x"}))

    @pytest.mark.parametrize("name", ["xl/workbook.xml", SHEET, "xl/sharedStrings.xml", "_rels/.rels"])
    def test_entities_are_refused(self, book, name):
        laughs = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>'
        assert "declares a document type" in refusal(altered(book, {name: laughs}))

    def test_a_damaged_part_is_refused(self, book):
        assert "damaged" in refusal(altered(book, {SHEET: OPEN}))

    def test_a_missing_part_is_refused(self, book):
        assert "damaged" in refusal(altered(book, without=("xl/workbook.xml",)))

    def test_a_text_index_beyond_the_texts_is_refused(self, book):
        cell = b'<row r="1"><c r="A1" t="s"><v>99</v></c></row>'
        assert "damaged" in refusal(altered(book, {SHEET: OPEN + cell + CLOSE}))

    def test_a_long_directory_is_refused_before_it_is_read(self, book):
        altered(book, {f"xl/media/{'x' * 200}{number}": b"" for number in range(1500)})
        assert "more parts" in refusal(book)

    def test_a_zip64_directory_is_refused(self, book):
        content = bytearray(book.read_bytes())
        struct.pack_into("<I", content, content.rindex(b"PK\x05\x06") + 12, 0xFFFFFFFF)
        book.write_bytes(content)
        assert "ZIP64" in refusal(book)

    def test_a_part_of_the_archive_that_is_cut_off_is_refused(self, book):
        book.write_bytes(book.read_bytes()[:-30])
        assert "damaged" in refusal(book)

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            (SHEET, OPEN + b" " * (archive.LARGEST_CONTENT_BYTES + 1)),
            (SHEET, OPEN + b"<row>" + b"<c/>" * 5_000_000 + b"</row>" + CLOSE),
            (SHEET, OPEN + b'<row r="1"><c r="A1"><v>1</v></c></row><row r="999999999"><c/></row>' + CLOSE),
            ("xl/sharedStrings.xml", b"<sst>" + b"<si/>" * 2_000_000 + b"</sst>"),
            ("xl/styles.xml", b"<styleSheet>" + b"<xf/>" * 300_000 + b"</styleSheet>"),
        ],
        ids=["bytes", "one row", "far row", "texts", "styles"],
    )
    def test_a_bomb_costs_neither_time_nor_memory(self, book, name, content):
        altered(book, {name: content})
        # A process of its own: in this one the memory that made the bomb would hide what reading it takes.
        done = subprocess.run([sys.executable, "-c", REFUSE, book], cwd=ROOT, check=True, stdout=subprocess.PIPE)
        seconds, kilobytes = map(float, done.stdout.split())
        assert seconds < 1
        assert kilobytes < 64 * 1024


ROOT = Path(__file__).resolve().parents[3]
REFUSE = """
import resource, sys, time
from pathlib import Path
import openpyxl
from core.domain.errors import Refused
from core.services.reservations.table import open_table
from tests.unit.reservations.test_files import MAP, parse_map
before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
try:
    with open_table(Path(sys.argv[1]), parse_map(MAP)) as opened:
        list(opened.rows)
    sys.exit("it was read")
except Refused:
    print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
