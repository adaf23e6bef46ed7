"""KataGo's nets as evaluators: from positions to inputs, from outputs to judgements."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.go.rules import Ko, Scoring
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Floats, Margin, RawOutput, falling
from tengen.nets.katago_graph import MAX_SIZE
from tengen.nets.katago_layers import KataGoNet, Multipliers
from tengen.nets.runtime import Arrays, Runs
from tengen.planes import encode_inputs

Scalar = TypeVar("Scalar", bound=np.generic)
OUTPUTS = ("policy", "value", "score", "ownership")


def make_card(net: KataGoNet, name: str = "") -> ModelCard:
    """The card of a KataGo net, before files and measurements are added."""
    return ModelCard(
        name=name or net.name,
        architecture="katago",
        encoding="katago7s" if net.pass_alive_suicide else "katago7",
        board_sizes=tuple(range(2, MAX_SIZE + 1)),
        heads=("policy", "win_by_komi", "margin", "ownership", "trunk"),
        channels=net.trunk.channels,
        weights=net.weights,
        source=net.name,
        source_sha256=net.sha256,
        settings={
            "version": net.version,
            "multipliers": dataclasses.asdict(net.multipliers),
            "policy_channels": net.policy_channels,
            "blocks": len(net.trunk.blocks),
        },
    )


def read_settings(card: ModelCard) -> tuple[int, Multipliers]:
    """The version and the multipliers that `make_card` wrote."""
    version, multipliers = card.settings.get("version"), card.settings.get("multipliers")
    names = {field.name for field in dataclasses.fields(Multipliers)}
    if (
        type(version) is not int
        or not isinstance(multipliers, dict)
        or set(multipliers) != names
        or not all(type(value) in (int, float) for value in multipliers.values())
    ):
        raise InputError(f"the card of {card.name} does not have the settings of a KataGo net")
    return version, Multipliers(**multipliers)


class KataGoEvaluator:
    """A KataGo net behind the face of an Evaluator.

    optimism: how much of the optimistic policy (nets of version 12 and later) is mixed in, 0 to 1; KataGo's own
    search takes 1 in the tree and 0.2 at the root.
    """

    def __init__(
        self, card: ModelCard, runtime: Runs, precision: str = "fp32", optimism: float = 0.0
    ) -> None:
        self.card = card
        self.runtime = runtime
        self.precision = precision
        self.optimism = optimism
        self.version, self.multipliers = read_settings(card)

    def __repr__(self) -> str:
        return f"<KataGo net {self.card.name}, {self.precision}, {self.runtime.threads} threads>"

    def warm_up(self, size: int = 19) -> None:
        """Gets ready for a board size, so that the first question is answered at full speed."""
        self.card.check_size(size)
        self.evaluate([Position(size)])

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
    ) -> list[Evaluation]:
        """See Evaluator. Komi is one of the net's inputs, so a curve of k labels costs k evaluations more."""
        for size in {position.size for position in positions}:
            self.card.check_size(size)
        turned = (
            np.zeros(len(positions), np.uint8) if symmetries is None else np.asarray(symmetries, np.uint8)
        )
        answers: dict[int, Evaluation] = {}
        for size in dict.fromkeys(position.size for position in positions):
            chosen = [i for i, position in enumerate(positions) if position.size == size]
            group = [positions[i] for i in chosen]
            found = self._evaluate_group(group, turned[chosen], trunk)
            if komi_labels is not None:
                curves = self._curves(group, turned[chosen], komi_labels)
                labels = np.asarray(komi_labels, np.float32)
                found = [
                    dataclasses.replace(one, komi_labels=labels, win_by_komi=curve)
                    for one, curve in zip(found, curves, strict=True)
                ]
            answers.update(zip(chosen, found, strict=True))
        return [answers[i] for i in range(len(positions))]

    def komi_curves(self, positions: Sequence[Position], komi_labels: Sequence[float]) -> Floats:
        """Black's win rate at each komi exactly as the net says it, float32 [positions, labels].

        The net does not promise that it falls with komi; `evaluate` gives the nearest curve that does.
        """
        size = positions[0].size
        return self._raw_curves(positions, np.zeros(len(positions), np.uint8), komi_labels, size)

    def _curves(
        self, positions: Sequence[Position], symmetries: npt.NDArray[np.uint8], labels: Sequence[float]
    ) -> list[Floats]:
        order = np.argsort(np.asarray(labels, dtype=np.float64), kind="stable")
        curves = []
        for curve in self._raw_curves(positions, symmetries, labels, positions[0].size):
            repaired = np.empty(len(labels), np.float32)
            repaired[order] = falling(curve[order])
            curves.append(repaired)
        return curves

    def _raw_curves(
        self,
        positions: Sequence[Position],
        symmetries: npt.NDArray[np.uint8],
        labels: Sequence[float],
        size: int,
    ) -> Floats:
        moved = []
        for position in positions:
            for komi in labels:
                other = position.copy()
                other.rules = position.rules.with_komi(float(komi))
                moved.append(other)
        if not moved:
            return np.empty((len(positions), 0), np.float32)
        outputs = self.runtime.run(size, self.inputs(moved, np.repeat(symmetries, len(labels))), ("value",))
        chances = outcome_chances(outputs["value"], moved)
        black = np.array([position.to_move is Color.BLACK for position in moved])
        ours = chances[:, 0] + 0.5 * chances[:, 2]
        return np.where(black, ours, 1.0 - ours).astype(np.float32).reshape(len(positions), len(labels))

    def predict(self, planes: Floats, globals_: Floats) -> Floats:
        """Chances of all moves, illegal ones among them: the softmax of the logits, in the planes' symmetry."""
        inputs = {"spatial": planes, "global": globals_}
        return softmax(self.runtime.run(planes.shape[2], inputs, ("policy",))["policy"][:, 0])

    def inputs(self, positions: Sequence[Position], symmetries: npt.NDArray[np.uint8]) -> Arrays:
        """What the graph takes for positions of one size."""
        planes, globals_ = encode_inputs(self.card.encoding, positions, symmetries)
        return {"spatial": planes, "global": globals_}

    def _evaluate_group(
        self, positions: Sequence[Position], symmetries: npt.NDArray[np.uint8], trunk: bool
    ) -> list[Evaluation]:
        size = positions[0].size
        names = (*OUTPUTS, "trunk") if trunk else OUTPUTS
        outputs = self.runtime.run(size, self.inputs(positions, symmetries), names)
        return self.read(outputs, positions, symmetries)

    def read(
        self, outputs: Arrays, positions: Sequence[Position], symmetries: npt.NDArray[np.uint8]
    ) -> list[Evaluation]:
        """Judgements from what the graph gave for positions of one size (katago-nets, section 3)."""
        count, size = len(positions), positions[0].size
        black = np.array([position.to_move is Color.BLACK for position in positions])
        komi = np.array([position.rules.komi for position in positions])

        logits = outputs["policy"][:, 0]
        if self.optimism and outputs["policy"].shape[1] > 1:
            logits = logits + self.optimism * (outputs["policy"][:, 1] - logits)
        ownership = np.tanh(outputs["ownership"])
        np.negative(ownership, out=ownership, where=~black[:, None])
        if symmetries.any():
            logits, ownership = logits.copy(), ownership.copy()
            for k in np.flatnonzero(symmetries):
                back = origins(size, int(symmetries[k]))
                logits[k, :-1] = logits[k, back]
                ownership[k] = ownership[k, back]
        policy = legal_softmax(logits, positions)

        chances = outcome_chances(outputs["value"], positions)
        raw = self._scores(outputs["score"], chances[:, 2])
        lead = np.where(black, raw["lead"], -raw["lead"])
        mean = np.where(black, raw["score_mean"], -raw["score_mean"])
        win = chances[:, 0] + 0.5 * chances[:, 2]
        win = np.clip(np.where(black, win, 1.0 - win), 0.0, 1.0)

        evaluations = []
        for i in range(count):
            tip = None
            if "trunk" in outputs:
                tip = turn_back(outputs["trunk"][i], int(symmetries[i])).transpose(2, 0, 1)
            values = {name: float(column[i]) for name, column in raw.items()}
            evaluations.append(
                Evaluation(
                    to_move=positions[i].to_move,
                    policy=policy[i],
                    win=WinRate(float(win[i]), Color.BLACK),
                    lead=Lead(float(lead[i]), Color.BLACK),
                    margin=Margin(float(mean[i] + komi[i]), values["score_deviation"]),
                    komi_labels=komi[i : i + 1].astype(np.float32),
                    win_by_komi=win[i : i + 1].astype(np.float32),
                    ownership=ownership[i].reshape(size, size),
                    trunk=tip,
                    raw=RawOutput(
                        win=float(chances[i, 0]),
                        loss=float(chances[i, 1]),
                        no_result=float(chances[i, 2]),
                        **values,
                    ),
                )
            )
        return evaluations

    def _scores(
        self, score: Floats, no_result: npt.NDArray[np.float64]
    ) -> dict[str, npt.NDArray[np.float64]]:
        """The value head's other numbers in points, for the side to move."""
        m = self.multipliers
        given = score.astype(np.float64)
        decided = 1.0 - no_result
        mean = given[:, 0] * m.score_mean
        square = (mean**2 + (softplus(given[:, 1]) * m.score_stdev) ** 2) * decided
        mean = mean * decided
        values = {
            "score_mean": mean,
            "score_deviation": np.sqrt(np.maximum(0.0, square - mean**2)),
            "lead": given[:, 2] * m.lead * decided,
        }
        if self.version < 9:
            return values
        values["variance_time"] = softplus(given[:, 3]) * m.variance_time
        win_error, score_error = given[:, 4], given[:, 5]
        if self.version >= 14:
            values["shortterm_win_error"] = softplus(win_error / 2) * np.sqrt(m.shortterm_value_error)
            values["shortterm_score_error"] = softplus(score_error / 2) * np.sqrt(m.shortterm_score_error)
        elif self.version >= 10:
            values["shortterm_win_error"] = np.sqrt(softplus(win_error) * m.shortterm_value_error)
            values["shortterm_score_error"] = np.sqrt(softplus(score_error) * m.shortterm_score_error)
        else:
            values["shortterm_win_error"] = softplus(win_error)
            values["shortterm_score_error"] = 10.0 * softplus(score_error)
        return values


