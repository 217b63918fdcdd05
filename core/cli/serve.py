"""fisc serve: the API over HTTP."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from core.cli.options import with_installation
from core.services.installation import Installation

if TYPE_CHECKING:
    from core.services.demo.pages import Shown

LONGEST_ANSWER = 120


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="The port.")
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1, 64), help="How many processes.")
@click.option("--trusted-host", "trusted", multiple=True, help="A name that the service is reached by; else any.")
@click.option(
    "--proxies",
    default=0,
    show_default=True,
    type=click.IntRange(0, 9),
    help="How many proxies stand before it: so many addresses in X-Forwarded-For are believed.",
)
@with_installation
def serve(installed: Installation, host: str, port: int, workers: int, trusted: tuple[str, ...], proxies: int) -> None:
    """Serve the API and its page until Ctrl-C. Behind a proxy that speaks TLS, in production."""
    run(installed, f"{host}:{port}", workers, list(trusted) or None, proxies=proxies)


def system_clock() -> datetime:
    """The time as the machine has it."""
    return datetime.now(UTC)


def run(
    installed: Installation,
    bind: str,
    workers: int,
    trusted: list[str] | None,
    *,
    proxies: int = 0,
    demo: Shown | None = None,
    clock: Callable[[], datetime] = system_clock,
) -> None:
    """Serve until the process is told to end, and leave none behind.

    A demonstration says what its page shows, and has a clock of its own.
    """
    # Imported when something is served: no other command needs them.
    from gunicorn.app.base import BaseApplication

    from core.app import create_app
    from core.services.access.serving import die_with_parent, engines_of
    from core.web import log

    make_engines = engines_of(installed)

    class Service(BaseApplication):
        def load_config(self) -> None:
            self.cfg.set("bind", bind)
            self.cfg.set("workers", workers)
            self.cfg.set("worker_class", "sync")
            self.cfg.set("control_socket_disable", True)
            self.cfg.set("limit_request_line", 4094)
            self.cfg.set("forwarded_allow_ips", "127.0.0.1")
            self.cfg.set("proc_name", "fisc")
            self.cfg.set("loglevel", "warning")
            self.cfg.set("graceful_timeout", 10)
            # Else a worker outlives a parent that was killed, and our own server with it.
            self.cfg.set("post_worker_init", lambda worker: die_with_parent(signal.SIGTERM))
            self.cfg.set("timeout", LONGEST_ANSWER)

        def load(self) -> Any:
            return create_app(make_engines, clock=clock, trusted_hosts=trusted, proxies=proxies, demo=demo)

    click.echo(f"Fisc listens at http://{bind}; its API page is http://{bind}/api/v1/docs. Ctrl-C ends it.")
    log.write(logging.INFO if demo is None else logging.ERROR)
    master = os.getpid()
    try:
        Service().run()
    except SystemExit as end:
        if os.getpid() != master:
            # A worker, which was forked in here: the database that stands open around it is the master's to let go.
            sys.stderr.flush()
            os._exit(end.code if isinstance(end.code, int) else 0)
        raise
