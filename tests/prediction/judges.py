"""Nets for tests whose judgement is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation
from tengen.nets.fake import FakeEvaluator


class Says(FakeEvaluator):
    """Gives Black this win rate (0 to 1) and this lead (points) at a position; all other heads are the fake's."""

    def __init__(
        self, win: Callable[[Position], float], lead: Callable[[Position], float] | None = None, **card: Any
    ) -> None:
        super().__init__(**card)
        self.win, self.lead = win, lead

    def evaluate(self, positions: Sequence[Position], **asked: Any) -> list[Evaluation]:
        return [
            replace(
                said,
                win=WinRate(self.win(position), Color.BLACK),
                lead=None if self.lead is None else Lead(self.lead(position), Color.BLACK),
            )
            for position, said in zip(positions, super().evaluate(positions, **asked), strict=True)
        ]
