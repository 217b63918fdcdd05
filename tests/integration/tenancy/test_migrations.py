"""Migrations run from empty, on tenants that have data, one at a time, and with a plugin's branch beside core's."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from core.cli.db import db
from core.db.catalog import RULES
from core.db.engine import make_engine, owner_engine
from core.db.migrate import each_tenant
from core.db.roles import Role
from core.db.unit_of_work import in_transaction
from core.services import database as service
from core.services.database import current, expected, upgrade
from tests.support.tenants import fill, new_tenant, opened_engine

pytestmark = pytest.mark.database

HEADER = """
    from alembic import op
    from sqlalchemy import BigInteger, Column, Text, Uuid, text

    from core.kit.migrations import (
        Access, Role, create_schema, create_tenant_table, each_tenant, new_metadata, references, tenant_table,
    )

    revision = {revision!r}
    down_revision = {down!r}
    branch_labels = {labels!r}
    depends_on = "0002_filing"
"""

TABLE = """
    def upgrade():
        create_schema(op, "plugin_sample", Role.APP)
        create_tenant_table(op, tenant_table(
            "notes",
            Column("filer_id", Uuid, nullable=False),
            Column("note", Text, nullable=False),
            references("fisc.filers", {"filer_id": "id"}),
            key=("filer_id",),
            access=Access(insert=True, update=("note",)),
            schema="plugin_sample",
            metadata=new_metadata(),
        ))
"""

DATA = """
    def upgrade():
        connection = op.get_bind()
        for tenant in each_tenant(connection):
            connection.execute(text(
                "INSERT INTO plugin_sample.notes SELECT tenant_id, id, 'tenant ' || tenant_id || ': ' || name"
                " FROM fisc.filers WHERE tenant_id = :tenant"
            ), {"tenant": tenant})
"""

ALL_AT_ONCE = """
    def upgrade():
        op.execute("UPDATE plugin_sample.notes SET note = 'lost'")
"""

FAILS_HALF_WAY = """
    def upgrade():
        op.execute("CREATE TABLE plugin_sample.half (tenant_id int)")
        op.execute("SELECT 1/0")
"""


def step(folder: Path, revision: str, body: str, down: str | None = None) -> None:
    header = HEADER.format(revision=revision, down=down, labels=None if down else ("sample",))
    (folder / f"{revision}.py").write_text(dedent(header) + "\n\n" + dedent(body))


@pytest.fixture
def branch(tmp_path) -> Path:
    """A plugin's migrations: its first makes a table."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    step(folder, "sample_1", TABLE)
    return folder


@pytest.fixture
def two(app, host) -> tuple[int, int]:
    """Two tenants with one filer each."""
    ids = []
    for name in ("alpha", "beta"):
        tenant = new_tenant(host, name).id
        in_transaction(app, tenant, lambda uow, name=name: fill(uow, name))
        ids.append(tenant)
    return ids[0], ids[1]


def notes(postgres, database) -> list[str]:
    with postgres.superuser(database) as superuser:
        rows = superuser.execute("SELECT note FROM plugin_sample.notes ORDER BY tenant_id").fetchall()
    return [note for (note,) in rows]


def test_from_empty_to_what_this_version_needs(postgres):
    with postgres.database() as empty:
        assert upgrade(empty) == expected()


def test_a_second_run_does_nothing(database):
    assert upgrade(database) == expected()


def test_the_application_can_see_where_the_schema_stands(app):
    assert current(app) == expected()


def test_a_database_without_schema_stands_nowhere(postgres):
    with postgres.database() as empty, opened_engine(empty, Role.OWNER) as engine:
        assert current(engine) == ()


def test_each_revision_names_its_file(database):
    names = {path.stem for path in (service.MIGRATIONS / "versions").glob("*.py")}
    assert set(expected()) <= names


