"""What the tests of the players have in common."""

from __future__ import annotations

import pytest

from tengen.nets.fake import FakeEvaluator


@pytest.fixture
def net() -> FakeEvaluator:
    return FakeEvaluator()
