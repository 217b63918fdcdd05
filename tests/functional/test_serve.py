"""The command `fisc serve`: what it serves is there for the example client, and Ctrl-C ends it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.demo_process import FISC, answering, free_port
from tests.support.served_town import own_home

pytestmark = [pytest.mark.slow, pytest.mark.database]

CLIENT = Path(__file__).resolve().parents[2] / "docs" / "examples" / "client.py"


def test_what_is_served_answers_the_example_client(tmp_path: Path) -> None:
    settings = own_home(tmp_path / "home")
    for command in (["db", "upgrade"], ["tenant", "add", "lakeside", "--plugin", "montello"]):
        subprocess.run([FISC, *command], env=settings, check=True, capture_output=True)
    port = free_port()
    with answering([FISC, "serve", "--port", str(port)], port, tmp_path / "serve.log", settings) as address:
        told = ask("GET", "municipalities", address)
        assert told.returncode == 0
        assert '"key": "lakeside"' in told.stdout
        refused = ask("GET", "me", address)
        assert refused.returncode == 1
        assert "HTTP 401" in refused.stdout


def ask(method: str, path: str, address: str) -> subprocess.CompletedProcess[str]:
    """The client as a command."""
    command = [sys.executable, str(CLIENT), method, path]
    return subprocess.run(command, env={"FISC_URL": address}, capture_output=True, text=True, timeout=60)
