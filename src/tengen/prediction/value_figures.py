"""How well nets judge positions of games that ended: squared error, right winner, lead at the end, calibration.

Several nets judge the same positions, so that differences between them are paired. Everything is in Black's view, at
the komi and rules of the records. Intervals (95 %) are from resampled games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.games.store import GameStore
from tengen.nets.evaluation import given
from tengen.nets.evaluator import Evaluator
from tengen.prediction.games import check_boards, is_counted
from tengen.prediction.predictors import precision_of
from tengen.prediction.reliability import Bin, reliability
from tengen.prediction.resampling import Doubles, GameMean
from tengen.prediction.value_reading import Judgement, Positions, judge
from tengen.progress import Report, silent
from tengen.search.ended import before_passes
from tengen.training.data import TEST_SEED

ALL = "all"
# Moves played before, and what the part of the game is called.
PHASES = (
    ("moves 1-60", 0, 60),
    ("moves 61-120", 60, 120),
    ("moves 121-180", 120, 180),
    ("moves 181-", 180, 100_000),
)
# The last position of a counted game, as two boards: nets are mostly trained on games that go on.
BEFORE_PASSES, AFTER_PASSES = "before the passes", "after the passes"


@dataclass(frozen=True, eq=False)
class PhaseFigures:
    """A net on the positions of one part of the games.

    error: the squared error of v in -1 .. 1, halved: an even guess has 0.5 (`value_accuracy.half_mse`). right: the
    share of positions at which the winner has more than half of the win rate; exactly half counts half.
    """

    error: GameMean
    right: GameMean

    def to_json(self, first: PhaseFigures | None) -> dict[str, Any]:
        """With the differences from the first net, if this is another one."""
        row: dict[str, Any] = {
            "positions": self.error.positions,
            "half_mse": self.error.estimate().to_json(),
            "right_winner": self.right.share().to_json(),
        }
        if first is not None:
            row["half_mse_less_first"] = self.error.less(first.error).to_json()
            row["right_winner_less_first"] = self.right.less(first.right).to_json()
        return row


@dataclass(frozen=True, eq=False)
class EndFigures:
    """A net on the last boards of counted games.

    right: as in the phases. distance: of the net's lead from the count, in points; None for a net without leads.
    median: of these distances.
    """

    right: GameMean
    distance: GameMean | None
    median: float | None

    def to_json(self, first: EndFigures | None) -> dict[str, Any]:
        row: dict[str, Any] = {
            "positions": self.right.positions,
            "right_winner": self.right.share().to_json(),
            "lead_distance": None if self.distance is None else self.distance.estimate().to_json(),
            "lead_distance_median": self.median,
        }
        if first is not None:
            row["right_winner_less_first"] = self.right.less(first.right).to_json()
            if self.distance is not None and first.distance is not None:
                row["lead_distance_less_first"] = self.distance.less(first.distance).to_json()
        return row


@dataclass(frozen=True, eq=False)
class NetFigures:
    """All figures of a net: by phase, by board of the end (empty if no game was counted), by judged win rate."""

    net: str
    precision: str
    phases: dict[str, PhaseFigures]
    ends: dict[str, EndFigures]
    reliability: list[Bin]

    def to_json(self, first: NetFigures | None) -> dict[str, Any]:
        phases = {} if first is None else first.phases
        ends = {} if first is None else first.ends
        return {
            "net": self.net,
            "precision": self.precision,
            "phases": {name: part.to_json(phases.get(name)) for name, part in self.phases.items()},
            "ends": {name: part.to_json(ends.get(name)) for name, part in self.ends.items()},
            "reliability": [one.to_json() for one in self.reliability],
        }


def measure_values(
    nets: Sequence[Evaluator],
    store: GameStore,
    positions: int,
    ends: int,
    seed: int = TEST_SEED,
    report: Report = silent,
) -> list[NetFigures]:
    """Figures of each net on so many positions of decided games and on the last boards of so many counted ones.

    Positions are before moves, drawn by the seed, each as likely as any other; so are the counted games.
    """
    for net in nets:
        net.card.require("win_by_komi", "only nets that give win rates can be measured by results")
        check_boards(net.card, store)
    drawn = Positions.spread(store, positions, seed)
    judged = judge(nets, drawn, report)
    counted = store.filter(is_counted())
    at_end: list[dict[str, EndFigures]] = [{} for _ in nets]
    if ends and len(counted):
        last = Positions.last(counted, ends, seed)
        for name in (BEFORE_PASSES, AFTER_PASSES):
            shown = before_passes if name == BEFORE_PASSES else lambda position: position
            said = judge(nets, last, report, shown, f"ends, {name}")
            for figures, one in zip(at_end, said, strict=True):
                figures[name] = end_figures(last, one)
    return [
        NetFigures(
            net.card.name, precision_of(net), phase_figures(drawn, one), end, reliability_of(drawn, one)
        )
        for net, one, end in zip(nets, judged, at_end, strict=True)
    ]


def phase_figures(positions: Positions, said: Judgement) -> dict[str, PhaseFigures]:
    """Of all positions, and of each phase that has any."""
    game, games = positions.numbered()
    results = positions.results()
    values = 2 * given(said.win) - 1
    error, right = np.square(results - values) / 2, _right(values, results)
    found = {}
    for name, begin, end in ((ALL, 0, PHASES[-1][2]), *PHASES):
        inside = (positions.number >= begin) & (positions.number < end)
        if inside.any():
            found[name] = PhaseFigures(
                GameMean.of(game[inside], error[inside], games),
                GameMean.of(game[inside], right[inside], games),
            )
    return found


def end_figures(positions: Positions, said: Judgement) -> EndFigures:
    """Of the last positions of counted games."""
    game, games = positions.numbered()
    right = GameMean.of(game, _right(2 * given(said.win) - 1, positions.results()), games)
    if said.lead is None:
        return EndFigures(right, None, None)
    distance = np.abs(said.lead - positions.leads())
    return EndFigures(right, GameMean.of(game, distance, games), float(np.median(distance)))


def reliability_of(positions: Positions, said: Judgement) -> list[Bin]:
    game, games = positions.numbered()
    return reliability(game, given(said.win), positions.results(), games)


def _right(values: Doubles, results: Doubles) -> Doubles:
    return np.where(values == 0, 0.5, (values * results > 0).astype(np.float64))
