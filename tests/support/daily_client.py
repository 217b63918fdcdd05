"""A daily run as a program that can be killed: `python -m tests.support.daily_client KEY DAY`, the address on stdin.

It prints each day once it is done.
"""

from __future__ import annotations

import sys
from datetime import date

from core.db.engine import make_engine
from core.services.daily.run import DayDone, run_days
from core.services.tenants.add import municipalities


def main(address: str, key: str, day: str) -> None:
    engine = make_engine(address, pool_size=1)
    for done in run_days(engine, municipalities(engine, key)[0], date.fromisoformat(day)):
        assert isinstance(done, DayDone)
        print(done.day, flush=True)


if __name__ == "__main__":
    main(sys.stdin.readline().strip(), *sys.argv[1:])
