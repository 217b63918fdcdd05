"""A municipality that does not exist yet, told over HTTP from its first day."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.integration.conftest import *  # noqa: F403
from tests.support.town_over_http import StoryTown, TownOverHttp


@pytest.fixture
def story_town(app: Engine, host: Engine, tmp_path: Path) -> StoryTown:
    """Makes the town of a story: a plugin and the name of its municipality in, a town nobody has opened out."""

    def make(plugin: str, name: str) -> TownOverHttp:
        return TownOverHttp(app, host, tmp_path, plugin, name)

    return make
