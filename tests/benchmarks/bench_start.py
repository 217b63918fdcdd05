"""How long the command line takes to answer at all, next to an interpreter that does nothing."""

from collections.abc import Iterator

from tests.benchmarks import Result, best, command


def bench_help() -> Iterator[Result]:
    floor = best(lambda: command("-c", "pass").seconds)
    measured = best(lambda: command("-m", "core.cli.main", "--help").seconds)
    yield Result("fisc --help, as a process", measured, "s", floor=floor, at_most=0.3)
