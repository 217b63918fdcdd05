"""Which PostgreSQL is good enough.

Row security and the privileges of functions had holes that were closed in minor releases; the separation of
municipalities rests on both, so a server without the fixes is refused.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from core.db.server.errors import ServerTooOld

OLDEST_MAJOR = 15
PATCH_FLOOR = {15: 16, 16: 12, 17: 8, 18: 2}
CLOSED_THERE = "CVE-2025-8713 to CVE-2025-8715, CVE-2026-2005 and CVE-2026-2006"
OVERRIDE = "FISC_ALLOW_OLD_POSTGRES"


class Version(NamedTuple):
    """A PostgreSQL version since 10: major and minor. A beta counts as minor 0."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @classmethod
    def from_text(cls, text: str) -> "Version":
        """From `postgres --version`, such as "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"."""
        found = re.search(r"PostgreSQL\) (\d+)(?:\.(\d+))?", text)
        if found is None:
            raise ValueError(f"no PostgreSQL version in {text!r}")
        return cls(int(found[1]), int(found[2] or 0))

    @classmethod
    def from_number(cls, server_version_num: int) -> "Version":
        """From the setting server_version_num, such as 180006."""
        return cls(server_version_num // 10000, server_version_num % 10000)


def require_patched(version: Version, environ: Mapping[str, str]) -> None:
    """Pass if the version is patched. FISC_ALLOW_OLD_POSTGRES=1 lifts the minor floor, never the major one.

    Raises ServerTooOld.
    """
    if version.major < OLDEST_MAJOR:
        raise ServerTooOld(f"This is PostgreSQL {version}; Fisc needs {OLDEST_MAJOR} or later. Upgrade the server.")
    floor = PATCH_FLOOR.get(version.major, 0)
    if version.minor >= floor or environ.get(OVERRIDE) == "1":
        return
    raise ServerTooOld(
        f"This is PostgreSQL {version}; Fisc refuses it below {version.major}.{floor}, which closed "
        f"{CLOSED_THERE}. Install the newest {version.major}.x. To go on at your own risk, with data that "
        f"is not confidential, set {OVERRIDE}=1."
    )
