"""A real export of 14,938 reservations as a process, next to an interpreter that only reads the file as CSV."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import Result, best, command

DATA = Path(__file__).parents[1] / "data" / "reservations"
FISC = "from core.cli.main import main; main()"
READ = "import csv, sys; sum(1 for row in csv.reader(open(sys.argv[1], encoding='utf-8')))"


def bench_from_reservations() -> Iterator[Result]:
    export, columns = str(DATA / "reservations.csv"), str(DATA / "map.toml")
    with tempfile.TemporaryDirectory() as folder:
        # With the list of rows, which is the larger output.
        arguments = ("returns", "from-reservations", export, "--map", columns, "--municipality", "montello")
        runs = [command("-c", FISC, *arguments, "--rows", f"{folder}/rows.csv") for _ in range(5)]
    floor = best(lambda: command("-c", READ, export).seconds)
    seconds = min(run.seconds for run in runs)
    yield Result("14,938 reservations, as a process", seconds, "s", floor=floor, at_most=2.0)
    yield Result("14,938 reservations, peak memory", max(run.peak_mb for run in runs), "MB", at_most=150)
