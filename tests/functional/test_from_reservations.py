"""fisc returns from-reservations on a real export: 14,938 reservations of two hotels, under each ordinance."""

import csv
import json
import shutil
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest
import xlsxwriter
from click.testing import CliRunner

from core.cli.main import main
from core.contract.loading import open_municipality
from core.services.cases.read import case_from_text
from core.services.reservations.draft import Drafter
from core.services.reservations.read import Reservation
from core.services.reservations.write import Filing, draft_as_case
from tests.support.small_town import SmallLaw, SmallTown

DATA = Path(__file__).parents[1] / "data" / "reservations"
EXPORT, MAP = DATA / "reservations.csv", DATA / "map.toml"
EXPECTED = json.loads((DATA / "reservations.expected.json").read_text("utf-8"))["expected"]
MUNICIPALITIES = ["bayfield", "fox_cities_village", "montello"]


def run(*arguments, file=EXPORT, municipality="montello"):
    fixed = ["returns", "from-reservations", str(file), "--map", str(MAP), "--municipality", municipality]
    return CliRunner().invoke(main, [*fixed, *map(str, arguments)])


def drafts(result):
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def header_and_rows():
    with EXPORT.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def export(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.mark.parametrize("municipality", MUNICIPALITIES)
def test_each_place_and_period_agrees_to_the_cent(municipality):
    found = {}
    for draft in drafts(run(municipality=municipality)):
        assert draft["deductions"]["exempt_entity"] == "0.00"
        found.setdefault(draft["place"], {})[draft["period"]] = {
            "nights": draft["nights"],
            "gross_receipts": draft["gross_receipts"],
            "marketplace": draft["deductions"]["marketplace"],
            "long_stay": draft["deductions"]["long_stay"],
        }
    assert found == EXPECTED


def test_a_workbook_gives_the_same_drafts_as_the_text(tmp_path, header_and_rows):
    header, rows = header_and_rows
    numbers = {header.index(name) for name in header if name.startswith(("arrival_date_y", "stays", "adr", "is_"))}
    with xlsxwriter.Workbook(tmp_path / "stays.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, header)
        for number, row in enumerate(rows[:3000], 1):
            sheet.write_row(number, 0, [float(cell) if at in numbers else cell for at, cell in enumerate(row)])
    text = export(tmp_path / "stays.csv", header, rows[:3000])
    assert run(file=tmp_path / "stays.xlsx").stdout == run(file=text).stdout


@pytest.mark.parametrize("municipality", MUNICIPALITIES)
def test_the_cases_are_assessed(municipality, tmp_path):
    fee = [] if municipality == "montello" else ["--resolution", "late_filing_fee=25.00"]
    made = drafts(run("--out", tmp_path / "cases", *fee, municipality=municipality))
    paths = sorted((tmp_path / "cases").iterdir())
    assert len(paths) == len(made) == 9
    assessed = CliRunner().invoke(main, ["assess", *map(str, paths)])
    assert assessed.exit_code == 0, assessed.stdout
    answers = dict(zip((path.name for path in paths), map(json.loads, assessed.stdout.splitlines()), strict=True))
    # Filed on the due date: the tax and nothing else is owed.
    assert all(set(answer["charges"]) == {"tax"} and answer["basis"] == "return" for answer in answers.values())
    rate = {"bayfield": 65, "montello": 45, "fox_cities_village": 30}[municipality]
    taxable = 7_270_612 - 1_083_269 - 132_090
    owed = f"{(taxable * rate + 500) // 1000 / 100:.2f}"
    assert answers[f"{municipality}-resort-hotel-2016-Q1.json"]["charges"]["tax"] == owed


def test_a_late_filing_shows_in_its_case(tmp_path):
    run("--period", "2016-Q1", "--filed-on", "2016-06-15", "--out", tmp_path)
    (path,) = tmp_path.iterdir()
    assessed = json.loads(CliRunner().invoke(main, ["assess", str(path)]).stdout)
    assert assessed["charges"]["late_filing_fee"] == "25.00"


def test_a_case_with_a_rate_change_inside_is_read_by_assess():
    """The rate of this law changes on a day of its own; the case's form is what is looked at."""
    montello = open_municipality("montello")
    law = SmallLaw((date(1992, 1, 1), date(2016, 2, 10)))
    town = SmallTown(montello.taxes["room_tax"], law, SimpleNamespace(key="montello", name="Montello"))
    drafter = Drafter(town, town.tax)
    drafter.add_all([Reservation(2, "Inn", date(2016, 2, 8), date(2016, 2, 12), 40_001, "marketplace", None, "")])
    case = draft_as_case(drafter.drafted().drafts[0], montello, Filing())
    (filed,) = case_from_text(json.dumps(case)).events
    assert [(part.first_night, part.gross_cents, part.deducted_cents) for part in filed.receipts] == [
        (date(2016, 1, 1), 20_000, 20_000),
        (date(2016, 2, 10), 20_001, 20_001),
    ]


def test_one_period_may_be_asked_for():
    assert {draft["period"] for draft in drafts(run("--period", "2015-Q4"))} == {"2015-Q4"}
    refused = run("--period", "2019-Q1")
    assert refused.exit_code == 1
    assert "there are 2015-Q3" in refused.stderr


def test_every_row_is_listed_with_where_it_went(tmp_path, header_and_rows):
    run("--rows", tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
    assert [int(row["line"]) for row in listed] == list(range(2, len(header_and_rows[1]) + 2))
    counts = {name: sum(row["counted_as"] == name for row in listed) for name in {row["counted_as"] for row in listed}}
    assert counts == {"left out": 8088, "long_stay": 2, "marketplace": 2070, "taxable": 4778}
    (long,) = [row for row in listed if row["line"] == "3852"]
    assert long["periods"] == "2016-Q1: 42 for 1320.90"
    assert "long stay" in long["reason"]


def test_faulty_rows_are_all_listed_and_nothing_is_written(tmp_path, header_and_rows):
    header, rows = header_and_rows
    rows = [list(row) for row in rows]
    at = header.index
    kept = [number for number, row in enumerate(rows) if row[at("is_canceled")] == "0"]
    first, second, last = kept[0], kept[100], kept[-1]
    rows[first][at("adr")] = "-75.00"
    rows[second][at("arrival_date_day_of_month")] = "31"
    rows[second][at("arrival_date_month")] = "June"
    rows[last][at("stays_in_week_nights")] = "1.5"
    path = export(tmp_path / "stays.csv", header, rows)
    result = run("--out", tmp_path / "out", "--rows", tmp_path / "rows.csv", file=path)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert [line.partition(": '")[0] for line in result.stderr.splitlines()] == [
        f"refused: line {first + 2}, column adr",
        f"refused: line {second + 2}, column arrival_date_year + arrival_date_month + arrival_date_day_of_month",
        f"refused: line {last + 2}, column stays_in_week_nights",
    ]
    assert [child.name for child in tmp_path.iterdir()] == ["stays.csv"]


def test_an_unknown_municipality_is_refused():
    result = run(municipality="atlantis")
    assert result.exit_code == 1
    assert "montello" in result.stderr


def test_an_unknown_resolution_is_refused():
    result = run("--resolution", "fee=1.00")
    assert result.exit_code == 1
    assert "'fee' is not known here" in result.stderr


def test_the_file_that_is_read_is_never_written_over(tmp_path):
    path = tmp_path / "stays.csv"
    shutil.copy(EXPORT, path)
    before = path.read_bytes()
    assert run("--rows", path, file=path).exit_code == 1
    assert path.read_bytes() == before
