"""Nets of our own and of the papers, as evaluators.

The graph takes `spatial` float32 [n, planes, size, size] and gives, for the mover, `policy` [n, moves] or
[n, 1, moves], logits; moves are the points, row-major, and pass last where the card's settings say `pass`. A net
whose card has the head `margin` also gives `margin` [n, 2], the mean and the scale of a logistic distribution of
the mover's margin before komi (see `margin_in_points`), `ownership` [n, points], tanh's argument, and `trunk`
[n, size, size, channels].
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Floats, Margin
from tengen.nets.heads import LOGISTIC_DEVIATION, margin_in_points
from tengen.nets.katago_net import legal_softmax, origins, softmax, turn_back
from tengen.nets.runtime import Arrays, Runs
from tengen.planes import encode

ARCHITECTURE = "policy"
HEADS = ("policy",)
VALUE_HEADS = ("policy", "win_by_komi", "margin", "ownership", "trunk")
# For a net without pass: it passes only when nothing else is legal.
_NEVER = -1e9


class PolicyEvaluator:
    """A net that predicts moves and, if its card has the heads, judges.

    One that does not judge says 0.5 for every win rate and 0 for leads and ownership.
    """

    def __init__(self, card: ModelCard, runtime: Runs, precision: str = "fp32") -> None:
        self.card = card
        self.runtime = runtime
        self.precision = precision

    def __repr__(self) -> str:
        return f"<policy net {self.card.name}, {self.precision}, {self.runtime.threads} threads>"

    @property
    def has_pass(self) -> bool:
        return bool(self.card.settings.get("pass"))

    @property
    def judges(self) -> bool:
        return "margin" in self.card.heads

    def warm_up(self, size: int = 19) -> None:
        """Gets ready for a board size, so that the first question is answered at full speed."""
        self.card.check_size(size)
        self.evaluate([Position(size)])

    def predict(self, planes: Floats) -> Floats:
        """Chances of all moves, illegal ones among them: the softmax of the logits, in the planes' symmetry."""
        return softmax(_logits(self.runtime.run(planes.shape[2], {"spatial": planes}, ("policy",))))

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
    ) -> list[Evaluation]:
        """See Evaluator. A net that does not judge has no trunk to give."""
        turned = (
            np.zeros(len(positions), np.uint8) if symmetries is None else np.asarray(symmetries, np.uint8)
        )
        answers: dict[int, Evaluation] = {}
        for size in dict.fromkeys(position.size for position in positions):
            self.card.check_size(size)
            chosen = [i for i, position in enumerate(positions) if position.size == size]
            group = [positions[i] for i in chosen]
            answers.update(zip(chosen, self._group(group, turned[chosen], trunk, komi_labels), strict=True))
        return [answers[i] for i in range(len(positions))]

    def _group(
        self,
        positions: Sequence[Position],
        symmetries: npt.NDArray[np.uint8],
        trunk: bool,
        komi_labels: Sequence[float] | None,
    ) -> list[Evaluation]:
        """Judgements of positions of one size."""
        count, size = len(positions), positions[0].size
        names = ["policy"]
        if self.judges:
            names += ["margin", "ownership", "trunk"] if trunk else ["margin", "ownership"]
        planes = encode(self.card.encoding, positions, symmetries)
        given = self.runtime.run(size, {"spatial": planes}, names)
        given.setdefault("ownership", np.zeros((count, size * size), np.float32))
        found = _logits(given)
        logits = np.full((count, size * size + 1), _NEVER, np.float32)
        logits[:, : found.shape[1]] = found
        ownership = np.tanh(given["ownership"])
        for i in np.flatnonzero(symmetries).tolist():
            back = origins(size, int(symmetries[i]))
            logits[i, :-1] = logits[i, back]
            ownership[i] = ownership[i, back]
        policy = legal_softmax(logits, positions)
        answers = []
        for i, position in enumerate(positions):
            sign = 1.0 if position.to_move is Color.BLACK else -1.0
            komi = position.rules.komi
            mean, scale = komi, math.inf  # nothing is known: an even game whatever the komi
            if self.judges:
                mean, scale = margin_in_points(given["margin"][i])
                mean *= sign
            labels = np.asarray([komi] if komi_labels is None else komi_labels, np.float32)
            curve = _sigmoid((mean - labels) / scale)
            tip = None
            if "trunk" in given:
                tip = turn_back(given["trunk"][i], int(symmetries[i])).transpose(2, 0, 1)
            answers.append(
                Evaluation(
                    to_move=position.to_move,
                    policy=policy[i],
                    win=WinRate(float(_sigmoid(np.float64((mean - komi) / scale))), Color.BLACK),
                    lead=Lead(mean - komi, Color.BLACK),
                    margin=Margin(mean, LOGISTIC_DEVIATION * scale if self.judges else 0.0),
                    komi_labels=labels,
                    win_by_komi=np.asarray(curve, np.float32),
                    ownership=np.float32(sign) * ownership[i].reshape(size, size),
                    trunk=tip,
                )
            )
        return answers


def _logits(given: Arrays) -> Floats:
    policy = given["policy"]
    return policy.reshape(len(policy), policy.shape[-1])


def _sigmoid(x: npt.NDArray[np.floating] | np.float64) -> npt.NDArray[np.floating]:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -60, 60))))
