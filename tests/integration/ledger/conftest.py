"""A tenant with a chart, and the attacker who is a superuser."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Engine

from core.db.unit_of_work import in_transaction, reading, writing
from core.db.url import Database
from core.ledger.heads import HeadsFile
from core.ledger.seal import Sealed, seal
from core.ledger.verify import Verified, verify
from tests.support.numbered_entries import open_books, post_numbered
from tests.support.postgres import Cluster
from tests.support.tenants import new_tenant

Attack = Callable[..., int]


@pytest.fixture
def town(app: Engine, host: Engine) -> int:
    """The id of a tenant with an open chart and nothing posted."""
    tenant = new_tenant(host, "alpha").id
    in_transaction(app, tenant, open_books)
    return tenant


class Books:
    """The books of one tenant, with what the tests do to them over and over."""

    def __init__(self, engine: Engine, tenant: int, heads: HeadsFile) -> None:
        self.engine = engine
        self.tenant = tenant
        self.heads = heads

    def post(self, *numbers: int) -> None:
        in_transaction(self.engine, self.tenant, lambda uow: post_numbered(uow, *numbers))

    def seal(self, heads: HeadsFile | None = None) -> Sealed:
        with writing(self.engine, self.tenant) as uow:
            return seal(uow, heads or self.heads)

    def verify(self) -> Verified:
        with reading(self.engine, self.tenant) as uow:
            return verify(uow, self.heads)

    def wrong(self) -> set[tuple[str, str]]:
        """What is found, as (kind, name)."""
        return {(finding.wrong, finding.name) for finding in self.verify().findings}


@pytest.fixture
def books(app: Engine, town: int, tmp_path: Path) -> Books:
    return Books(app, town, HeadsFile(tmp_path / "heads"))


@contextmanager
def superuser(postgres: Cluster, database: Database) -> Iterator[psycopg.Connection]:
    """A superuser for whom no trigger and no foreign key is in the way."""
    with postgres.superuser(database) as connection:
        connection.execute("SET session_replication_role = replica")
        yield connection


@pytest.fixture
def attack(postgres: Cluster, database: Database) -> Attack:
    """Run a statement as that superuser, commit it, and answer how many rows it touched."""

    def run(statement: str, *parameters: object) -> int:
        with superuser(postgres, database) as connection:
            touched = connection.execute(statement, parameters).rowcount
            assert touched != 0, "the attack did nothing"
            return touched

    return run
