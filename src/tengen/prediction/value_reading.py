"""What nets say of positions of a pool, beside how the games ended: the input of `value_accuracy`. No torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.evaluator import Evaluator
from tengen.nets.komi import KomiKind, komi_kind
from tengen.nets.net_evaluator import NetEvaluator
from tengen.prediction.value_accuracy import Doubles, Ints
from tengen.progress import Progress, Report, silent
from tengen.training.permutation import shuffled

_BATCH = 64
_NO_MOVES = "no game of the pool has a move: there is no position to judge"


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of a pool: game [n] is the row of the game, number [n] the moves played before."""

    store: GameStore
    game: Ints
    number: Ints

    def __len__(self) -> int:
        return len(self.game)

    @staticmethod
    def every(store: GameStore, games: int, every: int, seed: int) -> Positions:
        """Every so many-th position of so many games, drawn by the seed, from the first position on."""
        order = np.sort(np.random.default_rng(seed).permutation(len(store))[:games])
        lengths = store.frame["move_count"].to_numpy()[order]
        numbers = [np.arange(0, length, every) for length in lengths]
        if not sum(map(len, numbers)):
            raise InputError(_NO_MOVES)
        return Positions(store, np.repeat(order, [len(n) for n in numbers]), np.concatenate(numbers))

    @staticmethod
    def spread(store: GameStore, count: int, seed: int) -> Positions:
        """So many positions before moves, drawn by the seed, each as likely as any other of any game.

        More of them with the same seed hold the fewer.
        """
        bounds = np.concatenate([[0], np.cumsum(store.frame["move_count"].to_numpy().astype(np.int64))])
        total = int(bounds[-1])
        if not total:
            raise InputError(_NO_MOVES)
        flat = np.sort(shuffled(np.arange(min(count, total)), total, seed))
        game = np.searchsorted(bounds, flat, side="right") - 1
        return Positions(store, game.astype(np.int64), flat - bounds[game])

    @staticmethod
    def last(store: GameStore, games: int, seed: int) -> Positions:
        """The positions after the last moves of so many games, drawn by the seed."""
        chosen = np.sort(shuffled(np.arange(min(games, len(store))), len(store), seed))
        return Positions(store, chosen, store.frame["move_count"].to_numpy().astype(np.int64)[chosen])

    def drawn(self, count: int, seed: int) -> Positions:
        """So many of them, drawn by the seed."""
        chosen = np.sort(np.random.default_rng(seed).permutation(len(self))[:count])
        return Positions(self.store, self.game[chosen], self.number[chosen])

    def at(self, part: slice) -> list[Position]:
        positions, last, game = [], -1, None
        for row, number in zip(self.game[part].tolist(), self.number[part].tolist(), strict=True):
            if game is None or row != last:
                game, last = self.store.game(row), row
            positions.append(game.position(number))
        return positions

    def numbered(self) -> tuple[Ints, int]:
        """The games of the positions as numbers from 0, [n], and how many games there are."""
        rows, number = np.unique(self.game, return_inverse=True)
        return number.astype(np.int64), len(rows)

    def results(self) -> Doubles:
        """z [n]: 1 if Black won the game, -1 if White did, 0 for a draw, NaN where it is unknown."""
        frame = self.store.frame
        coded = frame.select(
            pl.when(pl.col("winner") == "B")
            .then(1.0)
            .when(pl.col("winner") == "W")
            .then(-1.0)
            .when(pl.col("result") == "draw")
            .then(0.0)
        ).to_series()
        return coded.fill_null(np.nan).to_numpy()[self.game]

    def leads(self) -> Doubles:
        """Black's leads [n] as the records count them, komi included; NaN for games that were not counted."""
        margin = self.store.frame["margin"].fill_null(np.nan).to_numpy().astype(np.float64)
        return np.asarray(margin[self.game] * self.results())

    def margins(self) -> Doubles:
        """The final margins of the games [n], NaN where unknown."""
        margins = self.store.frame["final_margin"].fill_null(np.nan).to_numpy()
        return np.asarray(margins.astype(np.float64)[self.game])


class Judgement(NamedTuple):
    """What a net says of n positions, without search, at the games' own komi and rules; None for heads it lacks.

    win: Black's win rates [n], 0 to 1. lead: Black's leads [n] in points, komi included. move: the likeliest moves [n].
    """

    win: Doubles | None
    lead: Doubles | None
    move: Ints | None


def judge(
    nets: Sequence[Evaluator],
    positions: Positions,
    report: Report = silent,
    shown: Callable[[Position], Position] = lambda position: position,
    stage: str = "positions",
) -> list[Judgement]:
    """What each net says of the positions; `shown` is what they see in place of a position."""
    parts: list[list[Judgement]] = [[] for _ in nets]
    for first in range(0, len(positions), _BATCH):
        report(Progress(stage, first, len(positions)))
        boards = [shown(board) for board in positions.at(slice(first, first + _BATCH))]
        for net, said in zip(nets, parts, strict=True):
            said.append(_judgement(net.evaluate(boards)))
    report(Progress(stage, len(positions), len(positions)))
    return [Judgement(*map(_joined, zip(*said, strict=True))) for said in parts]


def _judgement(said: Sequence[Evaluation]) -> Judgement:
    wins, leads = [one.win for one in said], [one.lead for one in said]
    policies = [one.policy for one in said]
    black = Color.BLACK
    return Judgement(
        None if None in wins else np.array([given(win).of(black) for win in wins]),
        None if None in leads else np.array([given(lead).of(black) for lead in leads]),
        None
        if any(policy is None for policy in policies)
        else np.array([given(p).argmax() for p in policies]),
    )


def _joined(parts: Sequence[npt.NDArray[Any] | None]) -> npt.NDArray[Any] | None:
    there = [part for part in parts if part is not None]
    return np.concatenate(there) if len(there) == len(parts) else None


def black_values(
    net: Evaluator,
    positions: Positions,
    labels: Sequence[float] | npt.NDArray[np.floating],
    report: Report = silent,
) -> Doubles:
    """v_k of a net [n, labels], Black's, from -1 to 1, not repaired where it rises with komi.

    A net with one komi only says the same at every label, as the paper uses it (IV.B).
    """
    net.card.require("win_by_komi")
    wanted = [float(label) for label in labels]
    parts = []
    for first in range(0, len(positions), _BATCH):
        report(Progress(f"asking {net.card.name}", first, len(positions)))
        boards = positions.at(slice(first, first + _BATCH))
        if isinstance(net, NetEvaluator) and komi_kind(net.card) is KomiKind.LABELS:
            win = net.komi_curves(boards, wanted)
        else:
            found = net.evaluate(boards, komi_labels=wanted)
            win = np.array([given(one.win_by_komi) for one in found])
        parts.append(2 * win.astype(np.float64) - 1)
    return np.concatenate(parts)


def black_territory(net: Evaluator, positions: Positions, report: Report = silent) -> Doubles:
    """Black's points less White's that a net's ownership expects, [n]: 2 x sum of Black's chances - area (IV.F)."""
    net.card.require("ownership")
    parts: list[float] = []
    for first in range(0, len(positions), _BATCH):
        report(Progress(f"asking {net.card.name}", first, len(positions)))
        found = net.evaluate(positions.at(slice(first, first + _BATCH)))
        parts += [float(given(one.ownership).sum()) for one in found]
    return np.array(parts)
