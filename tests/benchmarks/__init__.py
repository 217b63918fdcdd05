"""Speed, as a ratio to a floor measured in the same run, so that a slow machine fails nothing by itself.

Each file bench_*.py here has functions `bench_*()` that yield `Result`s. `make bench` runs them all;
`python -m tests.benchmarks NAME…` runs those whose file or function name contains NAME. It exits with 1
when a target is missed.

    def bench_assess():
        floor = best(lambda: command("-c", "pass").seconds)
        yield Result("fisc assess, one case", command("-m", "core.cli.main", "assess", CASE).seconds, "s",
                     floor=floor, at_most=0.3)
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Result:
    """One measured figure. `floor` is the least this machine could need, in the same unit."""

    name: str
    measured: float
    unit: str
    floor: float | None = None
    at_most: float | None = None
    at_least: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.measured / self.floor if self.floor else None

    @property
    def met(self) -> bool:
        return (self.at_most is None or self.measured <= self.at_most) and (
            self.at_least is None or self.measured >= self.at_least
        )


@dataclass(frozen=True)
class Run:
    """A finished process: wall-clock seconds and peak memory in MB."""

    seconds: float
    peak_mb: float


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cpu_seconds(work: Callable[[], object]) -> float:
    """Seconds of one core that one call takes in this process, whatever else the machine does."""
    start = time.process_time()
    work()
    return time.process_time() - start


def best(measure: Callable[[], float], repeat: int = 5) -> float:
    """The smallest of several measurements: the others had something in their way."""
    return min(measure() for _ in range(repeat))


def command(*arguments: str) -> Run:
    """Run this interpreter with `arguments` to its end; a failure stops the benchmark and shows why."""
    # A process of its own does the waiting, so that its children's peak memory is this command's alone.
    program = (
        "import resource, subprocess, sys, time; start = time.perf_counter();"
        "done = subprocess.run([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL);"
        "took = time.perf_counter() - start;"
        "print(done.returncode, took, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    answer = subprocess.run(
        [sys.executable, "-S", "-c", program, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    code, took, peak_kb = answer.stdout.split()
    if code != "0":
        raise RuntimeError(f"{' '.join(arguments)} ended with {code}")
    return Run(seconds=float(took), peak_mb=int(peak_kb) / 1024)


def decimal_floor(rounds: int = 20_000) -> float:
    """Seconds for one multiplication of a rate by an amount, rounded to the cent, in plain Python."""
    rate, cent = Decimal("0.055"), Decimal("0.01")

    def work() -> None:
        for amount in range(rounds):
            (rate * amount).quantize(cent)

    return best(lambda: seconds(work)) / rounds


def peak_mb() -> float:
    """Peak memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
