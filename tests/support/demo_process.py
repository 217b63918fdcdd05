"""The demonstration as people start it: a process of its own, with a home of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

FISC = str(Path(sys.executable).with_name("fisc"))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def running_demo(home: Path, last_signal: signal.Signals = signal.SIGINT) -> Iterator[str]:
    """`fisc demo` until its page answers; ended as by Ctrl-C, or by another signal. Gives its address."""
    port = free_port()
    command = [FISC, "demo", "--home", str(home), "--port", str(port)]
    with answering(command, port, home.parent / "demo.log", dict(os.environ), last_signal) as address:
        yield address


@contextmanager
def answering(
    command: list[str],
    port: int,
    log: Path,
    environment: dict[str, str],
    last_signal: signal.Signals = signal.SIGINT,
) -> Iterator[str]:
    """A process that serves Fisc, from when it answers until it is ended by a signal. Gives its address."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=Path(__file__).resolve().parents[2],
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**environment, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        try:
            _wait(process, port, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(last_signal)
            process.wait(timeout=30)


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise AssertionError(log.read_text("utf-8")[-2000:])
        try:
            with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the service does not answer")
