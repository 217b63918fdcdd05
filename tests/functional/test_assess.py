"""fisc assess as a process: what it prints, in what order, with which exit status, and what it loads to do so."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
FISC = [sys.executable, "-m", "core.cli.main"]
KEYS = ["basis", "due_date", "effective_due_date", "charges", "applied", "balance", "lines"]

LATE_IN_BAYFIELD = {
    "why": "$20,000 filed and paid late: fee $50, tax $1,300; 46 days at 10% = 1300 x 0.10 x 46 / 365 = $16.38",
    "municipality": "bayfield",
    "tax": "room_tax",
    "period": "2026-Q1",
    "as_of": "2026-06-15",
    "resolutions": {"late_filing_fee": "50.00"},
    "events": [
        {"on": "2026-06-15", "type": "return_filed", "gross_receipts": "20000.00"},
        {"on": "2026-06-15", "type": "payment", "amount": "1000.00"},
    ],
}
IN_TIME_IN_MONTELLO = {
    "municipality": "montello",
    "tax": "room_tax",
    "period": "2026-Q1",
    "as_of": "2026-06-15",
    "events": [
        {"on": "2026-04-20", "type": "return_filed", "gross_receipts": "20000.00"},
        {"on": "2026-04-20", "type": "payment", "amount": "900.00"},
    ],
}
NOTHING_IN_FOX = {
    "municipality": "fox_cities_village",
    "tax": "room_tax",
    "period": "2026-Q1",
    "as_of": "2026-04-30",
    "events": [],
}
WAIVED = {
    **LATE_IN_BAYFIELD,
    "events": [
        *LATE_IN_BAYFIELD["events"],
        {"on": "2026-06-16", "type": "waiver", "kind": "late_filing_fee", "amount": "50.00"},
    ],
    "as_of": "2026-06-16",
}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*FISC, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT, timeout=60)


@pytest.fixture
def write(tmp_path):
    """Writes a case to a file of this name and gives its path."""

    def to_file(name: str, case: dict) -> Path:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(case), encoding="utf-8")
        return path

    return to_file


@pytest.fixture
def late(write):
    return write("late", LATE_IN_BAYFIELD)


def test_one_object_a_line_in_the_order_of_the_arguments(write, late):
    fox, montello = write("fox", NOTHING_IN_FOX), write("montello", IN_TIME_IN_MONTELLO)
    done = run("assess", montello, late, fox, montello)
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["charges"]["tax"] for answer in answers] == ["900.00", "1300.00", "0.00", "900.00"]


def test_the_keys_are_the_six_of_the_answer_and_the_lines(late):
    answer = json.loads(run("assess", late).stdout)
    assert list(answer) == KEYS
    assert {key: answer[key] for key in KEYS[:6]} == {
        "basis": "return",
        "due_date": "2026-04-30",
        "effective_due_date": "2026-04-30",
        "charges": {"tax": "1300.00", "interest": "16.38", "late_filing_fee": "50.00"},
        "applied": {"tax": "933.62", "interest": "16.38", "late_filing_fee": "50.00"},
        "balance": "366.38",
    }


def test_each_line_cites_its_clause_and_the_lines_of_a_kind_sum_to_its_charge(late):
    answer = json.loads(run("assess", late).stdout)
    cents: dict[str, int] = {}
    for line in answer["lines"]:
        assert list(line) == ["kind", "amount", "clause", "section", "computation"]
        assert line["section"].startswith("§ 54-")
        cents[line["kind"]] = cents.get(line["kind"], 0) + int(line["amount"].replace(".", ""))
    assert cents == {kind: int(amount.replace(".", "")) for kind, amount in answer["charges"].items()}


def test_the_computation_is_in_words_and_figures(late):
    lines = {line["kind"]: line["computation"] for line in json.loads(run("assess", late).stdout)["lines"]}
    assert lines["tax"] == "gross receipts $20,000.00 less $0.00 not taxed = $20,000.00; x 6.5% = $1,300.00"
    assert lines["interest"] == ("$1,300.00 for 46 days (May 1, 2026 to June 15, 2026), at 10% a year / 365 = $16.38")


def test_a_refused_case_exits_with_one_and_the_others_are_still_assessed(write, late):
    wrong = write("wrong", {**LATE_IN_BAYFIELD, "period": "2026-Q5", "colour": "blue"})
    done = run("assess", wrong, late)
    assert (done.returncode, done.stderr) == (1, "")
    refusal, answer = (json.loads(line) for line in done.stdout.splitlines())
    assert list(refusal) == ["error", "faults"]
    assert refusal["error"] == "Refused"
    assert sorted(fault["field"] for fault in refusal["faults"]) == ["colour", "period"]
    assert all(list(fault) == ["field", "message"] for fault in refusal["faults"])
    assert list(answer) == KEYS


def test_a_missing_resolution_is_named(write):
    done = run("assess", write("unset", {**LATE_IN_BAYFIELD, "resolutions": {}}))
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert list(answer) == ["error", "resolution", "message"]
    assert (answer["error"], answer["resolution"]) == ("ResolutionMissing", "late_filing_fee")
    assert "record the resolution with its number, date and amount" in answer["message"]


def test_a_file_that_is_not_there_is_refused_like_any_other(tmp_path):
    done = run("assess", tmp_path / "nowhere.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout)["faults"][0]["field"] == "file"


def test_a_name_that_does_not_print_breaks_nothing(tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(r'{"\ud800": 1, "\u001b[31m": 2}', encoding="utf-8")
    for option in ("--notes", "--text"):
        done = run("assess", option, path)
        assert (done.returncode, done.stderr) == (1, "")
        assert "\x1b" not in done.stdout


def test_text_is_a_statement_for_people(late):
    done = run("assess", "--text", late)
    assert done.returncode == 0
    first, second, third, *_ = done.stdout.splitlines()
    assert first == "City of Bayfield: Room tax, 2026-Q1"
    assert second == "as of June 15, 2026, on the basis of the return filed"
    assert third.startswith("due April 30, 2026 (§ 54-19")
    for shown in ("$1,300.00", "$16.38", "$50.00", "$1,366.38", "$366.38", "at 10% a year / 365", "BAY-19C8A"):
        assert shown in done.stdout


def test_statements_are_set_apart_by_an_empty_line(write, late):
    done = run("assess", "--text", write("fox", NOTHING_IN_FOX), late)
    assert "\n\nCity of Bayfield: Room tax, 2026-Q1\n" in done.stdout


def test_a_refusal_as_text_is_one_fault_a_line(write):
    wrong = write("wrong", {**LATE_IN_BAYFIELD, "period": "2026-Q5", "colour": "blue"})
    done = run("assess", "--text", wrong)
    assert done.returncode == 1
    assert sorted(line.split(":")[1].strip() for line in done.stdout.splitlines()) == ["colour", "period"]


def test_what_was_waived_stands_in_the_notes_and_only_there(write):
    path = write("waived", WAIVED)
    plain, noted = (json.loads(run("assess", *options, path).stdout) for options in ([], ["--notes"]))
    assert "notes" not in plain
    assert list(noted) == [*KEYS, "notes"]
    assert "late_filing_fee" not in plain["charges"]
    assert {line["kind"] for line in plain["lines"]} == set(plain["charges"])
    assert any("waived on June 16, 2026, $50.00 of $50.00" in note for note in noted["notes"])


def test_without_a_case_it_explains_itself():
    done = run("assess")
    assert done.returncode == 2
    assert "CASE.json..." in done.stderr
    assert "Missing argument" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_explains_the_exit_status():
    done = run("assess", "--help")
    assert done.returncode == 0
    assert "The exit status is 1" in done.stdout


def test_help_lists_every_command():
    done = run("--help")
    assert done.returncode == 0
    listed = [line.split()[0] for line in done.stdout.split("Commands:")[1].splitlines() if line.strip()]
    assert set(COMMANDS) <= set(listed)
    assert "assess" in listed


def test_assessing_loads_neither_web_nor_database_nor_spreadsheets(late):
    heavy = ("flask", "sqlalchemy", "openpyxl", "xlsxwriter", "psycopg", "alembic", "marshmallow", "authlib", "core.db")
    program = (
        "import sys; from core.cli.main import main\n"
        "try: main(['assess', sys.argv[1]])\n"
        "except SystemExit as ended: assert not ended.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, late], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = done.stderr.split()
    assert "core.domain.fold" in loaded
    assert [name for name in loaded for word in heavy if name == word or name.startswith(f"{word}.")] == []


@pytest.mark.parametrize("cases", [1, 400])  # the second is more than a pipe holds: writing fails on the way
def test_a_reader_that_goes_away_is_met_with_silence(late, cases):
    process = subprocess.Popen(
        [*FISC, "assess", *[str(late)] * cases], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    with process:
        process.stdout.close()
        errors = process.stderr.read()
    assert errors == b""


def test_it_prints_utf_8_where_the_locale_says_nothing(late):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    done = subprocess.run(
        [*FISC, "assess", str(late)], capture_output=True, cwd=ROOT, env={**environment, "LC_ALL": "C"}, check=True
    )
    assert "§ 54-19(B)" in done.stdout.decode("utf-8")
