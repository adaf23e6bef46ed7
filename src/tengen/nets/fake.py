"""An evaluator without a net: numbers drawn from the position's own hash, the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Margin


class FakeEvaluator:
    """Deterministic judgements for tests of search and engines: any change of the position changes them.

    They obey all rules of an Evaluation and mean nothing. Symmetries change nothing, so bagging is exact.

    >>> from tengen.go.position import Position
    >>> one, two = FakeEvaluator().evaluate([Position(9), Position(9)])
    >>> one.win == two.win, FakeEvaluator(seed=1).evaluate([Position(9)])[0].win == one.win
    (True, False)
    """

    TRUNK_CHANNELS = 4

    def __init__(self, seed: int = 0, deviation: float = 12.0) -> None:
        self.seed = seed
        self.deviation = deviation
        self.card = ModelCard(
            name=f"fake-{seed}", architecture="fake", encoding="none", board_sizes=tuple(range(2, 20))
        )

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
    ) -> list[Evaluation]:
        return [self._evaluate(position, trunk, komi_labels) for position in positions]

    def _evaluate(self, position: Position, trunk: bool, labels: Sequence[float] | None) -> Evaluation:
        size = position.size
        komi = position.rules.komi
        seen = hashlib.sha256(position.stones().tobytes())
        seen.update(f"{self.seed} {position.side} {position.ko} {position.passes}".encode())
        rng = np.random.Generator(np.random.PCG64(int.from_bytes(seen.digest()[:16], "little")))
        legal = np.zeros(size * size + 1, dtype=bool)
        legal[position.legal(position.side)] = True
        weights = np.where(legal, np.exp(2.0 * rng.standard_normal(len(legal))), 0.0)
        weights[-1] *= 0.01
        mean = float(rng.normal(0.0, self.deviation))
        given = np.asarray([komi] if labels is None else labels, dtype=np.float32)
        curve = np.array([self._win(mean - float(k)) for k in given], dtype=np.float32)
        return Evaluation(
            to_move=position.to_move,
            policy=(weights / weights.sum()).astype(np.float32),
            win=WinRate(self._win(mean - komi), Color.BLACK),
            lead=Lead(mean - komi, Color.BLACK),
            margin=Margin(mean, self.deviation),
            komi_labels=given,
            win_by_komi=curve,
            ownership=np.tanh(rng.standard_normal((size, size))).astype(np.float32),
            trunk=rng.standard_normal((self.TRUNK_CHANNELS, size, size)).astype(np.float32)
            if trunk
            else None,
        )

    def _win(self, lead: float) -> float:
        return float(1.0 / (1.0 + np.exp(-1.7 * lead / self.deviation)))
