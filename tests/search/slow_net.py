"""A net that moves the time, so that tests of limits need no real time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tengen import Position
from tengen.nets.evaluation import Evaluation
from tengen.nets.fake import FakeEvaluator


class Slow(FakeEvaluator):
    """Needs so many seconds for a position, by a clock that only it moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *seconds: float) -> None:
        super().__init__()
        self.now, self.seconds, self.count = 100.0, seconds, 0
        monkeypatch.setattr("tengen.search.puct.time.perf_counter", lambda: self.now)

    def evaluate(self, positions: Sequence[Position], **options: Any) -> list[Evaluation]:
        for _ in positions:
            self.now += self.seconds[min(self.count, len(self.seconds) - 1)]
            self.count += 1
        return super().evaluate(positions, **options)
