"""`python -m tests.benchmarks [NAME…]`: run the benchmarks and print one line for each figure."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks import Result


def benchmarks(wanted: list[str]) -> Iterator[Callable[[], Iterator[Result]]]:
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        module = importlib.import_module(f"tests.benchmarks.{path.stem}")
        for name, function in vars(module).items():
            mine = name.startswith("bench_") and getattr(function, "__module__", "") == module.__name__
            if mine and (not wanted or any(word in f"{path.stem}.{name}" for word in wanted)):
                yield function


def line(result: Result) -> str:
    target = ""
    if result.at_most is not None:
        target = f"at most {result.at_most:,g}"
    if result.at_least is not None:
        target = f"at least {result.at_least:,g}"
    ratio = f"{result.ratio:,.1f}x floor" if result.ratio is not None else ""
    figure = f"{result.measured:,.0f}" if result.measured >= 100 else f"{result.measured:.3g}"
    verdict = "" if not target else "ok" if result.met else "MISSED"
    return f"{result.name:<52} {figure:>10} {result.unit:<11} {ratio:>16}  {target:<18} {verdict}"


def main(wanted: list[str]) -> int:
    missed = 0
    for benchmark in benchmarks(wanted):
        for result in benchmark():
            print(line(result), flush=True)
            missed += not result.met
    if missed:
        print(f"{missed} missed", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
