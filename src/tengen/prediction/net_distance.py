"""How far a net is from a reference net: leads, win rates and first moves, by board size. No torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.nets.evaluator import Evaluator
from tengen.prediction.games import check_boards
from tengen.prediction.resampling import GameMean
from tengen.prediction.value_reading import Judgement, Positions, judge
from tengen.progress import Report, silent
from tengen.training.data import TEST_SEED


@dataclass(frozen=True, eq=False)
class Distance:
    """Two nets on positions of one board size, without search; None where one of them lacks the head.

    lead: mean distance of the leads in points, and its median. win: mean distance of the win rates, 0 to 1. same_move:
    the share of positions at which both nets have the same likeliest move.
    """

    size: int
    games: int
    positions: int
    lead: GameMean | None
    lead_median: float | None
    win: GameMean | None
    same_move: GameMean | None

    @staticmethod
    def of(size: int, positions: Positions, one: Judgement, other: Judgement) -> Distance:
        game, games = positions.numbered()
        lead = None if one.lead is None or other.lead is None else np.abs(one.lead - other.lead)
        win = None if one.win is None or other.win is None else np.abs(one.win - other.win)
        same = None if one.move is None or other.move is None else one.move == other.move
        return Distance(
            size,
            games,
            len(positions),
            None if lead is None else GameMean.of(game, lead, games),
            None if lead is None else float(np.median(lead)),
            None if win is None else GameMean.of(game, win, games),
            None if same is None else GameMean.of(game, same, games),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "games": self.games,
            "positions": self.positions,
            "lead_distance": None if self.lead is None else self.lead.estimate().to_json(),
            "lead_distance_median": self.lead_median,
            "win_rate_distance": None if self.win is None else self.win.estimate().to_json(),
            "same_first_move": None if self.same_move is None else self.same_move.share().to_json(),
        }


def measure_distance(
    net: Evaluator,
    reference: Evaluator,
    store: GameStore,
    positions: int,
    seed: int = TEST_SEED,
    report: Report = silent,
) -> list[Distance]:
    """By board size, of so many positions each: before moves, drawn by the seed, each as likely as any other."""
    for each in (net, reference):
        check_boards(each.card, store)
    if not any(
        net.card.has(head) and reference.card.has(head) for head in ("policy", "win_by_komi", "margin")
    ):
        raise InputError(
            f"the nets {net.card.name} and {reference.card.name} cannot be compared: one gives moves alone, the other "
            "win rates alone"
        )
    found = []
    for size in store.frame["size"].unique().sort().to_list():
        drawn = Positions.spread(store.filter(pl.col("size") == size), positions, seed)
        said = judge([net, reference], drawn, report, stage=f"positions on {size}x{size}")
        found.append(Distance.of(size, drawn, *said))
    return found
