"""How games ended, as the targets of a value head: who won, by how much, who owned which point.

A pool keeps how its games ended (`final_margin`, `final_owner`). Counted games for which it does not are settled here,
once: the pool keeps that too if it can be written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.games.settling import keep_endings, settle_games, unsettled
from tengen.games.store import GameStore
from tengen.go.result import ResultKind
from tengen.progress import Report, silent

# Results that the board brought about.
DECIDED = (ResultKind.SCORE, ResultKind.RESIGN, ResultKind.WIN)


@dataclass(frozen=True)
class Outcomes:
    """Of n games, in Black's view.

    margin float32 [n]: Black's points less White's by area before komi, NaN where unknown. winner int8 [n]: 1 Black,
    -1 White, 0 where the board did not decide (time, forfeit, draw, unknown). komi float32 [n]. owner int8
    [known, points] with 1 Black's, -1 White's, 0 nobody's; row int64 [n] is a game's row in it, -1 for none.
    """

    margin: npt.NDArray[np.float32]
    winner: npt.NDArray[np.int8]
    komi: npt.NDArray[np.float32]
    owner: npt.NDArray[np.int8]
    row: npt.NDArray[np.int64]


def _complain(text: str) -> None:
    print(text, file=sys.stderr)


def outcomes(
    store: GameStore,
    pools: Sequence[str | Path] = (),
    *,
    threads: int | None = None,
    report: Report = silent,
    say: Callable[[str], None] = _complain,
) -> Outcomes:
    """How the games of a pool on one board size ended.

    `pools` are the files that the games came from: what is worked out here is written into them. `threads`: all cores
    if None. `say` gets a line if there is much to work out, and one if a pool cannot be written.
    """
    absent = int(store.frame.select(unsettled().sum()).item())
    if absent:
        say(f"settling {absent:,} counted games: the pool does not say how they ended")
        store = settle_games(store, threads=threads or os.cpu_count() or 1, report=report)
        _keep(store, pools, say)
    boards = store.endings()
    frame = store.frame
    decided = frame["result"].is_in([kind.value for kind in DECIDED])
    black, white = (
        (decided & (frame["winner"] == color)).fill_null(False).to_numpy().astype(np.int8) for color in "BW"
    )
    komi = frame["komi"].to_numpy().astype(np.float32)
    return Outcomes(boards.margin, black - white, komi, boards.owner, boards.row)


def _keep(settled: GameStore, pools: Sequence[str | Path], say: Callable[[str], None]) -> None:
    refused = []
    for pool in pools:
        try:
            keep_endings(Path(pool), settled)
        except InputError:
            refused.append(str(pool))
    if refused:
        say(
            f"how games ended cannot be written to {', '.join(refused)} and is worked out at every start: "
            "`tengen games settle` on a copy that can be written saves the time"
        )


@dataclass(frozen=True)
class Endings:
    """How the games of n examples ended, in the mover's view and the example's symmetry.

    margin float32 [n]: the mover's points less the opponent's before komi, NaN where unknown; komi float32 [n]: the
    margin that the mover must exceed to win (the komi for Black, minus the komi for White); won int8 [n]: 1, -1, or 0
    where unknown; owner int8 [n, points]: 1 the mover's, -1 the opponent's, 0 nobody's, and UNKNOWN at every point of a
    board that is not known.
    """

    margin: npt.NDArray[np.float32]
    komi: npt.NDArray[np.float32]
    won: npt.NDArray[np.int8]
    owner: npt.NDArray[np.int8]


UNKNOWN = -2


def endings(
    outcomes: Outcomes,
    games: npt.NDArray[np.int64],
    white: npt.NDArray[np.bool_],
    carried: npt.NDArray[np.int64],
) -> Endings:
    """Of examples from these games with White to move or not.

    `carried` [n, points]: where each point of the board comes to lie in the example's symmetry.
    """
    sign = np.where(white, -1, 1).astype(np.int8)
    owner = np.full(carried.shape, UNKNOWN, np.int8)
    known = np.flatnonzero(outcomes.row[games] >= 0)
    owner[known[:, None], carried[known]] = outcomes.owner[outcomes.row[games[known]]] * sign[known, None]
    return Endings(
        sign * outcomes.margin[games], sign * outcomes.komi[games], sign * outcomes.winner[games], owner
    )
