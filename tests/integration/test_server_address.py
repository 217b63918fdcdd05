"""Which database is used, which versions are refused, and what the four roles may do."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from core.db import roles, url
from core.db.roles import Role
from core.db.server import binaries as programs
from core.db.server.errors import (
    AddressMissing,
    BinariesNotFound,
    DatabaseServerError,
    DatabaseUnreachable,
    RolesNotReady,
    ServerTooOld,
    by_name,
)
from core.db.server.version import PATCH_FLOOR, Version, require_patched
from core.db.url import Database, open_database
from tests.support.postgres import Cluster, Migrate
from tests.support.postgres import postgres as postgres  # the fixture
from tests.support.server_processes import ROOT, gone_within, on_folder


@pytest.fixture
def empty(postgres: Cluster) -> Iterator[Database]:
    with postgres.database() as made:
        yield made


# --- versions


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("postgres (PostgreSQL) 18.6", Version(18, 6)),
        ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", Version(15, 18)),
        ("postgres (PostgreSQL) 19beta1", Version(19, 0)),
    ],
)
def test_reads_a_version(text: str, version: Version) -> None:
    assert Version.from_text(text) == version


def test_reads_a_version_number() -> None:
    assert Version.from_number(180006) == Version(18, 6)
    assert Version.from_number(150018) == Version(15, 18)


@pytest.mark.parametrize(("major", "minor"), sorted(PATCH_FLOOR.items()))
def test_patch_floor(major: int, minor: int) -> None:
    require_patched(Version(major, minor), {})
    with pytest.raises(ServerTooOld, match=rf"below {major}\.{minor}.*CVE-2026-2005.*FISC_ALLOW_OLD_POSTGRES=1"):
        require_patched(Version(major, minor - 1), {})
    require_patched(Version(major, minor - 1), {"FISC_ALLOW_OLD_POSTGRES": "1"})


def test_later_majors_pass_and_earlier_never_do() -> None:
    require_patched(Version(19, 0), {})
    with pytest.raises(ServerTooOld, match="needs 15 or later"):
        require_patched(Version(14, 99), {"FISC_ALLOW_OLD_POSTGRES": "1"})


def test_old_programs_are_refused_before_any_data_is_made(tmp_path: Path) -> None:
    for name in ("initdb", "postgres"):
        (tmp_path / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 17.7'\n")
        (tmp_path / name).chmod(0o755)
    home = tmp_path / "home"
    with pytest.raises(ServerTooOld, match=r"17\.8"):
        open_database({"FISC_HOME": str(home), "FISC_PG_BIN": str(tmp_path)})
    assert not (home / "postgres" / "data").exists()


def test_says_where_programs_are_missing(tmp_path: Path) -> None:
    with pytest.raises(BinariesNotFound, match="FISC_PG_BIN"):
        programs.find(None, {"FISC_PG_BIN": str(tmp_path)})


def test_every_error_survives_the_way_from_the_supervisor() -> None:
    for kind in DatabaseServerError.__subclasses__():
        assert type(by_name(kind.__name__, "why")) is kind
    assert type(by_name("Unheard", "why")) is DatabaseServerError


# --- addresses


def test_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/srv/somebody")
    assert url.home({}) == Path("/srv/somebody/.local/share/fisc")
    assert url.home({"FISC_HOME": "~/books"}) == Path("/srv/somebody/books")


def test_addresses_are_derived_from_the_owners_without_the_password() -> None:
    found = url.addresses(
        {
            "FISC_DATABASE_URL": "postgresql+psycopg://fisc_owner:secret@db.example:5433/fisc",
            "FISC_APP_DATABASE_URL": "postgresql://fisc_app:other@pool.example/fisc",
        }
    )
    assert found[Role.OWNER] == "postgresql://fisc_owner:secret@db.example:5433/fisc"
    assert found[Role.APP] == "postgresql://fisc_app:other@pool.example/fisc"
    assert psycopg.conninfo.conninfo_to_dict(found[Role.HOST]) == {
        "user": "fisc_host",
        "host": "db.example",
        "port": "5433",
        "dbname": "fisc",
    }


def test_a_web_worker_needs_no_owners_address() -> None:
    found = Database(url.addresses({"FISC_APP_DATABASE_URL": "postgresql://fisc_app@db.example/fisc"}))
    with pytest.raises(AddressMissing, match="FISC_DATABASE_URL"):
        found.address(Role.OWNER)


def test_a_bad_address_is_refused_without_showing_its_password() -> None:
    with pytest.raises(DatabaseUnreachable, match="percent-encoded") as caught:
        url.addresses({"FISC_DATABASE_URL": "postgresql://fisc_owner:se%ret@db.example/fisc"})
    assert "se%ret" not in str(caught.value)


@pytest.mark.database
def test_a_given_address_starts_no_server(postgres: Cluster, empty: Database, tmp_path: Path) -> None:
    environ = {"FISC_DATABASE_URL": empty.address(Role.OWNER), "FISC_HOME": str(tmp_path)}
    with open_database(environ) as database:
        assert database.server is None
        with database.connect(Role.OWNER) as connection:
            assert connection.execute("SELECT current_user").fetchone() == ("fisc_owner",)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.database
def test_an_unreachable_address_says_what_to_look_at(postgres: Cluster, tmp_path: Path) -> None:
    for address in (
        f"postgresql://fisc_owner:x@/fisc?host={quote(str(tmp_path), safe='')}",
        postgres.server.url(Role.OWNER, "no_such_database"),
    ):
        with pytest.raises(DatabaseUnreachable, match="See that the server runs"):
            open_database({"FISC_DATABASE_URL": address})


@pytest.mark.database
def test_a_database_that_is_not_utf8_is_refused(postgres: Cluster, empty: Database) -> None:
    with postgres._superuser() as connection:
        connection.execute(
            "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' "
            "LOCALE_PROVIDER libc"
        )
    with pytest.raises(DatabaseUnreachable, match="Fisc needs UTF8"):
        open_database({"FISC_DATABASE_URL": postgres.server.url(Role.OWNER, "latin")})


@pytest.mark.database
def test_our_own_server_has_database_and_roles(tmp_path: Path) -> None:
    environ = {"FISC_HOME": str(tmp_path / "home")}
    for _ in range(2):
        with open_database(environ) as database, open_database(environ) as joined:
            for role in Role:
                with joined.connect(role) as connection:
                    assert connection.execute("SELECT current_user, current_database()").fetchone() == (
                        role,
                        "fisc",
                    )
            with database.connect(Role.APP) as connection:
                roles.require_ready(connection)
    assert gone_within(tmp_path, 1) == {}


@pytest.mark.database
def test_passwords_reach_no_log(tmp_path: Path) -> None:
    with open_database({"FISC_HOME": str(tmp_path)}) as database:
        assert database.server is not None
        words = database.server.set_passwords().values()
        log = database.server.base.log.read_text()
        assert len(set(words)) == 5
        seen = log + "".join(on_folder(tmp_path).values())
        assert not [word for word in words if word in seen]


# --- roles


@pytest.mark.database
def test_roles_may_what_they_should_and_no_more(postgres: Cluster, empty: Database) -> None:
    with empty.connect(Role.OWNER) as owner:
        owner.execute("CREATE SCHEMA books")
        owner.execute("CREATE TABLE books.lines (tenant_id int NOT NULL)")
        owner.execute("ALTER TABLE books.lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        owner.execute("CREATE POLICY mine ON books.lines USING (tenant_id = 1) WITH CHECK (true)")
        owner.execute("INSERT INTO books.lines VALUES (1), (2)")
    with empty.connect(Role.OWNER) as owner:
        assert owner.execute("SELECT count(*) FROM books.lines").fetchone() == (1,)
    with empty.connect(Role.BACKUP) as backup:
        assert backup.execute("SELECT count(*) FROM books.lines").fetchone() == (2,)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            backup.execute("DELETE FROM books.lines")
    with empty.connect(Role.BACKUP) as backup:
        backup.execute("SET TRANSACTION READ WRITE")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            backup.execute("DELETE FROM books.lines")
    for role in (Role.APP, Role.HOST):
        for forbidden in (
            "SELECT FROM books.lines",
            "CREATE TABLE mine (x int)",
            "CREATE TEMPORARY TABLE mine (x int)",
            "CREATE SCHEMA mine",
            f"SET ROLE {Role.OWNER}",
        ):
            with empty.connect(role) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(forbidden)


@pytest.mark.database
def test_trusted_extensions_need_no_superuser(empty: Database) -> None:
    with empty.connect(Role.OWNER) as owner:
        for name in ("btree_gist", "pg_trgm", "unaccent", "citext"):
            found = owner.execute("SELECT FROM pg_available_extensions WHERE name = %s", [name]).fetchone()
            if found is not None:  # Debian has them in a package of their own
                owner.execute(f"CREATE EXTENSION {name}")


@pytest.mark.database
def test_strangers_cannot_enter(postgres: Cluster, empty: Database) -> None:
    with postgres.superuser(empty) as superuser:
        superuser.execute("CREATE ROLE stranger LOGIN")
        assert superuser.execute(
            "SELECT has_database_privilege('stranger', current_database(), 'CONNECT')"
        ).fetchone() == (False,)
        superuser.rollback()


@pytest.mark.database
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("ALTER ROLE fisc_app SUPERUSER", "fisc_app is a superuser"),
        ("ALTER ROLE fisc_owner BYPASSRLS", "fisc_owner bypasses row security"),
        ("ALTER ROLE fisc_backup NOBYPASSRLS", "fisc_backup does not bypass"),
        ("REVOKE pg_read_all_data FROM fisc_backup", "not a member of pg_read_all_data"),
        ("GRANT fisc_owner TO fisc_app", "fisc_app is a member of fisc_owner"),
        ("CREATE SCHEMA mine AUTHORIZATION fisc_app", "fisc_app owns objects"),
        ("ALTER ROLE fisc_host CREATEROLE", "fisc_host may create roles"),
        ("ALTER ROLE fisc_host RENAME TO another", "fisc_host does not exist"),
    ],
)
def test_finds_what_is_wrong_with_a_role(postgres: Cluster, empty: Database, change: str, fault: str) -> None:
    with postgres.superuser(empty) as superuser:
        roles.require_ready(superuser)
        superuser.execute(change)
        with pytest.raises(RolesNotReady, match=fault):
            roles.require_ready(superuser)
        superuser.rollback()


@pytest.mark.database
def test_script_makes_what_is_missing(postgres: Cluster, empty: Database) -> None:
    """On another server, by an administrator; here by renaming the roles that are there."""
    with postgres.superuser(empty) as superuser:
        for role in Role:
            superuser.execute(f"ALTER ROLE {role} RENAME TO was_{role}")
        assert roles.missing(superuser) == list(Role)
        written = roles.script(superuser, "fisc_of_tomorrow")
        assert "\\password fisc_owner" in written
        assert 'CREATE DATABASE "fisc_of_tomorrow"' in written
        assert "CREATE DATABASE" not in roles.script(superuser, superuser.info.dbname)
        for line in written.splitlines():
            if line.startswith(("CREATE ROLE", "GRANT pg_", "ALTER ROLE")):
                superuser.execute(line)
        roles.require_ready(superuser)
        superuser.rollback()


@pytest.mark.database
def test_the_hosts_handbook_shows_the_same_sql(postgres: Cluster, empty: Database) -> None:
    handbook = (ROOT / "docs" / "host.md").read_text()
    with postgres.superuser(empty) as superuser:
        for role in Role:
            superuser.execute(f"ALTER ROLE {role} RENAME TO was_{role}")
        written = roles.script(superuser, "fisc").replace('"', "").splitlines()[1:]
        superuser.rollback()
    assert [line for line in written if line not in handbook] == []


# --- databases for tests


@pytest.mark.database
def test_template_is_built_once_and_copied(postgres: Cluster) -> None:
    built = []

    def build(database: Database) -> None:
        built.append(database)
        with database.connect(Role.OWNER) as owner:
            owner.execute("CREATE SCHEMA books")

    for _ in range(2):
        name = postgres.template(build, "template_of_this_test")
        with postgres.database(name) as copy, copy.connect(Role.OWNER) as owner:
            assert owner.execute("SELECT FROM pg_namespace WHERE nspname = 'books'").fetchone() is not None
    assert len(built) == 1


@pytest.mark.database
def test_template_that_failed_is_built_again(postgres: Cluster) -> None:
    def fail(database: Database) -> None:
        raise LookupError("as planned")

    build: Migrate = fail
    with pytest.raises(LookupError):
        postgres.template(build, "template_that_failed")
    postgres.template(lambda database: None, "template_that_failed")
