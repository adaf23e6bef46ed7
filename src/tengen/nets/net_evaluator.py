"""A net at work: positions are encoded, a runtime runs the graph, a reader reads it, and all is turned to Black."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets import heads_reader, katago_reader
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Floats, Margin, falling, given
from tengen.nets.komi import (
    KomiKind,
    Labels,
    distribution_curve,
    drawn_curve,
    flat_curve,
    komi_kind,
    labelled_curve,
)
from tengen.nets.reading import Asked, Bools, Doubles, Reader, Readings, softmax
from tengen.nets.runtime import Arrays, Runs

Scalar = TypeVar("Scalar", bound=np.generic)
Symmetries = npt.NDArray[np.uint8]

# The logit of a pass of a net without pass: it passes only when nothing else is legal.
_NEVER = np.float32(-1e9)


def reader_for(card: ModelCard, optimism: float = 0.0) -> Reader:
    """The reader of the card's family of nets."""
    match card.architecture:
        case katago_reader.ARCHITECTURE:
            return katago_reader.KataGoReader(card, optimism)
        case heads_reader.ARCHITECTURE:
            return heads_reader.HeadsReader(card)
    raise InputError(f"{card.name}: no code here runs nets of the kind '{card.architecture}'")


class NetEvaluator:
    """A net behind the face of an Evaluator.

    optimism: of KataGo's nets (tengen.nets.katago_reader).
    """

    def __init__(
        self, card: ModelCard, runtime: Runs, precision: str = "fp32", optimism: float = 0.0
    ) -> None:
        self.card = card
        self.runtime = runtime
        self.precision = precision
        self.reader = reader_for(card, optimism)
        self.kind = komi_kind(card)

    def __repr__(self) -> str:
        return f"<{self.card.architecture} net {self.card.name}, {self.precision}, {self.runtime.threads} threads>"

    def warm_up(self, size: int = 19) -> None:
        """Gets ready for a board size, so that the first question is answered at full speed."""
        self.card.check_size(size)
        self.evaluate([Position(size)])

    def inputs(self, positions: Sequence[Position], symmetries: Symmetries) -> Arrays:
        """What the graph takes for positions of one size."""
        return self.reader.inputs(positions, symmetries)

    def predict(self, planes: Floats, globals_: Floats | None = None) -> Floats:
        """Chances of all moves, illegal ones among them: the softmax of the logits, in the planes' symmetry."""
        inputs = {"spatial": planes}
        if self.card.inputs:
            inputs["global"] = given(globals_)
        return softmax(self.logits(inputs))

    def logits(self, inputs: Arrays) -> Floats:
        """The policy's logits [n, moves], illegal moves among them, in the symmetry of the inputs."""
        self.card.require("policy", "it cannot predict moves")
        planes = inputs["spatial"]
        said = self.runtime.run(planes.shape[2], inputs, ("policy",))
        nothing = Asked(np.zeros(len(planes)), np.ones(len(planes), bool), planes.shape[-1] ** 2)
        return given(self.reader.read(said, nothing).policy)

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        sweep: bool = False,
    ) -> list[Evaluation]:
        """See Evaluator."""
        turned = (
            np.zeros(len(positions), np.uint8) if symmetries is None else np.asarray(symmetries, np.uint8)
        )
        if len(turned) != len(positions):
            raise ValueError(f"there are {len(turned)} symmetries for {len(positions)} positions")
        sizes = dict.fromkeys(position.size for position in positions)
        for size in sizes:
            self.card.check_size(size)
        answers: dict[int, Evaluation] = {}
        for size in sizes:
            chosen = [i for i, position in enumerate(positions) if position.size == size]
            group = [positions[i] for i in chosen]
            found = self._group(group, turned[chosen], trunk, komi_labels, sweep)
            answers.update(zip(chosen, found, strict=True))
        return [answers[i] for i in range(len(positions))]

    def komi_curves(
        self, positions: Sequence[Position], komi_labels: Labels, symmetries: Symmetries | None = None
    ) -> Floats:
        """Black's win rate at each komi exactly as the net says it, float32 [positions, labels].

        For nets with komi as an input, and for nets with labels, at some of these. The positions are of one size. The
        net does not promise that the win rate falls with komi; `evaluate` (with `sweep`, if komi is an input) gives the
        nearest curve that does.
        """
        if self.kind is KomiKind.LABELS:
            return self._labelled(positions, komi_labels, symmetries)
        moved = []
        for position in positions:
            for komi in komi_labels:
                other = position.copy()
                other.rules = position.rules.with_komi(float(komi))
                moved.append(other)
        if not moved:
            return np.empty((len(positions), 0), np.float32)
        turned = np.zeros(len(positions), np.uint8) if symmetries is None else symmetries
        size = moved[0].size
        names = self.reader.win_outputs(self.runtime.names(size))
        said = self.runtime.run(size, self.inputs(moved, np.repeat(turned, len(komi_labels))), names)
        win = for_black(given(self.reader.read(said, Asked.of(moved)).win), _black(moved))
        return win.astype(np.float32).reshape(len(positions), len(komi_labels))

    def _labelled(
        self, positions: Sequence[Position], komi_labels: Labels, symmetries: Symmetries | None
    ) -> Floats:
        """`komi_curves` of a net with labels."""
        own = sorted(self.card.komi_labels)
        if absent := [komi for komi in komi_labels if float(komi) not in own]:
            raise InputError(
                f"net {self.card.name} has labels from {own[0]:g} to {own[-1]:g}, none of them for komi {absent[0]:g}"
            )
        if not len(positions):
            return np.empty((0, len(komi_labels)), np.float32)
        turned = np.zeros(len(positions), np.uint8) if symmetries is None else symmetries
        size = positions[0].size
        names = self.reader.win_outputs(self.runtime.names(size))
        said = self.runtime.run(size, self.inputs(positions, turned), names)
        values = given(self.reader.read(said, Asked.of(positions)).values)
        black = np.where(_black(positions)[:, None], values, 1.0 - values)
        return black[:, [own.index(float(komi)) for komi in komi_labels]].astype(np.float32)

    def _group(
        self,
        positions: Sequence[Position],
        symmetries: Symmetries,
        trunk: bool,
        komi_labels: Sequence[float] | None,
        sweep: bool,
    ) -> list[Evaluation]:
        """Evaluations of positions of one size."""
        count, size = len(positions), positions[0].size
        names = self.reader.outputs(self.runtime.names(size), trunk)
        said = self.runtime.run(size, self.inputs(positions, symmetries), names)
        read = self.reader.read(said, Asked.of(positions))
        black = _black(positions)
        sign = np.where(black, 1.0, -1.0)

        policy, ownership, following = read.policy, read.ownership, read.next_moves
        if policy is not None and policy.shape[1] == size * size:
            policy = np.concatenate([policy, np.full((count, 1), _NEVER)], axis=1)
        if ownership is not None:
            np.negative(ownership, out=ownership, where=~black[:, None])
        if symmetries.any():
            policy, ownership, following = (
                None if board is None else board.copy() for board in (policy, ownership, following)
            )
            for k in np.flatnonzero(symmetries):
                back = origins(size, int(symmetries[k]))
                if policy is not None:
                    policy[k, :-1] = policy[k, back]
                if ownership is not None:
                    ownership[k] = ownership[k, back]
                if following is not None:
                    following[k] = following[k][:, back]
        if policy is not None:
            policy = legal_softmax(policy, positions)
        if following is not None:
            following = softmax(following)
        win, labels, curves = self._win_rates(read, positions, symmetries, komi_labels, sweep)
        mean = None if read.mean is None else (sign * read.mean).tolist()
        deviation = None if read.deviation is None else read.deviation.tolist()
        lead = None if read.lead is None else (sign * read.lead).tolist()
        return [
            Evaluation(
                to_move=position.to_move,
                size=size,
                policy=None if policy is None else policy[i],
                win=None if win is None else WinRate(float(win[i]), Color.BLACK),
                lead=None if lead is None else Lead(lead[i], Color.BLACK),
                margin=None if mean is None or deviation is None else Margin(mean[i], deviation[i]),
                komi_labels=None if labels is None else labels[i],
                win_by_komi=None if curves is None else curves[i],
                ownership=None if ownership is None else ownership[i].reshape(size, size),
                next_moves=None if following is None else following[i],
                trunk=None
                if read.trunk is None
                else turn_back(read.trunk[i], int(symmetries[i])).transpose(2, 0, 1),
                raw=None if read.raw is None else read.raw[i],
            )
            for i, position in enumerate(positions)
        ]

    def _win_rates(
        self,
        read: Readings,
        positions: Sequence[Position],
        symmetries: Symmetries,
        komi_labels: Sequence[float] | None,
        sweep: bool,
    ) -> tuple[Doubles | None, Floats | None, Floats | None]:
        """Black's win rate at each position's own komi [n], labels [n, labels] and Black's win rates there."""
        if not self.card.has("win_by_komi"):
            return None, None, None
        own = np.array([[position.rules.komi] for position in positions], np.float32)
        black, komi = _black(positions), own[:, 0].astype(np.float64)
        wanted = sorted(self.card.komi_labels) if len(self.card.komi_labels) > 1 else None
        labels = wanted if komi_labels is None else komi_labels
        row = np.asarray([] if labels is None else labels, np.float64)
        each = np.broadcast_to(row, (len(positions), len(row)))
        if self.kind is KomiKind.LABELS:  # both at once: a curve is repaired only once
            both = self._curves(read, black, komi, np.concatenate([own, each], axis=1))
            win, curves = both[:, 0], both[:, 1:].astype(np.float32)
        else:
            win = np.clip(for_black(given(read.win), black), 0.0, 1.0)
            if sweep and self.kind is KomiKind.INPUT:
                curves = self._swept(positions, symmetries, row)
            else:
                curves = self._curves(read, black, komi, row).astype(np.float32)
        if labels is None:
            return win, own, win[:, None].astype(np.float32)
        return win, each.astype(np.float32), curves

    def _curves(self, read: Readings, black: Bools, komi: Doubles, labels: Labels) -> Doubles:
        """Black's win rates at the labels [n, labels], by what kind of net this is."""
        match self.kind:
            case KomiKind.LABELS:
                values = given(read.values)
                return labelled_curve(self.card, np.where(black[:, None], values, 1.0 - values), labels)
            case KomiKind.DISTRIBUTION:
                mean = given(read.mean)
                return distribution_curve(np.where(black, mean, -mean), given(read.deviation), labels)
            case KomiKind.INPUT if read.deviation is not None:
                lead = None if read.lead is None else np.where(black, read.lead, -read.lead)
                return drawn_curve(for_black(given(read.win), black), read.deviation, komi, labels, lead)
        return flat_curve(for_black(given(read.win), black), labels)

    def _swept(self, positions: Sequence[Position], symmetries: Symmetries, labels: Labels) -> Floats:
        """The nearest curves that never rise to what the net says at each komi."""
        order = np.argsort(np.asarray(labels, np.float64), kind="stable")
        raw = self.komi_curves(positions, labels, symmetries)
        repaired = np.empty_like(raw)
        repaired[:, order] = falling(raw[:, order])
        return repaired


def for_black(win: Doubles, black: Bools) -> Doubles:
    """Black's chances [n] from the mover's."""
    return np.where(black, win, 1.0 - win)


def _black(positions: Sequence[Position]) -> Bools:
    return np.array([position.to_move is Color.BLACK for position in positions], bool)


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
