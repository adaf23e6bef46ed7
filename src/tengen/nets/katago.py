"""KataGo's nets as Evaluators: inputs version 7, outputs read as KataGo reads them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.position import Position
from tengen.go.rules import Ko, Scoring
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Floats, Margin, falling
from tengen.nets.katago_file import KataGoNet
from tengen.nets.runtime import Session
from tengen.planes.encode import encode_inputs

_OUTPUTS = ("policy", "value", "score", "ownership")


def katago_card(net: KataGoNet, name: str) -> ModelCard:
    """The card of a net just read from its file; files and figures are added when they are made."""
    return ModelCard(
        name=name,
        kind="katago",
        encoding="katago7s" if net.pass_alive_suicide else "katago7",
        architecture=net.name,
        weights=net.weights,
        heads=("policy", "win_by_komi", "margin", "ownership", "trunk"),
        channels=net.trunk.channels,
        source={"net": net.name, "sha256": net.sha256},
        settings={"version": net.version, **asdict(net.multipliers)},
    )


@dataclass(frozen=True, slots=True)
class RawOutput:
    """What a net said of n positions, read but not combined; the view of the side to move, symmetry undone.

    policy [n, moves]: chances over legal moves, pass last. outcome [n, 3]: win, loss, no result. lead,
    score_mean, score_deviation [n]: points for the side to move, komi included. ownership [n, points].
    trunk [n, channels, points] or None.
    """

    policy: Floats
    outcome: Floats
    lead: Floats
    score_mean: Floats
    score_deviation: Floats
    ownership: Floats
    trunk: Floats | None


class KataGoEvaluator:
    """A KataGo net.

    Komi is an input of the net, so a curve over k labels costs k evaluations of each position; without
    labels the position's own komi is the only one. The raw curve may rise here and there with komi:
    `rises` counts the steps that did, of `steps` asked for, and the curve given out is projected to the
    nearest that does not.
    """

    def __init__(self, card: ModelCard, model: Path | bytes, threads: int | None = None) -> None:
        self._card = card
        self._threads = threads or os.cpu_count() or 1
        self._session = Session(model, self._threads)
        if not set(_OUTPUTS) < set(self._session.outputs):
            raise InputError(
                f"{card.name}: not a KataGo net: its outputs are {', '.join(self._session.outputs)}"
            )
        self.rises = 0
        self.steps = 0

    @property
    def card(self) -> ModelCard:
        return self._card

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        komi: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        trunk: bool = False,
    ) -> list[Evaluation]:
        if komi is not None and (not len(komi) or any(b <= a for a, b in zip(komi, komi[1:], strict=False))):
            raise InputError("komi labels must rise")
        symmetries = [0] * len(positions) if symmetries is None else symmetries
        found: dict[int, Evaluation] = {}
        for size in {p.size for p in positions}:
            if not self._card.fits(size):
                low, high = self._card.board_sizes
                raise InputError(f"{self._card.name} plays on boards of {low} to {high} lines, not on {size}")
            places = [i for i, p in enumerate(positions) if p.size == size]
            part = self._evaluate(
                [positions[i] for i in places], komi, [symmetries[i] for i in places], trunk
            )
            found.update(zip(places, part, strict=True))
        return [found[i] for i in range(len(positions))]

    def _evaluate(
        self, positions: list[Position], komi: Sequence[float] | None, symmetries: list[int], trunk: bool
    ) -> list[Evaluation]:
        n, size = len(positions), positions[0].size
        own = np.array([p.rules.komi + p.handicap_bonus for p in positions], dtype=np.float32)
        raw = self.raw(positions, symmetries, trunk)
        black = np.array([p.side == Color.BLACK for p in positions])
        win = _black_share(raw.outcome, black)[:, None]
        labels = own[:, None]
        if komi is not None:
            labels = np.broadcast_to(np.array(komi, dtype=np.float32), (n, len(komi)))
            win = self._curve(positions, komi, symmetries, own, win[:, 0], black)
        sign = np.where(black, np.float32(1), np.float32(-1))
        margin = sign * raw.lead + own
        ownership = (sign[:, None] * raw.ownership).reshape(n, size, size)
        return [
            Evaluation(
                policy=raw.policy[i],
                komi=float(own[i]),
                komi_labels=labels[i],
                win_by_komi=win[i],
                margin=Margin(float(margin[i]), float(raw.score_deviation[i])),
                ownership=ownership[i],
                trunk=None if raw.trunk is None else raw.trunk[i].reshape(-1, size, size),
            )
            for i in range(n)
        ]

    def _curve(
        self,
        positions: list[Position],
        komi: Sequence[float],
        symmetries: list[int],
        own: Floats,
        own_win: Floats,
        black: npt.NDArray[np.bool_],
    ) -> Floats:
        """Black's chance to win at each komi, [n, k], never rising; the position's own komi is known already."""
        curve = np.empty((len(positions), len(komi)), dtype=np.float32)
        asked: list[tuple[int, int]] = []
        variants = []
        for i, position in enumerate(positions):
            bonus = position.handicap_bonus
            for k, label in enumerate(komi):
                if label == own[i]:
                    curve[i, k] = own_win[i]
                    continue
                variant = position.copy()
                variant.rules = position.rules.with_komi(label - bonus)
                variants.append(variant)
                asked.append((i, k))
        if variants:
            rows, columns = (np.array(part) for part in zip(*asked, strict=True))
            raw = self.raw(variants, [symmetries[i] for i in rows], False)
            curve[rows, columns] = _black_share(raw.outcome, black[rows])
        self.rises += int((np.diff(curve) > 0).sum())
        self.steps += curve.size - len(curve)
        return falling(curve)

    def raw(self, positions: Sequence[Position], symmetries: Sequence[int], trunk: bool) -> RawOutput:
        """What the net says of positions of one size, before it is turned to Black's view."""
        inputs = encode_inputs(self._card.encoding, positions, symmetries, min(self._threads, len(positions)))
        names = (*_OUTPUTS, "trunk") if trunk else _OUTPUTS
        outputs = self._session.run(names, {"spatial": inputs.planes, "global": inputs.globals})
        return self._read(positions, symmetries, *outputs)

    def _read(
        self,
        positions: Sequence[Position],
        symmetries: Sequence[int],
        policy: Floats,
        value: Floats,
        score: Floats,
        ownership: Floats,
        trunk: Floats | None = None,
    ) -> RawOutput:
        settings = self._card.settings
        size = positions[0].size
        logits = policy[:, 0]  # channel 0 is the ordinary policy; others are optimistic or Q values
        if trunk is not None:  # [n, size, size, channels]
            trunk = trunk.reshape(len(trunk), size * size, -1).transpose(0, 2, 1)
        if any(symmetries):
            seen = _seen_at(size)[np.asarray(symmetries)]  # [n, points]
            ownership = np.take_along_axis(ownership, seen, axis=1)
            logits = np.concatenate([np.take_along_axis(logits, seen, axis=1), logits[:, -1:]], axis=1)
            if trunk is not None:
                trunk = np.take_along_axis(trunk, seen[:, None], axis=2)
        legal = _native.legal_masks(list(positions)).astype(bool)
        decided = np.array(
            [p.rules.ko is not Ko.SIMPLE and p.rules.scoring is not Scoring.TERRITORY for p in positions]
        )
        outcome = value.copy()
        outcome[decided, 2] = -np.inf
        outcome = _softmax(outcome)
        played = 1 - outcome[:, 2]  # a game without result has no score
        return RawOutput(
            policy=_softmax(np.where(legal, logits, -np.inf)),
            outcome=outcome,
            lead=score[:, 2] * settings["lead"] * played,
            score_mean=score[:, 0] * settings["score_mean"] * played,
            score_deviation=_softplus(score[:, 1]) * settings["score_stdev"],
            ownership=np.tanh(ownership),
            trunk=trunk,
        )


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)


def _softplus(x: Floats) -> Floats:
    return np.logaddexp(x, np.float32(0)).astype(np.float32)


def _black_share(outcome: Floats, black: npt.NDArray[np.bool_]) -> Floats:
    """Black's chance to win; a game without result is half a win."""
    win = outcome[:, 0] + outcome[:, 2] / 2
    return np.clip(np.where(black, win, 1 - win), 0, 1).astype(np.float32)


_SEEN: dict[int, npt.NDArray[np.int64]] = {}


def _seen_at(size: int) -> npt.NDArray[np.int64]:
    """[8, points]: where a point is seen through each symmetry."""
    if size not in _SEEN:
        _SEEN[size] = np.array(
            [[_native.transform_point(p, size, s) for p in range(size * size)] for s in range(8)]
        )
    return _SEEN[size]
