"""A pool that a small net can learn."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_games import made_pool


@pytest.fixture(scope="session")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty games on 5x5, ten of each year."""
    return made_pool(tmp_path_factory.mktemp("pool"), 80)
