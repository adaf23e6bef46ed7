"""An evaluator without a net: numbers drawn from the position's own hash, the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Floats, Margin
from tengen.nets.komi import Doubles, KomiKind, drawn_curve, flat_curve, komi_kind, labelled_curve

HEADS = ("policy", "win_by_komi", "margin", "ownership", "trunk")


class FakeEvaluator:
    """Deterministic judgements for tests of search and engines: any change of the position changes them.

    They obey all rules of an Evaluation and mean nothing. Symmetries change nothing, so bagging is exact.

    heads: those that its card declares; the others are None. The heads that are left keep their values.
    komi_labels, inputs: as on a card. They make it one of the four kinds of `tengen.nets.komi`: several labels of its
        own; one label (flat); the input "komi"; or, without any of these, a distribution of the margin.

    >>> from tengen.go.position import Position
    >>> one, two = FakeEvaluator().evaluate([Position(9), Position(9)])
    >>> one.win == two.win, FakeEvaluator(seed=1).evaluate([Position(9)])[0].win == one.win
    (True, False)
    >>> FakeEvaluator(heads=("policy",)).evaluate([Position(9)])[0].win is None
    True
    """

    TRUNK_CHANNELS = 4
    NEXT_MOVES = 2

    def __init__(
        self,
        seed: int = 0,
        deviation: float = 12.0,
        *,
        heads: Sequence[str] = HEADS,
        komi_labels: Sequence[float] = (),
        inputs: Sequence[str] = (),
    ) -> None:
        self.seed = seed
        self.deviation = deviation
        self.card = ModelCard(
            name=f"fake-{seed}",
            architecture="fake",
            encoding="none",
            board_sizes=tuple(range(2, 20)),
            heads=tuple(heads),
            inputs=tuple(inputs),
            komi_labels=tuple(komi_labels),
        )

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        sweep: bool = False,
    ) -> list[Evaluation]:
        return [self._evaluate(position, trunk, komi_labels, sweep) for position in positions]

    def _evaluate(
        self, position: Position, trunk: bool, labels: Sequence[float] | None, sweep: bool
    ) -> Evaluation:
        size, heads = position.size, self.card.heads
        komi = position.rules.komi
        seen = hashlib.sha256(position.stones().tobytes())
        seen.update(f"{self.seed} {position.side} {position.ko} {position.passes}".encode())
        rng = np.random.Generator(np.random.PCG64(int.from_bytes(seen.digest()[:16], "little")))
        legal = np.zeros(size * size + 1, dtype=bool)
        legal[position.legal(position.side)] = True
        weights = np.where(legal, np.exp(2.0 * rng.standard_normal(len(legal))), 0.0)
        weights[-1] *= 0.01
        mean = float(rng.normal(0.0, self.deviation))
        ownership = np.tanh(rng.standard_normal((size, size))).astype(np.float32)
        tip = rng.standard_normal((self.TRUNK_CHANNELS, size, size)).astype(np.float32) if trunk else None
        wanted = np.asarray((self.card.komi_labels or [komi]) if labels is None else labels, dtype=np.float32)
        judges, knows_margin = self.card.has("win_by_komi"), "margin" in heads
        return Evaluation(
            to_move=position.to_move,
            size=size,
            policy=(weights / weights.sum()).astype(np.float32) if "policy" in heads else None,
            win=WinRate(float(self._curve(mean, komi, [komi], sweep)[0]), Color.BLACK) if judges else None,
            lead=Lead(mean - komi, Color.BLACK) if knows_margin else None,
            margin=Margin(mean, self.deviation) if knows_margin else None,
            komi_labels=wanted if judges else None,
            win_by_komi=self._curve(mean, komi, wanted, sweep).astype(np.float32) if judges else None,
            ownership=ownership if "ownership" in heads else None,
            next_moves=self._next(seen.digest(), size) if "next" in heads else None,
            trunk=tip if "trunk" in heads else None,
        )

    def _curve(self, mean: float, komi: float, labels: Sequence[float] | Floats, sweep: bool) -> Doubles:
        match komi_kind(self.card):
            case KomiKind.LABELS:
                own = self._win(mean - np.array(sorted(self.card.komi_labels)))
                return np.ravel(labelled_curve(self.card, [own], labels))
            case KomiKind.FLAT:
                known = self._win(mean - np.array(self.card.komi_labels or (7.5,)))
                return np.ravel(flat_curve(known, labels))
            case KomiKind.INPUT if not sweep:
                known = self._win(mean - np.array([komi]))
                return np.ravel(drawn_curve(known, [self.deviation], [komi], labels))
        return self._win(mean - np.asarray(labels, np.float64))

    def _next(self, seen: bytes, size: int) -> Floats:
        rng = np.random.Generator(np.random.PCG64(int.from_bytes(seen[16:], "little")))
        weights = np.exp(2.0 * rng.standard_normal((self.NEXT_MOVES, size * size)))
        return np.asarray(weights / weights.sum(1, keepdims=True), np.float32)

    def _win(self, lead: Doubles) -> Doubles:
        return np.asarray(1.0 / (1.0 + np.exp(-1.7 * lead / self.deviation)))
