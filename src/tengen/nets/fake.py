"""A net that knows nothing but is the same everywhere: for tests of what stands on nets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tengen import _native
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Floats, Margin

KOMI_LABELS = tuple(k + 0.5 for k in range(-13, 28))  # CGI's: -12.5 to 27.5


class Fake:
    """Evaluations drawn from the hash of the stones and the side to move; symmetries change nothing."""

    card = ModelCard(
        name="fake",
        kind="fake",
        encoding="",
        architecture="none: numbers drawn from a hash of the position",
        weights=0,
        heads=("policy", "win_by_komi", "margin", "ownership", "trunk"),
        komi_labels=KOMI_LABELS,
        channels=4,
    )

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        komi: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        trunk: bool = False,
    ) -> list[Evaluation]:
        labels = np.array(KOMI_LABELS if komi is None else komi, dtype=np.float32)
        return [self._one(p, labels, trunk) for p in positions]

    def _one(self, position: Position, labels: Floats, trunk: bool) -> Evaluation:
        size = position.size
        random = np.random.Generator(np.random.PCG64([position.hash, position.side, position.passes]))
        policy = random.random(size * size + 1) ** 8
        policy *= _native.legal_masks([position])[0]
        mean = float(random.normal(7, 10))
        return Evaluation(
            policy=(policy / policy.sum()).astype(np.float32),
            komi=position.rules.komi + position.handicap_bonus,
            komi_labels=labels,
            win_by_komi=(1 / (1 + np.exp((labels - mean) / 5))).astype(np.float32),
            margin=Margin(mean, 9.0),
            ownership=random.uniform(-1, 1, (size, size)).astype(np.float32),
            trunk=random.normal(size=(4, size, size)).astype(np.float32) if trunk else None,
        )
