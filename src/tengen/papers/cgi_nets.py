"""What the reproductions of the CGI paper share: nets and games that `--set` and `--pool` name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.go.result import ResultKind
from tengen.nets.evaluator import Evaluator
from tengen.papers.cgi_data import LAST, NAMES
from tengen.papers.pools import kgs_pool
from tengen.papers.reproduction import Request
from tengen.prediction.predictors import open_net_or_run
from tengen.prediction.value_accuracy import Doubles
from tengen.prediction.value_reading import Positions
from tengen.training.pools import predicates

# Nets of ours that stand beside the paper's four.
OURS = {"ordered": "ordered (ours)", "reference": "reference"}
# Nets are names, folders of exported nets, or folders of runs; an empty one is left out.
NETS: dict[str, Any] = dict.fromkeys((*NAMES, *OURS), "")
GAMES: dict[str, Any] = {
    "komi": 7.5,  # of the games
    "min_rank": "6d",  # of one player or both; empty: any
    "years": "",  # 2015, or 2015-2018; empty: all
    "games": 1000,  # drawn from the pool; the paper: 10,000
    "seed": 1,
}
SAMPLE: dict[str, Any] = {"every": 10}  # of each game, the first position and every so many-th after it
DECIDED = (ResultKind.SCORE, ResultKind.RESIGN, ResultKind.WIN, ResultKind.DRAW)


@dataclass(frozen=True)
class Nets:
    """The nets by the names of their settings; all are for one board size."""

    nets: Mapping[str, Evaluator]
    size: int

    def items(self) -> list[tuple[str, Evaluator]]:
        return list(self.nets.items())


def title_of(name: str) -> str:
    """What a net is called in tables and drawings."""
    return (NAMES | OURS)[name]


def open_nets(settings: Mapping[str, Any], keys: Sequence[str], size: int = 0) -> Nets:
    """The nets that the settings name. InputError if there is none, or if they are for different boards.

    `size` is the board that is asked for; 0: the one that the nets are for, 19 if they play on several.
    """
    nets = {key: open_net_or_run(settings[key]) for key in keys if settings[key]}
    if not nets:
        raise InputError(
            f"no net is given: --set {keys[0]}=FOLDER (also {', '.join(keys[1:]) or 'nothing else'})"
        )
    for net in nets.values():
        net.card.require("win_by_komi", "the CGI paper's figures are about win rates")
    if not size:
        bound = [
            (key, net.card.board_sizes[0]) for key, net in nets.items() if len(net.card.board_sizes) == 1
        ]
        size = bound[0][1] if bound else 19
    for key, net in nets.items():
        if size not in net.card.board_sizes:
            raise InputError(
                f"{key}={settings[key]} does not play on {size}x{size}, on which the other nets and the games are: "
                "give nets of one board size"
            )
    return Nets(nets, size)


def one_net(request: Request, defaults: Mapping[str, Any]) -> tuple[Request, Evaluator, int]:
    """The request with all its settings, the net that the setting `net` names, and its board."""
    request = request._replace(settings={**defaults, **request.settings})
    nets = open_nets(request.settings, ["net"])
    return request, nets.nets["net"], nets.size


def open_games(request: Request, size: int, **changes: Any) -> GameStore:
    """The games of the pool on that board at the komi, even, one player of the rank, and decided on the board."""
    settings = GAMES | dict(request.settings) | changes
    pool = kgs_pool(request)
    wanted: list[pl.Expr] = [
        pl.col("size") == size,
        pl.col("komi") == settings["komi"],
        pl.col("handicap") <= 1,
        pl.col("result").is_in([kind.value for kind in DECIDED]),
    ]
    if settings["min_rank"]:
        least = _rank(settings["min_rank"])
        wanted.append(pl.max_horizontal("black_rank_number", "white_rank_number") >= least)
    if settings["years"]:
        wanted += predicates({"years": _years(settings["years"])})
    store = GameStore.open(pool).filter(*wanted)
    if len(store) < 2:
        raise InputError(
            f"{pool} has {len(store)} games on {size}x{size} at komi {settings['komi']:g} with a player of "
            f"{settings['min_rank'] or 'any rank'} or above (years: {settings['years'] or 'all'}): two or more are "
            "needed; change --set komi=..., min_rank=... or years=..., or give another --pool"
        )
    return store


def _rank(text: str) -> int:
    from tengen.games.filters import parse_rank

    return parse_rank(text).number


def _years(text: str) -> list[int]:
    first, _, last = text.partition("-")
    try:
        return list(range(int(first), int(last or first) + 1))
    except ValueError:
        raise InputError(f"years is 2015 or 2015-2018, not '{text}'") from None


def positions_of(request: Request, store: GameStore) -> Positions:
    """The positions of the sample that the settings ask for."""
    settings = GAMES | SAMPLE | dict(request.settings)
    if min(settings["games"], settings["every"]) < 1:
        raise InputError("games and every must be 1 or more")
    return Positions.every(store, settings["games"], settings["every"], settings["seed"])


def last_of(size: int) -> int:
    """The paper's last position, 285 on 19x19, at the same share of the board's points.

    >>> last_of(19), last_of(9)
    (285, 64)
    """
    return round(LAST * size * size / 361)


def labels_of(net: Evaluator) -> Doubles:
    """A net's komi labels; InputError for a net with fewer than two."""
    labels = np.array(sorted(net.card.komi_labels), np.float64)
    if len(labels) < 2 or not np.allclose(np.diff(labels), 1):
        raise InputError(
            f"net {net.card.name} has no win rate for every komi a point apart (ML-VN, BV-ML-VN or ordered have)"
        )
    return labels


def described(positions: Positions, size: int) -> str:
    """The sample in words."""
    games = len(np.unique(positions.game))
    return f"{len(positions):,} positions of {games:,} games on {size}x{size}"
