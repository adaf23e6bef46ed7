"""What is in a pool: counts by year, size, komi, handicap, rank, result and player."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tengen.errors import InputError
from tengen.files import replacing
from tengen.games.store import GameStore
from tengen.go.rank import Rank

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Summary:
    """Games by value, in the order of the values; `ranks` counts players, two a game."""

    games: int
    moves: int
    players: int
    years: dict[str, int]
    sizes: dict[str, int]
    komi: dict[str, int]
    handicaps: dict[str, int]
    ranks: dict[str, int]
    results: dict[str, int]
    games_per_player: dict[str, int]  # "1", "2-9", "10-49", ...: players with so many games
    busiest: dict[str, int]
    endings: dict[
        str, int
    ]  # games whose final owners are "known", and whose board "disagrees" with the record

    @staticmethod
    def of(store: GameStore) -> Summary:
        frame = store.frame
        players = pl.concat([frame["black"], frame["white"].alias("black")])
        games_of = (
            players.filter(players != "")
            .value_counts(sort=False)
            .sort(["count", "black"], descending=[True, False])
        )
        ranks = pl.concat([frame["black_rank_number"], frame["white_rank_number"].alias("black_rank_number")])
        return Summary(
            games=len(frame),
            moves=int(frame["move_count"].sum()),
            players=len(games_of),
            years=_counts(frame["year"]),
            sizes=_counts(frame["size"]),
            komi=_counts(frame["komi"]),
            handicaps=_counts(frame["handicap"]),
            ranks={_rank(k): v for k, v in _counts(ranks).items()},
            results=dict(
                frame["result"].value_counts().sort(["count", "result"], descending=[True, False]).iter_rows()
            ),
            games_per_player=_bands(games_of["count"]),
            busiest=dict(games_of.head(10).iter_rows()),
            endings={
                "known": int(frame["final_owner"].is_not_null().sum()),
                "disagrees": int(
                    (frame["final_owner"].is_null() & frame["final_margin"].is_not_null()).sum()
                ),
            },
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def _counts(column: pl.Series) -> dict[str, int]:
    """Value -> rows, in the order of values, unknown last."""
    counts = column.alias("value").value_counts().sort("value", nulls_last=True)
    return {UNKNOWN if value is None else f"{value:g}": count for value, count in counts.iter_rows()}


def _rank(number: str) -> str:
    return number if number == UNKNOWN else str(Rank.of_number(int(number)))


def _bands(counts: pl.Series) -> dict[str, int]:
    bands = ((1, 1), (2, 9), (10, 49), (50, 199), (200, None))
    out = {}
    for low, high in bands:
        name = f"{low}" if low == high else f"{low}+" if high is None else f"{low}-{high}"
        out[name] = int(((counts >= low) & (counts <= (high or 2**32 - 1))).sum())
    return out


def plot(summary: Summary, path: Path) -> None:
    """Bar charts of the counts, as PNG, SVG or PDF by the ending of the name."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise InputError(f"{path}: a plot is written as .png, .svg or .pdf")
    charts = {
        "Games by year": summary.years,
        "Players by rank": summary.ranks,
        "Results": summary.results,
        "Komi": summary.komi,
        "Handicap": summary.handicaps,
        "Games per player": summary.games_per_player,
    }
    figure, axes = pyplot.subplots(2, 3, figsize=(15, 8), layout="constrained")
    for axis, (title, counts) in zip(axes.flat, charts.items(), strict=True):
        axis.bar(range(len(counts)), list(counts.values()), color="#4a6785")
        step = max(1, len(counts) // 16)
        axis.set_xticks(
            range(0, len(counts), step), list(counts)[::step], rotation=60 if len(counts) > 6 else 0
        )
        axis.set_title(title)
        axis.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{summary.games:,} games, {summary.players:,} players")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:].lower(), dpi=120)
    pyplot.close(figure)
