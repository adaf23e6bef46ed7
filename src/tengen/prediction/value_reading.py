"""What nets say of positions of a pool, beside how the games ended: the input of `value_accuracy`. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.go.position import Position
from tengen.nets.evaluation import given
from tengen.nets.evaluator import Evaluator
from tengen.nets.komi import KomiKind, komi_kind
from tengen.nets.net_evaluator import NetEvaluator
from tengen.prediction.value_accuracy import Doubles, Ints
from tengen.progress import Progress, Report, silent

_BATCH = 64


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
            raise InputError("no game of the pool has a move: there is no position to judge")
        return Positions(store, np.repeat(order, [len(n) for n in numbers]), np.concatenate(numbers))

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

    def margins(self) -> Doubles:
        """The final margins of the games [n], NaN where unknown."""
        margins = self.store.frame["final_margin"].fill_null(np.nan).to_numpy()
        return np.asarray(margins.astype(np.float64)[self.game])


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
