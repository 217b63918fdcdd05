"""fisc assess on one case as a process, next to an interpreter that does nothing."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.benchmarks import Result, command

CASE = {
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
RUNS = 11


def bench_assess() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.json"
        path.write_text(json.dumps(CASE), encoding="utf-8")
        # Taken in turns, so that a busy moment of the machine meets both.
        pairs = [
            (command("-c", "pass").seconds, command("-m", "core.cli.main", "assess", str(path)).seconds)
            for _ in range(RUNS)
        ]
    floor, measured = (median(seconds) for seconds in zip(*pairs, strict=True))
    yield Result("fisc assess, one case, as a process (median)", measured, "s", floor=floor, at_most=0.3)
