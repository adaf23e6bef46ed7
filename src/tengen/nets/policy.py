"""Policy nets of our own and of the papers, as evaluators.

The graph takes `planes` float32 [n, planes, size, size] and gives `policy` [n, moves], the mover's logits;
moves are the points, row-major, and pass last where the card's settings say `pass`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Floats, Margin
from tengen.nets.katago_net import legal_softmax, origins
from tengen.nets.runtime import Runtime
from tengen.planes import encode

ARCHITECTURE = "policy"
# For a net without pass: it passes only when nothing else is legal.
_NEVER = -1e9


class PolicyEvaluator:
    """A net that predicts moves and judges nothing: win rates are 0.5, leads and ownership 0.

    The card's heads say so: ("policy",).
    """

    def __init__(self, card: ModelCard, runtime: Runtime, precision: str = "fp32") -> None:
        self.card = card
        self.runtime = runtime
        self.precision = precision

    def __repr__(self) -> str:
        return f"<policy net {self.card.name}, {self.precision}, {self.runtime.threads} threads>"

    @property
    def has_pass(self) -> bool:
        return bool(self.card.settings.get("pass"))

    def warm_up(self, size: int = 19) -> None:
        """Gets ready for a board size, so that the first question is answered at full speed."""
        self.card.check_size(size)
        self.evaluate([Position(size)])

    def logits(self, planes: Floats) -> Floats:
        """[n, planes, size, size] to [n, moves], as the graph gives them."""
        return self.runtime.run(planes.shape[2], {"planes": planes}, ("policy",))["policy"]

    def predict(self, planes: Floats) -> Floats:
        """Chances of all moves, illegal ones among them: the softmax of the logits, in the planes' symmetry."""
        logits = self.logits(planes)
        raised = np.exp(logits - logits.max(-1, keepdims=True))
        return np.asarray(raised / raised.sum(-1, keepdims=True))

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
    ) -> list[Evaluation]:
        """See Evaluator. There is no trunk to give."""
        turned = (
            np.zeros(len(positions), np.uint8) if symmetries is None else np.asarray(symmetries, np.uint8)
        )
        answers: dict[int, Evaluation] = {}
        for size in dict.fromkeys(position.size for position in positions):
            self.card.check_size(size)
            chosen = [i for i, position in enumerate(positions) if position.size == size]
            group = [positions[i] for i in chosen]
            policies = self._policies(group, turned[chosen])
            answers.update(
                (i, _without_value(position, policy, komi_labels))
                for i, position, policy in zip(chosen, group, policies, strict=True)
            )
        return [answers[i] for i in range(len(positions))]

    def _policies(
        self, positions: Sequence[Position], symmetries: np.ndarray[tuple[int], np.dtype[np.uint8]]
    ) -> Floats:
        size = positions[0].size
        given = self.logits(encode(self.card.encoding, positions, symmetries))
        logits = np.full((len(positions), size * size + 1), _NEVER, np.float32)
        logits[:, : given.shape[1]] = given
        for i in np.flatnonzero(symmetries):
            logits[i, :-1] = logits[i, origins(size, int(symmetries[i]))]
        return legal_softmax(logits, positions)


def _without_value(position: Position, policy: Floats, komi_labels: Sequence[float] | None) -> Evaluation:
    labels = np.asarray([position.rules.komi] if komi_labels is None else komi_labels, np.float32)
    return Evaluation(
        to_move=position.to_move,
        policy=policy,
        win=WinRate(0.5, Color.BLACK),
        lead=Lead(0.0, Color.BLACK),
        margin=Margin(position.rules.komi, 0.0),
        komi_labels=labels,
        win_by_komi=np.full(len(labels), 0.5, np.float32),
        ownership=np.zeros((position.size, position.size), np.float32),
    )
