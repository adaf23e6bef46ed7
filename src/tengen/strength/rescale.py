"""Fits a model to another scale: the line of Section 7.1, from players whose rank on that scale is known."""

from __future__ import annotations

import numpy as np
import polars as pl

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.progress import Progress, Report, silent
from tengen.strength.calibration import Calibration, fit_calibration
from tengen.strength.conversions import scale_named
from tengen.strength.feature_store import FeatureStore
from tengen.strength.model import StrengthModel
from tengen.strength.windows import Floats, stored

_DAN_MIDDLE = (
    29.5  # added to a dan rank's number for its middle on the scale where 30.0 is the bottom of 1 dan
)


def calibrate_to_ranks(
    model: StrengthModel,
    games: GameStore,
    features: FeatureStore,
    scale: str,
    progress: Report = silent,
) -> Calibration:
    """A calibration from all players of the pool with an amateur rank and features: one sample a player and rank."""
    to = scale_named(scale)
    load = stored(games, features, model.card.inputs)
    frame = games.frame.with_row_index("at").filter(pl.col("size") == 19, pl.col("handicap") < 2)
    sets: dict[tuple[str, int], list[Floats]] = {}
    columns = ("at", "black", "white", "black_rank_number", "white_rank_number")
    for n, (at, black, white, black_rank, white_rank) in enumerate(frame.select(columns).iter_rows()):
        found = load(at)
        progress(Progress("looking at players", n + 1, len(frame)))
        if found is None:
            continue
        for color, name, rank in ((Color.BLACK, black, black_rank), (Color.WHITE, white, white_rank)):
            if name and rank is not None and rank <= 9:
                sets.setdefault((name, rank), []).append(model.inputs(found.of(color))[::-1])
    if len(sets) < 20:
        raise InputError(f"{len(sets)} ranked players have features; a calibration needs at least 20")
    moves = [np.concatenate(parts[::-1]) for parts in sets.values()]
    raws = [model.estimate([one])[0] for one in moves]
    truth = [to.rating(_DAN_MIDDLE + rank) for _, rank in sets]
    return fit_calibration(
        np.array([raw.number for raw in raws]),
        np.array(truth),
        np.array([float(raw.moves) for raw in raws]),
        np.array([raw.spread for raw in raws]),
        model_sha256=model.card.sha256,
        net_sha256=model.card.net_sha256,
        scale=scale,
    )
