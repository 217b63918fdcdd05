"""The database fixtures, and the application over it with one municipality that is open."""

import pytest
from sqlalchemy import Engine

from tests.integration.conftest import *  # noqa: F403
from tests.support.towns import Town, open_town
from tests.support.web import Web


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    """A municipality."""
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def web(app: Engine, host: Engine) -> Web:
    """The application."""
    return Web(app, host)
