"""Who is what, and what the database itself refuses to whoever can run SQL as the application."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import Engine, text

from core.auth.memberships import LoginUnknown, add_login, all_logins, join
from core.auth.passwords import Passwords
from core.db.roles import Role
from core.db.url import Database
from core.domain.errors import Refused
from core.filing.records import FilerUnknown
from core.services.access.logins import disable, give_filer_login, give_staff_login, own_memberships
from core.tenants.directory import TenantUnknown
from tests.support.towns import Town, open_town

pytestmark = pytest.mark.database

PASSWORDS = Passwords(memory_kib=8)
PASSWORD = "seven harbors under fog"


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def sql(database: Database) -> Iterator[psycopg.Connection]:
    """A prompt as the application's role."""
    with database.connect(Role.APP, autocommit=True) as connection:
        yield connection


def staff(host: Engine, email: str, role: str = "clerk", key: str | None = "bay") -> UUID:
    return give_staff_login(host, PASSWORDS, email, "Somebody", PASSWORD, role, key, "host")


def filer_of(town: Town) -> UUID:
    return town.accounts["2026-Q1"].filer_id


def operator(town: Town, email: str, filer: UUID | None = None) -> None:
    of = filer or filer_of(town)
    give_filer_login(town.engine, PASSWORDS, town.tenant, of, email, "Operator", PASSWORD, "treasurer@bay.example")


def made_at_a_prompt(
    sql: psycopg.Connection, here: Town, login: UUID, tenant: int | None, role: str, filer: UUID | None
) -> None:
    """A membership as somebody would make it who can run SQL as the application."""
    with sql.transaction():
        sql.execute("SELECT set_config('fisc.tenant', %s, true)", [str(here.tenant.id)])
        sql.execute("SELECT set_config('fisc.login', %s, true)", [str(login)])
        sql.execute(
            "INSERT INTO platform.memberships (id, login_id, tenant_id, role, filer_id, granted_by) "
            "VALUES (%s, %s, %s, %s, %s, 'x')",
            [uuid4(), login, tenant, role, filer],
        )


def test_a_login_has_as_many_roles_as_it_was_given_each_once(host: Engine, bay: Town) -> None:
    first = staff(host, "both@bay.example", "clerk")
    assert staff(host, "BOTH@bay.example ", "auditor") == first
    assert staff(host, "both@bay.example", "clerk") == first
    found = own_memberships(bay.engine, first)
    assert [(one.tenant, one.role) for one in found] == [("bay", "auditor"), ("bay", "clerk")]


def test_a_password_given_to_somebody_who_has_a_login_changes_nothing(host: Engine, bay: Town) -> None:
    def kept() -> object:
        with host.connect() as connection:
            return connection.execute(text("SELECT name, password_hash FROM platform.logins")).all()

    staff(host, "operator@lake.example")
    before = kept()
    give_filer_login(
        bay.engine, PASSWORDS, bay.tenant, filer_of(bay), "operator@lake.example", "Other", "other words here", "t"
    )
    assert kept() == before


def test_a_filers_login_is_for_a_filer_of_this_municipality_alone(host: Engine, bay: Town, app: Engine) -> None:
    other = open_town(app, host, "mon", "montello")
    for filer in (uuid4(), filer_of(other)):
        with pytest.raises(FilerUnknown):
            operator(bay, "operator@lake.example", filer)
    with host.connect() as connection:
        assert all_logins(connection) == ()


@pytest.mark.parametrize(
    ("role", "tenant", "filer", "fields"),
    [
        ("king", 1, None, {"role"}),
        ("host", 1, None, {"municipality"}),
        ("treasurer", None, None, {"municipality"}),
        ("treasurer", 1, UUID(int=1), {"filer"}),
        ("filer", 1, None, {"filer"}),
        ("filer", None, None, {"municipality", "filer"}),
    ],
)
def test_a_role_that_does_not_fit_is_refused_with_every_fault(
    host: Engine, bay: Town, role: str, tenant: int | None, filer: UUID | None, fields: set[str]
) -> None:
    login = staff(host, "a@bay.example")
    with host.begin() as connection, pytest.raises(Refused) as error:
        join(connection, login, tenant, role, filer, "host")
    assert {fault.field for fault in error.value.faults} == fields


@pytest.mark.parametrize("email", ["", "nobody", "@", "a@", "@b", "a@b@c", "a b@c", "a@b c"])
def test_what_is_no_e_mail_address_is_refused_with_the_other_faults(host: Engine, email: str) -> None:
    with host.begin() as connection, pytest.raises(Refused) as error:
        add_login(connection, email, " ", "hash")
    assert {fault.field for fault in error.value.faults} == {"email", "name"}


def test_staff_of_a_municipality_that_is_not_there_are_refused_and_leave_no_login(host: Engine) -> None:
    with pytest.raises(TenantUnknown):
        staff(host, "a@bay.example", key="nowhere")
    with host.connect() as connection:
        assert all_logins(connection) == ()


