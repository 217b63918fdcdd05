"""A migrated database for each test that asks for `database`, and engines on it for each role."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from core.db.roles import Role
from core.db.url import Database
from core.services.database import upgrade
from tests.support.postgres import Migrate
from tests.support.postgres import database as database  # fixtures
from tests.support.postgres import migrated_template as migrated_template
from tests.support.postgres import postgres as postgres
from tests.support.tenants import opened_engine


@pytest.fixture(scope="session")
def migrate() -> Migrate:
    """The template is filled by the migrations."""

    def build(database: Database) -> None:
        upgrade(database)

    return build


@pytest.fixture
def app(database: Database) -> Iterator[Engine]:
    """The application's engine."""
    with opened_engine(database, Role.APP) as engine:
        yield engine


@pytest.fixture
def host(database: Database) -> Iterator[Engine]:
    """The host's engine."""
    with opened_engine(database, Role.HOST) as engine:
        yield engine
