"""Runs in another ledger's own environment: posts when told to on standard input, and answers what it took."""

import sys
import time
from collections.abc import Callable


def serve(post: Callable[[int], object]) -> None:
    """For each line, a number of seconds: post that long, and print how many, their seconds, and the processor's."""
    number = 0
    for line in sys.stdin:
        number, done = number + 1, 0
        wall, cpu, until = time.perf_counter(), time.process_time(), time.perf_counter() + float(line)
        while time.perf_counter() < until:
            post(number)
            number, done = number + 1, done + 1
        print(done, time.perf_counter() - wall, time.process_time() - cpu, flush=True)