def softmax(logits: Floats) -> Floats:
    """Over the last axis."""
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def softplus(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.logaddexp(0.0, x)


def outcome_chances(value: Floats, positions: Sequence[Position]) -> npt.NDArray[np.float64]:
    """Win, loss and no result for the side to move, [n, 3]; no result only where the rules know it."""
    logits = value.astype(np.float64)
    decided = [p.rules.ko is not Ko.SIMPLE and p.rules.scoring is not Scoring.TERRITORY for p in positions]
    logits[np.array(decided), 2] = -np.inf
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def legal_softmax(logits: Floats, positions: Sequence[Position]) -> Floats:
    """Chances of the legal moves, [n, points + 1]; the rest 0."""
    return softmax(np.where(_native.legal_masks(list(positions)), logits, np.float32(-np.inf)))


def origins(size: int, symmetry: int) -> npt.NDArray[np.intp]:
    """For each point of the board, where the symmetry carries it, [points]."""
    return turn_back(np.arange(size * size).reshape(size, size), symmetry).ravel()


def turn_back(board: npt.NDArray[Scalar], symmetry: int) -> npt.NDArray[Scalar]:
    """The board [size, size, ...] that a net was shown in a symmetry, as it lies: undoes the swap, then the flips."""
    board = board.swapaxes(0, 1) if symmetry & 4 else board
    board = board[::-1] if symmetry & 1 else board
    return board[:, ::-1] if symmetry & 2 else board