def test_the_host_lists_staff_by_name_and_everybody_else_as_ids(host: Engine, bay: Town) -> None:
    clerk = staff(host, "clerk@bay.example")
    operator(bay, "operator@lake.example")
    gone = staff(host, "gone@bay.example")
    with host.begin() as connection:
        connection.execute(
            text("UPDATE platform.memberships SET ended_at = now() WHERE login_id = :login"), {"login": gone}
        )
        listed = {one.id: (one.email, one.name, len(one.memberships)) for one in all_logins(connection)}
    assert listed[clerk] == ("clerk@bay.example", "Somebody", 1)
    assert listed[gone] == (None, None, 0)
    assert sorted(listed.values(), key=str)[1:] == [(None, None, 0)] * 2


def test_a_clerk_who_is_a_filer_too_shows_the_host_a_clerk(host: Engine, bay: Town) -> None:
    staff(host, "both@lake.example")
    operator(bay, "both@lake.example")
    with host.connect() as connection:
        (both,) = all_logins(connection)
    assert [(one.role, one.filer_id) for one in both.memberships] == [("clerk", None)]


def test_a_login_that_is_not_there_cannot_be_disabled(host: Engine) -> None:
    with pytest.raises(LoginUnknown):
        disable(host, uuid4(), datetime(2026, 7, 1, tzinfo=UTC))


def test_without_a_login_and_without_a_municipality_no_membership_is_seen(
    host: Engine, bay: Town, sql: psycopg.Connection
) -> None:
    staff(host, "clerk@bay.example")
    assert sql.execute("SELECT count(*) FROM platform.memberships").fetchone() == (0,)


def test_a_login_sees_its_own_memberships_and_a_municipality_those_of_its_people(
    host: Engine, bay: Town, app: Engine, sql: psycopg.Connection
) -> None:
    mon = open_town(app, host, "mon", "montello")
    clerk = staff(host, "clerk@towns.example", key="bay")
    staff(host, "clerk@towns.example", key="mon")
    staff(host, "council@mon.example", "council", "mon")
    seen = "SELECT tenant_id, role FROM platform.memberships ORDER BY tenant_id, role"
    with sql.transaction():
        sql.execute("SELECT set_config('fisc.login', %s, true)", [str(clerk)])
        assert sql.execute(seen).fetchall() == [(bay.tenant.id, "clerk"), (mon.tenant.id, "clerk")]
    with sql.transaction():
        sql.execute("SELECT set_config('fisc.tenant', %s, true)", [str(mon.tenant.id)])
        assert sql.execute(seen).fetchall() == [(mon.tenant.id, "clerk"), (mon.tenant.id, "council")]


@pytest.mark.parametrize("role", ["host", "treasurer", "clerk", "auditor", "council"])
def test_the_application_makes_nobody_staff_or_host_even_at_a_prompt(
    host: Engine, bay: Town, sql: psycopg.Connection, role: str
) -> None:
    login = staff(host, "clerk@bay.example")
    tenant = None if role == "host" else bay.tenant.id
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        made_at_a_prompt(sql, bay, login, tenant, role, None)


def test_the_application_ends_filers_memberships_and_nobody_elses(
    host: Engine, bay: Town, sql: psycopg.Connection
) -> None:
    staff(host, "treasurer@bay.example", "treasurer")
    operator(bay, "operator@lake.example")
    end = "UPDATE platform.memberships SET ended_at = now() WHERE role = %s"
    for role, allowed in (("treasurer", False), ("filer", True)):
        try:
            with sql.transaction():
                sql.execute("SELECT set_config('fisc.tenant', %s, true)", [str(bay.tenant.id)])
                assert sql.execute(end, [role]).rowcount == 1
        except psycopg.errors.InsufficientPrivilege:
            assert not allowed
        else:
            assert allowed


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE platform.memberships SET role = 'treasurer'",
        "UPDATE platform.memberships SET filer_id = gen_random_uuid()",
        "DELETE FROM platform.memberships",
        "UPDATE platform.tokens SET expires_at = 'infinity'",
        "UPDATE platform.tokens SET login_id = gen_random_uuid()",
        "DELETE FROM platform.tokens",
        "UPDATE platform.logins SET email_key = 'x@y'",
        "UPDATE platform.logins SET disabled_at = NULL",
        "DELETE FROM platform.login_attempts",
        "UPDATE platform.login_attempts SET succeeded = true",
        "TRUNCATE platform.tokens",
    ],
)
def test_the_application_may_not(bay: Town, sql: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
        sql.execute(statement)


def test_a_membership_names_a_filer_of_its_own_municipality_or_the_database_refuses_it(
    host: Engine, bay: Town, app: Engine, sql: psycopg.Connection
) -> None:
    mon = open_town(app, host, "mon", "montello")
    login = staff(host, "clerk@bay.example")
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        made_at_a_prompt(sql, bay, login, bay.tenant.id, "filer", filer_of(mon))
    made_at_a_prompt(sql, bay, login, bay.tenant.id, "filer", filer_of(bay))


def test_the_hosts_role_sees_no_filer(database: Database, bay: Town) -> None:
    with database.connect(Role.HOST) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SELECT * FROM fisc.filers")


def test_the_question_who_asks_runs_as_the_one_who_asks_it(database: Database) -> None:
    with database.connect(Role.OWNER) as connection:
        found = connection.execute(
            "SELECT prosecdef, proconfig FROM pg_proc WHERE oid = 'platform.authenticate'::regproc"
        ).fetchone()
    assert found == (False, ["search_path=pg_catalog, pg_temp"])
