"""The database fixtures, for tests of the API."""

from tests.integration.conftest import *  # noqa: F403
