"""Counts what is sent to the database, whether through SQLAlchemy or straight through the driver."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """The statements that psycopg sends while this is open, BEGIN and COMMIT among them, in their order."""
    sent: list[str] = []
    execute, commit = psycopg.Cursor.execute, psycopg.Connection.commit

    def noted(self: Any, query: Any, *args: Any, **options: Any) -> Any:
        sent.append(query if isinstance(query, str) else repr(query))
        return execute(self, query, *args, **options)

    def committed(self: Any) -> None:
        sent.append("COMMIT")
        commit(self)

    psycopg.Cursor.execute, psycopg.Connection.commit = noted, committed  # type: ignore[method-assign]
    try:
        yield sent
    finally:
        psycopg.Cursor.execute, psycopg.Connection.commit = execute, commit  # type: ignore[method-assign]