def test_two_upgrades_at_once_run_one_after_the_other(postgres):
    command = [sys.executable, "-c", "from core.cli.db import db; db(['upgrade'])"]
    with postgres.database() as empty:
        environment = {**os.environ, "FISC_DATABASE_URL": empty.address(Role.OWNER)}
        started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
        answers = {(process.communicate(timeout=60)[0], process.returncode) for process in started}
        assert answers == {(f"The database is at {', '.join(expected())}.\n", 0)}


def test_a_plugins_branch_runs_beside_cores(database, branch):
    assert upgrade(database, branches=(branch,)) == expected((branch,)) == (*expected(), "sample_1")


def test_a_plugins_table_keeps_every_rule(postgres, database, branch):
    upgrade(database, branches=(branch,))
    with postgres.superuser(database) as superuser:
        assert [finding for rule in RULES for finding in rule(superuser)] == []


def test_a_data_migration_reaches_every_tenant(postgres, database, branch, two):
    step(branch, "sample_2", DATA, down="sample_1")
    upgrade(database, branches=(branch,))
    assert notes(postgres, database) == [f"tenant {two[0]}: alpha", f"tenant {two[1]}: beta"]


def test_a_data_migration_for_all_at_once_changes_nothing(postgres, database, branch, two):
    """Why each_tenant is there: forced row security shows the owner no row."""
    step(branch, "sample_2", DATA, down="sample_1")
    step(branch, "sample_3", ALL_AT_ONCE, down="sample_2")
    upgrade(database, branches=(branch,))
    assert "lost" not in notes(postgres, database)


def test_a_migration_that_fails_leaves_nothing_and_can_be_mended(postgres, database, branch):
    step(branch, "sample_2", FAILS_HALF_WAY, down="sample_1")
    with pytest.raises(Exception, match="division by zero"):
        upgrade(database, branches=(branch,))
    with postgres.superuser(database) as superuser:
        assert superuser.execute("SELECT to_regclass('plugin_sample.half')").fetchone() == (None,)
    step(branch, "sample_2", DATA, down="sample_1")
    assert "sample_2" in upgrade(database, branches=(branch,))


def test_the_turns_end_with_no_tenant_set(database, two):
    engine = owner_engine(database.address(Role.OWNER))
    with engine.connect() as connection:
        seen = [
            (tenant, connection.execute(text("SELECT DISTINCT tenant_id FROM fisc.filers")).scalars().all())
            for tenant in each_tenant(connection)
        ]
        assert seen == [(two[0], [two[0]]), (two[1], [two[1]])]
        assert connection.execute(text("SELECT count(*) FROM fisc.filers")).scalar_one() == 0
    engine.dispose()


def test_an_error_in_a_turn_is_not_hidden_by_another(database, two):
    engine = owner_engine(database.address(Role.OWNER))
    with engine.connect() as connection:
        turns = each_tenant(connection)
        next(turns)
        with pytest.raises(DBAPIError, match="division by zero"):
            connection.execute(text("SELECT 1/0"))
        turns.close()  # must not speak to a transaction that is aborted
    engine.dispose()


class TestTheCommand:
    def test_it_brings_the_configured_database_up_to_date(self, postgres, monkeypatch):
        with postgres.database() as empty:
            monkeypatch.setenv("FISC_DATABASE_URL", empty.address(Role.OWNER))
            answer = CliRunner().invoke(db, ["upgrade"])
            assert (answer.exit_code, answer.output) == (0, f"The database is at {', '.join(expected())}.\n")
            engine = make_engine(empty.address(Role.APP))
            assert current(engine) == expected()
            engine.dispose()

    def test_it_says_what_to_do_when_there_is_no_server(self, monkeypatch, tmp_path):
        monkeypatch.setenv("FISC_DATABASE_URL", f"postgresql://fisc_owner@/fisc?host={tmp_path}&port=1")
        answer = CliRunner().invoke(db, ["upgrade"])
        assert answer.exit_code == 1
        assert "See that the server runs" in answer.output
