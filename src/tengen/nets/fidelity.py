"""How near one form of a net comes to another, and how well its win rates fall with komi, on positions of games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from tengen.errors import InputError
from tengen.games.importing import read_games
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.position import Position
from tengen.nets.evaluation import falling, given
from tengen.nets.evaluator import Evaluator
from tengen.nets.net_evaluator import NetEvaluator
from tengen.progress import Progress, Report, silent

# What int8 must reach to be the default of a net.
SAME_MOVE = 0.93
WIN_RATE = 0.01

_AT_ONCE = 8  # positions whose curves are asked for in one go


def games_of(path: Path) -> list[Game]:
    """The games of a pool (.parquet) or of records."""
    if path.suffix == ".parquet":
        return list(GameStore.open(path))
    return list(GameStore(read_games([path])[0]))


def draw_positions(games: Iterable[Game], count: int, seed: int, size: int = 19) -> list[Position]:
    """Positions before moves of the games on boards of one size, drawn evenly over all of them."""
    places = [(game, n) for game in games if game.size == size for n in range(len(game.moves))]
    if not places:
        raise InputError(f"no game on {size}x{size} to take positions from")
    chosen = np.random.default_rng(seed).permutation(len(places))[:count]
    return [places[i][0].position(places[i][1]) for i in chosen]


def fidelity(truth: Evaluator, other: Evaluator, positions: Sequence[Position]) -> dict[str, float | int]:
    """Share of positions with the same first move, and mean and 95 % differences of win rate and lead.

    Only figures of the heads that the net has.
    """
    pairs = list(zip(truth.evaluate(positions), other.evaluate(positions), strict=True))
    figures: dict[str, float | int] = {"positions": len(pairs)}
    if truth.card.has("policy"):
        same = [given(a.policy).argmax() == given(b.policy).argmax() for a, b in pairs]
        figures["same_first_move"] = round(float(np.mean(same)), 4)
    if truth.card.has("win_by_komi"):
        win = [abs(given(a.win).of(Color.BLACK) - given(b.win).of(Color.BLACK)) for a, b in pairs]
        figures["win_rate_mean_difference"] = round(float(np.mean(win)), 5)
        figures["win_rate_95_percent"] = round(float(np.quantile(win, 0.95)), 5)
    if truth.card.has("margin"):
        lead = [abs(given(a.lead).of(Color.BLACK) - given(b.lead).of(Color.BLACK)) for a, b in pairs]
        figures["lead_mean_difference"] = round(float(np.mean(lead)), 3)
    if truth.card.has("ownership"):
        owner = [np.abs(given(a.ownership) - given(b.ownership)).mean() for a, b in pairs]
        figures["ownership_mean_difference"] = round(float(np.mean(owner)), 4)
    return figures


def is_faithful(figures: dict[str, float | int]) -> bool:
    """Is it near enough to be a net's default, by those of the bounds that the net has heads for?"""
    return (
        figures.get("same_first_move", 1.0) >= SAME_MOVE
        and figures.get("win_rate_mean_difference", 0.0) <= WIN_RATE
    )


def komi_rises(
    net: NetEvaluator,
    positions: Sequence[Position],
    labels: Sequence[float],
    progress: Report = silent,
) -> dict[str, float | int]:
    """How often and how far Black's raw win rate rises with komi, where it should fall; labels in rising order.

    The repair is what `win_by_komi` differs by from the raw curve (see `falling`).
    """
    curves = []
    for start in range(0, len(positions), _AT_ONCE):
        curves.append(net.komi_curves(positions[start : start + _AT_ONCE], labels))
        progress(Progress("evaluating", min(start + _AT_ONCE, len(positions)), len(positions)))
    raw = np.concatenate(curves).astype(np.float64)
    steps = np.diff(raw, axis=1)
    worst = steps.max(axis=1)
    repair = np.abs(raw - falling(raw))
    return {
        "positions": len(raw),
        "komi_labels": len(labels),
        "steps_that_rise": round(float((steps > 0).mean()), 4),
        "steps_that_rise_by_0.01": round(float((steps > 0.01).mean()), 5),
        "curves_that_rise": round(float((worst > 0).mean()), 4),
        "curves_that_rise_by_0.01": round(float((worst > 0.01).mean()), 4),
        "greatest_rise": round(float(worst.max()), 4),
        "mean_repair": round(float(repair.mean()), 6),
        "greatest_repair": round(float(repair.max()), 4),
    }
