"""Testville installed beside Fisc, as a town would install its plugin, and asked through the real command."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOWN = ROOT / "tests" / "support" / "testville"
ENTRY_POINT = "[fisc.municipalities]\ntestville = testville_town.plugin\n"
METADATA = "Metadata-Version: 2.1\nName: testville-town\nVersion: 1.0.0\n"

CASE = {
    "municipality": "testville",
    "tax": "lodging_tax",
    "period": "2026-M03",
    "as_of": "2026-04-30",
    "events": [
        {
            "on": "2026-04-21",
            "type": "return_filed",
            "parts": [
                {"first_night": "2026-03-01", "last_night": "2026-03-15", "gross_receipts": "1000.00"},
                {"first_night": "2026-03-16", "last_night": "2026-03-31", "gross_receipts": "2000.00"},
            ],
        },
        {"on": "2026-04-21", "type": "payment", "amount": "166.60"},
    ],
}
UNDIVIDED = {**CASE, "events": [{"on": "2026-04-21", "type": "return_filed", "gross_receipts": "3000.00"}]}

STAYS = """\
inn,arrival,departure,total,guest,state
Testville Inn,2026-03-13,2026-03-18,500.00,family,kept
Testville Inn,2026-03-20,2026-03-21,80.00,crew,kept
Testville Inn,2026-03-01,2026-03-15,700.00,builder,kept
Testville Inn,2026-03-22,2026-03-25,999.00,family,cancelled
"""
MAP = """\
[place]
column = "inn"
[arrival]
column = "arrival"
format = "YYYY-MM-DD"
[departure]
column = "departure"
format = "YYYY-MM-DD"
[amount]
columns = ["total"]
per = "stay"
[cancelled]
column = "state"
values = ["cancelled"]
[[line]]
name = "airline_crew"
column = "guest"
values = ["crew"]
"""


@pytest.fixture
def fisc(tmp_path):
    """Runs the command with Testville installed beside it."""
    site = tmp_path / "site"
    shutil.copytree(TOWN, site / "testville_town", ignore=shutil.ignore_patterns("__pycache__"))
    described = site / "testville_town-1.0.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(METADATA, "utf-8")
    (described / "entry_points.txt").write_text(ENTRY_POINT, "utf-8")

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "core.cli.main", *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=60)

    return run


def written(folder: Path, case: dict) -> Path:
    path = folder / "case.json"
    path.write_text(json.dumps(case), "utf-8")
    return path


@pytest.mark.clause("ALL-04")
def test_assess_answers_for_a_town_that_core_does_not_know(fisc, tmp_path):
    result = fisc("assess", written(tmp_path, CASE))
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["due_date"] == "2026-04-20"
    assert answer["effective_due_date"] == "2026-04-21"
    # $1,000 x 5% + $2,000 x 6% = $170.00, less 2%
    assert answer["charges"] == {"tax": "166.60"}
    assert answer["balance"] == "0.00"
    assert [(line["amount"], line["clause"], line["section"]) for line in answer["lines"]] == [
        ("50.00", "TST-01", "Art. 1"),
        ("120.00", "TST-01", "Art. 1"),
        ("-3.40", "TST-05", "Art. 5"),
    ]


@pytest.mark.clause("ALL-04")
def test_a_statement_for_people_has_its_own_titles(fisc, tmp_path):
    result = fisc("assess", "--text", written(tmp_path, CASE))
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("Town of Testville: Lodging tax, 2026-M03\n")
    assert "kept for filing and paying by April 21, 2026: $170.00 x 2% = $3.40" in result.stdout


def test_assess_refuses_a_return_that_is_not_divided_at_the_new_rate(fisc, tmp_path):
    result = fisc("assess", written(tmp_path, UNDIVIDED))
    assert result.returncode == 1
    answer = json.loads(result.stdout)
    assert answer["error"] == "Refused"
    assert [fault["field"] for fault in answer["faults"]] == ["events[0].parts"]


@pytest.mark.clause("ALL-04")
def test_a_stay_over_the_new_rate_is_split_from_reservations_to_what_is_owed(fisc, tmp_path):
    (tmp_path / "stays.csv").write_text(STAYS, "utf-8")
    (tmp_path / "map.toml").write_text(MAP, "utf-8")
    options = ("--map", "map.toml", "--municipality", "testville", "--out", "cases")
    result = fisc("returns", "from-reservations", "stays.csv", *options)
    assert result.returncode == 0, result.stderr
    (case,) = (tmp_path / "cases").glob("*.json")
    (filed,) = json.loads(case.read_text("utf-8"))["events"]
    before, after = filed["parts"]
    # The family's three nights before March 16 and the builder's fortnight; its two nights from then on and the crew
    assert (before["gross_receipts"], before["deductions"]["long_stay"]) == ("1000.00", "700.00")
    assert (after["gross_receipts"], after["deductions"]["airline_crew"]) == ("280.00", "80.00")
    assessed = fisc("assess", case)
    assert assessed.returncode == 0, assessed.stderr
    # $300 x 5% + $200 x 6% = $27.00, less 2% = $0.54
    assert json.loads(assessed.stdout)["charges"] == {"tax": "26.46"}


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("deadlines", "--municipality", "testville", "--year", "2026"), "2026-04-21"),
        (("distribution", "--municipality", "testville", "--collected", "12345.67", "--on", "2026-05-01"), "2469.00"),
        (("fees", "--municipality", "testville", "--on", "2026-05-01"), "lost license"),
    ],
)
def test_the_other_commands_answer_too(fisc, arguments, found):
    result = fisc(*arguments)
    assert result.returncode == 0, result.stderr
    assert found in result.stdout.replace(",", "")
